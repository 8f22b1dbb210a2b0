//! A store that wraps another: an audit of reads and writes, and a log of slow lists.
//!
//! `DATABASE_URL=postgres://… cargo run -p svc-examples --example store_layer`

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use svc_core::domain::company::CompanyId;
use svc_core::domain::paper::ticket::SaleTicket;
use svc_core::record::{ListSpec, Query};
use svc_core::store::{
    BooksOfMonth, BooksRequest, EachRow, PrintableDocument, Reader, Store, StoreError, StoreLayer, StoredDocument, Tx,
};
use svc_core::{Api, Context};
use svc_store_postgres::{PostgresStore, Settings};

/// A store that counts the reads and writes of each company.
pub struct Audited {
    inner: Arc<dyn Store>,
    /// Shared with the store's connections for background work.
    counts: Arc<Mutex<BTreeMap<(CompanyId, &'static str), u64>>>,
}

impl Audited {
    /// The audit of that store.
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self { inner, counts: Arc::default() }
    }

    /// How often each company read each list, and wrote.
    pub fn counts(&self) -> BTreeMap<(CompanyId, &'static str), u64> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn count(&self, company: CompanyId, what: &'static str) {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner).entry((company, what)).or_default() += 1;
    }
}

/// Only the audited methods are written here; the others are forwarded to `inner`.
#[async_trait]
impl StoreLayer for Audited {
    fn inner(&self) -> &dyn Store {
        self.inner.as_ref()
    }

    fn for_background(&self) -> Option<Arc<dyn Store>> {
        let inner = self.inner.for_background()?;
        Some(Arc::new(Self { inner, counts: Arc::clone(&self.counts) }))
    }

    fn reader(&self, company: CompanyId) -> Box<dyn Reader + '_> {
        Box::new(AuditedReader { audit: self, company, inner: self.inner.reader(company) })
    }

    async fn begin(&self, company: CompanyId) -> Result<Box<dyn Tx>, StoreError> {
        self.count(company, "transaction");
        self.inner.begin(company).await
    }
}

struct AuditedReader<'s> {
    audit: &'s Audited,
    company: CompanyId,
    inner: Box<dyn Reader + 's>,
}

/// All lists, those of later versions too.
#[async_trait]
impl Reader for AuditedReader<'_> {
    fn for_host(&self) -> Box<dyn Any + Send + Sync> {
        self.audit.count(self.company, "own tables");
        self.inner.for_host()
    }

    async fn page(&self, list: &'static ListSpec, query: &Query, each: EachRow<'_>) -> Result<(), StoreError> {
        let started = Instant::now();
        self.audit.count(self.company, list.path);
        let page = self.inner.page(list, query, each).await;
        if started.elapsed() > Duration::from_millis(500) {
            eprintln!("company {}: {} took {:?}", self.company.0, list.path, started.elapsed());
        }
        page
    }

    async fn document(&self, factura: i64) -> Result<Option<StoredDocument>, StoreError> {
        self.audit.count(self.company, "/facturas/{clave}");
        self.inner.document(factura).await
    }

    async fn printable_document(&self, factura: i64) -> Result<Option<PrintableDocument>, StoreError> {
        self.audit.count(self.company, "/facturas/{clave}/pdf");
        self.inner.printable_document(factura).await
    }

    async fn sale_ticket(&self, venta: i64) -> Result<Option<SaleTicket>, StoreError> {
        self.audit.count(self.company, "sale.ticket");
        self.inner.sale_ticket(venta).await
    }

    async fn books(&self, request: BooksRequest) -> Result<BooksOfMonth, StoreError> {
        self.audit.count(self.company, "ledger.export");
        self.inner.books(request).await
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = PostgresStore::open(&std::env::var("DATABASE_URL")?, &Settings::default())?;
    store.migrate().await?;
    let store = Arc::new(Audited::new(Arc::new(store)));
    let api = Api::new(&Context::builder(store.clone(), "http://127.0.0.1:3000/api/v1").build()?);
    let app = axum::Router::new().nest_service("/api/v1", api);
    let stop = async { tokio::signal::ctrl_c().await.unwrap_or_default() };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, app).with_graceful_shutdown(stop).await?;
    for ((company, what), count) in store.counts() {
        println!("company {}: {what} {count}", company.0);
    }
    Ok(())
}
