//! What is asked of a database: [`Reader`] for lists, one small trait an aggregate for what is written;
//! `svc-store-postgres` has the twin of each file.
//!
//! The company is fixed when a [`Tx`] is begun or a [`Reader`] is made: no method takes a company, so none can forget it.
//! A record that is not there is `Ok(None)`. Where two requests can race, the store settles it and says so with a
//! [`Conflict`], never by a check beforehand.

mod accounting;
mod bank;
mod certificate;
mod company;
mod customer;
mod delivery;
mod idempotency;
mod import;
mod interaction;
mod invoice;
mod invoicing;
mod layer;
mod opportunity;
mod outbox;
mod payable;
mod payment;
mod product;
mod purchase;
mod quota;
mod receivable;
mod sale;
mod stamping;
mod stock;
mod supplier;
mod transaction;
mod usage;
mod webhook;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::domain::company::CompanyId;
use crate::error::{Code, Error};
use crate::record::{List, ListSpec, Query, Row, RowError};

pub use accounting::AccountingTx;
pub use bank::{BankTx, DepositOrigin, Receipt};
pub use certificate::CertificateTx;
pub use company::{CompanyChange, CompanyTx, KeyId, KeyRecord, KnownUse, NewKey, NewUser};
pub use customer::{Buyer, CustomerTx, NewCustomerRow};
pub use delivery::{
    Attempt, AttemptRecord, ClaimedDelivery, DeliveryClaim, DeliveryStore, DeliveryTx, FailingWebhook, FannedOut,
    LeasedMail, Recorded, WebhookStanding,
};
pub use idempotency::{ANSWERS_KEPT, Claim, IdempotencyTx};
pub use import::{ImportTx, ImportedReceivable, ImportedSale, Parents};
pub use interaction::{InteractionTx, NewCommitment, NewInteraction};
pub use invoice::{Cancellation, InvoiceTx, NewInvoice, RegisteredInvoice};
pub use invoicing::{InvoicedSale, InvoicingTx, SaleGoods};
pub use layer::StoreLayer;
pub use opportunity::{NewOpportunity, OpportunityTx};
pub use outbox::{NewEvent, OutboxTx};
pub use payable::{NewPayable, PayableTx};
pub use payment::{AppliedPayment, NewPayment, PaymentTx, Withdrawal};
pub use product::ProductTx;
pub use purchase::{NewPurchase, NewPurchaseLine, PurchaseOrder, PurchaseTx};
pub use quota::QuotaTx;
pub use receivable::{NewReceivable, ReceivableTx, Standing};
pub use sale::{NewSale, NewSaleLine, SaleTx};
pub use stamping::{LeasedStamping, StampingLease, StampingPayment, StampingRecord, StampingSale, StampingTx};
pub use stock::{ActiveWarehouse, GoodsGone, MovementContext, NewMovement, StockTx};
pub use supplier::SupplierTx;
pub(crate) use transaction::{Work, transact};
pub use usage::{MinuteUse, MonthUse, Usage, UsageStore};
pub use webhook::{EarlierDelivery, NewDelivery, NewWebhook, WebhookData, WebhookTx};

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why the store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A rule that only the store can judge, since others write at the same time.
    #[error("conflict: {0:?}")]
    Conflict(Conflict),
    /// The record that a list is under is not there.
    #[error("the record that the list is under does not exist")]
    NoRecord,
    /// A serialization failure or deadlock: the same transaction may succeed when it is run again.
    #[error("the transaction collided with another: {0}")]
    Transient(#[source] Cause),
    /// Another transaction kept a lock for longer than we wait.
    #[error("a lock was not granted in time: {0}")]
    Busy(#[source] Cause),
    /// The database cannot be reached, or has no connection free.
    #[error("the database is not available: {0}")]
    Unavailable(#[source] Cause),
    /// Anything else: a fault of ours.
    #[error("the database refused a statement: {0}")]
    Other(#[source] Cause),
}

/// What a write collided with.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Conflict {
    /// Another customer of the company has the RFC.
    Rfc,
    /// Another active product of the company has the SKU.
    Sku,
    /// Another record has the clave (imports, which may bring their own).
    Clave,
    /// Another record has the name.
    Name,
    /// Another record has the value of this field (imports).
    Taken(String),
    /// The record that this field refers to is not in the company.
    Reference(String),
    /// A value that the database's constraint of this name refuses (imports).
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
    /// The field at fault.
    pub fn field(&self) -> &str {
        match self {
            Self::Rfc => "rfc",
            Self::Sku => "sku",
            Self::Clave => "clave",
            Self::Name => "nombre",
            Self::Taken(field) | Self::Reference(field) | Self::Value(field) => field,
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::Conflict(Conflict::Rfc) => return Code::RfcDuplicado.into(),
            StoreError::Conflict(Conflict::Sku) => return Code::SkuDuplicado.into(),
            StoreError::Conflict(Conflict::Reference(field)) => {
                return Error::field(Code::ReferenciaInvalida, field, "no existe en la empresa");
            }
            StoreError::NoRecord => return Code::NoEncontrado.into(),
            StoreError::Transient(_) | StoreError::Busy(_) | StoreError::Unavailable(_) => Code::NoDisponible,
            StoreError::Conflict(_) | StoreError::Other(_) => Code::ErrorInterno,
        };
        let transient = matches!(error, StoreError::Transient(_));
        let answer = Self::new(code).transient(transient).caused_by(error);
        if code == Code::NoDisponible { answer.retry_after(1) } else { answer }
    }
}

/// A database that holds all companies.
#[async_trait]
pub trait Store: DeliveryStore + UsageStore + Send + Sync + 'static {
    /// Reads of one company: each method is one statement, outside any transaction.
    fn reader(&self, company: CompanyId) -> Box<dyn Reader + '_>;

    /// Begins a transaction of one company.
    async fn begin(&self, company: CompanyId) -> Result<Box<dyn Tx>, StoreError>;

    /// Forgets at most `most` answers of Idempotency-Keys claimed before `expired`, of whatever company; gives how many.
    async fn forget_answers(&self, expired: DateTime<Utc>, most: u32) -> Result<u64, StoreError>;

    /// Takes out of the queue what is to be stamped, as the lease says: companies in the order of their numbers, of each what
    /// has been due for longest. Fewer than `lease.most` means that nothing else is to be taken.
    async fn lease_stampings(&self, lease: &StampingLease) -> Result<Vec<LeasedStamping>, StoreError>;

    /// A number that no company has had.
    async fn next_company(&self) -> Result<CompanyId, StoreError>;
}

/// What is done with each row of a page.
pub type EachRow<'e> = &'e mut (dyn FnMut(&dyn Row) -> Result<(), RowError> + Send);

/// Reads of one company.
#[async_trait]
pub trait Reader: Send + Sync {
    /// At most `query.limit + 1` rows after `query.after`, in the order of their claves: one more than the page holds says
    /// that there is another. One statement; `each` is called with each row in turn, and its error ends the read. Of a list
    /// under a record that the company does not have it is [`StoreError::NoRecord`], which that same statement finds.
    async fn page(&self, list: &'static ListSpec, query: &Query, each: EachRow<'_>) -> Result<(), StoreError>;
}

/// The records of a page of `L`, and one more if there is another page.
pub async fn read_page<L: List>(reader: &dyn Reader, query: &Query) -> Result<Vec<L>, StoreError> {
    let mut records = Vec::with_capacity(query.limit as usize + 1);
    let mut each = |row: &dyn Row| {
        records.push(L::read(row)?);
        Ok(())
    };
    reader.page(&L::LIST, query, &mut each).await?;
    Ok(records)
}

/// A transaction of one company. Dropped without [`Tx::commit`], it leaves nothing behind.
#[async_trait]
pub trait Tx:
    AccountingTx
    + BankTx
    + CertificateTx
    + CompanyTx
    + CustomerTx
    + DeliveryTx
    + IdempotencyTx
    + ImportTx
    + InteractionTx
    + InvoiceTx
    + InvoicingTx
    + OpportunityTx
    + OutboxTx
    + PayableTx
    + PaymentTx
    + ProductTx
    + PurchaseTx
    + QuotaTx
    + ReceivableTx
    + SaleTx
    + StampingTx
    + StockTx
    + SupplierTx
    + WebhookTx
    + Send
{
    /// Makes everything done in it permanent, at once.
    async fn commit(self: Box<Self>) -> Result<(), StoreError>;

    /// Undoes everything done in it.
    async fn rollback(self: Box<Self>) -> Result<(), StoreError>;
}
