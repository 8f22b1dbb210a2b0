//! Finding work: which companies have something due in a queue. What is found is claimed in a
//! transaction of its company.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::{CompanyId, StoreError};
use crate::domain::words::Held;

/// A kind of background work, with queues of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Backlog {
    /// Stamping of documents, and their cancellation.
    Stamping,
    /// Delivery of notices.
    Notices,
    /// Sending of e-mails.
    Mail,
}

/// A queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Queue {
    /// Documents to be stamped.
    Stampings,
    /// Cancellations to be sent, or to be asked about.
    Cancellations,
    /// Groups of events that are ready to become one event.
    Groups,
    /// Events without deliveries.
    Events,
    /// Deliveries to be sent.
    Deliveries,
    /// Deliveries of webhooks that were deleted or disabled, to be discarded.
    Discards,
    /// E-mails to be sent.
    Mails,
}

impl Backlog {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Stamping, Self::Notices, Self::Mail];

    /// Its name in logs and figures.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stamping => "stamping",
            Self::Notices => "delivery",
            Self::Mail => "mail",
        }
    }

    /// Its queues.
    pub const fn queues(self) -> &'static [Queue] {
        match self {
            Self::Stamping => &[Queue::Stampings, Queue::Cancellations],
            Self::Notices => &[Queue::Groups, Queue::Events, Queue::Deliveries, Queue::Discards],
            Self::Mail => &[Queue::Mails],
        }
    }
}

impl Queue {
    /// Its name in figures.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stampings => "stampings",
            Self::Cancellations => "cancellations",
            Self::Groups => "groups",
            Self::Events => "events",
            Self::Deliveries => "deliveries",
            Self::Discards => "discards",
            Self::Mails => "mails",
        }
    }
}

/// Something of a company's is due in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// The company.
    pub company: CompanyId,
    /// The queue.
    pub queue: Queue,
    /// Since when the oldest of it has been due, where the queue knows.
    pub since: Option<DateTime<Utc>>,
}

/// The terms on which a worker leases records of one company's queue. What another worker leases
/// meanwhile is skipped, and an outcome is written only under the token of a lease that still
/// holds.
#[derive(Debug, Clone, Copy)]
pub struct LeaseTerms {
    /// Maximum number of records.
    pub max: u32,
    /// Only records that are due at this time.
    pub due: DateTime<Utc>,
    /// Now; the lease lasts from here until `until`. The store measures it by its own clock, so
    /// that servers whose clocks differ agree on it.
    pub now: DateTime<Utc>,
    /// The token of the lease, which the worker presents when it writes the outcome.
    pub token: Uuid,
    /// When the lease ends and others may take the records.
    pub until: DateTime<Utc>,
}

impl LeaseTerms {
    /// How long the lease lasts.
    pub fn duration(&self) -> TimeDelta {
        self.until - self.now
    }
}

/// The queues over all companies: plain reads, which lock nothing.
#[async_trait]
pub trait QueueStore: Send + Sync {
    /// What is due at `now` in the queues of `backlog`: at most one entry a queue and company, what
    /// has been due for longest first. It is one statement, whose cost grows with what is due, not
    /// with the number of companies. What another worker holds, or has just taken, may be among it.
    async fn due(&self, backlog: Backlog, now: DateTime<Utc>) -> Result<Vec<Due>, StoreError>;

    /// How many documents of all companies wait for a person, by why; none of those that there are
    /// none of.
    async fn held(&self) -> Result<Vec<(Held, u64)>, StoreError>;

    /// Webhooks with pending deliveries that [`QueueStore::due`] would not find in time, because a
    /// server of the release before queued them;
    /// [`WebhookTx::schedule_webhook`](super::WebhookTx::schedule_webhook) mends it.
    async fn unscheduled_webhooks(&self) -> Result<Vec<(CompanyId, i64)>, StoreError>;
}
