//! The invoice registry.

use async_trait::async_trait;

use super::{Numbered, StoreError};
use crate::domain::time::Timestamp;
use crate::domain::words::{InvoiceKind, InvoiceOrigin, InvoiceStatus};

/// A record of the registry to be stored, with status `en_espera`: it is not stamped yet.
#[derive(Debug)]
pub struct NewInvoice<'a> {
    /// Its kind: invoice or payment complement.
    pub tipo: InvoiceKind,
    /// The sale it is of; none for a payment complement.
    pub venta: Option<i64>,
    /// Its receiver.
    pub cliente: Option<i64>,
    /// Series.
    pub serie: &'a str,
    /// When it is issued.
    pub fecha: Timestamp,
    /// Who requested it: the API or the application.
    pub origen: InvoiceOrigin,
}

/// A record of the registry.
#[derive(Debug, Clone)]
pub struct RegisteredInvoice {
    /// Its clave.
    pub clave: i64,
    /// Its kind: invoice or payment complement.
    pub tipo: InvoiceKind,
    /// Its status.
    pub estatus: InvoiceStatus,
    /// The sale it is of.
    pub venta: Option<i64>,
    /// Series and number in one text, e.g. `A12`.
    pub folio: Option<String>,
    /// Fiscal folio.
    pub uuid: Option<String>,
    /// Whether its cancellation is pending the receiver's acceptance.
    pub cancelacion_solicitada: bool,
}

/// The reason of a cancellation.
#[derive(Debug, Clone, Copy)]
pub struct Cancellation<'a> {
    /// The SAT's reason code, 01 to 04.
    pub motivo: &'a str,
    /// Fiscal folio of the replacement, with reason 01.
    pub uuid_sustitucion: Option<&'a str>,
}

/// The invoice registry inside a transaction.
#[async_trait]
pub trait InvoiceTx {
    /// Inserts a record of that folio, which the application stamps; returns its clave.
    async fn insert_invoice(&mut self, row: &NewInvoice<'_>, folio: i64) -> Result<i64, StoreError>;

    /// Inserts a record under the next folio of its series, and queues it to be stamped.
    async fn open_invoice(&mut self, row: &NewInvoice<'_>) -> Result<Numbered, StoreError>;

    /// A record, locked until the end.
    async fn lock_invoice(&mut self, clave: i64) -> Result<Option<RegisteredInvoice>, StoreError>;

    /// Sets a record as stamped (`vigente`) with its fiscal folio, also on its sale and receivable
    /// or on its payments, and removes it from the stamping queue.
    async fn set_stamped(&mut self, clave: i64, uuid: &str, at: Timestamp, now: Timestamp) -> Result<(), StoreError>;

    /// Sets a record as rejected by the authority, with its code and message, and removes it from
    /// the stamping queue.
    async fn set_rejected(&mut self, clave: i64, codigo: &str, mensaje: &str, now: Timestamp)
    -> Result<(), StoreError>;

    /// Sets the cancellation of a record as pending the receiver's acceptance.
    async fn request_cancellation(
        &mut self,
        clave: i64,
        cancellation: &Cancellation<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Clears the pending cancellation of a record.
    async fn drop_cancellation(&mut self, clave: i64, now: Timestamp) -> Result<(), StoreError>;

    /// Sets a record as cancelled; without `cancellation`, with the reason of the pending request.
    async fn set_cancelled(
        &mut self,
        clave: i64,
        cancellation: Option<&Cancellation<'_>>,
        now: Timestamp,
    ) -> Result<(), StoreError>;
}
