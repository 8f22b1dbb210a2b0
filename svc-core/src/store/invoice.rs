//! The invoice registry.

use async_trait::async_trait;

use super::StoreError;
use crate::backoffice::import::InvoiceRecord;
use crate::domain::time::Timestamp;
use crate::domain::words::{InvoiceKind, InvoiceOrigin};

/// A record of the registry to be stored; it waits to be stamped (`en_espera`).
#[derive(Debug)]
pub struct NewInvoice<'a> {
    /// What it is.
    pub tipo: InvoiceKind,
    /// The sale it is of; none for a payment complement.
    pub venta: Option<i64>,
    /// Its receiver.
    pub cliente: Option<i64>,
    /// Series.
    pub serie: &'a str,
    /// Number in the series.
    pub folio: i64,
    /// When it is issued.
    pub fecha: Timestamp,
    /// Who asked for it.
    pub origen: InvoiceOrigin,
}

/// The invoice registry inside a transaction.
#[async_trait]
pub trait InvoiceTx {
    /// Writes a record and gives its clave.
    async fn insert_invoice(&mut self, row: &NewInvoice<'_>) -> Result<i64, StoreError>;

    /// Queues a record to be stamped, at once.
    async fn queue_stamping(&mut self, factura: i64, now: Timestamp) -> Result<(), StoreError>;

    /// Writes imported records; the first invoice of a sale that has none becomes the sale's.
    async fn import_invoices(&mut self, rows: &[InvoiceRecord], now: Timestamp) -> Result<(), StoreError>;
}
