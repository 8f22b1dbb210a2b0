//! What the rules ask of the database: [`Store`] opens a [`Reader`] for lists or a [`Tx`] for
//! writes. A transaction has one trait for each area of the domain, in a file of its own here, and
//! `svc-store-postgres` implements it in the file of the same name. [`StoreLayer`] wraps a store,
//! to observe it or to make it fail in tests.
//!
//! # What callers rely on
//! - The company is fixed by [`Store::reader`] and [`Store::begin`]: no other method takes one, and
//!   a record of another company must look as if it did not exist.
//! - A record that does not exist is `Ok(None)` or `Ok(false)`, not an error.
//! - Uniqueness is guaranteed by the database when it writes, and a violation is a [`Conflict`]:
//!   callers do not check first.
//! - "Locked until the end" means a row lock until the transaction commits or rolls back, as by
//!   `SELECT … FOR UPDATE`. A transaction that waits too long for one gets [`StoreError::Busy`].
//!   Callers take locks in a fixed order.
//! - "The company's next clave" comes from the company's counter of that kind of record: unique
//!   within the company, ascending.
//! - Times come from the caller, in UTC; a store reads a clock only to measure leases.
//! - Amounts are decimals in the currency of their record unless "in pesos" is stated.
//!
//! `tests/src/store_suite` tests what of this can be seen through the traits: transactions,
//! companies, claves, leases and counters. End-to-end tests on PostgreSQL show the rest.

mod accounting;
mod books;
mod cancellation;
mod company;
mod correction;
mod credit;
mod customer;
mod discard;
mod import;
mod invoice;
mod layer;
mod list;
mod owner;
mod payment;
mod product;
mod purchase;
mod queue;
mod receivable;
mod report;
mod request;
mod retention;
mod sale;
mod secrets;
mod stamping;
mod subscription;
#[cfg(test)]
pub(crate) mod testing;
mod ticket;
mod transaction;
mod usage;
mod webhook;

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::domain::company::CompanyId;
use crate::domain::paper::ticket::SaleTicket;
use crate::error::{Code, Error};
use crate::record::{ListSpec, Query, Row, RowError};

pub use accounting::{AccountBalance, AccountingTx, BookedDocument};
pub use books::{
    BankAccountName, BooksOfMonth, BooksRequest, BooksTx, Counterpart, EntryDocuments, EntryFilter, NumberBalance,
    OwnAccount, ReversibleEntry, StoredEntry, StoredLine,
};
pub use cancellation::{CancellationPause, CancellationTx, QueuedCancellation, Substitute};
pub use company::{
    ClockMovement, CompanyChange, CompanyTx, KeyId, KeyRecord, KnownUse, LetterheadChange, ListedCertificate,
    ListedKey, ListedUser, MAX_AHEAD, NewKey, NewUser, SIGNING_KEY,
};
pub use correction::{Correction, CorrectionTx};
pub use credit::{Advance, AppliedCredit, CreditNote, CreditTx, NewCreditBalance, NewRefund};
pub use customer::{Buyer, CustomerTx, NewCommitment, NewCustomerRow, NewInteraction, NewOpportunity};
pub use discard::{DiscardTx, SaleBefore, SalePayment};
pub use import::{
    BatchError, ImportBatch, ImportTx, ImportedReceivable, ImportedSale, NamedRecords, Naming, Parents, Series,
};
pub use invoice::{Cancellation, GlobalPeriod, GlobalSale, GlobalSales, InvoiceTx, NewInvoice, RegisteredInvoice};
pub use layer::StoreLayer;
pub use list::ListTx;
pub use owner::{NAMED_DOCUMENTS, OwnerStore, OwnerTx, PROVIDER_GRACE, TOLD_FOR, WaitingDocuments};
pub use payment::{AppliedPayment, Exchanged, Favour, NewPayment, PaymentTx, Withdrawal};
pub use product::{
    ActiveWarehouse, DeletedProducts, GoodsMovement, LockedGoods, MovementContext, NewMovement, OpenedStock,
    OthersReserved, ProductTx, Renamed, StockPlace, StockUpdate, StockWorth,
};
pub use purchase::{
    NewPayablePayment, NewPurchase, NewPurchaseLine, OrderBill, PaidPayable, PurchaseOrder, PurchaseTx, StoredPayable,
};
pub use queue::{Backlog, Due, LeaseTerms, Queue, QueueStore};
pub use receivable::{
    BankReceipt, Charged, CustomerBalance, DepositOrigin, HowPaid, NewReceivable, OpenedBankAccount, ReceivableTx,
    ReleasedDeposit,
};
pub use report::{
    AccountLine, AgedGroup, ChargedIeps, ChargedVat, CreditableVat, CustomerFunds, OpenReceivable, ReportDays,
    ReportTx, SalesGroup, StatementCustomer,
};
pub(crate) use request::ANSWER_RETENTION;
pub use request::{ClaimKey, NewEvent, RequestTx, StoredAnswer};
pub use retention::{Aged, LOGGED, RetentionStore};
pub use sale::{InvoicedSale, NewSale, NewSaleLine, SaleGoods, SaleTx};
pub use secrets::{Resealed, SealedColumn, SealedSecret, SecretStore, SecretsBatch};
pub use stamping::{
    LeasedStamping, MailedDocument, PrintableDocument, QueuedStamping, Related, SaleToStamp, StampingPayment,
    StampingRecord, StampingTx, StoredDocument,
};
pub use subscription::{
    AbandonedEvent, DueEvent, DueSubscription, FeedEvent, HeldEvent, Subscription, SubscriptionStore, SubscriptionTx,
};
pub use ticket::{NewReturn, TicketTx};
pub(crate) use transaction::{StoreCall, TransactionBody, transact};
pub use usage::{LoggedRequest, MinuteUse, MonthUse, Usage, UsageStore};
pub use webhook::{
    Attempt, AttemptRecord, ClaimedDelivery, DISCARD_BATCH, DeliveryClaim, EarlierDelivery, FailingWebhook,
    FailureStreak, FannedOut, LeasedMail, MAX_COUNTED, NewDeliveries, NewDelivery, NewMail, NewWebhook,
    RecordedAttempt, WebhookData, WebhookTx,
};

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a store operation failed. The API answers [`Self::Transient`], [`Self::Busy`],
/// [`Self::Unavailable`] and [`Self::SearchTooLong`] with 503.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A constraint is violated. Only the store can check it, since others write at the same time.
    #[error("conflict: {0:?}")]
    Conflict(Conflict),
    /// An entry is dated in a month that is closed: until this day.
    #[error("the books are closed until {0}")]
    PeriodClosed(chrono::NaiveDate),
    /// The parent record of a list does not exist, e.g. the webhook of
    /// `/webhooks/{clave}/entregas`.
    #[error("the list's parent record does not exist")]
    NoRecord,
    /// A serialization failure or a deadlock: the same transaction may succeed if it is retried.
    #[error("the transaction collided with another: {0}")]
    Transient(#[source] Cause),
    /// A lock was not granted within the store's lock timeout.
    #[error("a lock was not granted in time: {0}")]
    Busy(#[source] Cause),
    /// The database cannot be reached, or has no connection free.
    #[error("the database is not available: {0}")]
    Unavailable(#[source] Cause),
    /// A search took longer than the store lets it. It says nothing about the database.
    #[error("a search took too long")]
    SearchTooLong,
    /// Anything else: a bug, answered with 500.
    #[error("the database refused a statement: {0}")]
    Other(#[source] Cause),
}

/// Which constraint a write violated.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Conflict {
    /// Another customer of the company has the RFC: the one of this clave, if it is known.
    Rfc(Option<i64>),
    /// Another active product of the company has the SKU.
    Sku,
    /// Another payable, or another document of the registry (imports), has the fiscal folio.
    Uuid,
    /// Another record has the clave (imports, which may specify it).
    Clave,
    /// Another record has the name.
    Name,
    /// The branch has another main warehouse (imports).
    MainWarehouse,
    /// Another record has the same value of this unique field (imports).
    Taken(String),
    /// The record that this field refers to does not exist in the company.
    Reference(String),
    /// Several records have the name in this field (imports).
    Ambiguous(String),
    /// The value of this field violates a check constraint (imports).
    Value(String),
}

impl From<Conflict> for StoreError {
    fn from(conflict: Conflict) -> Self {
        Self::Conflict(conflict)
    }
}

impl From<RowError> for StoreError {
    fn from(error: RowError) -> Self {
        Self::Other(error.into())
    }
}

impl Conflict {
    /// The name of the wrong field on the wire.
    pub fn field(&self) -> &str {
        match self {
            Self::Rfc(_) => "rfc",
            Self::Sku => "sku",
            Self::Uuid => "uuid",
            Self::Clave => "clave",
            Self::Name => "nombre",
            Self::MainWarehouse => "principal",
            Self::Taken(field) | Self::Reference(field) | Self::Ambiguous(field) | Self::Value(field) => field,
        }
    }
}

/// The error of what is dated in a closed month: until `day`.
pub(crate) fn period_closed(day: chrono::NaiveDate) -> Error {
    let text = format!("la contabilidad está cerrada hasta el {day}; ledger.reopen abre sus meses");
    Error::new(Code::PeriodoCerrado).message(text)
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::Conflict(Conflict::Rfc(Some(owner))) => {
                return Error::field(Code::RfcDuplicado, "rfc", format_args!("ya lo tiene el cliente {owner}"));
            }
            StoreError::Conflict(Conflict::Rfc(None)) => return Code::RfcDuplicado.into(),
            StoreError::Conflict(Conflict::Sku) => return Code::SkuDuplicado.into(),
            StoreError::Conflict(Conflict::Uuid) => return Code::UuidDuplicado.into(),
            StoreError::Conflict(Conflict::Reference(field)) => {
                return Error::field(Code::ReferenciaInvalida, field, "no existe en la empresa");
            }
            StoreError::PeriodClosed(day) => return period_closed(*day),
            StoreError::NoRecord => return Code::NoEncontrado.into(),
            StoreError::SearchTooLong => {
                let text = "la búsqueda tardó demasiado; use palabras más largas o menos comunes, u otro filtro además";
                return Self::new(Code::NoDisponible).message(text).retry_after(1);
            }
            StoreError::Transient(_) | StoreError::Busy(_) | StoreError::Unavailable(_) => Code::NoDisponible,
            StoreError::Conflict(_) | StoreError::Other(_) => Code::ErrorInterno,
        };
        let transient = matches!(error, StoreError::Transient(_));
        let answer = Self::new(code).transient(transient).caused_by(error);
        if code == Code::NoDisponible { answer.retry_after(1) } else { answer }
    }
}

/// A database that holds all companies. Shared by all requests and workers of a process.
#[async_trait]
pub trait Store:
    OwnerStore + QueueStore + RetentionStore + SecretStore + SubscriptionStore + UsageStore + Send + Sync + 'static
{
    /// Opens the reads of one company, outside any transaction.
    fn reader(&self, company: CompanyId) -> Box<dyn Reader + '_>;

    /// Begins a read-write transaction of one company. It does not check whether the company
    /// exists: see [`CompanyTx::company`].
    async fn begin(&self, company: CompanyId) -> Result<Box<dyn Tx>, StoreError>;

    /// This store over its connections for background work, so that requests and workers do not
    /// wait for each other; `None` if it has no such connections.
    fn for_background(&self) -> Option<Arc<dyn Store>> {
        None
    }

    /// The time by the store's own clock, which all servers share.
    async fn now(&self) -> Result<DateTime<Utc>, StoreError>;

    /// Allocates the number of a new company; it never returns the same number twice.
    async fn next_company(&self) -> Result<CompanyId, StoreError>;

    /// The name of this installation for stamping providers: 1 to 40 random digits and lower-case
    /// letters, created with the store and never changed.
    async fn installation(&self) -> Result<String, StoreError>;
}

/// The numbers of a new record.
#[derive(Debug, Clone, Copy)]
pub struct Numbered {
    /// The next clave of its table.
    pub clave: i64,
    /// The next folio of its series.
    pub folio: i64,
}

/// Is called with each row of a page. Its error ends the read.
pub type EachRow<'e> = &'e mut (dyn FnMut(&dyn Row) -> Result<(), RowError> + Send);

/// Reads of one company.
#[async_trait]
pub trait Reader: Send + Sync {
    /// What the function of its store's crate for reading a host's own tables asks for.
    fn for_host(&self) -> Box<dyn Any + Send + Sync>;

    /// Calls `each` with at most `query.limit + 1` rows that match `query`, with claves above
    /// `query.after`, in ascending order of clave. The extra row means that there is another page.
    ///
    /// It is one statement. An error of `each` is returned. If the list's parent record does not
    /// exist in the company, the error is [`StoreError::NoRecord`].
    async fn page(&self, list: &'static ListSpec, query: &Query, each: EachRow<'_>) -> Result<(), StoreError>;

    /// A record of the invoice registry with its stamped document. It is one statement.
    async fn document(&self, factura: i64) -> Result<Option<StoredDocument>, StoreError>;

    /// A record of the invoice registry with its stamped document and what its printed
    /// representation shows besides. It is one statement.
    async fn printable_document(&self, factura: i64) -> Result<Option<PrintableDocument>, StoreError>;

    /// A sales document as its ticket shows it. It is one statement.
    async fn sale_ticket(&self, venta: i64) -> Result<Option<SaleTicket>, StoreError>;

    /// The books of a month: one statement for each part.
    async fn books(&self, request: BooksRequest) -> Result<BooksOfMonth, StoreError>;
}

/// A read-write transaction of one company. If it is dropped without [`Tx::commit`], it is rolled
/// back.
#[async_trait]
pub trait Tx:
    AccountingTx
    + BooksTx
    + CancellationTx
    + CompanyTx
    + CorrectionTx
    + CreditTx
    + CustomerTx
    + DiscardTx
    + TicketTx
    + ImportTx
    + InvoiceTx
    + ListTx
    + OwnerTx
    + PaymentTx
    + ProductTx
    + PurchaseTx
    + ReceivableTx
    + ReportTx
    + RequestTx
    + SaleTx
    + StampingTx
    + SubscriptionTx
    + WebhookTx
    + Send
{
    /// This transaction as what it is in its store's crate, whose function for a host's own tables
    /// asks for it.
    fn as_any(&mut self) -> &mut dyn Any;

    /// The time by the store's own clock when this transaction began.
    async fn now(&mut self) -> Result<DateTime<Utc>, StoreError>;

    /// Commits. After an error it is unknown whether it was committed.
    async fn commit(self: Box<Self>) -> Result<(), StoreError>;

    /// Rolls back everything since [`Store::begin`].
    async fn rollback(self: Box<Self>) -> Result<(), StoreError>;
}
