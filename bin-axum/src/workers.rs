//! What a server does beside answering, on timers: stamping, the delivery of webhooks, e-mails, and clean-up.

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

/// How often what is kept no longer is removed.
const CLEAN_UP: Duration = Duration::from_mins(10);

/// How long to wait from the end of one pass over a queue to the next.
const PAUSE: Duration = Duration::from_secs(1);

/// The same after a pass whose queue could not be read.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(15);

/// What a worker works off, and through whom.
enum Queue {
    /// Invoices and payment complements to be stamped.
    Stamping(Arc<dyn Stamper>),
    /// Webhooks' deliveries.
    Delivery(Arc<dyn Sender>),
    /// E-mails.
    Mail(Arc<dyn Notifier>),
}

impl Queue {
    /// One pass; gives what it did, if it did anything.
    async fn work_off(&self, office: &Office, budget: Budget) -> Result<Option<String>, StoreError> {
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

/// The workers of a server; those that are left end with this.
pub(crate) struct Workers {
    stop: watch::Sender<bool>,
    stopped: Arc<AtomicBool>,
    cleaning: JoinHandle<()>,
    queues: Vec<JoinHandle<()>>,
}

impl Workers {
    pub(crate) fn start(store: Arc<dyn Store>, office: &Office, outside: Outside) -> Self {
        let (stop, _) = watch::channel(false);
        let stopped = Arc::new(AtomicBool::new(false));
        let start = |queue| tokio::spawn(keep_working(queue, office.clone(), stopped.clone(), stop.subscribe()));
        let queues = [
            Some(Queue::Stamping(outside.stamper)),
            outside.sender.map(Queue::Delivery),
            outside.notifier.map(Queue::Mail),
        ];
        let queues = queues.into_iter().flatten().map(start).collect();
        Self { cleaning: tokio::spawn(keep_clean(store)), queues, stop, stopped }
    }

    /// Takes nothing more from the queues, and waits for what is out.
    pub(crate) async fn finish(&mut self) {
        // It works in short statements, each whole: it may end between any two.
        self.cleaning.abort();
        self.stopped.store(true, Ordering::Relaxed);
        self.stop.send_replace(true);
        for queue in &mut self.queues {
            if let Err(error) = queue.await {
                tracing::warn!(%error, "a worker ended early");
            }
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.cleaning.abort();
        self.queues.iter().for_each(JoinHandle::abort);
    }
}

async fn keep_clean(store: Arc<dyn Store>) {
    let mut timer = interval(CLEAN_UP);
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

/// One pass after the other: a slow one never overlaps itself.
async fn keep_working(queue: Queue, office: Office, stopped: Arc<AtomicBool>, mut stop: watch::Receiver<bool>) {
    loop {
        let budget = Budget::unlimited().stopped_by(stopped.clone());
        let pause = match queue.work_off(&office, budget).await {
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
