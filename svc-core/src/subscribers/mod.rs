//! A host's subscribers: [`run_subscribers`] hands them the events of all companies.
//!
//! A subscriber's place among the events of a company is the clave of the last one that it took. An
//! event that it fails at is held aside with the later ones of the same record, and the place moves
//! on. [`Subscriber`] says what it can rely on.

mod company_round;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde::Serialize;

pub use crate::operation::{ReceivedEvent, Subscriber, SubscriberStart};
pub use crate::store::AbandonedEvent;

use crate::budget::{Allowance, Budget};
use crate::context::{Context, Step};
use crate::domain::company::CompanyId;
use crate::domain::event::min_clave;
use crate::domain::time::Timestamp;
use crate::error::Error;
use crate::leases::{FairQueue, Need};
use crate::observe;
use crate::operation::Cx;
use crate::store::{StoreError, Subscription};
use company_round::SubscriberRound;

/// The name in logs and metrics.
pub(crate) const WORK: &str = "subscribers";

/// Turns under way at once, of different companies or subscribers.
const AT_ONCE: usize = 3;

/// Events in one round: few enough that the next company does not wait long.
const ROUND: u32 = 20;

/// The pauses after the attempts at an event; after one more it is given up.
const PAUSES: [TimeDelta; 7] = [
    TimeDelta::seconds(10),
    TimeDelta::minutes(1),
    TimeDelta::minutes(5),
    TimeDelta::minutes(30),
    TimeDelta::hours(2),
    TimeDelta::hours(6),
    TimeDelta::hours(12),
];

/// When an event is tried again after that many attempts; `None` if it is given up.
fn next_attempt(attempts: u32, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let pause = usize::try_from(attempts).ok().and_then(|attempts| PAUSES.get(attempts.checked_sub(1)?));
    pause.map(|pause| now + *pause)
}

/// What a pass did, in numbers of events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SubscriberReport {
    /// Handled: what the subscriber wrote is committed.
    pub atendidos: u64,
    /// Failed, to be tried again.
    pub pospuestos: u64,
    /// Held behind an earlier event of the same record.
    pub detenidos: u64,
    /// Failed for the last time.
    pub abandonados: u64,
}

impl SubscriberReport {
    /// Whether the pass found nothing to do.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn add(&mut self, other: Self) {
        self.atendidos += other.atendidos;
        self.pospuestos += other.pospuestos;
        self.detenidos += other.detenidos;
        self.abandonados += other.abandonados;
    }
}

/// Hands the context's subscribers the events of all companies, until none is left that was there
/// when it began or `budget` is used up. Returns the counts.
///
/// Call it on a timer. Several passes may run at once: one of them at a time has the events of a
/// company for a subscriber. Companies and subscribers take turns of a few events. A company whose
/// turn fails, other than in a subscriber, is logged and counted
/// ([`observe::BACKGROUND_FAILURES`]), and delays no other; the error is that of the search.
pub async fn run_subscribers(context: &Context, budget: Budget) -> Result<SubscriberReport, StoreError> {
    let context = &context.in_background();
    let mut report = SubscriberReport::default();
    let subscriptions = subscriptions(context).await?;
    if subscriptions.is_empty() {
        return Ok(report);
    }
    let found = context.store().subscriptions_due(&subscriptions, context.now()).await?;
    let mut queue = FairQueue::<(CompanyId, usize), Until>::default();
    queue.add_found(found.into_iter().map(|due| ((due.company, due.at), Until(due.until))), context.now());
    let mut allowance = Allowance::new(budget.clone());
    let mut under_way = FuturesUnordered::new();
    loop {
        while under_way.len() < AT_ONCE {
            let max = allowance.left(context.now()).min(ROUND);
            if max == 0 {
                break;
            }
            let Some((key, until)) = queue.next(|_| true) else { break };
            allowance.reserve(max);
            let ((company, at), budget) = (key, &budget);
            let subscription = subscriptions[at];
            let round = SubscriberRound { context, budget, company, at, subscription, max, until: until.0 };
            under_way.push(async move { (key, until, max, round.run().await) });
        }
        let Some((key, until, max, (done, taken, outcome))) = under_way.next().await else { return Ok(report) };
        allowance.end_reservation(max, taken);
        report.add(done);
        for (label, count) in
            [("handled", done.atendidos), ("postponed", done.pospuestos), ("given_up", done.abandonados)]
        {
            observe::attempts(observe::SUBSCRIBER_EVENTS, label, count);
        }
        match outcome {
            Ok(more) => queue.done(key, more.then_some(until)),
            Err(error) => {
                observe::company_failed(WORK, key.0, &error);
                queue.failed(key, context.now());
            }
        }
    }
}

/// The clave of the last event that a pass hands over: the company's last when it began.
#[derive(Debug, Clone, Copy, Default)]
struct Until(i64);

impl Need for Until {
    fn and(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }
}

/// The context's subscribers, each with where it begins in this database.
async fn subscriptions(context: &Context) -> Result<Vec<Subscription<'_>>, StoreError> {
    let mut all = Vec::new();
    for subscriber in context.registry().subscribers() {
        let first = match subscriber.start {
            // Events have whole seconds, so the rest of this one counts too.
            SubscriberStart::Now => min_clave(Timestamp::new(context.now()).get()) - 1,
            SubscriberStart::Kept => 0,
        };
        let begins = context.store().subscription_begins(subscriber.name, first).await?;
        all.push(Subscription { name: subscriber.name, kinds: subscriber.kinds, begins });
    }
    Ok(all)
}

/// At most `max` events that subscribers failed at for the last time, after `after`: the
/// subscriber's name and the event's clave, `("", 0)` at first. They are kept for 30 days.
pub async fn abandoned_events(
    context: &Context,
    company: CompanyId,
    after: (&str, i64),
    max: u32,
) -> Result<Vec<AbandonedEvent>, Error> {
    context.run_step(company, &ReadAbandoned { after, max }).await
}

/// Makes eight more attempts due at an event that was given up for the subscriber of that name.
/// Events of the same record that came later may have been handled before. `false` if there is no
/// such event.
pub async fn retry_abandoned(
    context: &Context,
    company: CompanyId,
    subscriber: &str,
    evento: i64,
) -> Result<bool, Error> {
    context.run_step(company, &RetryAbandoned { subscriber, evento }).await
}

struct ReadAbandoned<'a> {
    after: (&'a str, i64),
    max: u32,
}

impl Step for ReadAbandoned<'_> {
    type Output = Vec<AbandonedEvent>;

    async fn run_step(&self, cx: &mut Cx<'_>) -> Result<Vec<AbandonedEvent>, Error> {
        Ok(cx.tx.abandoned_events(self.after, self.max).await?)
    }
}

struct RetryAbandoned<'a> {
    subscriber: &'a str,
    evento: i64,
}

impl Step for RetryAbandoned<'_> {
    type Output = bool;

    async fn run_step(&self, cx: &mut Cx<'_>) -> Result<bool, Error> {
        Ok(cx.tx.retry_event(self.subscriber, self.evento, cx.service_now()).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_tried_eight_times_in_about_a_day() {
        let begun = DateTime::UNIX_EPOCH;
        let mut at = begun;
        let mut attempts = 1;
        while let Some(next) = next_attempt(attempts, at) {
            (at, attempts) = (next, attempts + 1);
        }
        assert_eq!((attempts, (at - begun).num_hours()), (8, 20));
        assert_eq!(next_attempt(0, begun), None);
    }
}
