//! The queue of what is to be stamped, and what its documents are made from.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{CompanyId, StoreError};
use crate::domain::cfdi::{Line, Receiver};
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{InvoiceKind, InvoiceStatus, PaymentTerm};

/// What a worker takes out of the queue, and on which terms.
#[derive(Debug, Clone, Copy)]
pub struct StampingLease {
    /// Only of companies after this one, in the order of their numbers.
    pub after: CompanyId,
    /// At most so many records.
    pub most: u32,
    /// Those that were due then.
    pub due: DateTime<Utc>,
    /// What the worker shows when it writes what came of them.
    pub token: Uuid,
    /// Until when nobody else takes them.
    pub until: DateTime<Utc>,
}

/// A record of the queue that a worker took.
#[derive(Debug, Clone, Copy)]
pub struct LeasedStamping {
    /// Whose it is.
    pub company: CompanyId,
    /// The registry's record.
    pub factura: i64,
    /// How often it was tried before.
    pub intentos: u32,
}

/// A leased record, as its document names it.
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

/// A sale of which there is to be an income document.
#[derive(Debug, Clone)]
pub struct StampingSale {
    /// Postal code of its branch.
    pub cp: Option<String>,
    /// Currency.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// When it is paid.
    pub condicion_pago: Option<PaymentTerm>,
    /// Days of credit.
    pub dias_credito: Option<i64>,
    /// The SAT's payment form.
    pub forma_pago_sat: Option<String>,
    /// PUE or PPD.
    pub metodo_pago_sat: Option<String>,
    /// CFDI use.
    pub uso_cfdi: Option<String>,
    /// Before discounts and taxes.
    pub subtotal: Money,
    /// Discounts.
    pub descuento: Money,
    /// Taxes.
    pub impuestos: Money,
    /// What it comes to.
    pub total: Money,
}

/// A payment that a complement tells of, with what it pays.
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
    /// Which of the receivable's payments it is.
    pub parcialidad: i64,
    /// What was owed before.
    pub saldo_anterior: Money,
    /// What is owed after.
    pub saldo_insoluto: Money,
    /// The sale that is paid.
    pub venta: Option<i64>,
    /// What the sale comes to, else the receivable.
    pub total: Money,
    /// Its invoice in the registry, and what became of that.
    pub factura: Option<(i64, InvoiceStatus)>,
    /// The invoice's series.
    pub serie: Option<String>,
    /// The invoice's number in the series.
    pub folio: Option<String>,
    /// The invoice's fiscal folio.
    pub uuid: Option<String>,
}

/// The queue of what is to be stamped, inside a transaction. It is always locked after the registry's record.
#[async_trait]
pub trait StampingTx {
    /// Queues a record to be stamped, at once.
    async fn queue_stamping(&mut self, factura: i64, now: Timestamp) -> Result<(), StoreError>;

    /// A record of the queue, if the lease of `token` still stands.
    async fn leased_record(&mut self, factura: i64, token: Uuid) -> Result<Option<StampingRecord>, StoreError>;

    /// Whether the lease of `token` still stands; if so, it does until the end.
    async fn lock_lease(&mut self, factura: i64, token: Uuid) -> Result<bool, StoreError>;

    /// A sale of which there is to be an income document.
    async fn sale_to_stamp(&mut self, venta: i64) -> Result<Option<StampingSale>, StoreError>;

    /// The payments of a complement that stand, in the order of their claves.
    async fn payments_to_stamp(&mut self, factura: i64) -> Result<Vec<StampingPayment>, StoreError>;

    /// The lines of these sales, each with its sale's clave, in their order.
    async fn lines_to_stamp(&mut self, ventas: &[i64]) -> Result<Vec<(i64, Line)>, StoreError>;

    /// A customer as a document's receiver.
    async fn receiver(&mut self, cliente: i64) -> Result<Option<Receiver>, StoreError>;

    /// Ends the lease of a record that could not be stamped: it is due again at `proximo`.
    async fn postpone_stamping(
        &mut self,
        factura: i64,
        proximo: DateTime<Utc>,
        ultimo_error: &str,
    ) -> Result<(), StoreError>;

    /// What became of a record, which stays so until the end.
    async fn share_invoice(&mut self, clave: i64) -> Result<Option<InvoiceStatus>, StoreError>;

    /// Ends the lease of a record that was not tried: it is due again at `proximo`, or as it was at first.
    async fn release_stamping(&mut self, factura: i64, proximo: Option<DateTime<Utc>>) -> Result<(), StoreError>;

    /// Makes the complements due that may have waited for this invoice; those that someone works on stay.
    async fn hurry_complements(&mut self, factura: i64, now: Timestamp) -> Result<(), StoreError>;
}
