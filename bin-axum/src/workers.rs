//! A server's background tasks: stamping, the delivery of webhooks, e-mails, and clean-up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use svc_core::backoffice::Office;
use svc_core::clean_up;
use svc_core::domain::clock::SystemClock;
use svc_core::settings::Outside;
use svc_core::stamping::{Budget, Stamper, stamp_due};
use svc_core::store::{Store, StoreError};
use svc_core::webhooks::{Notifier, NotifyReport, Sender, deliver_due, notify_due};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

/// How often expired records are removed.
const CLEAN_UP_INTERVAL: Duration = Duration::from_mins(10);

/// From the end of one pass over a backlog to the next.
const PAUSE: Duration = Duration::from_secs(1);

/// The same after a pass whose backlog could not be read.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(15);

/// A backlog, with what its work is done through.
enum Backlog {
    /// Invoices and payment complements to be stamped.
    Stamping(Arc<dyn Stamper>),
    /// Deliveries of webhooks that are due.
    Delivery(Arc<dyn Sender>),
    /// E-mails to be sent.
    Mail(Arc<dyn Notifier>),
}

impl Backlog {
    /// One pass; gives its report, unless there was nothing to do.
    async fn run_pass(&self, office: &Office, budget: Budget) -> Result<Option<String>, StoreError> {
        Ok(match self {
            Self::Stamping(stamper) => {
                let done = stamp_due(office, stamper.as_ref(), budget).await?;
                (!done.is_empty()).then(|| format!("{done:?}"))
            }
            Self::Delivery(sender) => {
                let done = deliver_due(office, sender.as_ref(), budget).await?;
                (!done.is_empty()).then(|| format!("{done:?}"))
            }
            Self::Mail(mail) => {
                let done = notify_due(office, mail.as_ref(), budget).await?;
                (done != NotifyReport::default()).then(|| format!("{done:?}"))
            }
        })
    }
}

/// The running tasks. Dropping this ends those that have not finished.
pub(crate) struct Workers {
    stop: watch::Sender<bool>,
    stopped: Arc<AtomicBool>,
    cleaning: JoinHandle<()>,
    tasks: Vec<JoinHandle<()>>,
}

impl Workers {
    pub(crate) fn start(store: Arc<dyn Store>, office: &Office, outside: Outside) -> Self {
        let (stop, _) = watch::channel(false);
        let stopped = Arc::new(AtomicBool::new(false));
        let start = |backlog| tokio::spawn(keep_working(backlog, office.clone(), stopped.clone(), stop.subscribe()));
        let backlogs = [
            Some(Backlog::Stamping(outside.stamper)),
            outside.sender.map(Backlog::Delivery),
            outside.notifier.map(Backlog::Mail),
        ];
        let tasks = backlogs.into_iter().flatten().map(start).collect();
        Self { cleaning: tokio::spawn(keep_clean(store)), tasks, stop, stopped }
    }

    /// Claims nothing more, and waits for the attempts in progress.
    pub(crate) async fn finish(&mut self) {
        // Its statements are short and independent: it may end between any two.
        self.cleaning.abort();
        self.stopped.store(true, Ordering::Relaxed);
        self.stop.send_replace(true);
        for worker in &mut self.tasks {
            if let Err(error) = worker.await {
                tracing::warn!(%error, "a worker ended early");
            }
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.cleaning.abort();
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

async fn keep_clean(store: Arc<dyn Store>) {
    let mut timer = interval(CLEAN_UP_INTERVAL);
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        timer.tick().await;
        match clean_up(store.as_ref(), &SystemClock).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "cleaned up"),
            Err(error) => tracing::warn!(%error, "clean-up failed; it is tried again later"),
        }
    }
}

/// Pass after pass, so that a slow one never overlaps the next.
async fn keep_working(backlog: Backlog, office: Office, stopped: Arc<AtomicBool>, mut stop: watch::Receiver<bool>) {
    loop {
        let budget = Budget::unlimited().stopped_by(stopped.clone());
        let pause = match backlog.run_pass(&office, budget).await {
            Ok(done) => {
                if let Some(done) = done {
                    tracing::info!(done, "worked off");
                }
                PAUSE
            }
            Err(error) => {
                tracing::warn!(%error, "a queue could not be worked off; it is tried again later");
                PAUSE_AFTER_FAILURE
            }
        };
        if tokio::time::timeout(pause, stop.wait_for(|stop| *stop)).await.is_ok() {
            return;
        }
    }
}
