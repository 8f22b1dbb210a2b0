use std::sync::atomic::AtomicUsize;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use uuid::Uuid;

use super::*;
use crate::domain::company::CompanyId;
use crate::domain::quota::Period;
use crate::domain::time::Timestamp;
use crate::stamping::SandboxStamper;
use crate::store::{
    Aged, AttemptRecord, ClaimedDelivery, DeliveryClaim, DeliveryStore, FannedOut, KeyId, KeyRecord, LeasedMail,
    LeasedStamping, Reader, Recorded, Resealed, RetentionStore, SecretStore, SecretsBatch, StampingLease, Store, Tx,
    Usage, UsageStore,
};
use crate::webhooks::{Notice, NotifyFailure};

/// A store with nothing to do; the first lease of stampings panics.
#[derive(Default)]
struct Panicking {
    stampings: AtomicUsize,
    mails: AtomicUsize,
}

#[async_trait]
impl DeliveryStore for Panicking {
    async fn gather_groups(&self, _: Timestamp, _: u32) -> Result<u64, StoreError> {
        unreachable!("there is no sender")
    }

    async fn fan_out(&self, _: Timestamp, _: u32) -> Result<FannedOut, StoreError> {
        unreachable!("there is no sender")
    }

    async fn claim_deliveries(&self, _: &DeliveryClaim<'_>) -> Result<Vec<ClaimedDelivery>, StoreError> {
        unreachable!("there is no sender")
    }

    async fn record_attempts(&self, _: &[AttemptRecord], _: DateTime<Utc>) -> Result<Vec<Recorded>, StoreError> {
        unreachable!("there is no sender")
    }

    async fn lease_mail(
        &self,
        _: u32,
        _: DateTime<Utc>,
        _: Uuid,
        _: DateTime<Utc>,
    ) -> Result<Vec<LeasedMail>, StoreError> {
        self.mails.fetch_add(1, Ordering::Relaxed);
        Ok(Vec::new())
    }

    async fn settle_mail(&self, _: &LeasedMail, _: Uuid, _: Option<DateTime<Utc>>) -> Result<(), StoreError> {
        unreachable!("no mail was leased")
    }

    async fn forget_deliveries(&self, _: DateTime<Utc>, _: u32) -> Result<u64, StoreError> {
        Ok(0)
    }

    async fn forget_events(&self, _: DateTime<Utc>, _: u32) -> Result<u64, StoreError> {
        Ok(0)
    }

    async fn forget_webhooks(&self, _: DateTime<Utc>, _: u32) -> Result<u64, StoreError> {
        Ok(0)
    }
}

#[async_trait]
impl UsageStore for Panicking {
    async fn keys(&self, _: &[KeyId], _: Period) -> Result<Vec<KeyRecord>, StoreError> {
        unreachable!("there are no requests")
    }

    async fn add_usage(&self, _: &Usage) -> Result<Usage, StoreError> {
        unreachable!("there are no requests")
    }
}

#[async_trait]
impl SecretStore for Panicking {
    async fn secrets_not_under(&self, _: &[u8], _: CompanyId, _: u32) -> Result<SecretsBatch, StoreError> {
        unreachable!("secrets are left alone")
    }

    async fn replace_secrets(&self, _: &[Resealed]) -> Result<u64, StoreError> {
        unreachable!("secrets are left alone")
    }
}

#[async_trait]
impl RetentionStore for Panicking {
    async fn companies_with_aged(
        &self,
        _: Aged,
        _: DateTime<Utc>,
        _: CompanyId,
        _: u32,
    ) -> Result<Vec<CompanyId>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl Store for Panicking {
    fn reader(&self, _: CompanyId) -> Box<dyn Reader + '_> {
        unreachable!("there are no requests")
    }

    async fn begin(&self, _: CompanyId) -> Result<Box<dyn Tx>, StoreError> {
        unreachable!("there are no requests")
    }

    async fn lease_stampings(&self, _: &StampingLease) -> Result<Vec<LeasedStamping>, StoreError> {
        assert_ne!(self.stampings.fetch_add(1, Ordering::Relaxed), 0, "the first pass panics");
        Ok(Vec::new())
    }

    async fn next_company(&self) -> Result<CompanyId, StoreError> {
        unreachable!("there are no requests")
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
    let outside = Outside::default().stamper(stamper).notifier(notifier);
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
