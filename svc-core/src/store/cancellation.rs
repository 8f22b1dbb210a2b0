//! Cancellations of stamped documents: the queue of those that the authority has not decided, and
//! what a request to it needs.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{LeaseTerms, LeasedStamping, StoreError};
use crate::domain::money::Money;
use crate::domain::time::Timestamp;
use crate::domain::words::{CancellationReason, Held, InvoiceKind, InvoiceStatus};

/// What a request to the authority needs of a queued cancellation.
#[derive(Debug, Clone)]
pub struct QueuedCancellation {
    /// Fiscal folio of the document to cancel.
    pub uuid: Option<String>,
    /// The SAT's reason, 01 to 04; without one nothing can be sent.
    pub motivo: Option<CancellationReason>,
    /// Fiscal folio of the substitute, with reason 01.
    pub uuid_sustitucion: Option<String>,
    /// Whether the receiver has to accept, as the request said.
    pub aceptacion: bool,
    /// When the cancellation was queued.
    pub creado: DateTime<Utc>,
    /// When the authority got the request; `None` before.
    pub enviada: Option<DateTime<Utc>>,
    /// The receiver's RFC and name, as they are now.
    pub receptor: Option<(Option<String>, Option<String>)>,
    /// Total of an invoice's sale or of a credit note, zero of a payment complement; `None` if no
    /// record says it.
    pub total: Option<Money>,
    /// The stamped XML; `None` if it was stamped elsewhere.
    pub xml: Option<String>,
}

/// The state in which an attempt leaves a cancellation that is not decided yet.
#[derive(Debug, Clone, Copy)]
pub struct CancellationPause<'a> {
    /// When the next attempt is due.
    pub proximo: DateTime<Utc>,
    /// When the authority got the request; `None` sends it again.
    pub enviada: Option<DateTime<Utc>>,
    /// Attempts without an answer; once it was sent, questions about its outcome.
    pub intentos: u32,
    /// What went wrong, if anything.
    pub ultimo_error: Option<&'a str>,
    /// Why it waits for a person, if it does.
    pub detenido: Option<Held>,
}

/// A record that may replace another.
#[derive(Debug, Clone)]
pub struct Substitute {
    /// Clave in the invoice registry.
    pub clave: i64,
    /// Invoice, credit note or payment complement.
    pub tipo: InvoiceKind,
    /// Whether it is stamped.
    pub estatus: InvoiceStatus,
    /// The record that it was issued to replace, if any.
    pub sustituye: Option<i64>,
    /// The stamped XML; `None` if it was stamped elsewhere.
    pub xml: Option<String>,
}

/// Cancellations and substitutes. Lock order: the registry's record first, then the queue's.
#[async_trait]
pub trait CancellationTx {
    /// Queues the cancellation of a record, due at once. `pago` is the payment that is cancelled
    /// with a complement, `aceptacion` whether the receiver has to accept.
    async fn queue_cancellation(
        &mut self,
        factura: i64,
        pago: Option<i64>,
        aceptacion: bool,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Leases cancellations as [`super::StampingTx::lease_stampings`] leases stampings; with
    /// `unsent`, only those that were never sent.
    async fn lease_cancellations(&mut self, terms: LeaseTerms, unsent: bool)
    -> Result<Vec<LeasedStamping>, StoreError>;

    /// What a request needs, if the cancellation is still leased under `token`.
    async fn leased_cancellation(
        &mut self,
        factura: i64,
        token: Uuid,
    ) -> Result<Option<QueuedCancellation>, StoreError>;

    /// Locks a cancellation until the end if it is still leased under `token`; `false` if it is
    /// not.
    async fn lock_cancellation(&mut self, factura: i64, token: Uuid) -> Result<bool, StoreError>;

    /// Ends the lease of a cancellation that is not decided yet.
    async fn pause_cancellation(&mut self, factura: i64, pause: &CancellationPause<'_>) -> Result<(), StoreError>;

    /// Removes a cancellation from the queue, if it is there; returns the payment to cancel with
    /// it.
    async fn end_cancellation(&mut self, factura: i64) -> Result<Option<i64>, StoreError>;

    /// Clears the pending cancellation of a record, and stores why the authority refused it.
    async fn refuse_cancellation(
        &mut self,
        factura: i64,
        codigo: &str,
        mensaje: &str,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Stores the authority's acknowledgement (acuse) of a request; it replaces an earlier one.
    async fn keep_acknowledgement(&mut self, factura: i64, xml: &str, now: Timestamp) -> Result<(), StoreError>;

    /// Whether `pago` is the only valid payment of a stamped complement, so that cancelling the
    /// payment cancels the complement.
    async fn is_last_of_complement(&mut self, factura: i64, pago: i64) -> Result<bool, StoreError>;

    /// The newest record with that fiscal folio.
    async fn substitute(&mut self, uuid: &str) -> Result<Option<Substitute>, StoreError>;

    /// Stores that a record was issued to replace another.
    async fn relate_substitute(&mut self, factura: i64, sustituye: i64) -> Result<(), StoreError>;

    /// The records that were issued to replace this one and are not cancelled, with their status.
    async fn substitutions(&mut self, factura: i64) -> Result<Vec<(i64, InvoiceStatus)>, StoreError>;

    /// Whether a valid payment of a sale has a complement.
    async fn has_complements(&mut self, venta: i64) -> Result<bool, StoreError>;
}
