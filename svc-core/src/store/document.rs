//! Tax documents: the XML of records of the invoice registry.

use async_trait::async_trait;

use super::StoreError;
use crate::domain::cfdi::TipoRelacion;
use crate::domain::time::Timestamp;
use crate::domain::words::InvoiceStatus;

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

/// Tax documents inside a transaction. A record has one at most: sealed while its fate is not
/// known, then stamped. A stamped one is never removed. Texts are stored as they are, to the byte.
#[async_trait]
pub trait DocumentTx {
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
