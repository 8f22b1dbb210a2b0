use std::sync::atomic::AtomicUsize;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use metrics_util::debugging::{DebugValue, DebuggingRecorder};

use super::*;
use crate::domain::company::CompanyId;
use crate::mail::{Notice, NotifyFailure};
use crate::stamping::SandboxStamper;
use crate::store::testing::Empty;
use crate::store::{Due, Queue, Store, StoreLayer};

/// A store with nothing to do; the first look for documents to stamp panics.
#[derive(Default)]
struct Panicking {
    stampings: AtomicUsize,
    mails: AtomicUsize,
}

#[async_trait]
impl StoreLayer for Panicking {
    fn inner(&self) -> &dyn Store {
        &Empty
    }

    async fn due(&self, backlog: Backlog, now: DateTime<Utc>) -> Result<Vec<Due>, StoreError> {
        match backlog {
            Backlog::Stamping => {
                assert_ne!(self.stampings.fetch_add(1, Ordering::Relaxed), 0, "the first pass panics");
            }
            Backlog::Mail => {
                self.mails.fetch_add(1, Ordering::Relaxed);
            }
            Backlog::TestStamping => unreachable!("there is a stamper"),
            Backlog::Notices => unreachable!("there is no sender"),
        }
        self.inner().due(backlog, now).await
    }
}

struct Mailer;

#[async_trait]
impl Notifier for Mailer {
    async fn notify(&self, _: &Notice) -> Result<(), NotifyFailure> {
        unreachable!("no mail was leased")
    }
}

#[test]
fn a_pass_that_panics_is_counted_and_restarted_while_the_others_go_on() {
    let recorder = DebuggingRecorder::new();
    let store = Arc::new(Panicking::default());
    let context = Context::builder(store.clone(), "https://erp.example.com/api/v1").build().unwrap();
    let stamper: Arc<dyn Stamper> = Arc::new(SandboxStamper);
    let notifier: Arc<dyn Notifier> = Arc::new(Mailer);
    let outside = Providers::default().stamper(stamper).notifier(notifier);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    metrics::with_local_recorder(&recorder, || {
        runtime.block_on(async { context.work(outside, tokio::time::sleep(Duration::from_millis(19_500))).await });
    });
    // The panic at 0 s, then every second from 15 s on.
    assert_eq!(store.stampings.load(Ordering::Relaxed), 6);
    assert_eq!(store.mails.load(Ordering::Relaxed), 20);
    let failures: Vec<_> = recorder
        .snapshotter()
        .snapshot()
        .into_vec()
        .into_iter()
        .filter(|(key, ..)| key.key().name() == observe::BACKGROUND_FAILURES)
        .map(|(key, _, _, value)| {
            let labels: Vec<_> =
                key.key().labels().map(|label| (label.key().to_owned(), label.value().to_owned())).collect();
            (labels, value)
        })
        .collect();
    let labels = [("work", "stamping"), ("reason", "panic")].map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!(failures, [(labels.to_vec(), DebugValue::Counter(1))]);
}

/// A store where an e-mail has been due for a minute.
struct Waiting;

#[async_trait]
impl StoreLayer for Waiting {
    fn inner(&self) -> &dyn Store {
        &Empty
    }

    async fn due(&self, backlog: Backlog, now: DateTime<Utc>) -> Result<Vec<Due>, StoreError> {
        Ok(match backlog {
            Backlog::Mail => {
                vec![Due {
                    company: CompanyId(1),
                    queue: Queue::Mails,
                    since: Some(now - TimeDelta::minutes(1)),
                    desfase: TimeDelta::zero(),
                }]
            }
            _ => Vec::new(),
        })
    }
}

#[test]
fn the_age_of_e_mails_is_measured_where_none_are_sent() {
    let recorder = DebuggingRecorder::new();
    let context = Context::builder(Arc::new(Waiting), "https://erp.example.com/api/v1").build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    metrics::with_local_recorder(&recorder, || {
        runtime.block_on(async { context.work(Providers::default(), tokio::time::sleep(COUNT_INTERVAL)).await });
    });
    let ages: Vec<_> = recorder
        .snapshotter()
        .snapshot()
        .into_vec()
        .into_iter()
        .filter(|(key, ..)| {
            let mut labels = key.key().labels();
            key.key().name() == observe::QUEUE_AGE && labels.any(|label| label.value() == Queue::Mails.name())
        })
        .map(|(.., value)| value)
        .collect();
    assert_eq!(ages, [DebugValue::Gauge(60.0.into())]);
}

/// A store with nothing to do; looking for documents to stamp keeps its thread for two seconds.
#[derive(Default)]
struct Computing {
    mails: AtomicUsize,
}

#[async_trait]
impl StoreLayer for Computing {
    fn inner(&self) -> &dyn Store {
        &Empty
    }

    async fn due(&self, backlog: Backlog, now: DateTime<Utc>) -> Result<Vec<Due>, StoreError> {
        match backlog {
            Backlog::Stamping => std::thread::sleep(Duration::from_secs(2)),
            _ => drop(self.mails.fetch_add(1, Ordering::Relaxed)),
        }
        self.inner().due(backlog, now).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_part_that_computes_holds_up_no_other() {
    let store = Arc::new(Computing::default());
    let context = Context::builder(store.clone(), "https://erp.example.com/api/v1").build().unwrap();
    let (stamper, notifier): (Arc<dyn Stamper>, Arc<dyn Notifier>) = (Arc::new(SandboxStamper), Arc::new(Mailer));
    let outside = Providers::default().stamper(stamper).notifier(notifier);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let parts = context.work_in_parts(outside, async { stopped.await.unwrap_or_default() });
    let mut parts: tokio::task::JoinSet<()> = parts.into_iter().collect();
    tokio::time::sleep(Duration::from_millis(1_600)).await;
    assert!(store.mails.load(Ordering::Relaxed) >= 2, "one at the start, one a second later");
    drop(stop);
    while let Some(ended) = parts.join_next().await {
        ended.unwrap();
    }
}

/// A store with nothing to do that counts the looks for documents to stamp, of all companies and of
/// test companies.
#[derive(Default)]
struct Looks {
    all: AtomicUsize,
    tests: AtomicUsize,
}

#[async_trait]
impl StoreLayer for Looks {
    fn inner(&self) -> &dyn Store {
        &Empty
    }

    async fn due(&self, backlog: Backlog, now: DateTime<Utc>) -> Result<Vec<Due>, StoreError> {
        match backlog {
            Backlog::Stamping => drop(self.all.fetch_add(1, Ordering::Relaxed)),
            Backlog::TestStamping => drop(self.tests.fetch_add(1, Ordering::Relaxed)),
            Backlog::Notices | Backlog::Mail => {}
        }
        self.inner().due(backlog, now).await
    }
}

#[test]
fn without_a_stamper_only_documents_of_test_companies_are_looked_for() {
    let recorder = DebuggingRecorder::new();
    let store = Arc::new(Looks::default());
    let context = Context::builder(store.clone(), "https://erp.example.com/api/v1").build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    metrics::with_local_recorder(&recorder, || {
        runtime.block_on(async {
            context.work(Providers::default(), tokio::time::sleep(Duration::from_millis(4_500))).await;
        });
    });
    assert_eq!((store.all.load(Ordering::Relaxed), store.tests.load(Ordering::Relaxed)), (0, 5));
    let figures = recorder.snapshotter().snapshot().into_vec();
    let held = figures.iter().find(|(key, ..)| key.key().name() == observe::HELD).expect("the figure is there");
    let reasons: Vec<_> = held.0.key().labels().map(metrics::Label::value).collect();
    assert_eq!((reasons, &held.3), (vec![observe::NO_PROVIDER], &DebugValue::Gauge(0.0.into())));
}
