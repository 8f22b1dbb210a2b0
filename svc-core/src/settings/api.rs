//! What the API is set by.

use std::time::Duration;

use clap::Args;

use super::{Hidden, SettingError};
use crate::context::ContextBuilder;
use crate::domain::company::LimitMode;
use crate::secrets::SecretsKey;

/// The API's limits.
#[derive(Debug, Args)]
pub struct ApiSettings {
    /// Whether limits cut (enforced) or are only announced (notice).
    #[arg(long, env = "SVC_LIMITS", default_value = "enforced")]
    limits: LimitMode,
    /// Requests a minute that each key may make.
    #[arg(long, env = "SVC_RATE_PER_MINUTE", default_value_t = crate::context::DEFAULT_RATE_PER_MINUTE, value_parser = clap::value_parser!(u64).range(1..))]
    rate_per_minute: u64,
    /// Requests that a company may have under way at the same time.
    #[arg(long, env = "SVC_IN_FLIGHT", default_value_t = crate::context::DEFAULT_IN_FLIGHT, value_parser = clap::value_parser!(u32).range(1..))]
    in_flight: u32,
    /// Largest body of a request, in bytes.
    #[arg(long, env = "SVC_MAX_BODY", default_value_t = crate::context::DEFAULT_MAX_BODY)]
    max_body: usize,
    /// Seconds within which the whole body of a request has to come.
    #[arg(long, env = "SVC_BODY_TIMEOUT", value_name = "SECONDS", default_value_t = crate::context::DEFAULT_BODY_TIMEOUT.as_secs(), value_parser = clap::value_parser!(u64).range(1..=3600))]
    body_timeout: u64,
}

impl ApiSettings {
    /// Gives the builder these limits.
    pub fn apply(&self, builder: ContextBuilder) -> ContextBuilder {
        builder
            .limits(self.limits)
            .rate_per_minute(self.rate_per_minute)
            .in_flight(self.in_flight)
            .max_body(self.max_body)
            .body_timeout(Duration::from_secs(self.body_timeout))
    }
}

/// The key that secrets are sealed with before they are stored. On a command line with subcommands it goes with all of them.
#[derive(Debug, Args)]
pub struct SecretsSettings {
    /// Key that encrypts webhook secrets and certificate keys at rest, 64 hexadecimal digits; without it they are stored as they are.
    #[arg(long, env = "SVC_SECRETS_KEY", hide_env_values = true, global = true)]
    secrets_key: Option<Hidden>,
}

impl SecretsSettings {
    /// The key; `None` when it is not set or empty. An error when it is not 64 hexadecimal digits.
    pub fn key(&self) -> Result<Option<SecretsKey>, SettingError> {
        let wrong = |error| SettingError(format!("SVC_SECRETS_KEY: {error}"));
        Hidden::given(self.secrets_key.as_ref()).map(|key| key.parse().map_err(wrong)).transpose()
    }
}
