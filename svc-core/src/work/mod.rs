//! All background work as one future: [`Context::work`].

mod providers;

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Either, FusedFuture, Shared, join_all, join3, select};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::budget::Budget;
use crate::cleanup::clean_up;
use crate::context::{Context, REFRESH_INTERVAL};
use crate::mail::{Notifier, NotifyReport, notify_due, tell_owners};
use crate::observe;
use crate::stamping::{StampReport, Stamper, stamp_due};
use crate::store::{Backlog, StoreError};
use crate::subscribers::{self, SubscriberReport, run_subscribers};
use crate::usage;
use crate::webhooks::{DeliveryReport, Sender, deliver_due};
pub use providers::{Provider, Providers};

/// The time from the end of one pass to the next.
const PAUSE: Duration = Duration::from_secs(1);

/// How long a pass over records that are leased takes up more of them.
const PASS: TimeDelta = TimeDelta::seconds(10);

/// The same after a pass that failed.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(15);

/// The time from one comparison of clocks to the next.
const CLOCK_INTERVAL: Duration = Duration::from_secs(5);

/// The time from one count of what waits for a provider that is not set to the next.
const COUNT_INTERVAL: Duration = Duration::from_secs(5);

/// The time from one search for owners to notify to the next.
const OWNERS_INTERVAL: Duration = Duration::from_mins(1);

/// The time from one clean-up to the next.
const CLEAN_UP_INTERVAL: Duration = Duration::from_mins(10);

/// Logs the counts of a report, each as a field of its own, unless all are 0. Gives whether it did.
macro_rules! log_counts {
    ($work:ident, $report:expr, $Report:ident { $($count:ident),+ }) => {{
        let report = $report;
        let did_something = !report.is_empty();
        if did_something {
            let $Report { $($count),+ } = report;
            tracing::info!(work = $work, $($count),+, "background work");
        }
        did_something
    }};
}

/// A kind of background work, with the provider that it needs.
#[derive(Clone)]
enum BackgroundWork {
    Stamping(Option<Arc<dyn Stamper>>),
    /// The count of what waits for a stamper where there is none.
    WaitingDocuments,
    Delivery(Arc<dyn Sender>),
    Mail(Arc<dyn Notifier>),
    /// The age of the e-mails that are due where none are sent.
    WaitingMails,
    /// E-mails to owners, where e-mails are sent.
    Owners {
        without_provider: bool,
    },
    Subscribers,
    CleanUp,
}

impl BackgroundWork {
    /// The name in logs and metrics.
    const fn name(&self) -> &'static str {
        match self {
            Self::Stamping(_) | Self::WaitingDocuments => Backlog::Stamping.name(),
            Self::Delivery(_) => Backlog::Notices.name(),
            Self::Mail(_) | Self::WaitingMails | Self::Owners { .. } => Backlog::Mail.name(),
            Self::Subscribers => subscribers::WORK,
            Self::CleanUp => "clean-up",
        }
    }

    /// The time from the end of one pass to the next.
    const fn pause(&self) -> Duration {
        match self {
            Self::CleanUp => CLEAN_UP_INTERVAL,
            Self::WaitingDocuments | Self::WaitingMails => COUNT_INTERVAL,
            Self::Owners { .. } => OWNERS_INTERVAL,
            Self::Stamping(_) | Self::Delivery(_) | Self::Mail(_) | Self::Subscribers => PAUSE,
        }
    }

    /// The pause after a pass of that length that found nothing. The search for subscribers' events
    /// reads a row of each company, and so gets no more than a twentieth of the time.
    fn idle_pause(&self, length: Duration) -> Duration {
        match self {
            Self::Subscribers => self.pause().max(length * 20),
            _ => self.pause(),
        }
    }

    /// How long a pass takes up records. What becomes due meanwhile in a company without work is
    /// found by the next one, which follows at once.
    fn budget(&self, now: DateTime<Utc>, stopped: &Arc<AtomicBool>) -> Budget {
        let budget = Budget::unlimited().stopped_by(Arc::clone(stopped));
        match self {
            Self::Stamping(_) | Self::Mail(_) | Self::Subscribers => budget.until(now + PASS),
            // A pass of deliveries looks again each second.
            Self::Delivery(_) | Self::WaitingDocuments | Self::WaitingMails | Self::Owners { .. } | Self::CleanUp => {
                budget
            }
        }
    }

    /// Runs one pass and logs what it did. Returns whether it did anything.
    async fn pass(&self, context: &Context, budget: Budget) -> Result<bool, StoreError> {
        let work = self.name();
        Ok(match self {
            Self::Stamping(stamper) => log_counts!(
                work,
                stamp_due(context, stamper.as_deref(), budget).await?,
                StampReport {
                    timbrados,
                    rechazados,
                    pospuestos,
                    detenidos,
                    en_espera,
                    cancelados,
                    cancelaciones_rechazadas,
                    cancelaciones_en_proceso,
                    perdidos,
                    fallidos
                }
            ),
            Self::Delivery(sender) => log_counts!(
                work,
                deliver_due(context, sender.as_ref(), budget).await?,
                DeliveryReport {
                    agrupados,
                    eventos,
                    creadas,
                    entregadas,
                    pospuestas,
                    fallidas,
                    perdidas,
                    desactivados
                }
            ),
            Self::Mail(notifier) => log_counts!(
                work,
                notify_due(context, notifier.as_ref(), budget).await?,
                NotifyReport { enviados, pospuestos, abandonados, descartados }
            ),
            Self::Owners { without_provider } => {
                let owners_told = tell_owners(context, *without_provider).await?;
                if owners_told > 0 {
                    tracing::info!(work, owners_told, "background work");
                }
                owners_told > 0
            }
            Self::Subscribers => log_counts!(
                work,
                run_subscribers(context, budget).await?,
                SubscriberReport { atendidos, pospuestos, detenidos, abandonados }
            ),
            Self::WaitingMails => {
                context.in_background().due(Backlog::Mail, context.now()).await?;
                false
            }
            Self::WaitingDocuments => {
                context.in_background().waiting_for_provider().await?;
                false
            }
            Self::CleanUp => {
                let removed = clean_up(context).await?;
                if removed > 0 {
                    tracing::info!(work, removed, "background work");
                }
                removed > 0
            }
        })
    }
}

impl Context {
    /// Runs all background work until `stop` ends: keeps usage and keys current
    /// ([`Context::keep_current`]), stamps invoices, delivers webhooks, sends e-mails, those to
    /// owners too, runs the host's subscribers, and removes expired rows. Several processes may run
    /// it at once.
    ///
    /// It spawns nothing: spawn it, or join it with the server. It never fails: a pass that fails
    /// or panics is logged, counted ([`observe::BACKGROUND_FAILURES`]) and started again after 15
    /// s, while the others go on. After `stop` it finishes the attempts in progress; if it is
    /// dropped instead, they are repeated when their leases end. Usage of requests that are
    /// answered after its end is merged with [`Context::merge_usage`].
    ///
    /// Its parts wait for each other's computing, for some milliseconds; those of
    /// [`Context::work_in_parts`] do not.
    pub async fn work(&self, outside: Providers, stop: impl Future<Output = ()> + Send) {
        join_all(self.work_in_parts(outside, stop)).await;
    }

    /// [`Context::work`] as a future for each of its parts, to be spawned one by one.
    pub fn work_in_parts<'s>(
        &self,
        outside: Providers,
        stop: impl Future<Output = ()> + Send + 's,
    ) -> Vec<BoxFuture<'s, ()>> {
        let owners = BackgroundWork::Owners { without_provider: outside.stamper.is_none() };
        let backlogs = [
            outside.notifier.is_some().then_some(owners),
            outside.stamper.is_none().then_some(BackgroundWork::WaitingDocuments),
            outside.notifier.is_none().then_some(BackgroundWork::WaitingMails),
            Some(BackgroundWork::Stamping(outside.stamper)),
            outside.sender.map(BackgroundWork::Delivery),
            outside.notifier.map(BackgroundWork::Mail),
            (!self.registry().subscribers().is_empty()).then_some(BackgroundWork::Subscribers),
            Some(BackgroundWork::CleanUp),
        ];
        let stopped = Arc::new(AtomicBool::new(false));
        // The clean-up always waits for it, so that it is noticed during a pass.
        let stop = stop.inspect({
            let stopped = Arc::clone(&stopped);
            move |()| stopped.store(true, Ordering::Relaxed)
        });
        let stop = stop.boxed().shared();
        // Closed when the last pass ends, however it ends.
        let (running, mut all_ended) = mpsc::channel::<Infallible>(1);
        let mut parts = Vec::new();
        for backlog in backlogs.into_iter().flatten() {
            let (context, stopped, stop, running) = (self.clone(), stopped.clone(), stop.clone(), running.clone());
            parts.push(
                async move {
                    context.run_passes(backlog, &stopped, stop).await;
                    drop(running);
                }
                .boxed(),
            );
        }
        drop(running);
        let context = self.clone();
        let current = async move {
            let all_ended = async move { while all_ended.recv().await.is_some() {} };
            if let Err(error) = context.keep_current(all_ended).await {
                tracing::warn!(%error, "usage could not be merged at the end of background work");
            }
        };
        parts.push(current.boxed());
        parts
    }

    /// Keeps usage and keys current until `all_is_answered` ends: merges usage that is due every
    /// 250 ms and all of it at the end, writes the log of requests, reads keys in use again before
    /// they expire, and logs when the process's clock and the store's come apart. Returns the error
    /// of the last merge; after an earlier error the usage is kept for the next merge. After a
    /// panic it goes on, but for one of `all_is_answered`.
    ///
    /// Do not drop it before it ends: a cancelled merge may count twice.
    pub async fn keep_current(&self, all_is_answered: impl Future<Output = ()>) -> Result<(), StoreError> {
        let mut end = pin!(all_is_answered.fuse());
        loop {
            let aside = pin!(join3(self.keep_keys_fresh(), self.watch_clock(), self.keep_log_written()));
            let usage = pin!(self.keep_usage_merged(end.as_mut()));
            let current = select(usage, aside);
            let merged = match AssertUnwindSafe(current).catch_unwind().await {
                Ok(Either::Left((merged, _))) => merged,
                Ok(Either::Right(((never, _, _), _))) => match never {},
                Err(_) => {
                    observe::background_failed("usage", "panic");
                    tracing::error!("what keeps usage and keys current panicked; it starts again");
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            self.write_log().await;
            return merged;
        }
    }

    async fn keep_usage_merged(&self, mut end: impl FusedFuture<Output = ()> + Unpin) -> Result<(), StoreError> {
        while !end.is_terminated() && tokio::time::timeout(usage::DEFAULT_INTERVAL, &mut end).await.is_err() {
            if let Err(error) = self.merge_due_usage().await {
                observe::background_failed("usage", "error");
                tracing::warn!(%error, "usage could not be merged; it is tried again");
            }
        }
        self.merge_usage().await
    }

    async fn keep_log_written(&self) -> Infallible {
        let context = self.in_background();
        loop {
            tokio::time::sleep(usage::LOG_INTERVAL).await;
            context.write_log().await;
        }
    }

    async fn keep_keys_fresh(&self) -> Infallible {
        loop {
            tokio::time::sleep(REFRESH_INTERVAL).await;
            if let Err(error) = self.keys().refresh(self.store(), self.clock()).await {
                observe::background_failed("keys", "error");
                tracing::warn!(%error, "keys could not be read again; their next requests look them up");
            }
        }
    }

    /// Logs once that the process's clock and the store's have come apart, and once that they
    /// agree.
    async fn watch_clock(&self) -> Infallible {
        let mut was_wrong = false;
        loop {
            match self.clock_offset().await {
                Ok(offset) if offset.is_wrong() && !was_wrong => {
                    was_wrong = true;
                    tracing::warn!("{offset}: one of them is wrong");
                }
                Ok(offset) if !offset.is_wrong() && was_wrong => {
                    was_wrong = false;
                    tracing::info!("this server's clock and the database's agree again");
                }
                Ok(_) => {}
                Err(error) => tracing::debug!(%error, "the database's clock was not read"),
            }
            tokio::time::sleep(CLOCK_INTERVAL).await;
        }
    }

    /// Runs passes over one backlog, one after the other, until `stop` ends.
    async fn run_passes<S>(&self, backlog: BackgroundWork, stopped: &Arc<AtomicBool>, stop: Shared<S>)
    where
        S: Future<Output = ()>,
    {
        let name = backlog.name();
        loop {
            let budget = backlog.budget(self.now(), stopped);
            let began = Instant::now();
            let pass = AssertUnwindSafe(backlog.pass(self, budget.clone())).catch_unwind();
            let outcome = match backlog {
                // Its statements are short and independent, so it may be cancelled between any two.
                BackgroundWork::CleanUp => match select(Box::pin(pass), stop.clone()).await {
                    Either::Left((outcome, _)) => outcome,
                    Either::Right(_) => return,
                },
                _ => pass.await,
            };
            let pause = match outcome {
                Ok(Ok(false)) => backlog.idle_pause(began.elapsed()),
                Ok(Ok(true)) if budget.is_over(self.now()) => Duration::ZERO,
                Ok(Ok(true)) => backlog.pause(),
                Ok(Err(error)) => {
                    observe::background_failed(name, "error");
                    tracing::warn!(work = name, %error, "background work failed; it is tried again later");
                    PAUSE_AFTER_FAILURE
                }
                Err(_) => {
                    observe::background_failed(name, "panic");
                    tracing::error!(work = name, "background work panicked; it starts again later");
                    PAUSE_AFTER_FAILURE
                }
            };
            if tokio::time::timeout(pause, stop.clone()).await.is_ok() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
