//! The stamping queue, the data that CFDI documents are built from, and the documents themselves.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{LeaseTerms, StoreError};
use crate::domain::cfdi::{Line, SoldSale, TipoRelacion};
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{Held, InvoiceKind, InvoiceStatus};

/// A leased record of the queue.
#[derive(Debug, Clone, Copy)]
pub struct LeasedStamping {
    /// The record of the invoice registry, by its clave.
    pub factura: i64,
    /// Earlier attempts.
    pub intentos: u32,
}

/// What is known of a record of the queue.
#[derive(Debug, Clone, Copy)]
pub struct QueuedStamping {
    /// Whether a worker holds its lease.
    pub leased: bool,
    /// When its sealed document was stored; none if it was never sealed, so never sent.
    pub sealed: Option<DateTime<Utc>>,
}

/// What the document of a leased record takes from the invoice registry.
#[derive(Debug, Clone)]
pub struct StampingRecord {
    /// What it is.
    pub tipo: InvoiceKind,
    /// The sale it is of.
    pub venta: Option<i64>,
    /// Its receiver.
    pub cliente: Option<i64>,
    /// Series.
    pub serie: Option<String>,
    /// Number in the series.
    pub folio: Option<String>,
    /// When it was made.
    pub fecha: Timestamp,
}

/// A payment of a payment complement, with the receivable that it pays.
#[derive(Debug, Clone)]
pub struct StampingPayment {
    /// Postal code of the receivable's branch.
    pub cp: Option<String>,
    /// The day of the payment.
    pub fecha: Date,
    /// The SAT's payment form.
    pub forma_pago_sat: Option<String>,
    /// Currency.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// The amount.
    pub importe: Money,
    /// Bank reference.
    pub referencia: Option<String>,
    /// Instalment number of the receivable's payments, from 1.
    pub parcialidad: i64,
    /// Balance before the payment.
    pub saldo_anterior: Money,
    /// Balance after the payment.
    pub saldo_insoluto: Money,
    /// The sale that is paid.
    pub venta: Option<i64>,
    /// Total of the sale, or of the receivable when it has no sale.
    pub total: Money,
    /// Its invoice in the registry, with its status.
    pub factura: Option<(i64, InvoiceStatus)>,
    /// The invoice's series.
    pub serie: Option<String>,
    /// The invoice's number in the series.
    pub folio: Option<String>,
    /// The invoice's fiscal folio.
    pub uuid: Option<String>,
}

/// A record of the invoice registry, with its stamped document.
#[derive(Debug, Clone)]
pub struct StoredDocument {
    /// The record's status.
    pub estatus: InvoiceStatus,
    /// The stamped XML; none while it is not stamped, or if it was stamped elsewhere.
    pub xml: Option<String>,
}

/// What a record's document relates to.
#[derive(Debug, Clone)]
pub struct Related {
    /// How.
    pub relacion: TipoRelacion,
    /// The other record.
    pub factura: i64,
    /// Its status.
    pub estatus: InvoiceStatus,
    /// Its fiscal folio.
    pub uuid: Option<String>,
}

/// The stamping queue and tax documents. Lock order: the registry's record first, then the queue's.
///
/// A record has at most one document: sealed until the provider's answer is known, then stamped. A
/// stamped one is never removed. Texts are stored byte for byte.
#[async_trait]
pub trait StampingTx {
    /// Queues a record that was rejected, or that waits, as if it were new: its status is
    /// `en_espera` again, of its payments too, and it is due at once, under no lease and without a
    /// validated document.
    async fn requeue_stamping(&mut self, factura: i64, now: Timestamp) -> Result<(), StoreError>;

    /// A record of the queue, locked until the end.
    async fn lock_queued(&mut self, factura: i64) -> Result<Option<QueuedStamping>, StoreError>;

    /// Leases the records that have been due for longest. Those under a lease that has not expired
    /// are skipped.
    async fn lease_stampings(&mut self, terms: LeaseTerms) -> Result<Vec<LeasedStamping>, StoreError>;

    /// A record of the queue, if it is still leased under `token`.
    async fn leased_record(&mut self, factura: i64, token: Uuid) -> Result<Option<StampingRecord>, StoreError>;

    /// Locks the lease until the end, if the record is still leased under `token`; `false` if it is
    /// not.
    async fn lock_lease(&mut self, factura: i64, token: Uuid) -> Result<bool, StoreError>;

    /// A record that is queued, leased or not.
    async fn stamping_record(&mut self, factura: i64) -> Result<Option<StampingRecord>, StoreError>;

    /// The validated document of a record that is queued; none if it was queued by a release that
    /// kept none.
    async fn validated_document(&mut self, factura: i64) -> Result<Option<String>, StoreError>;

    /// Keeps the validated document of a record that is queued, or none. It goes when the record
    /// leaves the queue.
    async fn keep_validated(&mut self, factura: i64, xml: Option<&str>) -> Result<(), StoreError>;

    /// A sale as its document needs it, and the postal code of its branch.
    async fn sale_to_stamp(&mut self, venta: i64) -> Result<Option<(Option<String>, SoldSale)>, StoreError>;

    /// The payments of a complement that are not cancelled, in ascending order of clave.
    async fn payments_to_stamp(&mut self, factura: i64) -> Result<Vec<StampingPayment>, StoreError>;

    /// The lines of these sales, each with its sale's clave, in the order of the lines.
    async fn lines_to_stamp(&mut self, ventas: &[i64]) -> Result<Vec<(i64, Line)>, StoreError>;

    /// Ends the lease of a record after a failed attempt, which is counted: it is due again at
    /// `proximo`; `detenido` if it waits for a person.
    async fn postpone_stamping(
        &mut self,
        factura: i64,
        proximo: DateTime<Utc>,
        ultimo_error: &str,
        detenido: Option<Held>,
    ) -> Result<(), StoreError>;

    /// The status of a record of the registry, locked in share mode until the end.
    async fn share_invoice(&mut self, clave: i64) -> Result<Option<InvoiceStatus>, StoreError>;

    /// Ends the lease of a record without counting an attempt: it is due again at `proximo`, or
    /// when it was due before.
    async fn release_stamping(&mut self, factura: i64, proximo: Option<DateTime<Utc>>) -> Result<(), StoreError>;

    /// Makes the payment complements that depend on this invoice due at once, except those that are
    /// leased.
    async fn hurry_complements(&mut self, factura: i64) -> Result<(), StoreError>;

    /// The sealed document of a record, if it has one that is not stamped.
    async fn sealed_document(&mut self, factura: i64) -> Result<Option<String>, StoreError>;

    /// Stores the sealed document of a record that has none; the record's lease is locked.
    async fn keep_sealed(&mut self, factura: i64, xml: &str, now: Timestamp) -> Result<(), StoreError>;

    /// Stores the stamped document of a record in the place of the sealed one, if there is one.
    async fn keep_stamped(&mut self, factura: i64, xml: &str, now: Timestamp) -> Result<(), StoreError>;

    /// Removes the sealed document of a record, if it has one that is not stamped.
    async fn drop_sealed(&mut self, factura: i64) -> Result<(), StoreError>;

    /// Notes that a record's document relates to another's.
    async fn relate(&mut self, factura: i64, relacion: TipoRelacion, relacionada: i64) -> Result<(), StoreError>;

    /// What a record's document relates to, in the order of the kinds of relation.
    async fn related(&mut self, factura: i64) -> Result<Vec<Related>, StoreError>;

    /// Makes the queued records whose documents relate to this record due at once, except those
    /// that are leased.
    async fn hurry_related(&mut self, factura: i64) -> Result<(), StoreError>;
}
