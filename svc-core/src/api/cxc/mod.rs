//! Receivables: `/cxc`.

mod apply_payment;
mod list;

use chrono::NaiveDate;
use serde::Serialize;

pub use apply_payment::{ApplyPayment, PaymentApplied, PaymentToApply};
pub use list::{ReceivableFilter, Receivables};

use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::time::Timestamp;
use crate::operation::Keyed;

/// A receivable (contract §3).
#[derive(Debug, Clone, Serialize)]
pub struct Receivable {
    /// Key.
    pub clave: i64,
    /// Folio.
    pub folio: Option<String>,
    /// `pendiente`, `pagado` or `cancelado`.
    pub estatus: String,
    /// The customer.
    pub cliente: Option<i64>,
    /// The sales document it is of.
    pub venta: Option<i64>,
    /// That document's type, as it is today.
    pub tipo_venta: Option<String>,
    /// The invoice it is of.
    pub factura: Option<i64>,
    /// Fiscal folio of that invoice.
    pub uuid: Option<String>,
    /// `PUE` or `PPD`.
    pub metodo_pago_sat: Option<String>,
    /// When it was made.
    pub fecha: NaiveDate,
    /// When it is due.
    pub vencimiento: Option<NaiveDate>,
    /// Currency, ISO 4217.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// What was owed.
    pub total: Money,
    /// What was paid.
    pub pagado: Money,
    /// What is still owed.
    pub saldo: Money,
    /// How many payments it has had.
    pub parcialidades: i64,
    /// Branch; 0 is the head office.
    pub sucursal: i64,
    /// When it was changed last.
    pub modificado: Option<Timestamp>,
}

impl Keyed for Receivable {
    fn clave(&self) -> i64 {
        self.clave
    }
}
