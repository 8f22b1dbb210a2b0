//! Cancellations of stamped documents: the queue of those that the authority has not spoken on, and what is read to ask it.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{LeaseTerms, LeasedStamping, StoreError};
use crate::domain::money::Money;
use crate::domain::time::Timestamp;
use crate::domain::words::{CancellationReason, Held, InvoiceKind, InvoiceStatus};

/// What a cancellation that was asked for is about.
#[derive(Debug, Clone)]
pub struct AskedCancellation {
    /// The document's fiscal folio.
    pub uuid: Option<String>,
    /// Why.
    pub motivo: Option<CancellationReason>,
    /// Fiscal folio of what takes its place, with reason 01.
    pub uuid_sustitucion: Option<String>,
    /// Whether the request says that its receiver has to accept.
    pub aceptacion: bool,
    /// When it was asked for.
    pub creado: DateTime<Utc>,
    /// Since when the authority has the request.
    pub enviada: Option<DateTime<Utc>>,
    /// The receiver's RFC and name, as they are now.
    pub receptor: Option<(Option<String>, Option<String>)>,
    /// Total of its sale; none of a payment complement.
    pub total: Option<Money>,
    /// The stamped XML, if it was stamped here.
    pub xml: Option<String>,
}

/// What the authority was last heard to say of a cancellation, or why it said nothing.
#[derive(Debug, Clone, Copy)]
pub struct CancellationPause<'a> {
    /// When it is asked again.
    pub proximo: DateTime<Utc>,
    /// Since when the authority has the request; none to send it again.
    pub enviada: Option<DateTime<Utc>>,
    /// Attempts without an answer, or questions since it was sent.
    pub intentos: u32,
    /// Why, if it is due to something.
    pub ultimo_error: Option<&'a str>,
    /// Whether it waits for a person.
    pub detenido: Option<Held>,
}

/// A record that may take the place of another.
#[derive(Debug, Clone)]
pub struct Substitute {
    /// Its clave.
    pub clave: i64,
    /// What it is.
    pub tipo: InvoiceKind,
    /// Its status.
    pub estatus: InvoiceStatus,
    /// The record that it was made to replace.
    pub sustituye: Option<i64>,
    /// Its stamped XML, if it was stamped here.
    pub xml: Option<String>,
}

/// Cancellations inside a transaction. Lock order: the registry's record first, then the queue's.
#[async_trait]
pub trait CancellationTx {
    /// Queues the cancellation of a record, due at once; `pago` is the payment that goes with a complement, `aceptacion` whether its
    /// receiver is said to have to accept.
    async fn queue_cancellation(
        &mut self,
        factura: i64,
        pago: Option<i64>,
        aceptacion: bool,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Leases cancellations as [`super::StampingTx::lease_stampings`] does stampings; with `unsent`, only those that were never sent.
    async fn lease_cancellations(&mut self, terms: LeaseTerms, unsent: bool)
    -> Result<Vec<LeasedStamping>, StoreError>;

    /// What a cancellation is about, if it is still leased under `token`.
    async fn asked_cancellation(&mut self, factura: i64, token: Uuid) -> Result<Option<AskedCancellation>, StoreError>;

    /// Locks the lease until the end, if the cancellation is still leased under `token`; `false` if it is not.
    async fn lock_cancellation(&mut self, factura: i64, token: Uuid) -> Result<bool, StoreError>;

    /// Ends the lease of a cancellation that goes on.
    async fn pause_cancellation(&mut self, factura: i64, pause: &CancellationPause<'_>) -> Result<(), StoreError>;

    /// Removes a cancellation from the queue, if it is there; gives the payment that goes with it.
    async fn end_cancellation(&mut self, factura: i64) -> Result<Option<i64>, StoreError>;

    /// Clears the pending cancellation of a record, and notes why the authority refused it.
    async fn refuse_cancellation(
        &mut self,
        factura: i64,
        codigo: &str,
        mensaje: &str,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Stores the authority's receipt of a request, in the place of an earlier one.
    async fn keep_receipt(&mut self, factura: i64, xml: &str, now: Timestamp) -> Result<(), StoreError>;

    /// Whether a record is stamped, and of these payments `pago` is the only one that is valid: what its cancellation cancels too.
    async fn is_last_of_stamped(&mut self, factura: i64, pago: i64) -> Result<bool, StoreError>;

    /// The record of that fiscal folio, if it may replace another.
    async fn substitute(&mut self, uuid: &str) -> Result<Option<Substitute>, StoreError>;

    /// Notes that a record takes the place of another.
    async fn relate_substitute(&mut self, factura: i64, sustituye: i64) -> Result<(), StoreError>;

    /// The records that were made to take the place of this one and are not cancelled, with their status.
    async fn substitutes(&mut self, factura: i64) -> Result<Vec<(i64, InvoiceStatus)>, StoreError>;

    /// Whether valid payments of a sale have complements.
    async fn has_complements(&mut self, venta: i64) -> Result<bool, StoreError>;
}
