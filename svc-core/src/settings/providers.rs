//! Settings of the providers: the stamping provider, the sender of webhooks, the mail server.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::{Hidden, SettingError};
use crate::mail::{Notifier, SmtpError, SmtpNotifier, server_address};
use crate::stamping::{FinkokStamper, HttpStamper, HttpStamperError, SandboxStamper, SatStatus, Stamper, SwStamper};
use crate::webhooks::{HttpSender, Networks, NoAuthorities, Sender};
use crate::work::Providers;

/// The stamper that needs no provider.
const SANDBOX: &str = "sandbox";

/// The scheme prefix of providers with their own protocol.
const SW: &str = "sw+";
const FINKOK: &str = "finkok+";

/// The machine's own addresses.
const THIS_MACHINE: &str = "127.0.0.0/8,::1/128";

/// The settings of everything that background work reaches. Each group can also be used alone, by
/// commands that need only one.
#[derive(Debug, Args)]
#[non_exhaustive]
pub struct OutsideSettings {
    /// Where webhooks may lead.
    #[command(flatten)]
    pub webhooks: WebhookSettings,
    /// Who has invoices stamped.
    #[command(flatten)]
    pub stamper: StamperSettings,
    /// Who sends e-mails.
    #[command(flatten)]
    pub mail: MailSettings,
}

impl OutsideSettings {
    /// Makes all three without connecting to anything. If the machine trusts no certificate
    /// authority, only webhooks cannot be delivered, so that is logged and not an error. Settings
    /// that cannot be used are an error.
    pub fn open(&self) -> Result<Providers, SettingError> {
        self.open_with(self.stamper.stamper()?)
    }

    /// Makes the other two beside a stamper that was made before.
    pub fn open_with(&self, stamper: Option<Arc<dyn Stamper>>) -> Result<Providers, SettingError> {
        let (sender, notifier) = (self.webhooks.sender_if_possible()?, self.mail.notifier()?);
        Ok(Providers::default().stamper(stamper).sender(sender).notifier(notifier))
    }
}

/// Who has invoices stamped.
#[derive(Debug, Args)]
pub struct StamperSettings {
    /// Who has invoices stamped: a provider's address (sw+https://…, finkok+https://…, or https://…
    /// of one that speaks the protocol of this project), or sandbox, which plays a provider for
    /// development. Without it the invoices of all companies but test companies wait; those of test
    /// companies are the sandbox's in any case.
    #[arg(long, env = "SVC_STAMPER")]
    stamper: Option<String>,
    /// The user that the provider knows us by; without one the token is all there is.
    #[arg(long, env = "SVC_STAMPER_USER")]
    stamper_user: Option<String>,
    /// What the provider knows us by: the user's password, or a token.
    #[arg(long, env = "SVC_STAMPER_TOKEN", hide_env_values = true)]
    stamper_token: Option<Hidden>,
    /// Address of the authority's cancellation status service; the public one by default.
    #[arg(long, env = "SVC_SAT_STATUS")]
    sat_status: Option<String>,
    /// How long the provider may take to answer, in seconds.
    #[arg(long, env = "SVC_STAMPER_TIMEOUT", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=600))]
    stamper_timeout: u64,
}

impl StamperSettings {
    fn set(&self) -> Option<&str> {
        self.stamper.as_deref().map(str::trim).filter(|url| !url.is_empty())
    }

    /// Whether a provider or the sandbox is set; an empty setting sets none.
    pub fn is_set(&self) -> bool {
        self.set().is_some()
    }

    /// Whether the sandbox stamps the documents of all companies.
    pub fn is_sandbox(&self) -> bool {
        self.set() == Some(SANDBOX)
    }

    /// The provider's address, without what names its protocol; `None` if none is set or it is the
    /// sandbox.
    pub fn address(&self) -> Option<&str> {
        let url = self.set().filter(|url| *url != SANDBOX)?;
        Some(url.strip_prefix(SW).or_else(|| url.strip_prefix(FINKOK)).unwrap_or(url))
    }

    /// Logs that no provider stamps, if none does.
    pub fn warn(&self) {
        match self.set() {
            None => tracing::warn!("SVC_STAMPER is not set: only documents of test companies are stamped, others wait"),
            Some(SANDBOX) => {
                tracing::warn!(
                    "SVC_STAMPER is sandbox: it stamps for all companies, and no document is a valid invoice"
                );
            }
            Some(_) => {}
        }
    }

    /// The provider, or the sandbox; `None` if neither is set. Fails if the provider's URL or token
    /// cannot be used.
    pub fn stamper(&self) -> Result<Option<Arc<dyn Stamper>>, SettingError> {
        Ok(match self.set() {
            None => None,
            Some(SANDBOX) => Some(Arc::new(SandboxStamper)),
            Some(url) => Some(self.provider(url)?),
        })
    }

    fn provider(&self, url: &str) -> Result<Arc<dyn Stamper>, SettingError> {
        let wrong = |error: HttpStamperError| {
            let setting = match error {
                HttpStamperError::Token => "SVC_STAMPER_TOKEN",
                HttpStamperError::User => "SVC_STAMPER_USER",
                _ => "SVC_STAMPER",
            };
            SettingError(format!("{setting}: {error}"))
        };
        let given =
            |text: &Option<String>| text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let (user, address) = (given(&self.stamper_user), given(&self.sat_status));
        let token = Hidden::given(self.stamper_token.as_ref()).unwrap_or_default();
        let timeout = Duration::from_secs(self.stamper_timeout);
        let status = SatStatus::new(address.as_deref(), timeout);
        let status = status.map_err(|error| SettingError(format!("SVC_SAT_STATUS: {error}")))?;
        if let Some(url) = url.strip_prefix(SW) {
            return Ok(Arc::new(SwStamper::new(url, user.as_deref(), token, status, timeout).map_err(wrong)?));
        }
        if let Some(url) = url.strip_prefix(FINKOK) {
            let (user, status) = (user.unwrap_or_default(), address.map(|_| status));
            return Ok(Arc::new(FinkokStamper::new(url, &user, token, status, timeout).map_err(wrong)?));
        }
        Ok(Arc::new(HttpStamper::new(url, token, status, timeout).map_err(wrong)?))
    }
}

/// Where webhooks may lead, beyond the public internet and short of it.
#[derive(Debug, Args)]
pub struct WebhookSettings {
    /// For development only: networks that webhooks may reach, with http and any port, several with
    /// commas between.
    #[arg(long = "webhook-allow-nets", env = "SVC_WEBHOOK_ALLOW_NETS", default_value = "", hide_default_value = true)]
    allow: String,
    /// Further networks that webhooks may not reach, several with commas between.
    #[arg(long = "webhook-deny-nets", env = "SVC_WEBHOOK_DENY_NETS", default_value = "", hide_default_value = true)]
    deny: String,
}

impl WebhookSettings {
    /// Allows webhooks to this machine, unless the settings allow other networks.
    #[must_use]
    pub fn or_this_machine(mut self) -> Self {
        if self.allow.is_empty() {
            THIS_MACHINE.clone_into(&mut self.allow);
        }
        self
    }

    /// The networks. Fails if a text is not a network.
    pub fn networks(&self) -> Result<Networks, SettingError> {
        let wrong = |name: &'static str| move |error| SettingError(format!("{name}: {error}"));
        let networks = Networks::default().allow(&self.allow).map_err(wrong("SVC_WEBHOOK_ALLOW_NETS"))?;
        networks.deny(&self.deny).map_err(wrong("SVC_WEBHOOK_DENY_NETS"))
    }

    /// A sender to these networks. Fails if a setting is wrong or the machine trusts no certificate
    /// authority.
    pub fn sender(&self) -> Result<Arc<dyn Sender>, SettingError> {
        Ok(Arc::new(HttpSender::new(self.networks()?).map_err(undeliverable)?))
    }

    /// A sender to these networks; `None`, which is logged, if the machine trusts no certificate
    /// authority.
    pub fn sender_if_possible(&self) -> Result<Option<Arc<dyn Sender>>, SettingError> {
        match HttpSender::new(self.networks()?).map_err(undeliverable) {
            Ok(sender) => Ok(Some(Arc::new(sender))),
            Err(failure) => {
                tracing::warn!(%failure, "notices wait");
                Ok(None)
            }
        }
    }
}

fn undeliverable(error: NoAuthorities) -> SettingError {
    SettingError(format!("webhooks cannot be delivered: {error}; SSL_CERT_FILE may name some"))
}

/// The mail server.
#[derive(Debug, Args)]
pub struct MailSettings {
    /// SMTP server to send e-mails through (`smtps://user:password@host`, or
    /// `smtp://user:password@host?tls=required`); without it they wait.
    #[arg(long, env = "SVC_SMTP_URL", hide_env_values = true)]
    smtp_url: Option<Hidden>,
    /// Who e-mails are from; by default the URL's user, else svc@ the server.
    #[arg(long, env = "SVC_SMTP_FROM")]
    smtp_from: Option<String>,
}

impl MailSettings {
    /// Whether a server is set; an empty setting sets none.
    pub fn is_set(&self) -> bool {
        Hidden::given(self.smtp_url.as_ref()).is_some()
    }

    /// The server's host and port; `None` if none is set or its URL cannot be used.
    pub fn address(&self) -> Option<(String, u16)> {
        server_address(Hidden::given(self.smtp_url.as_ref())?)
    }

    /// A notifier that uses the server; `None` if none is set. Fails if the URL or the sender's
    /// address cannot be used.
    pub fn notifier(&self) -> Result<Option<Arc<dyn Notifier>>, SettingError> {
        let Some(url) = Hidden::given(self.smtp_url.as_ref()) else { return Ok(None) };
        let wrong = |error| {
            let setting = if matches!(error, SmtpError::From) { "SVC_SMTP_FROM" } else { "SVC_SMTP_URL" };
            SettingError(format!("{setting} is {error}"))
        };
        Ok(Some(Arc::new(SmtpNotifier::new(url, self.smtp_from.as_deref()).map_err(wrong)?)))
    }
}
