//! [`StoreLayer`]: a store that wraps another one.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{
    Aged, AttemptRecord, ClaimedDelivery, CompanyId, DeliveryClaim, DeliveryStore, FannedOut, KeyId, KeyRecord,
    LeasedMail, LeasedStamping, Reader, Recorded, Resealed, RetentionStore, SecretStore, SecretsBatch, StampingLease,
    Store, StoreError, Tx, Usage, UsageStore,
};
use crate::domain::quota::Period;
use crate::domain::time::Timestamp;

/// A store that wraps another one to observe or change some of its operations: an audit, a cache, a timeout. Only
/// [`Self::inner`] is required; every other method of [`Store`] is forwarded to it.
#[async_trait]
pub trait StoreLayer: Send + Sync + 'static {
    /// The wrapped store.
    fn inner(&self) -> &dyn Store;

    /// [`Store::reader`].
    fn reader(&self, company: CompanyId) -> Box<dyn Reader + '_> {
        self.inner().reader(company)
    }

    /// [`Store::begin`].
    async fn begin(&self, company: CompanyId) -> Result<Box<dyn Tx>, StoreError> {
        self.inner().begin(company).await
    }

    /// [`UsageStore::keys`].
    async fn keys(&self, ids: &[KeyId], period: Period) -> Result<Vec<KeyRecord>, StoreError> {
        self.inner().keys(ids, period).await
    }

    /// [`UsageStore::add_usage`].
    async fn add_usage(&self, usage: &Usage) -> Result<Usage, StoreError> {
        self.inner().add_usage(usage).await
    }
}

#[async_trait]
impl<S: StoreLayer> Store for S {
    fn reader(&self, company: CompanyId) -> Box<dyn Reader + '_> {
        StoreLayer::reader(self, company)
    }

    async fn begin(&self, company: CompanyId) -> Result<Box<dyn Tx>, StoreError> {
        StoreLayer::begin(self, company).await
    }

    async fn lease_stampings(&self, lease: &StampingLease) -> Result<Vec<LeasedStamping>, StoreError> {
        self.inner().lease_stampings(lease).await
    }

    async fn next_company(&self) -> Result<CompanyId, StoreError> {
        self.inner().next_company().await
    }
}

#[async_trait]
impl<S: StoreLayer> UsageStore for S {
    async fn keys(&self, ids: &[KeyId], period: Period) -> Result<Vec<KeyRecord>, StoreError> {
        StoreLayer::keys(self, ids, period).await
    }

    async fn add_usage(&self, usage: &Usage) -> Result<Usage, StoreError> {
        StoreLayer::add_usage(self, usage).await
    }
}

#[async_trait]
impl<S: StoreLayer> DeliveryStore for S {
    async fn gather_groups(&self, now: Timestamp, most: u32) -> Result<u64, StoreError> {
        self.inner().gather_groups(now, most).await
    }

    async fn fan_out(&self, now: Timestamp, most: u32) -> Result<FannedOut, StoreError> {
        self.inner().fan_out(now, most).await
    }

    async fn claim_deliveries(&self, claim: &DeliveryClaim<'_>) -> Result<Vec<ClaimedDelivery>, StoreError> {
        self.inner().claim_deliveries(claim).await
    }

    async fn record_attempts(
        &self,
        attempts: &[AttemptRecord],
        now: DateTime<Utc>,
    ) -> Result<Vec<Recorded>, StoreError> {
        self.inner().record_attempts(attempts, now).await
    }

    async fn lease_mail(
        &self,
        most: u32,
        now: DateTime<Utc>,
        token: Uuid,
        until: DateTime<Utc>,
    ) -> Result<Vec<LeasedMail>, StoreError> {
        self.inner().lease_mail(most, now, token, until).await
    }

    async fn settle_mail(
        &self,
        mail: &LeasedMail,
        token: Uuid,
        again: Option<DateTime<Utc>>,
    ) -> Result<(), StoreError> {
        self.inner().settle_mail(mail, token, again).await
    }

    async fn forget_deliveries(&self, expired: DateTime<Utc>, most: u32) -> Result<u64, StoreError> {
        self.inner().forget_deliveries(expired, most).await
    }

    async fn forget_events(&self, expired: DateTime<Utc>, most: u32) -> Result<u64, StoreError> {
        self.inner().forget_events(expired, most).await
    }

    async fn forget_webhooks(&self, expired: DateTime<Utc>, most: u32) -> Result<u64, StoreError> {
        self.inner().forget_webhooks(expired, most).await
    }
}

#[async_trait]
impl<S: StoreLayer> RetentionStore for S {
    async fn companies_with_aged(
        &self,
        aged: Aged,
        expired: DateTime<Utc>,
        after: CompanyId,
        most: u32,
    ) -> Result<Vec<CompanyId>, StoreError> {
        self.inner().companies_with_aged(aged, expired, after, most).await
    }
}

#[async_trait]
impl<S: StoreLayer> SecretStore for S {
    async fn secrets_not_under(
        &self,
        prefix: &[u8],
        after: CompanyId,
        companies: u32,
    ) -> Result<SecretsBatch, StoreError> {
        self.inner().secrets_not_under(prefix, after, companies).await
    }

    async fn replace_secrets(&self, resealed: &[Resealed]) -> Result<u64, StoreError> {
        self.inner().replace_secrets(resealed).await
    }
}
