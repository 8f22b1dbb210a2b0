//! A few events of one company for one subscriber, each in a transaction of its own.

use std::sync::{Mutex, PoisonError};

use super::{SubscriberReport, next_attempt};
use crate::budget::Budget;
use crate::context::{Context, Step};
use crate::domain::company::CompanyId;
use crate::error::Error;
use crate::operation::{Cx, ReceivedEvent, RegisteredSubscriber};
use crate::store::{FeedEvent, HeldEvent, Subscription};

/// The longest reason that is stored, in characters.
const LONGEST_REASON: usize = 500;

/// A round of a company for the subscriber at `at` in the registry.
pub(super) struct SubscriberRound<'a> {
    pub(super) context: &'a Context,
    pub(super) budget: &'a Budget,
    pub(super) company: CompanyId,
    pub(super) at: usize,
    pub(super) subscription: Subscription<'a>,
    /// Events at the most.
    pub(super) max: u32,
    /// The clave of the last event to take, apart from those that were held.
    pub(super) until: i64,
}

/// What one transaction did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// There was no event, or another process has the place.
    Nothing,
    Handled,
    /// Held behind an earlier event of its record.
    Held,
    /// A held event whose row is gone.
    Gone,
}

/// The event that the subscriber is at work on.
struct AtWork {
    event: FeedEvent,
    /// Earlier attempts.
    intentos: u32,
    /// Whether it was held before; else the place is still before it.
    was_held: bool,
}

impl SubscriberRound<'_> {
    /// Runs the round. Returns the counts, the number of events, and whether there may be more.
    pub(super) async fn run(self) -> (SubscriberReport, usize, Result<bool, Error>) {
        let mut report = SubscriberReport::default();
        for taken in 0..self.max as usize {
            if self.budget.is_over(self.context.now()) {
                return (report, taken, Ok(true));
            }
            match self.one(&mut report).await {
                Ok(true) => {}
                Ok(false) => return (report, taken, Ok(false)),
                Err(error) => return (report, taken, Err(error)),
            }
        }
        (report, self.max as usize, Ok(true))
    }

    /// Takes one event; `false` if there is none to be taken.
    async fn one(&self, report: &mut SubscriberReport) -> Result<bool, Error> {
        let Some(subscriber) = self.context.registry().subscribers().get(self.at) else { return Ok(false) };
        let take =
            TakeEvent { subscriber, subscription: self.subscription, until: self.until, at_work: Mutex::default() };
        let outcome = self.context.run_step(self.company, &take).await;
        let at_work = take.at_work.into_inner().unwrap_or_else(PoisonError::into_inner);
        match (outcome, at_work) {
            (Ok(Taken::Nothing), _) => return Ok(false),
            (Ok(Taken::Handled), _) => report.atendidos += 1,
            (Ok(Taken::Held), _) => report.detenidos += 1,
            (Ok(Taken::Gone), _) => {}
            (Err(error), None) => return Err(error),
            (Err(error), Some(at_work)) => {
                let failed = FailedEvent { subscription: self.subscription, at_work, error };
                match self.context.run_step(self.company, &failed).await? {
                    Some(true) => report.abandonados += 1,
                    Some(false) => report.pospuestos += 1,
                    None => return Ok(false),
                }
                failed.log(self.company);
            }
        }
        Ok(true)
    }
}

/// Hands the subscriber the next event, in the transaction that moves its place.
struct TakeEvent<'a> {
    subscriber: &'a RegisteredSubscriber,
    subscription: Subscription<'a>,
    until: i64,
    at_work: Mutex<Option<AtWork>>,
}

impl TakeEvent<'_> {
    fn note(&self, at_work: Option<AtWork>) {
        *self.at_work.lock().unwrap_or_else(PoisonError::into_inner) = at_work;
    }

    async fn hand_over(&self, cx: &mut Cx<'_>, event: &FeedEvent, intentos: u32, was_held: bool) -> Result<(), Error> {
        self.note(Some(AtWork { event: event.clone(), intentos, was_held }));
        self.subscriber.on(cx, &ReceivedEvent::of(event, intentos)?).await
    }
}

impl Step for TakeEvent<'_> {
    type Output = Taken;

    async fn run_step(&self, cx: &mut Cx<'_>) -> Result<Taken, Error> {
        let (subscription, name) = (self.subscription, self.subscription.name);
        self.note(None);
        let Some(place) = cx.tx.lock_place(subscription).await? else { return Ok(Taken::Nothing) };
        let now = cx.service_now();
        if let Some(due) = cx.tx.due_event(name, now).await? {
            let taken = if let Some(event) = &due.event {
                self.hand_over(cx, event, due.intentos, true).await?;
                Taken::Handled
            } else {
                tracing::error!(suscriptor = name, evento = due.clave, "an event was too old to be tried again");
                Taken::Gone
            };
            cx.tx.release_event(name, due.clave).await?;
            cx.tx.hurry_record(name, &due.recurso, due.recurso_clave, now).await?;
            return Ok(taken);
        }
        let event = cx.tx.next_event(subscription, place).await?.filter(|event| event.clave <= self.until);
        let Some(event) = event else { return Ok(Taken::Nothing) };
        let taken = if cx.tx.is_record_held(name, &event).await? {
            cx.tx.hold_event(name, &HeldEvent::of(&event, 0)).await?;
            Taken::Held
        } else {
            self.hand_over(cx, &event, 0, false).await?;
            Taken::Handled
        };
        cx.tx.move_place(name, event.clave).await?;
        Ok(taken)
    }
}

impl<'a> HeldEvent<'a> {
    /// An event that waits.
    fn of(event: &'a FeedEvent, intentos: u32) -> Self {
        let FeedEvent { clave, recurso, recurso_clave, .. } = event;
        let (clave, recurso_clave) = (*clave, *recurso_clave);
        Self { clave, recurso, recurso_clave, intentos, proximo: None, error: None, abandonada: None }
    }
}

/// Holds the event that a subscriber failed at, or gives it up.
struct FailedEvent<'a> {
    subscription: Subscription<'a>,
    at_work: AtWork,
    error: Error,
}

impl FailedEvent<'_> {
    fn attempts(&self) -> u32 {
        self.at_work.intentos + 1
    }

    fn log(&self, company: CompanyId) {
        tracing::warn!(
            empresa = company.0,
            suscriptor = self.subscription.name,
            evento = self.at_work.event.clave,
            tipo = self.at_work.event.tipo,
            intentos = self.attempts(),
            given_up = next_attempt(self.attempts(), chrono::DateTime::UNIX_EPOCH).is_none(),
            error = %self.error,
            cause = self.error.cause().map(tracing::field::display),
            "a subscriber failed at an event"
        );
    }
}

impl Step for FailedEvent<'_> {
    /// Whether it was given up; `None` if another process has taken it since.
    type Output = Option<bool>;

    async fn run_step(&self, cx: &mut Cx<'_>) -> Result<Option<bool>, Error> {
        let (name, event, now) = (self.subscription.name, &self.at_work.event, cx.service_now());
        let Some(place) = cx.tx.lock_place(self.subscription).await? else { return Ok(None) };
        let is_same = if self.at_work.was_held {
            let due = cx.tx.due_event(name, now).await?;
            due.is_some_and(|due| due.clave == event.clave && due.intentos == self.at_work.intentos)
        } else {
            place < event.clave
        };
        if !is_same {
            return Ok(None);
        }
        let proximo = next_attempt(self.attempts(), now);
        let reason: String = format!("{}: {}", self.error.code().codigo(), self.error.mensaje());
        let reason: String = reason.chars().take(LONGEST_REASON).collect();
        let abandonada = proximo.is_none().then_some(now);
        let held = HeldEvent { proximo, error: Some(&reason), abandonada, ..HeldEvent::of(event, self.attempts()) };
        cx.tx.hold_event(name, &held).await?;
        if abandonada.is_some() {
            cx.tx.hurry_record(name, &event.recurso, event.recurso_clave, now).await?;
        }
        if !self.at_work.was_held {
            cx.tx.move_place(name, event.clave).await?;
        }
        Ok(Some(abandonada.is_some()))
    }
}
