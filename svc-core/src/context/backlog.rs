//! The due work of all companies.

use chrono::{DateTime, TimeDelta, Utc};

use super::Context;
use crate::domain::words::Held;
use crate::observe;
use crate::store::{Backlog, Due, Queue, StoreError};

impl Context {
    /// The work due at `now` in the queues of `backlog`. Records the age of the oldest item
    /// ([`observe::QUEUE_AGE`]).
    pub(crate) async fn due(&self, backlog: Backlog, now: DateTime<Utc>) -> Result<Vec<Due>, StoreError> {
        let due = self.store().due(backlog, now).await?;
        for &queue in backlog.queues() {
            observe::queue_age(queue.name(), age(&due, queue, now).unwrap_or_default());
        }
        Ok(due)
    }

    /// The number of documents that wait for a person, by reason ([`observe::HELD`]).
    pub async fn held(&self) -> Result<Vec<(Held, u64)>, StoreError> {
        let held = self.store().held().await?;
        for reason in [Held::Stuck, Held::Misconfigured, Held::Copy] {
            observe::held(
                reason.word(),
                held.iter().find(|(other, _)| *other == reason).map_or(0, |(_, count)| *count),
            );
        }
        Ok(held)
    }

    /// The number of documents and cancellations that wait until a provider is set: those of all
    /// companies but test companies. Only for processes without one; it shows as a reason of
    /// [`observe::HELD`].
    pub async fn waiting_for_provider(&self) -> Result<u64, StoreError> {
        let waiting = self.store().waiting_for_provider().await?;
        observe::held(observe::NO_PROVIDER, waiting);
        Ok(waiting)
    }

    /// The number of e-mails that are queued, of all companies.
    pub async fn waiting_mails(&self) -> Result<u64, StoreError> {
        self.store().waiting_mails().await
    }

    /// How long the oldest item of each queue has been due, over all companies; without a stamping
    /// provider only documents of test companies are due. Queues with nothing due are left out.
    pub async fn oldest_due(&self, has_stamper: bool) -> Result<Vec<(Queue, TimeDelta)>, StoreError> {
        let now = self.now();
        let mut oldest = Vec::new();
        for backlog in Backlog::ALL {
            let backlog = if backlog == Backlog::Stamping && !has_stamper { Backlog::TestStamping } else { backlog };
            let due = self.store().due(backlog, now).await?;
            oldest.extend(backlog.queues().iter().filter_map(|&queue| Some((queue, age(&due, queue, now)?))));
        }
        Ok(oldest)
    }
}

fn age(due: &[Due], queue: Queue, now: DateTime<Utc>) -> Option<TimeDelta> {
    let ages =
        due.iter().filter(|due| due.queue == queue).map(|due| due.since.map_or(TimeDelta::zero(), |at| now - at));
    ages.max()
}
