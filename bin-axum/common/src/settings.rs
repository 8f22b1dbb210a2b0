//! The settings themselves.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use clap::Args;
use svc_core::ApiBuilder;
use svc_core::secrets::SecretsKey;
use svc_core::store::LimitMode;
use svc_core::webhooks::Networks;

use crate::{Mail, SettingError};

/// What the API allows.
#[derive(Debug, Args)]
pub struct ApiArgs {
    /// Whether limits cut (enforced) or are only announced (notice).
    #[arg(long, env = "SVC_LIMITS", default_value = "enforced")]
    limits: LimitMode,
    /// Requests a minute that each key may make.
    #[arg(long, env = "SVC_RATE_PER_MINUTE", default_value_t = svc_core::DEFAULT_RATE_PER_MINUTE, value_parser = clap::value_parser!(u64).range(1..))]
    rate_per_minute: u64,
    /// Requests that a company may have under way at the same time.
    #[arg(long, env = "SVC_IN_FLIGHT", default_value_t = svc_core::DEFAULT_IN_FLIGHT, value_parser = clap::value_parser!(u32).range(1..))]
    in_flight: u32,
    /// Largest body of a request, in bytes.
    #[arg(long, env = "SVC_MAX_BODY", default_value_t = svc_core::DEFAULT_MAX_BODY)]
    max_body: usize,
}

impl ApiArgs {
    /// An API that allows this.
    pub fn apply(&self, builder: ApiBuilder) -> ApiBuilder {
        builder
            .limits(self.limits)
            .rate_per_minute(self.rate_per_minute)
            .in_flight(self.in_flight)
            .max_body(self.max_body)
    }
}

/// The key that secrets are kept under.
#[derive(Debug, Args)]
pub struct SecretsArgs {
    /// Key that encrypts webhook secrets and certificate keys at rest, 64 hexadecimal digits; without it they are stored as they are.
    #[arg(long, env = "SVC_SECRETS_KEY", hide_env_values = true, global = true)]
    secrets_key: Option<Hidden>,
}

impl SecretsArgs {
    /// The key that secrets are sealed with, if one is set.
    pub fn key(&self) -> Result<Option<SecretsKey>, SettingError> {
        let given = self.secrets_key.as_ref().filter(|given| !given.reveal().is_empty());
        let wrong = |error| SettingError(format!("SVC_SECRETS_KEY: {error}"));
        given.map(|given| given.reveal().parse().map_err(wrong)).transpose()
    }
}

/// Who has invoices stamped.
#[derive(Debug, Args)]
pub struct StamperArgs {
    /// Who has invoices stamped: the URL of a provider, or sandbox, which plays one.
    #[arg(long, env = "SVC_STAMPER", default_value = "sandbox")]
    pub(crate) stamper: String,
    /// What the provider knows us by.
    #[arg(long, env = "SVC_STAMPER_TOKEN", hide_env_values = true)]
    stamper_token: Option<Hidden>,
    /// How long the provider may take to answer, in seconds.
    #[arg(long, env = "SVC_STAMPER_TIMEOUT", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) stamper_timeout: u64,
}

impl StamperArgs {
    /// The provider's token; empty when none is set.
    pub(crate) fn token(&self) -> &str {
        self.stamper_token.as_ref().map_or("", Hidden::reveal)
    }
}

/// Where webhooks may lead, beyond the public internet and short of it.
#[derive(Debug, Args)]
pub struct WebhookArgs {
    /// For development only: networks that webhooks may reach, with http and any port, several with commas between.
    #[arg(long = "webhook-allow-nets", env = "SVC_WEBHOOK_ALLOW_NETS", default_value = "", hide_default_value = true)]
    allow: String,
    /// Further networks that webhooks may not reach, several with commas between.
    #[arg(long = "webhook-deny-nets", env = "SVC_WEBHOOK_DENY_NETS", default_value = "", hide_default_value = true)]
    deny: String,
}

/// The machine's own addresses.
const THIS_MACHINE: &str = "127.0.0.0/8,::1/128";

impl WebhookArgs {
    /// Lets webhooks reach this machine, unless the settings name networks.
    #[must_use]
    pub fn or_this_machine(mut self) -> Self {
        if self.allow.is_empty() {
            THIS_MACHINE.clone_into(&mut self.allow);
        }
        self
    }

    /// The networks.
    pub fn networks(&self) -> Result<Networks, SettingError> {
        let wrong = |name: &'static str| move |error| SettingError(format!("{name}: {error}"));
        let networks = Networks::default().allow(&self.allow).map_err(wrong("SVC_WEBHOOK_ALLOW_NETS"))?;
        networks.deny(&self.deny).map_err(wrong("SVC_WEBHOOK_DENY_NETS"))
    }
}

/// Through whom e-mails are sent.
#[derive(Debug, Args)]
pub struct MailArgs {
    /// SMTP server to send e-mails through (`smtps://user:password@host`); without it they wait.
    #[arg(long, env = "SVC_SMTP_URL", hide_env_values = true)]
    smtp_url: Option<Hidden>,
    /// Who e-mails are from; by default the URL's user, else svc@ the server.
    #[arg(long, env = "SVC_SMTP_FROM")]
    smtp_from: Option<String>,
}

impl MailArgs {
    /// Who sends e-mails, if anyone does.
    pub fn mail(&self) -> Result<Option<Mail>, SettingError> {
        let url = self.smtp_url.as_ref().map(Hidden::reveal).filter(|url| !url.is_empty());
        url.map(|url| Mail::new(url, self.smtp_from.as_deref())).transpose()
    }
}

/// A value that is not shown.
#[derive(Clone)]
pub struct Hidden(String);

impl Hidden {
    /// The value, for whom it is meant.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl FromStr for Hidden {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden(..)")
    }
}
