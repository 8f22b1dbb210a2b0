//! Webhooks: notifying other systems of events (spec, "Events"; contract §6).
//!
//! - An **event** is a change of a resource, stored in the transaction that makes the change. Its
//!   body never changes.
//! - A **group** collects the changes of one resource within a minute, which become one event
//!   ([`QUIET`], [`LONGEST_WAIT`]).
//! - A **webhook** is a company's subscription to events of some types, at a URL: active, paused,
//!   or disabled by the service.
//! - A **delivery** (`entrega`) is one event for one webhook: `pendiente`, then `entregada`,
//!   `fallida` (seven failed attempts) or `descartada` (its webhook was disabled or deleted).
//! - An **attempt** is one POST of a delivery, through a [`Sender`]; `HttpSender` (feature
//!   `client`) sends it over HTTPS.
//!
//! [`deliver_due`] is one delivery pass: it finds which companies have something due, and gives
//! each in turn a round, a short transaction in which groups become events, events deliveries, and
//! deliveries are claimed under a lease. They are sent, and the results are written. A failed
//! delivery is retried after 1, 5 and 30 minutes, 2, 6 and 12 hours; a webhook is disabled when 15
//! deliveries in a row have failed over more than 24 hours, and an e-mail says so
//! ([`crate::mail`]).
//!
//! A webhook whose attempts fail gets one attempt at a time until one succeeds, so that a receiver
//! that is down costs little. Webhooks do not wait for each other, and results are written while
//! other attempts are under way.
//!
//! Receivers verify notices with [`verify()`].

mod attempt;
#[cfg(feature = "client")]
mod client;
mod company_round;
mod deliver;
#[cfg(any(test, feature = "client"))]
mod destination;
mod disable;
mod networks;
mod results;
mod schedule;
mod secret;
mod sign;
mod slots;
mod url;
mod verify;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::TimeDelta;
use http::HeaderMap;

pub(crate) use attempt::{AGENT, ATTEMPT, DELIVERY, EVENT};
#[cfg(feature = "client")]
pub use client::{HttpSender, NoAuthorities, ResolveError, Resolver, SystemResolver};
pub use deliver::{DeliveryReport, deliver_due};
pub use networks::{Networks, NoNetwork};
pub use secret::SigningSecret;
pub use sign::signature;
#[cfg(feature = "client")]
pub(crate) use url::Target;
pub(crate) use url::validate_url;
pub use verify::{VerifyError, verify};

pub use crate::budget::Budget;
use crate::domain::words::DeliveryReason;

/// How many webhooks a company may have (spec, "Limits"). Deleted ones do not count.
pub(crate) const MAX_WEBHOOKS: u32 = 10;

/// How long the previous secret signs too, after a rotation (spec, "Secret rotation").
pub(crate) const ROTATION: TimeDelta = TimeDelta::hours(24);

/// The column that a signing secret is sealed for ([`crate::operation::Cx::seal`]), with the
/// webhook's clave as the record. After a rotation the sealed value moves to another column
/// unchanged, and still opens under this name.
pub const SECRET: &str = "webhooks.secreto";

/// The header with the signature ([`signature()`]).
pub const SIGNATURE: http::HeaderName = http::HeaderName::from_static("x-svc-firma");
/// The header with the event's id (`evt_…`), the same in all attempts and re-sends.
pub const EVENT_ID: http::HeaderName = http::HeaderName::from_static("x-svc-evento-id");

/// How long a resource must stay unchanged before its group becomes an event (spec, "Events").
pub const QUIET: TimeDelta = TimeDelta::seconds(60);
/// How long a group waits at the most, from its first change (spec, "Events").
pub const LONGEST_WAIT: TimeDelta = TimeDelta::minutes(5);

/// How long an attempt may take, from the name's resolution to the answer's last byte (contract
/// §6).
pub const DEADLINE: Duration = Duration::from_secs(8);

/// The request of an attempt, for a [`Sender`] to send as it is.
#[derive(Clone)]
#[non_exhaustive]
pub struct Post {
    /// The webhook's URL, which may contain a receiver's token.
    pub url: String,
    /// All headers but `Host` and those of the connection; the signature is one of them.
    pub headers: HeaderMap,
    /// The event as JSON.
    pub body: Bytes,
}

impl fmt::Debug for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The path often holds a receiver's token.
        f.debug_struct("Post").field("event", &self.headers.get(EVENT_ID)).finish_non_exhaustive()
    }
}

/// The outcome of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The receiver answered; any status of 2xx is a success.
    Answered {
        /// The HTTP status; redirects are not followed.
        status: u16,
        /// The value of `Retry-After`, if it sent one.
        retry_after: Option<String>,
    },
    /// There was no answer.
    Failed(DeliveryReason),
    /// The attempt failed on our side (no network, no resolver), with the reason to show to the
    /// company, if any. It is retried like any other failure, and does not count against the
    /// webhook.
    Ours(Option<DeliveryReason>),
}

/// Sends the requests of attempts. Implement it to deliver webhooks by other means than
/// `HttpSender`.
#[async_trait]
pub trait Sender: Send + Sync {
    /// Sends one POST and returns its outcome, within [`Sender::deadline`].
    async fn send(&self, post: Post) -> Outcome;

    /// The longest that [`Sender::send`] takes. A delivery is leased for longer, so that no other
    /// worker sends it meanwhile.
    fn deadline(&self) -> Duration {
        DEADLINE
    }

    /// Ends after `pause`: a pass that waits for slow receivers looks for new events then. The
    /// default never ends, for senders without a timer; new events are then looked for when an
    /// attempt ends.
    async fn pause(&self, pause: Duration) {
        let _ = pause;
        std::future::pending::<()>().await;
    }

    /// Called at the end of a pass: releases connections and other resources kept for further
    /// attempts.
    fn rest(&self) {}
}
