//! The invoice registry.

use async_trait::async_trait;

use super::StoreError;
use crate::domain::time::Timestamp;
use crate::domain::words::{InvoiceKind, InvoiceOrigin, InvoiceStatus};

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

/// A record of the registry.
#[derive(Debug, Clone)]
pub struct RegisteredInvoice {
    /// Its clave.
    pub clave: i64,
    /// What it is.
    pub tipo: InvoiceKind,
    /// What became of it.
    pub estatus: InvoiceStatus,
    /// The sale it is of.
    pub venta: Option<i64>,
    /// Series and number, as people write them.
    pub folio: Option<String>,
    /// Fiscal folio.
    pub uuid: Option<String>,
    /// Whether its receiver is being asked to accept its cancellation.
    pub cancelacion_solicitada: bool,
}

/// Why and how an invoice is cancelled.
#[derive(Debug, Clone, Copy)]
pub struct Cancellation<'a> {
    /// The SAT's reason, 01 to 04.
    pub motivo: &'a str,
    /// The invoice that takes its place.
    pub uuid_sustitucion: Option<&'a str>,
}

/// The invoice registry inside a transaction.
#[async_trait]
pub trait InvoiceTx {
    /// Writes a record and gives its clave.
    async fn insert_invoice(&mut self, row: &NewInvoice<'_>) -> Result<i64, StoreError>;

    /// A record, locked against other changes until the end.
    async fn lock_invoice(&mut self, clave: i64) -> Result<Option<RegisteredInvoice>, StoreError>;

    /// Writes that the authority stamped a record: to the registry and to what speaks of it, the sale and its receivable or
    /// the payments. It is queued no longer.
    async fn set_stamped(&mut self, clave: i64, uuid: &str, at: Timestamp, now: Timestamp) -> Result<(), StoreError>;

    /// Writes that the authority refused a record. It is queued no longer.
    async fn set_rejected(&mut self, clave: i64, codigo: &str, mensaje: &str, now: Timestamp)
    -> Result<(), StoreError>;

    /// Writes that a record's cancellation was asked for, and waits for its receiver's word.
    async fn request_cancellation(
        &mut self,
        clave: i64,
        cancellation: &Cancellation<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Forgets that a record's cancellation was asked for.
    async fn drop_cancellation(&mut self, clave: i64, now: Timestamp) -> Result<(), StoreError>;

    /// Writes that a record is cancelled, for the reason asked for before where none is given.
    async fn set_cancelled(
        &mut self,
        clave: i64,
        cancellation: Option<&Cancellation<'_>>,
        now: Timestamp,
    ) -> Result<(), StoreError>;
}
