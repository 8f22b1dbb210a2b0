//! What the server and the function share: settings, and through whom the outside is reached.
//!
//! Every setting is a flag and an environment variable of the same name in both. A value that is secret is kept in a type
//! that is not shown, and is judged here and not by clap, which shows what is wrong.

mod mail;
mod outside;
mod settings;

pub use mail::Mail;
pub use outside::{sender, stamper};
pub use settings::{ApiArgs, Hidden, MailArgs, SecretsArgs, StamperArgs, WebhookArgs};

/// A setting that cannot be used; the text names it, and shows no secret.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SettingError(pub(crate) String);
