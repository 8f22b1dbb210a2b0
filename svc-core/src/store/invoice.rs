//! The invoice registry, and invoices of a period's sales to the general public.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::{Numbered, StoreError};
use crate::domain::cfdi::Periodicidad;
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::time::Timestamp;
use crate::domain::words::{InvoiceKind, InvoiceOrigin, InvoiceStatus, SaleKind};

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

/// Which sales a global invoice takes.
#[derive(Debug, Clone, Copy, Default)]
pub struct GlobalSales<'a> {
    /// These, if they are named, whatever they are; else sales (`venta`) in pesos with taxes broken
    /// down that are neither invoiced nor cancelled, of nobody or of customers with the RFC `rfc`.
    pub ventas: Option<&'a [i64]>,
    /// The general public's RFC.
    pub rfc: &'a str,
    /// Made from this instant …
    pub desde: DateTime<Utc>,
    /// … to before this one.
    pub hasta: DateTime<Utc>,
    /// At most so many.
    pub max: i64,
}

/// A sale that a global invoice takes, locked until the end.
#[derive(Debug, Clone)]
pub struct GlobalSale {
    /// Its clave.
    pub venta: i64,
    /// Series and number, as people write them.
    pub folio: String,
    /// What it is.
    pub tipo: SaleKind,
    /// When it was made.
    pub fecha: Timestamp,
    /// Whether it is cancelled.
    pub cancelada: bool,
    /// Whether it has an invoice.
    pub facturada: bool,
    /// The customer's RFC.
    pub rfc: Option<String>,
    /// Currency.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// How it was paid: the payment form of the greatest part of it, else the sale's own.
    pub forma_pago_sat: Option<String>,
    /// What it comes to.
    pub total: Money,
}

/// The period of a global invoice, as it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobalPeriod {
    /// How long it is.
    pub periodicidad: Periodicidad,
    /// `c_Meses`.
    pub meses: String,
    /// The year.
    pub anio: i32,
}

/// The invoice registry, and global invoices.
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

    /// Sales for a global invoice, in the order of their claves, locked until the end.
    async fn lock_global_sales(&mut self, which: &GlobalSales<'_>) -> Result<Vec<GlobalSale>, StoreError>;

    /// Notes the period and the sales of a global invoice, which is theirs from now on.
    async fn insert_global(&mut self, factura: i64, period: &GlobalPeriod, ventas: &[i64]) -> Result<(), StoreError>;

    /// The period of a global invoice, and its sales; none if the record is of another document.
    async fn global(&mut self, factura: i64) -> Result<Option<(GlobalPeriod, Vec<i64>)>, StoreError>;

    /// Gives the sales of a stamped global invoice its fiscal folio, or takes the invoice of a
    /// cancelled one from them; `false` if the record is of another document.
    async fn set_global_folio(&mut self, factura: i64, uuid: Option<&str>, now: Timestamp) -> Result<bool, StoreError>;
}
