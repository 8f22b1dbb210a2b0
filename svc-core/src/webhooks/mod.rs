//! Webhooks: telling other systems what happened (spec, "Events"; contract §6).
//!
//! - An **event** is what happened, a row written in the transaction of what it tells. Its body is fixed when it is made.
//! - A **group** is what waits to become an event: changes of one resource within a minute are one event
//!   ([`QUIET`], [`LONGEST_WAIT`]).
//! - A **webhook** is a company's wish to be told of events of some types, at a URL: active, paused, or disabled by the service.
//! - A **delivery** (`entrega`) is one event for one webhook: `pendiente`, then `entregada`, `fallida` (seven attempts in vain) or `descartada`
//!   (its webhook was disabled or deleted).
//! - An **attempt** is one POST, through a [`Sender`]; `HttpSender` (feature `client`) is the real one.
//!
//! [`deliver_due`] is one pass over all of it: groups that are due become events, events become deliveries, deliveries are
//! claimed under a lease, sent, and what came of them is written down. [`schedule`] says when a delivery is tried again and
//! when a webhook is disabled, [`destination`] where a delivery may go. [`notify_due`] sends the e-mails that a pass left, through a
//! [`Notifier`]; `SmtpNotifier` (feature `smtp`) is the real one.
//!
//! A webhook whose attempts fail gets one delivery at a time until one arrives, so a receiver that is down costs little. None waits
//! for another: each has its own few deliveries out, and results are written while others are still out.
//!
//! Who receives notices checks them with [`verify()`].

mod attempt;
#[cfg(feature = "client")]
mod client;
mod deliver;
mod desk;
pub mod destination;
mod disable;
mod networks;
mod notify;
mod queue;
pub mod schedule;
mod secret;
mod sign;
#[cfg(feature = "smtp")]
mod smtp;
mod url;
mod verify;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::TimeDelta;
use http::HeaderMap;

#[cfg(feature = "client")]
pub use client::{HttpSender, NoAuthorities, ResolveError, Resolver, SystemResolver};
pub use deliver::{DeliveryReport, deliver_due};
pub use networks::{Networks, NoNetwork};
pub use notify::{Notice, Notifier, NotifyFailure, NotifyReport, notify_due};
pub use secret::SigningSecret;
pub use sign::signature;
#[cfg(feature = "smtp")]
pub use smtp::{SmtpError, SmtpNotifier};
pub use url::{Target, UrlFault, judge_url};
pub use verify::{VerifyError, verify};

pub use crate::budget::Budget;
use crate::domain::words::DeliveryReason;

/// How many webhooks a company may have (spec, "Limits"). Deleted ones do not count.
pub const MOST: u32 = 10;

/// How long the previous secret signs too, after a rotation (spec, "Secret rotation").
pub const ROTATION: TimeDelta = TimeDelta::hours(24);

/// Where secrets are stored: what [`crate::operation::Cx::seal`] is told, with the webhook's clave as the record. The
/// previous secret is the same sealed value in another column, and opens under this name.
pub const SECRET: &str = "webhooks.secreto";

/// The header with the signature.
pub const SIGNATURE: http::HeaderName = http::HeaderName::from_static("x-svc-firma");
/// The header with the event's id, the same in all attempts and re-sends.
pub const EVENT_ID: http::HeaderName = http::HeaderName::from_static("x-svc-evento-id");

/// How long a resource must stay as it is before its group becomes an event.
pub const QUIET: TimeDelta = TimeDelta::seconds(60);
/// How long a group waits at the most, from its first change.
pub const LONGEST_WAIT: TimeDelta = TimeDelta::minutes(5);

/// How long an attempt takes at the most, from the name's resolution to the answer's last byte.
pub const DEADLINE: Duration = Duration::from_secs(8);

/// An attempt, ready to be sent.
#[derive(Clone)]
pub struct Post {
    /// Where to.
    pub url: String,
    /// All of its headers but `Host` and those of the connection.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

impl fmt::Debug for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither the path, in which receivers like to put tokens, nor the signature.
        f.debug_struct("Post").field("event", &self.headers.get(EVENT_ID)).finish_non_exhaustive()
    }
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The receiver answered.
    Answered {
        /// The status.
        status: u16,
        /// Its `Retry-After`, if it sent one.
        retry_after: Option<String>,
    },
    /// There was no answer.
    Failed(DeliveryReason),
    /// The attempt failed for a reason of ours (our resolver is down), with what it looks like from outside. It is tried again
    /// like any other, and does not count against the webhook.
    Ours(Option<DeliveryReason>),
}

/// Sends attempts.
#[async_trait]
pub trait Sender: Send + Sync {
    /// Sends one POST and says what came of it, within [`Sender::deadline`].
    async fn send(&self, post: Post) -> Outcome;

    /// The longest that an attempt takes. Whoever sends it keeps others from sending it for that long.
    fn deadline(&self) -> Duration {
        DEADLINE
    }

    /// Ends after `pause`. Meanwhile a pass has nothing to do but to wait for slow receivers; then it looks for what is new.
    /// A sender that cannot tell time never ends it: the pass looks when one of them has answered.
    async fn pause(&self, pause: Duration) {
        let _ = pause;
        std::future::pending::<()>().await;
    }

    /// Lets go of what it keeps for the next attempt, such as connections: a pass is over.
    fn rest(&self) {}
}
