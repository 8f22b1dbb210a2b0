//! All that has to be done beside answering, from a scheduler of one's own, with a stop that loses nothing.
//!
//! `DATABASE_URL=postgres://… cargo run -p svc-examples --example scheduler`

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use svc_core::domain::clock::SystemClock;
use svc_core::stamping::{Budget, SandboxStamper, Stamper, stamp_due};
use svc_core::store::{Store, StoreError};
use svc_core::usage::DEFAULT_INTERVAL;
use svc_core::webhooks::{HttpSender, Networks, Sender, deliver_due};
use svc_core::{Api, clean_up};
use svc_store_postgres::{PostgresStore, Settings};
use tokio::task::JoinSet;

/// The jobs under way.
pub struct Scheduler {
    jobs: JoinSet<()>,
    stop: Arc<AtomicBool>,
    api: Api,
}

impl Scheduler {
    /// Begins. Several processes may do so: each record is leased to one of them.
    pub fn start(api: &Api, store: Arc<dyn Store>, stamper: Arc<dyn Stamper>, sender: Arc<dyn Sender>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let mut jobs = JoinSet::new();
        let (office, budget) = (api.office(), Budget::unlimited().stopped_by(stop.clone()));
        jobs.spawn(every(Duration::from_secs(1), stop.clone(), async move || {
            stamp_due(&office, stamper.as_ref(), budget.clone()).await.map(drop)
        }));
        let (office, budget) = (api.office(), Budget::unlimited().stopped_by(stop.clone()));
        jobs.spawn(every(Duration::from_secs(1), stop.clone(), async move || {
            deliver_due(&office, sender.as_ref(), budget.clone()).await.map(drop)
        }));
        jobs.spawn(every(Duration::from_mins(10), stop.clone(), async move || {
            clean_up(store.as_ref(), &SystemClock).await.map(drop)
        }));
        let merged = api.clone();
        jobs.spawn(every(DEFAULT_INTERVAL, stop.clone(), async move || merged.merge_usage().await));
        Self { jobs, stop, api: api.clone() }
    }

    /// Takes up nothing more, waits for what is out, and brings what was used last to the store: call it when the last request
    /// has been answered.
    pub async fn finish(self) -> Result<(), StoreError> {
        self.stop.store(true, Ordering::Relaxed);
        self.jobs.join_all().await;
        self.api.merge_usage().await
    }
}

/// Does `job` again and again, one pass after the other, so that a slow one never overlaps itself. One that fails is done again
/// next time: nothing is lost by it.
async fn every<J>(pause: Duration, stop: Arc<AtomicBool>, job: J)
where
    J: AsyncFn() -> Result<(), StoreError>,
{
    while !stop.load(Ordering::Relaxed) {
        if let Err(error) = job().await {
            eprintln!("a job failed and is done again: {error}");
        }
        let mut waited = Duration::ZERO;
        while waited < pause && !stop.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(50)).await;
            waited += Duration::from_millis(50);
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = Arc::new(PostgresStore::open(&std::env::var("DATABASE_URL")?, &Settings::default())?);
    store.migrate().await?;
    let api = Api::builder(store.clone(), "http://127.0.0.1:3000/api/v1").build()?;
    let sender = HttpSender::new(Networks::default())?;
    let scheduler = Scheduler::start(&api, store, Arc::new(SandboxStamper), Arc::new(sender));
    tokio::signal::ctrl_c().await?;
    Ok(scheduler.finish().await?)
}
