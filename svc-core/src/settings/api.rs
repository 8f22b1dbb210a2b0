//! Settings of the API: limits and the keys that seal secrets.

use std::ops::RangeInclusive;
use std::time::Duration;

use clap::Args;
use clap::builder::RangedU64ValueParser;

use super::{Hidden, SettingError};
#[cfg(feature = "mcp")]
use crate::context::Context;
use crate::context::ContextBuilder;
use crate::domain::company::LimitMode;
#[cfg(feature = "mcp")]
use crate::mcp::{Mcp, Offer};
use crate::secrets::{Sealer, SecretsKey};

/// The largest bodies that may be allowed: a smaller one holds no order, a larger one no server's
/// memory.
const BODIES: RangeInclusive<u64> = 4_096..=104_857_600;

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
    /// Largest body of a request, in bytes: from 4 KiB to 100 MiB.
    #[arg(long, env = "SVC_MAX_BODY", default_value_t = crate::context::DEFAULT_MAX_BODY, value_parser = RangedU64ValueParser::<usize>::new().range(BODIES))]
    max_body: usize,
    /// Seconds within which the whole body of a request has to come.
    #[arg(long, env = "SVC_BODY_TIMEOUT", value_name = "SECONDS", default_value_t = crate::context::DEFAULT_BODY_TIMEOUT.as_secs(), value_parser = clap::value_parser!(u64).range(1..=3600))]
    body_timeout: u64,
    /// Serve the back office's actions over HTTP too, at /office/v1 beside the API, to keys with
    /// the scope oficina.
    #[arg(long, env = "SVC_OFFICE")]
    office: bool,
    /// Offer the operations to agents too, over the Model Context Protocol at /mcp: each request
    /// bears a key of its own.
    #[cfg(feature = "mcp")]
    #[arg(long, env = "SVC_MCP")]
    mcp: bool,
    #[cfg(feature = "mcp")]
    #[command(flatten)]
    agents: super::AgentSettings,
}

impl ApiSettings {
    /// Whether the office is served beside the API: [`Office`](crate::Office).
    pub fn serves_office(&self) -> bool {
        self.office
    }

    /// The tools for agents over `context`, if they are offered.
    #[cfg(feature = "mcp")]
    pub fn mcp(&self, context: &Context) -> Option<Mcp> {
        let offer = || self.agents.apply(Offer::new(context));
        self.mcp.then(|| Mcp::new(context, offer(), self.office))
    }

    /// Applies these limits to the builder.
    pub fn apply(&self, builder: ContextBuilder) -> ContextBuilder {
        builder
            .limits(self.limits)
            .rate_per_minute(self.rate_per_minute)
            .in_flight(self.in_flight)
            .max_body(self.max_body)
            .body_timeout(Duration::from_secs(self.body_timeout))
    }
}

/// The keys that seal secrets before they are stored. In a command line with subcommands they apply
/// to all of them.
#[derive(Debug, Args)]
pub struct SecretsSettings {
    /// Key that encrypts webhook secrets and certificate keys at rest, 64 hexadecimal digits;
    /// without it webhook secrets and certificate keys are stored as they are. Once it is set,
    /// secrets that were stored without it are refused until `svc secrets rotate --accept-plain`
    /// has sealed them. An empty one is refused.
    #[arg(long, env = "SVC_SECRETS_KEY", hide_env_values = true, global = true)]
    secrets_key: Option<Hidden>,
    /// Further keys that only open what was encrypted with them, several with commas between: the
    /// former `SVC_SECRETS_KEY`, until `svc secrets rotate` has encrypted everything with the new
    /// one.
    #[arg(long, env = "SVC_SECRETS_KEY_OLD", hide_env_values = true, global = true)]
    secrets_key_old: Option<Hidden>,
}

impl SecretsSettings {
    /// The sealer of these keys, for [`ContextBuilder::secrets`]; without a key if none is set.
    /// Fails if a key is empty or not 64 hexadecimal digits, or if there are only old ones.
    pub fn sealer(&self) -> Result<Sealer, SettingError> {
        let key = self.secrets_key.as_ref().map(|key| match key.reveal() {
            "" => Err(SettingError("SVC_SECRETS_KEY is empty: leave it out, or give it a key".to_owned())),
            key => parse("SVC_SECRETS_KEY", key),
        });
        let key = key.transpose()?;
        let Some(old) = Hidden::given(self.secrets_key_old.as_ref()) else { return Ok(Sealer::new(key)) };
        if key.is_none() {
            return Err(SettingError("SVC_SECRETS_KEY_OLD goes with SVC_SECRETS_KEY".to_owned()));
        }
        let old = old.split(',').map(|key| parse("SVC_SECRETS_KEY_OLD", key.trim()));
        Ok(Sealer::new(key).with_old(old.collect::<Result<Vec<_>, _>>()?))
    }
}

fn parse(setting: &str, key: &str) -> Result<SecretsKey, SettingError> {
    key.parse().map_err(|error| SettingError(format!("{setting}: {error}")))
}
