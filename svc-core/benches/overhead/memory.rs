//! The API over a store that answers from memory, and the requests that are measured.

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use http::Request;
use sha2::{Digest, Sha256};
use svc_core::domain::company::{Company, CompanyId, LimitMode};
use svc_core::domain::paper::ticket::SaleTicket;
use svc_core::domain::quota::Period;
use svc_core::domain::scope::Scopes;
use svc_core::domain::words::{Held, OwnerMatter};
use svc_core::record::customer::Customer;
use svc_core::record::{ListSpec, Query, Record as _, Value};
use svc_core::store::{
    Aged, Backlog, BooksOfMonth, BooksRequest, Due, DueSubscription, EachRow, KeyId, KeyRecord, KnownUse,
    LoggedRequest, OwnerStore, PrintableDocument, QueueStore, Reader, Resealed, RetentionStore, SealedSecret,
    SecretStore, SecretsBatch, Store, StoreError, StoredDocument, Subscription, SubscriptionStore, Tx, Usage,
    UsageStore,
};
use svc_core::{Api, Context};
use tokio::runtime::Runtime;

const SECRET: &str = "svc_0000000000000000000000000000000000000000000000000000000000000000";

/// What is asked: a page without records shows what a page costs beside them.
pub(crate) const REQUESTS: [(&str, &str); 4] = [
    ("GET /clientes, 30 records", "/clientes?limite=30"),
    ("GET /proveedores, no record", "/proveedores?limite=30"),
    (
        "GET /clientes, 1 record and 3 filters",
        "/clientes?limite=1&rfc=EKU9003173C9&prospecto=false&telefono=4775123456",
    ),
    ("GET /health", "/health"),
];

/// A store that holds one key and thirty-one customers in memory.
struct Memory {
    customers: Vec<Vec<Value<'static>>>,
}

struct MemoryReader<'a>(&'a Memory);

#[async_trait]
impl Reader for MemoryReader<'_> {
    fn for_host(&self) -> Box<dyn Any + Send + Sync> {
        Box::new(())
    }

    async fn page(&self, list: &'static ListSpec, query: &Query, each: EachRow<'_>) -> Result<(), StoreError> {
        if list.table == Customer::TABLE {
            for row in self.0.customers.iter().take(query.limit as usize + 1) {
                each(&row.as_slice())?;
            }
        }
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

/// It has nothing to do.
#[async_trait]
impl OwnerStore for Memory {
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
impl QueueStore for Memory {
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

#[async_trait]
impl UsageStore for Memory {
    async fn keys(&self, ids: &[KeyId], now: DateTime<Utc>) -> Result<Vec<KeyRecord>, StoreError> {
        Ok(ids.iter().map(|id| key(id, Period::of(now))).collect())
    }

    async fn add_usage(&self, usage: &Usage) -> Result<Usage, StoreError> {
        Ok(usage.clone())
    }

    async fn log_requests(&self, _: &[LoggedRequest]) -> Result<(), StoreError> {
        Ok(())
    }
}

fn key(id: &KeyId, period: Period) -> KeyRecord {
    KeyRecord {
        id: id.clone(),
        company: Company::new(id.company, "Empresa".to_owned(), [7; 32]),
        secret_sha256: Sha256::digest(SECRET).into(),
        scopes: Scopes::all().into(),
        expires: None,
        revoked: false,
        terms: Some(svc_core::TERMS_VERSION.to_owned()),
        owner: 1,
        owner_active: true,
        used: KnownUse { period, minute: 0, month: 0 },
    }
}

#[async_trait]
impl SecretStore for Memory {
    async fn secrets_not_under(&self, _: &[u8], _: CompanyId, _: u32) -> Result<SecretsBatch, StoreError> {
        Err(StoreError::Unavailable("this store only reads".into()))
    }

    async fn first_secrets(&self, _: u32) -> Result<Vec<SealedSecret>, StoreError> {
        Err(StoreError::Unavailable("this store only reads".into()))
    }

    async fn replace_secrets(&self, _: &[Resealed]) -> Result<u64, StoreError> {
        Err(StoreError::Unavailable("this store only reads".into()))
    }
}

#[async_trait]
impl RetentionStore for Memory {
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
impl SubscriptionStore for Memory {
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
impl Store for Memory {
    fn reader(&self, _: CompanyId) -> Box<dyn Reader + '_> {
        Box::new(MemoryReader(self))
    }

    async fn begin(&self, _: CompanyId) -> Result<Box<dyn Tx>, StoreError> {
        Err(StoreError::Unavailable("this store only reads".into()))
    }

    async fn now(&self) -> Result<DateTime<Utc>, StoreError> {
        Ok(DateTime::UNIX_EPOCH)
    }

    async fn next_company(&self) -> Result<CompanyId, StoreError> {
        Err(StoreError::Unavailable("this store only reads".into()))
    }

    async fn installation(&self) -> Result<String, StoreError> {
        Ok("0".to_owned())
    }
}

fn customer(clave: i64) -> Vec<Value<'static>> {
    let text = |text: &str| Value::Text(text.to_owned().into());
    let numbered = |name: &str| text(&format!("{name} {clave}"));
    let value = |column: &&str| match *column {
        "clave" => Value::Integer(clave),
        "folio" => numbered("C"),
        "nombre" => numbered("Comercializadora de Materiales del Bajío, S.A. de C.V."),
        "razon_social" => numbered("COMERCIALIZADORA DE MATERIALES DEL BAJÍO"),
        "rfc" => text("EKU9003173C9"),
        "correo" => numbered("compras@materiales.example"),
        "telefono" => text("(477) 512-3456"),
        "movil" => text("4775123456"),
        "prospecto" | "publico" => Value::Boolean(false),
        "modificado" => Value::Instant(DateTime::UNIX_EPOCH),
        _ => Value::Null,
    };
    Customer::COLUMNS.iter().map(value).collect()
}

pub(crate) fn request(uri: &str) -> Request<Bytes> {
    Request::get(uri)
        .header("Authorization", format!("Bearer {SECRET}"))
        .header("X-Svc-Key-Id", "1_ab12cd")
        .body(Bytes::new())
        .expect("a request")
}

/// The API, which has looked up its key, and the runtime to ask it in.
pub(crate) fn api() -> (Api, Runtime) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let memory = Memory { customers: (1..=31).map(customer).collect() };
    let context = Context::builder(Arc::new(memory), "https://erp.example.com/api/v1")
        .rate_per_minute(u64::MAX)
        // The month is used up in the first second.
        .limits(LimitMode::Notice)
        .build()
        .expect("a context");
    let api = Api::new(&context);
    let body = runtime.block_on(api.handle(request("/clientes"))).into_body();
    assert!(body.starts_with(br#"{"ok":true,"datos":[{"clave":1,"#), "{body:?}");
    (api, runtime)
}
