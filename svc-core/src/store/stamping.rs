//! The stamping queue, the data that CFDI documents are built from, and the documents themselves.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{LeaseTerms, StoreError};
use crate::domain::cfdi::printed::SaleRemarks;
use crate::domain::cfdi::{Line, SoldSale, TipoRelacion};
use crate::domain::money::Money;
use crate::domain::paper::Letterhead;
use crate::domain::quantity::Rate;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{Held, InvoiceKind, InvoiceStatus};

/// What an e-mail about a document of the registry says, and to whom it may go.
#[derive(Debug, Clone)]
pub struct MailedDocument {
    /// Invoice, credit note or payment complement.
    pub tipo: InvoiceKind,
    /// Where the record stands with the authority.
    pub estatus: InvoiceStatus,
    /// Part of its folio.
    pub serie: Option<String>,
    /// Number in the series.
    pub folio: Option<String>,
    /// Fiscal folio; `None` before it is stamped.
    pub uuid: Option<String>,
    /// Whether its stamped XML is here.
    pub timbrado: bool,
    /// The e-mail addresses of its customer, as they were written.
    pub correo: Option<String>,
}

/// A leased record of the stamping queue or the queue of cancellations.
#[derive(Debug, Clone, Copy)]
pub struct LeasedStamping {
    /// Clave in the invoice registry.
    pub factura: i64,
    /// Attempts so far, without checks that found a complement still waiting for its invoice; of a
    /// sent cancellation, questions about its outcome.
    pub intentos: u32,
}

/// What is known of a record of the queue.
#[derive(Debug, Clone, Copy)]
pub struct QueuedStamping {
    /// Whether a worker holds its lease.
    pub leased: bool,
    /// When its sealed document was stored; `None` if it was never sealed, so never sent.
    pub sealed: Option<DateTime<Utc>>,
}

/// What a queued record's document takes from the invoice registry.
#[derive(Debug, Clone)]
pub struct StampingRecord {
    /// Invoice, credit note or payment complement.
    pub tipo: InvoiceKind,
    /// `None` for payment complements and global invoices.
    pub venta: Option<i64>,
    /// The customer who receives it; `None`: the general public.
    pub cliente: Option<i64>,
    /// Part of its folio.
    pub serie: Option<String>,
    /// Number in the series.
    pub folio: Option<String>,
    /// When it was issued, or requeued after a rejection: the document's own date.
    pub fecha: Timestamp,
}

/// A sale as its document needs it.
#[derive(Debug, Clone)]
pub struct SaleToStamp {
    /// Postal code of its branch.
    pub cp: Option<String>,
    /// Whether goods of it came back before its document ([`super::TicketTx::returned`]).
    pub devuelta: bool,
    /// Its terms and amounts.
    pub sale: SoldSale,
}

/// A payment of a payment complement, with the receivable that it pays.
#[derive(Debug, Clone)]
pub struct StampingPayment {
    /// Clave in `cxc_pagos`.
    pub pago: i64,
    /// Postal code of the receivable's branch.
    pub cp: Option<String>,
    /// The day of the payment.
    pub fecha: Date,
    /// A key of `c_FormaPago`.
    pub forma_pago_sat: Option<String>,
    /// Currency of all amounts.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// Amount of the payment.
    pub importe: Money,
    /// Currency of the bank account that received it.
    pub moneda_pago: String,
    /// Pesos for one unit of that currency.
    pub tipo_cambio_pago: Rate,
    /// Amount of the payment in that currency.
    pub monto: Money,
    /// Reference of the bank movement (`NumOperacion`).
    pub referencia: Option<String>,
    /// Instalment number of the receivable's payments, from 1.
    pub parcialidad: i64,
    /// Balance before the payment.
    pub saldo_anterior: Money,
    /// Balance after the payment.
    pub saldo_insoluto: Money,
    /// The sale that is paid; `None` if the receivable has none.
    pub venta: Option<i64>,
    /// Total of the sale, or of the receivable if it has no sale.
    pub total: Money,
    /// The invoice that is paid, in the registry, with its status.
    pub factura: Option<(i64, InvoiceStatus)>,
    /// Series of the invoice.
    pub serie: Option<String>,
    /// Number of the invoice in its series.
    pub folio: Option<String>,
    /// Fiscal folio of the invoice.
    pub uuid: Option<String>,
}

/// A record of the registry with its stamped document.
#[derive(Debug, Clone)]
pub struct StoredDocument {
    /// The clave in the registry.
    pub clave: i64,
    /// Where the record stands with the authority.
    pub estatus: InvoiceStatus,
    /// Part of its folio.
    pub serie: Option<String>,
    /// Number in the series.
    pub folio: Option<String>,
    /// The stamped XML; `None` while it is not stamped, or if it was stamped elsewhere.
    pub xml: Option<String>,
}

impl StoredDocument {
    /// The name under which a file of it is saved: the letters and digits of its serie and folio
    /// (contract §7), or its clave.
    pub(crate) fn file_name(&self, extension: &str) -> String {
        let parts = self.serie.iter().chain(&self.folio).flat_map(|part| part.chars());
        let name: String = parts.filter(char::is_ascii_alphanumeric).collect();
        let name = if name.is_empty() { self.clave.to_string() } else { name };
        format!("{name}.{extension}")
    }
}

/// A stamped document with what its printed representation shows besides.
#[derive(Debug, Clone)]
pub struct PrintableDocument {
    /// The registry's record with its stamped XML.
    pub document: StoredDocument,
    /// The company's present letterhead, also of older documents.
    pub letterhead: Letterhead,
    /// What its sale says, if it is the invoice of one.
    pub remarks: SaleRemarks,
}

/// A record that another record's document relates to.
#[derive(Debug, Clone)]
pub struct Related {
    /// The kind of relation.
    pub relacion: TipoRelacion,
    /// Clave in the registry.
    pub factura: i64,
    /// Where it stands with the authority.
    pub estatus: InvoiceStatus,
    /// Fiscal folio; `None` before it is stamped.
    pub uuid: Option<String>,
}

/// The stamping queue and tax documents. Lock order: the registry's record first, then the queue's.
///
/// A record has at most one document: sealed until the provider's answer is known, then stamped. A
/// stamped one is never removed. Texts are stored byte for byte.
#[async_trait]
pub trait StampingTx {
    /// Queues a rejected or waiting record as if it were new: its status and that of its payments
    /// is `en_espera` again, and it is due at once, under no lease and without a validated
    /// document.
    async fn requeue_stamping(&mut self, factura: i64, now: Timestamp) -> Result<(), StoreError>;

    /// A record of the queue, locked until the end.
    async fn lock_queued(&mut self, factura: i64) -> Result<Option<QueuedStamping>, StoreError>;

    /// Leases the records that have been due for longest. Records under a lease that has not
    /// expired are skipped.
    async fn lease_stampings(&mut self, terms: LeaseTerms) -> Result<Vec<LeasedStamping>, StoreError>;

    /// A record of the queue; with a token, only if it is still leased under it.
    async fn stamping_record(
        &mut self,
        factura: i64,
        token: Option<Uuid>,
    ) -> Result<Option<StampingRecord>, StoreError>;

    /// Locks a record of the queue until the end if it is still leased under `token`; `false` if it
    /// is not.
    async fn lock_stamping(&mut self, factura: i64, token: Uuid) -> Result<bool, StoreError>;

    /// The documents of these records, each with its record's clave: stamped, else sealed, else
    /// validated. Records without a document are left out.
    async fn documents(&mut self, facturas: &[i64]) -> Result<Vec<(i64, String)>, StoreError>;

    /// The queued records whose documents need this invoice's fiscal folio: complements of its
    /// payments, and documents that relate to it, in ascending order.
    async fn documents_waiting_for(&mut self, factura: i64) -> Result<Vec<i64>, StoreError>;

    /// The validated document of a queued record; `None` if a release that stored none queued it.
    async fn validated_document(&mut self, factura: i64) -> Result<Option<String>, StoreError>;

    /// Stores the validated document of a queued record, or removes it. It is removed with the
    /// record from the queue, too.
    async fn keep_validated(&mut self, factura: i64, xml: Option<&str>) -> Result<(), StoreError>;

    /// A sale as its document needs it.
    async fn sale_to_stamp(&mut self, venta: i64) -> Result<Option<SaleToStamp>, StoreError>;

    /// The record of a sale's invoice, if it has one, without a lock.
    async fn invoice_of_sale(&mut self, venta: i64) -> Result<Option<i64>, StoreError>;

    /// The different postal codes of the branches of these sales; `None` for branches without one.
    async fn places_of_sales(&mut self, ventas: &[i64]) -> Result<Vec<Option<String>>, StoreError>;

    /// The payments of a complement that are not cancelled, in ascending order of clave. Until a
    /// substitute is stamped, its payments are those of the complement that it replaces.
    async fn payments_to_stamp(&mut self, factura: i64) -> Result<Vec<StampingPayment>, StoreError>;

    /// The lines of these sales, each with its sale's clave, in the order of the lines.
    async fn lines_to_stamp(&mut self, ventas: &[i64]) -> Result<Vec<(i64, Line)>, StoreError>;

    /// Ends the lease of a record and counts a failed attempt. The record is due again at
    /// `proximo`; `detenido` is why it waits for a person, if it does.
    async fn postpone_stamping(
        &mut self,
        factura: i64,
        proximo: DateTime<Utc>,
        ultimo_error: &str,
        detenido: Option<Held>,
    ) -> Result<(), StoreError>;

    /// The status of a record of the registry, locked in share mode until the end.
    async fn share_invoice(&mut self, clave: i64) -> Result<Option<InvoiceStatus>, StoreError>;

    /// Ends the lease of a record without counting an attempt. It is due again at `proximo`, or
    /// when it was due before.
    async fn release_stamping(&mut self, factura: i64, proximo: Option<DateTime<Utc>>) -> Result<(), StoreError>;

    /// Makes the payment complements of an invoice due at once, except leased ones.
    async fn make_complements_due(&mut self, factura: i64) -> Result<(), StoreError>;

    /// The sealed document of a record that is not stamped, if it has one.
    async fn sealed_document(&mut self, factura: i64) -> Result<Option<String>, StoreError>;

    /// What an e-mail about a record says.
    async fn mailed_document(&mut self, factura: i64) -> Result<Option<MailedDocument>, StoreError>;

    /// What the addenda of a record's document will contain, once it is stamped.
    async fn sealed_addenda(&mut self, factura: i64) -> Result<Option<String>, StoreError>;

    /// Stores the sealed document of a record that has none, and what its addenda will contain. The
    /// caller has locked the record's lease.
    async fn keep_sealed(
        &mut self,
        factura: i64,
        xml: &str,
        addenda: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Stores the stamped document of a record; it replaces a sealed one.
    async fn keep_stamped(&mut self, factura: i64, xml: &str, now: Timestamp) -> Result<(), StoreError>;

    /// Removes the sealed document of a record that is not stamped, if it has one.
    async fn drop_sealed(&mut self, factura: i64) -> Result<(), StoreError>;

    /// Stores that a record's document relates to another's.
    async fn relate(&mut self, factura: i64, relacion: TipoRelacion, relacionada: i64) -> Result<(), StoreError>;

    /// The records that a record's document relates to, in the order of the kinds of relation.
    async fn related(&mut self, factura: i64) -> Result<Vec<Related>, StoreError>;

    /// Makes the queued records whose documents relate to this record due at once, except leased
    /// ones.
    async fn make_related_due(&mut self, factura: i64) -> Result<(), StoreError>;
}
