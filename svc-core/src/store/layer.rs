//! [`StoreLayer`]: a store that wraps another.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

use super::{
    Aged, Backlog, CompanyId, Due, DueSubscription, KeyId, KeyRecord, LoggedRequest, OwnerStore, QueueStore, Reader,
    Resealed, RetentionStore, SealedSecret, SecretStore, SecretsBatch, Store, StoreError, Subscription,
    SubscriptionStore, Tx, Usage, UsageStore,
};
use crate::domain::words::{Held, OwnerMatter};

/// A store that wraps another to observe it, or to make it fail in tests. A layer may override
/// reads of lists, the beginning of transactions, look-ups of keys, merges of usage and the search
/// for work. Only [`Self::inner`] is required; all other methods of [`Store`] go to it. Background
/// work has connections of its own only if the layer says how it wraps those
/// ([`Self::for_background`]).
#[async_trait]
pub trait StoreLayer: Send + Sync + 'static {
    /// The store that does the work.
    fn inner(&self) -> &dyn Store;

    /// [`Store::for_background`]: this layer around the inner store's. Without it, background work
    /// uses the connections of requests.
    fn for_background(&self) -> Option<Arc<dyn Store>> {
        None
    }

    /// [`Store::reader`].
    fn reader(&self, company: CompanyId) -> Box<dyn Reader + '_> {
        self.inner().reader(company)
    }

    /// [`Store::begin`].
    async fn begin(&self, company: CompanyId) -> Result<Box<dyn Tx>, StoreError> {
        self.inner().begin(company).await
    }

    /// [`UsageStore::keys`].
    async fn keys(&self, ids: &[KeyId], now: DateTime<Utc>) -> Result<Vec<KeyRecord>, StoreError> {
        self.inner().keys(ids, now).await
    }

    /// [`UsageStore::add_usage`].
    async fn add_usage(&self, usage: &Usage) -> Result<Usage, StoreError> {
        self.inner().add_usage(usage).await
    }

    /// [`QueueStore::due`].
    async fn due(&self, backlog: Backlog, now: DateTime<Utc>) -> Result<Vec<Due>, StoreError> {
        self.inner().due(backlog, now).await
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

    fn for_background(&self) -> Option<Arc<dyn Store>> {
        StoreLayer::for_background(self)
    }

    async fn now(&self) -> Result<DateTime<Utc>, StoreError> {
        self.inner().now().await
    }

    async fn next_company(&self) -> Result<CompanyId, StoreError> {
        self.inner().next_company().await
    }

    async fn installation(&self) -> Result<String, StoreError> {
        self.inner().installation().await
    }
}

#[async_trait]
impl<S: StoreLayer> UsageStore for S {
    async fn keys(&self, ids: &[KeyId], now: DateTime<Utc>) -> Result<Vec<KeyRecord>, StoreError> {
        StoreLayer::keys(self, ids, now).await
    }

    async fn add_usage(&self, usage: &Usage) -> Result<Usage, StoreError> {
        StoreLayer::add_usage(self, usage).await
    }

    async fn log_requests(&self, requests: &[LoggedRequest]) -> Result<(), StoreError> {
        self.inner().log_requests(requests).await
    }
}

#[async_trait]
impl<S: StoreLayer> QueueStore for S {
    async fn due(&self, backlog: Backlog, now: DateTime<Utc>) -> Result<Vec<Due>, StoreError> {
        StoreLayer::due(self, backlog, now).await
    }

    async fn held(&self) -> Result<Vec<(Held, u64)>, StoreError> {
        self.inner().held().await
    }

    async fn waiting_for_provider(&self) -> Result<u64, StoreError> {
        self.inner().waiting_for_provider().await
    }

    async fn waiting_mails(&self) -> Result<u64, StoreError> {
        self.inner().waiting_mails().await
    }

    async fn unscheduled_webhooks(&self) -> Result<Vec<(CompanyId, i64)>, StoreError> {
        self.inner().unscheduled_webhooks().await
    }
}

#[async_trait]
impl<S: StoreLayer> OwnerStore for S {
    async fn owners_to_tell(
        &self,
        now: DateTime<Utc>,
        ahead: TimeDelta,
        without_provider: bool,
    ) -> Result<Vec<(CompanyId, OwnerMatter)>, StoreError> {
        self.inner().owners_to_tell(now, ahead, without_provider).await
    }
}

#[async_trait]
impl<S: StoreLayer> SubscriptionStore for S {
    async fn subscription_begins(&self, name: &str, first: i64) -> Result<i64, StoreError> {
        self.inner().subscription_begins(name, first).await
    }

    async fn subscriptions_due(
        &self,
        subscriptions: &[Subscription<'_>],
        now: DateTime<Utc>,
    ) -> Result<Vec<DueSubscription>, StoreError> {
        self.inner().subscriptions_due(subscriptions, now).await
    }
}

#[async_trait]
impl<S: StoreLayer> RetentionStore for S {
    async fn companies_with_aged(
        &self,
        aged: Aged,
        expired: DateTime<Utc>,
        after: CompanyId,
        max: u32,
    ) -> Result<Vec<CompanyId>, StoreError> {
        self.inner().companies_with_aged(aged, expired, after, max).await
    }

    async fn remove_interrupted_copies(&self) -> Result<u64, StoreError> {
        self.inner().remove_interrupted_copies().await
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

    async fn first_secrets(&self, max: u32) -> Result<Vec<SealedSecret>, StoreError> {
        self.inner().first_secrets(max).await
    }

    async fn replace_secrets(&self, resealed: &[Resealed]) -> Result<u64, StoreError> {
        self.inner().replace_secrets(resealed).await
    }
}
