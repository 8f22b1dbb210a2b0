//! Webhooks: what is told to whom, where to, and signed with what (spec, "Events"; contract §6).
//!
//! | word | meaning |
//! |---|---|
//! | event | something that happened, with a body that is fixed when it is written |
//! | webhook | an address that a company wants its events told to; active, paused, or disabled by the service |
//! | delivery (`entrega`) | one event on its way to one webhook: `pendiente`, then `entregada`, `fallida` or `descartada` |

mod networks;
mod secret;
mod url;

pub use networks::{Networks, NoNetwork};
pub use secret::SigningSecret;
pub use url::{Target, UrlFault, judge_url};

use chrono::TimeDelta;

/// How many webhooks a company may have (spec, "Limits"). Deleted ones do not count.
pub const MOST: u32 = 10;

/// How long the previous secret signs too, after a rotation (spec, "Secret rotation").
pub const ROTATION: TimeDelta = TimeDelta::hours(24);

/// Where secrets are stored: what [`crate::operation::Cx::seal`] is told, with the webhook's clave as the record. The
/// previous secret is the same sealed value in another column, and opens under this name.
pub const SECRET: &str = "webhooks.secreto";
