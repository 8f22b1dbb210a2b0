//! Invoices of a period's sales to the general public.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::StoreError;
use crate::domain::cfdi::Periodicidad;
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::time::Timestamp;
use crate::domain::words::SaleKind;

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

/// Global invoices inside a transaction.
#[async_trait]
pub trait GlobalTx {
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
