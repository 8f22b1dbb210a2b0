//! What a server does beside answering, on timers: stamping and clean-up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use svc_core::backoffice::Office;
use svc_core::clean_up;
use svc_core::domain::clock::SystemClock;
use svc_core::stamping::{Budget, Stamper, stamp_due};
use svc_core::store::Store;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

/// How often what is kept no longer is removed.
const CLEAN_UP: Duration = Duration::from_mins(10);

/// How long to wait from the end of one pass of stamping to the next.
const STAMP: Duration = Duration::from_secs(1);

/// The same after a pass whose queue could not be read.
const STAMP_LATER: Duration = Duration::from_secs(15);

/// The workers of a server; those that are left end with this.
pub(crate) struct Workers {
    stop: Arc<Stop>,
    cleaning: JoinHandle<()>,
    stamping: JoinHandle<()>,
}

/// Whether the server is told to stop.
#[derive(Default)]
struct Stop {
    told: Arc<AtomicBool>,
    wake: Notify,
}

impl Workers {
    pub(crate) fn start(store: Arc<dyn Store>, office: Office, stamper: Arc<dyn Stamper>) -> Self {
        let stop = Arc::new(Stop::default());
        let stamping = tokio::spawn(keep_stamping(office, stamper, stop.clone()));
        Self { stop, cleaning: tokio::spawn(keep_clean(store)), stamping }
    }

    /// Takes nothing more from the queue of what is to be stamped, and waits for what is out.
    pub(crate) async fn finish(&mut self) {
        // It works in short statements, each whole: it may end between any two.
        self.cleaning.abort();
        self.stop.told.store(true, Ordering::Relaxed);
        self.stop.wake.notify_one();
        if let Err(error) = (&mut self.stamping).await {
            tracing::warn!(%error, "stamping ended early");
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.cleaning.abort();
        self.stamping.abort();
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

/// One pass after the other.
async fn keep_stamping(office: Office, stamper: Arc<dyn Stamper>, stop: Arc<Stop>) {
    loop {
        let budget = Budget::unlimited().stopped_by(stop.told.clone());
        let pause = match stamp_due(&office, stamper.as_ref(), budget).await {
            Ok(done) => {
                if !done.is_empty() {
                    tracing::info!(?done, "stamped");
                }
                STAMP
            }
            Err(error) => {
                tracing::warn!(%error, "stamping failed; it is tried again later");
                STAMP_LATER
            }
        };
        if tokio::time::timeout(pause, stop.wake.notified()).await.is_ok() {
            return;
        }
    }
}
