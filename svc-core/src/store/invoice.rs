//! The invoice registry, and invoices of a period's sales to the general public.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::{Numbered, StoreError};
use crate::domain::cfdi::Periodicidad;
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::rfc::Rfc;
use crate::domain::time::Timestamp;
use crate::domain::words::{InvoiceKind, InvoiceOrigin, InvoiceStatus, SaleKind};

/// A record of the registry to be stored, with status `en_espera`: it is not stamped yet.
#[derive(Debug)]
pub struct NewInvoice<'a> {
    /// Invoice, credit note or payment complement.
    pub tipo: InvoiceKind,
    /// `None` for payment complements and global invoices.
    pub venta: Option<i64>,
    /// The customer who receives it; `None`: the general public.
    pub cliente: Option<i64>,
    /// Part of its folio.
    pub serie: &'a str,
    /// When it is issued.
    pub fecha: Timestamp,
    /// Who asked for it: the API or the application.
    pub origen: InvoiceOrigin,
}

/// A record of the registry.
#[derive(Debug, Clone)]
pub struct RegisteredInvoice {
    /// Clave in the registry.
    pub clave: i64,
    /// Invoice, credit note or payment complement.
    pub tipo: InvoiceKind,
    /// Where it stands with the authority.
    pub estatus: InvoiceStatus,
    /// `None` for payment complements and global invoices.
    pub venta: Option<i64>,
    /// Series and number as people read them, e.g. `A12`.
    pub folio: Option<String>,
    /// Fiscal folio; `None` before it is stamped.
    pub uuid: Option<String>,
    /// Whether its cancellation waits for the receiver's acceptance.
    pub cancelacion_solicitada: bool,
    /// The record that it was issued to replace, if any.
    pub sustituye: Option<i64>,
}

/// The reason of a cancellation.
#[derive(Debug, Clone, Copy)]
pub struct Cancellation<'a> {
    /// The SAT's reason code, 01 to 04.
    pub motivo: &'a str,
    /// Fiscal folio of the substitute, with reason 01.
    pub uuid_sustitucion: Option<&'a str>,
}

/// The sales that a global invoice takes.
#[derive(Debug, Clone, Copy, Default)]
pub struct GlobalSales<'a> {
    /// Exactly these sales. `None` selects sales (`venta`) in pesos with taxes broken down, neither
    /// invoiced nor cancelled, to nobody or to customers without an RFC or with the RFC `rfc`.
    pub ventas: Option<&'a [i64]>,
    /// The general public's RFC.
    pub rfc: &'a str,
    /// Made at this instant or later …
    pub desde: DateTime<Utc>,
    /// … and before this one.
    pub hasta: DateTime<Utc>,
    /// Maximum number of sales.
    pub max: i64,
}

/// A sale for a global invoice, locked until the end.
#[derive(Debug, Clone)]
pub struct GlobalSale {
    /// Clave of the sale.
    pub venta: i64,
    /// Series and number in one text.
    pub folio: String,
    /// Only `venta` can be taken.
    pub tipo: SaleKind,
    /// When it was made.
    pub fecha: Timestamp,
    /// Whether it is cancelled.
    pub cancelada: bool,
    /// Whether it has an invoice.
    pub facturada: bool,
    /// Its invoice in the registry.
    pub factura: Option<i64>,
    /// The customer's RFC; `None`: it is to nobody, or the customer has none.
    pub rfc: Option<String>,
    /// The sales of one invoice have the same.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// The payment form by which most of it was paid, else the sale's own.
    pub forma_pago_sat: Option<String>,
    /// Total with taxes, in `moneda`.
    pub total: Money,
    /// What came back of it before it is invoiced, in `moneda`.
    pub devuelto: Money,
}

impl GlobalSale {
    /// Whether it is to nobody, or to a customer without an RFC of their own.
    pub fn is_public(&self) -> bool {
        self.rfc.as_deref().is_none_or(|rfc| Rfc::parse(rfc).is_ok_and(|rfc| rfc.is_generic()))
    }

    /// Whether all of it came back.
    pub fn is_returned(&self) -> bool {
        self.devuelto > Money::default() && self.devuelto >= self.total
    }
}

/// The period of a global invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobalPeriod {
    /// A day, a week, half a month, a month or two (`c_Periodicidad`).
    pub periodicidad: Periodicidad,
    /// A key of `c_Meses`.
    pub meses: String,
    /// The year of `meses`.
    pub anio: i32,
}

/// The invoice registry, and global invoices.
#[async_trait]
pub trait InvoiceTx {
    /// Inserts a record under its sale's folio, and queues it to be stamped; returns its clave.
    async fn insert_invoice(&mut self, row: &NewInvoice<'_>, folio: i64) -> Result<i64, StoreError>;

    /// Inserts a record under the next folio of its series, and queues it to be stamped.
    async fn open_invoice(&mut self, row: &NewInvoice<'_>) -> Result<Numbered, StoreError>;

    /// A record, locked until the end.
    async fn lock_invoice(&mut self, clave: i64) -> Result<Option<RegisteredInvoice>, StoreError>;

    /// Gives a sale and its receivable, which have the invoice `from`, back to the stamped invoice
    /// that it replaced.
    async fn return_sale(
        &mut self,
        venta: i64,
        from: i64,
        to: &RegisteredInvoice,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Makes the standing entry of a sale one of the invoice `to`, which was one of `from`.
    async fn move_entry(&mut self, venta: i64, from: i64, to: i64) -> Result<(), StoreError>;

    /// Sets a record as stamped (`vigente`) with its fiscal folio, also on its sale and receivable
    /// or on its payments, and removes it from the stamping queue.
    async fn set_stamped(
        &mut self,
        invoice: &RegisteredInvoice,
        uuid: &str,
        at: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Sets a record as rejected by the authority, with its code and message, and removes it from
    /// the stamping queue.
    async fn set_rejected(&mut self, clave: i64, codigo: &str, mensaje: &str, now: Timestamp)
    -> Result<(), StoreError>;

    /// Sets the cancellation of a record as waiting for the receiver's acceptance.
    async fn request_cancellation(
        &mut self,
        clave: i64,
        cancellation: &Cancellation<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Clears the pending cancellation of a record.
    async fn drop_cancellation(&mut self, clave: i64, now: Timestamp) -> Result<(), StoreError>;

    /// Sets a record as cancelled; without `cancellation`, for the reason of the pending request.
    async fn set_cancelled(
        &mut self,
        clave: i64,
        cancellation: Option<&Cancellation<'_>>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Sales for a global invoice, in ascending order of clave, locked until the end.
    async fn lock_global_sales(&mut self, which: &GlobalSales<'_>) -> Result<Vec<GlobalSale>, StoreError>;

    /// Stores the period and the sales of a global invoice, and makes it the invoice of those sales
    /// that have none: the sales of a substitute stay with the invoice that it replaces.
    async fn insert_global(
        &mut self,
        factura: i64,
        period: &GlobalPeriod,
        ventas: &[i64],
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// The period and the sales of a global invoice; `None` if the record is another document.
    async fn global(&mut self, factura: i64) -> Result<Option<(GlobalPeriod, Vec<i64>)>, StoreError>;

    /// Sets the fiscal folio on the sales that are in a stamped global invoice, or in the one that
    /// it replaces. `None` detaches the sales of a cancelled one, which go back to the valid
    /// invoice that it replaced, if any. `false` if the record is another document.
    async fn set_global_folio(&mut self, factura: i64, uuid: Option<&str>, now: Timestamp) -> Result<bool, StoreError>;
}
