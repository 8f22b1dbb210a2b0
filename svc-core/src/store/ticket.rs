//! Tickets in global invoices, and goods that came back.

use async_trait::async_trait;

use super::StoreError;
use crate::domain::credit_note::{CreditLine, Credited};
use crate::domain::money::Money;
use crate::domain::time::Timestamp;
use crate::domain::words::InvoiceStatus;

/// Goods that came back of a ticket that was in no document.
#[derive(Debug)]
pub struct NewReturn<'a> {
    /// Clave of the return.
    pub clave: i64,
    /// Clave of the ticket, a sale of type `venta`.
    pub venta: i64,
    /// What they were sold for, in the sale's currency.
    pub total: Money,
    /// The payment that lowers the sale's receivable; `None` if it is not lowered.
    pub pago: Option<i64>,
    /// The entry that books it; `None` if it comes to nothing.
    pub poliza: Option<i64>,
    /// In the order of the sale's lines.
    pub lines: &'a [CreditLine],
}

/// Tickets in global invoices, and goods that came back.
#[async_trait]
pub trait TicketTx {
    /// The folio of a sale as its global invoice has it.
    async fn ticket_folio(&mut self, clave: i64) -> Result<Option<String>, StoreError>;

    /// The next clave of a return.
    async fn next_return(&mut self) -> Result<i64, StoreError>;

    /// Inserts a return with what came back of each line.
    async fn insert_return(&mut self, row: &NewReturn<'_>, now: Timestamp) -> Result<(), StoreError>;

    /// What came back of tickets before the document that they are in now, each with the sale and
    /// the line's number: without a document, or by credit notes about global invoices.
    async fn returned(&mut self, ventas: &[i64]) -> Result<Vec<(i64, i64, Credited)>, StoreError>;

    /// Those of these sales whose goods or money went back before an import. The import brings
    /// movements and credit notes, but not the lines that they were about.
    async fn imported_returns(&mut self, ventas: &[i64]) -> Result<Vec<i64>, StoreError>;

    /// Whether credit notes that are not cancelled relate to an invoice.
    async fn has_notes_about(&mut self, factura: i64) -> Result<bool, StoreError>;

    /// A credit note about the invoice `factura`, of this sale or of any, that is not stamped yet
    /// or is being cancelled, and its status.
    async fn undecided_note(
        &mut self,
        factura: i64,
        venta: Option<i64>,
    ) -> Result<Option<(i64, InvoiceStatus)>, StoreError>;

    /// The credit note that takes a ticket out of a global invoice and is not stamped yet.
    async fn unstamped_ticket_note(&mut self, venta: i64) -> Result<Option<i64>, StoreError>;

    /// Makes the queued invoice of a ticket due at once, unless it is leased, after `factura` took
    /// the ticket out of a global invoice.
    async fn make_ticket_invoice_due(&mut self, factura: i64) -> Result<(), StoreError>;

    /// Makes a stamped global invoice the invoice of a ticket again.
    async fn return_to_global(
        &mut self,
        venta: i64,
        factura: i64,
        uuid: &str,
        now: Timestamp,
    ) -> Result<(), StoreError>;
}
