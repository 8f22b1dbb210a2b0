//! Finding work: which companies have something due in a queue. Workers then claim it in a
//! transaction of the company.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::{CompanyId, StoreError};
use crate::domain::words::Held;

/// A kind of background work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Backlog {
    /// Stamping and cancellation of documents.
    Stamping,
    /// The same of test companies alone, which need no provider.
    TestStamping,
    /// Gathering of groups, fan-out of events, delivery of notices, and discarding those of disabled
    /// webhooks.
    Notices,
    /// Sending of e-mails.
    Mail,
}

/// A queue of one kind of item; a [`Backlog`] has one or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Queue {
    /// Documents to be stamped.
    Stampings,
    /// Cancellations to be sent, or sent ones whose outcome is asked.
    Cancellations,
    /// Groups of events that become one event.
    Groups,
    /// Events whose deliveries are not created yet.
    Events,
    /// Deliveries to be sent.
    Deliveries,
    /// Deliveries of webhooks that were deleted or disabled, to be discarded.
    Discards,
    /// E-mails to be sent.
    Mails,
}

impl Backlog {
    /// One of each kind.
    pub const ALL: [Self; 3] = [Self::Stamping, Self::Notices, Self::Mail];

    /// The name in logs and metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stamping | Self::TestStamping => "stamping",
            Self::Notices => "delivery",
            Self::Mail => "mail",
        }
    }

    /// The queues that its workers serve.
    pub const fn queues(self) -> &'static [Queue] {
        match self {
            Self::Stamping | Self::TestStamping => &[Queue::Stampings, Queue::Cancellations],
            Self::Notices => &[Queue::Groups, Queue::Events, Queue::Deliveries, Queue::Discards],
            Self::Mail => &[Queue::Mails],
        }
    }
}

impl Queue {
    /// The name in metrics.
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

/// A company that has something due in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// The company whose transaction claims it.
    pub company: CompanyId,
    /// Where it is due.
    pub queue: Queue,
    /// Since when the oldest item has been due; `None` if the queue does not store that, or if only
    /// the company's own clock made it due.
    pub since: Option<DateTime<Utc>>,
    /// How far the company's clock is ahead, if the queue stores when an item is due.
    pub desfase: TimeDelta,
}

/// The terms on which a worker leases records of one company's queue. Records that another worker
/// has leased are skipped, and an outcome is written only under the token of a valid lease.
#[derive(Debug, Clone, Copy)]
pub struct LeaseTerms {
    /// Maximum number of records.
    pub max: u32,
    /// Only records that are due at this time by the company's clock are leased.
    pub due: DateTime<Utc>,
    /// Now by the company's clock. The lease lasts from `now` to `until`, measured by the store's
    /// clock, so that servers whose clocks differ agree on it.
    pub now: DateTime<Utc>,
    /// The worker presents this token when it writes the outcome.
    pub token: Uuid,
    /// When the lease ends and others may take the records.
    pub until: DateTime<Utc>,
}

impl LeaseTerms {
    /// The same by a company's clock that is ahead.
    #[must_use]
    pub fn ahead(self, desfase: TimeDelta) -> Self {
        Self { due: self.due + desfase, now: self.now + desfase, until: self.until + desfase, ..self }
    }

    /// The length of the lease.
    pub fn duration(&self) -> TimeDelta {
        self.until - self.now
    }
}

/// Plain reads of the queues of all companies, which lock nothing.
#[async_trait]
pub trait QueueStore: Send + Sync {
    /// What is due at `now`, or at the time that a company's clock shows then, in the queues of
    /// `backlog`: at most one entry a queue and company, what has been due for longest first. It is
    /// one statement whose cost grows with what is due, not with the number of companies. Work that
    /// another worker holds may be among it.
    async fn due(&self, backlog: Backlog, now: DateTime<Utc>) -> Result<Vec<Due>, StoreError>;

    /// How many documents of all companies wait for a person, by reason. Reasons without documents
    /// are left out.
    async fn held(&self) -> Result<Vec<(Held, u64)>, StoreError>;

    /// How many documents and cancellations of companies other than test companies are queued. It
    /// reads an index of the queues, and costs more the more there are.
    async fn waiting_for_provider(&self) -> Result<u64, StoreError>;

    /// How many e-mails of all companies are queued, those too that are due later. It costs more
    /// the more there are.
    async fn waiting_mails(&self) -> Result<u64, StoreError>;

    /// Webhooks with pending deliveries that [`QueueStore::due`] would not find in time, because a
    /// server of the previous release queued them.
    /// [`WebhookTx::schedule_webhook`](super::WebhookTx::schedule_webhook) repairs them.
    async fn unscheduled_webhooks(&self) -> Result<Vec<(CompanyId, i64)>, StoreError>;
}
