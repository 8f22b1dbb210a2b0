//! Whether requests can be answered.

use std::time::Duration;

use chrono::TimeDelta;
use svc_core::domain::words::Held;
use svc_core::store::{Queue, StoreError};
use svc_core::{ClockOffset, Context};
use svc_store_postgres::Probe;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::output::{self, without_mail_server, without_provider};
use crate::shutdown::StopSignal;

/// How long a check of the database remains valid, so that frequent probes do not become frequent
/// connections.
const FRESH: Duration = Duration::from_secs(1);

/// How long the database may take to answer.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Which providers are set, here or where the work is done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HasProviders {
    pub(crate) stamper: bool,
    pub(crate) mail_server: bool,
}

/// Why requests should go to another process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotReady {
    #[error("stopping")]
    Stopping,
    #[error("the database is not available")]
    Database,
}

/// Whether requests can be answered.
pub(super) struct Readiness {
    stop: StopSignal,
    /// Concurrent probes wait for one check.
    database: Mutex<DatabaseCheck>,
    queues: Mutex<QueueAges>,
}

/// For operators, how long the oldest item of each queue has been due, and whether the clock is
/// wrong. It does not affect readiness: a stalled worker shows here, and other processes may be no
/// better.
struct QueueAges {
    context: Context,
    has: HasProviders,
    last: Option<(Instant, String)>,
}

/// What was read of the queues.
struct QueueFacts {
    oldest: Vec<(Queue, TimeDelta)>,
    held: Vec<(Held, u64)>,
    waiting_documents: u64,
    waiting_mails: u64,
    clock: ClockOffset,
}

struct DatabaseCheck {
    probe: Probe,
    /// The last outcome, and when it was.
    last: Option<(Instant, Result<(), NotReady>)>,
}

impl Readiness {
    pub(super) fn new(probe: Probe, context: Context, has: HasProviders, stop: StopSignal) -> Self {
        Self {
            stop,
            database: Mutex::new(DatabaseCheck { probe, last: None }),
            queues: Mutex::new(QueueAges { context, has, last: None }),
        }
    }

    /// A line for each queue that has something due, for what is held or waits for a provider that
    /// is not set, and one if the clock is wrong.
    pub(super) async fn queues(&self) -> String {
        self.queues.lock().await.lines().await
    }

    pub(super) async fn check(&self) -> Result<(), NotReady> {
        if self.stop.came() {
            return Err(NotReady::Stopping);
        }
        self.database.lock().await.run().await
    }
}

impl DatabaseCheck {
    async fn run(&mut self) -> Result<(), NotReady> {
        if let Some((at, outcome)) = self.last
            && at.elapsed() < FRESH
        {
            return outcome;
        }
        let before = self.last.is_none_or(|(_, outcome)| outcome.is_ok());
        let failure = match timeout(TIMEOUT, self.probe.check()).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some(format!("no answer within {TIMEOUT:?}")),
        };
        // Logged only on changes, because probes come every few seconds.
        match &failure {
            Some(failure) if before => tracing::warn!(failure, "not ready: the database is not available"),
            None if !before => tracing::info!("ready again: the database is back"),
            _ => {}
        }
        let outcome = if failure.is_some() { Err(NotReady::Database) } else { Ok(()) };
        self.last = Some((Instant::now(), outcome));
        outcome
    }
}

impl QueueAges {
    async fn read(&self) -> Result<QueueFacts, StoreError> {
        Ok(QueueFacts {
            oldest: self.context.oldest_due(self.has.stamper).await?,
            held: self.context.held().await?,
            waiting_documents: if self.has.stamper { 0 } else { self.context.waiting_for_provider().await? },
            waiting_mails: if self.has.mail_server { 0 } else { self.context.waiting_mails().await? },
            clock: self.context.clock_offset().await?,
        })
    }

    async fn lines(&mut self) -> String {
        if let Some((at, lines)) = &self.last
            && at.elapsed() < FRESH
        {
            return lines.clone();
        }
        let lines = match timeout(TIMEOUT, self.read()).await {
            Ok(Ok(QueueFacts { oldest, held, waiting_documents, waiting_mails, clock })) => {
                let queue =
                    |(queue, age): (Queue, TimeDelta)| format!("{} due for {} s\n", queue.name(), age.num_seconds());
                let held = held.into_iter().map(|(why, count)| format!("{}\n", output::held(why, count)));
                let documents = (waiting_documents > 0).then(|| format!("{}\n", without_provider(waiting_documents)));
                let mails = (waiting_mails > 0).then(|| format!("{}\n", without_mail_server(waiting_mails)));
                let clock = clock.is_wrong().then(|| format!("{clock}\n"));
                oldest.into_iter().map(queue).chain(held).chain(documents).chain(mails).chain(clock).collect()
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "the queues were not read");
                "queues unknown\n".to_owned()
            }
            Err(_) => "queues unknown\n".to_owned(),
        };
        self.last = Some((Instant::now(), lines.clone()));
        lines
    }
}
