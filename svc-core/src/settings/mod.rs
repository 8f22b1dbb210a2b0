//! Settings that any front end of the API may have, each a flag and an environment variable.
//!
//! They are groups to be flattened into a command line of clap's. `svc` and `bin-lambda` use them;
//! another server that does has the same names, defaults and messages:
//!
//! ```
//! use clap::Parser;
//! use svc_core::settings::{ApiSettings, OutsideSettings, SecretsSettings};
//!
//! #[derive(Parser)]
//! struct Server {
//!     #[command(flatten)]
//!     api: ApiSettings,
//!     #[command(flatten)]
//!     secrets: SecretsSettings,
//!     #[command(flatten)]
//!     outside: OutsideSettings,
//! }
//!
//! let server = Server::try_parse_from(["server", "--rate-per-minute", "300", "--stamper", "sandbox"])?;
//! // For `Context::builder(…)`: `server.api.apply(builder).secrets(server.secrets.sealer()?)`.
//! assert!(!server.secrets.sealer()?.has_key());
//! // Providers of the background work: sender, and the stamper and the notifier if they are configured.
//! let outside = server.outside.open()?;
//! assert!(outside.notifier.is_none());
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! A secret is kept in a [`Hidden`], and is checked by the methods here and not by clap, which
//! would print a wrong one.

#[cfg(feature = "mcp")]
mod agents;
mod api;
mod fonts;
mod providers;

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

#[cfg(feature = "mcp")]
pub use agents::AgentSettings;
pub use api::{ApiSettings, SecretsSettings};
pub use fonts::FontSettings;
pub use providers::{MailSettings, OutsideSettings, StamperSettings, WebhookSettings};

/// A setting that cannot be used. The text names its environment variable and the reason, and shows
/// no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SettingError(String);

/// A secret given as a setting; neither `Debug` nor clap shows it.
#[derive(Clone)]
pub struct Hidden(String);

impl Hidden {
    /// The secret, which no log or error may show.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The secret, if there is one; an empty environment variable sets none.
    pub fn given(secret: Option<&Self>) -> Option<&str> {
        secret.map(Self::reveal).filter(|secret| !secret.is_empty())
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

#[cfg(test)]
mod tests;
