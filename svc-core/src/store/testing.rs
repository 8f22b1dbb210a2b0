//! A store for unit tests: every key exists, no record does, and nothing is due.

use std::any::Any;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest as _, Sha256};

use crate::domain::clock::{Clock as _, SystemClock};
use crate::domain::company::{Company, CompanyId, LimitMode, TERMS_VERSION};
use crate::domain::paper::ticket::SaleTicket;
use crate::domain::quota::Period;
use crate::domain::scope::Scopes;
use crate::domain::words::{Held, OwnerMatter};
use crate::record::{ListSpec, Query};
use crate::store::{
    Aged, Backlog, BooksOfMonth, BooksRequest, Due, DueSubscription, EachRow, KeyId, KeyRecord, KnownUse,
    LoggedRequest, OwnerStore, PrintableDocument, QueueStore, Reader, Resealed, RetentionStore, SealedSecret,
    SecretStore, SecretsBatch, Store, StoreError, StoredDocument, Subscription, SubscriptionStore, Tx, Usage,
    UsageStore,
};
use crate::testing::company;

/// Every key has this secret.
pub(crate) const SECRET: &str = "svc_0000000000000000000000000000000000000000000000000000000000000000";

#[derive(Debug, Clone, Copy)]
pub(crate) struct Empty;

#[async_trait]
impl Reader for Empty {
    fn for_host(&self) -> Box<dyn Any + Send + Sync> {
        Box::new(())
    }

    async fn page(&self, _: &'static ListSpec, _: &Query, _: EachRow<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    async fn document(&self, _: i64) -> Result<Option<StoredDocument>, StoreError> {
        Ok(None)
    }

    async fn printable_document(&self, _: i64) -> Result<Option<PrintableDocument>, StoreError> {
        Ok(None)
    }

    async fn sale_ticket(&self, _: i64) -> Result<Option<SaleTicket>, StoreError> {
        Ok(None)
    }

    async fn books(&self, _: BooksRequest) -> Result<BooksOfMonth, StoreError> {
        Ok(BooksOfMonth::default())
    }
}

#[async_trait]
impl UsageStore for Empty {
    async fn keys(&self, ids: &[KeyId], now: DateTime<Utc>) -> Result<Vec<KeyRecord>, StoreError> {
        let key = |id: &KeyId| KeyRecord {
            id: id.clone(),
            company: Company { id: id.company, limites: Some(LimitMode::Notice), ..company(1) },
            secret_sha256: Sha256::digest(SECRET).into(),
            scopes: Scopes::all().into(),
            expires: None,
            revoked: false,
            terms: Some(TERMS_VERSION.to_owned()),
            owner: 1,
            owner_active: true,
            used: KnownUse { period: Period::of(now), minute: 0, month: 0 },
        };
        Ok(ids.iter().map(key).collect())
    }

    async fn add_usage(&self, usage: &Usage) -> Result<Usage, StoreError> {
        Ok(usage.clone())
    }

    async fn log_requests(&self, _: &[LoggedRequest]) -> Result<(), StoreError> {
        Ok(())
    }
}

#[async_trait]
impl SecretStore for Empty {
    async fn secrets_not_under(&self, _: &[u8], _: CompanyId, _: u32) -> Result<SecretsBatch, StoreError> {
        Ok(SecretsBatch::default())
    }

    async fn first_secrets(&self, _: u32) -> Result<Vec<SealedSecret>, StoreError> {
        Ok(Vec::new())
    }

    async fn replace_secrets(&self, _: &[Resealed]) -> Result<u64, StoreError> {
        Ok(0)
    }
}

#[async_trait]
impl SubscriptionStore for Empty {
    async fn subscription_begins(&self, _: &str, first: i64) -> Result<i64, StoreError> {
        Ok(first)
    }

    async fn subscriptions_due(
        &self,
        _: &[Subscription<'_>],
        _: DateTime<Utc>,
    ) -> Result<Vec<DueSubscription>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl RetentionStore for Empty {
    async fn companies_with_aged(
        &self,
        _: Aged,
        _: DateTime<Utc>,
        _: CompanyId,
        _: u32,
    ) -> Result<Vec<CompanyId>, StoreError> {
        Ok(Vec::new())
    }

    async fn remove_interrupted_copies(&self) -> Result<u64, StoreError> {
        Ok(0)
    }
}

#[async_trait]
impl Store for Empty {
    fn reader(&self, _: CompanyId) -> Box<dyn Reader + '_> {
        Box::new(Self)
    }

    /// Transactions are tested on a database.
    async fn begin(&self, _: CompanyId) -> Result<Box<dyn Tx>, StoreError> {
        Err(StoreError::Unavailable("this store only reads".into()))
    }

    async fn now(&self) -> Result<DateTime<Utc>, StoreError> {
        Ok(SystemClock.now())
    }

    async fn next_company(&self) -> Result<CompanyId, StoreError> {
        unreachable!("no company is made")
    }

    async fn installation(&self) -> Result<String, StoreError> {
        Ok("0".to_owned())
    }
}

#[async_trait]
impl OwnerStore for Empty {
    async fn owners_to_tell(
        &self,
        _: DateTime<Utc>,
        _: TimeDelta,
        _: bool,
    ) -> Result<Vec<(CompanyId, OwnerMatter)>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl QueueStore for Empty {
    async fn due(&self, _: Backlog, _: DateTime<Utc>) -> Result<Vec<Due>, StoreError> {
        Ok(Vec::new())
    }

    async fn held(&self) -> Result<Vec<(Held, u64)>, StoreError> {
        Ok(Vec::new())
    }

    async fn waiting_for_provider(&self) -> Result<u64, StoreError> {
        Ok(0)
    }

    async fn waiting_mails(&self) -> Result<u64, StoreError> {
        Ok(0)
    }

    async fn unscheduled_webhooks(&self) -> Result<Vec<(CompanyId, i64)>, StoreError> {
        Ok(Vec::new())
    }
}
