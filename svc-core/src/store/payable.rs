//! Accounts payable.

use async_trait::async_trait;
use chrono::NaiveDate;

use super::StoreError;
use crate::domain::quantity::{Balance, Rate};
use crate::domain::time::Timestamp;
use crate::domain::words::{PayableKind, PayableStatus};

/// An account payable to be stored.
#[derive(Debug)]
pub struct NewPayable<'a> {
    /// Folio; its clave when it has none of its own.
    pub folio: Option<&'a str>,
    /// Its origin.
    pub tipo: PayableKind,
    /// Status.
    pub estatus: PayableStatus,
    /// The supplier; 0 is none.
    pub proveedor: i64,
    /// The purchase order.
    pub compra: Option<i64>,
    /// The supplier's document.
    pub factura: Option<&'a str>,
    /// Fiscal folio of that document, in lower case.
    pub uuid: Option<&'a str>,
    /// Date of that document.
    pub fecha: NaiveDate,
    /// When it is due.
    pub vencimiento: Option<NaiveDate>,
    /// Currency.
    pub moneda: &'a str,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// The total.
    pub total: Balance,
    /// Amount paid.
    pub pagado: Balance,
    /// Balance.
    pub saldo: Balance,
    /// Branch.
    pub sucursal: i64,
    /// How many operations it groups.
    pub operaciones: i64,
    /// What it is for.
    pub concepto: Option<&'a str>,
    /// Now.
    pub creada: Timestamp,
}

/// Accounts payable inside a transaction.
#[async_trait]
pub trait PayableTx {
    /// Inserts an account payable under the company's next clave, and returns it.
    async fn insert_payable(&mut self, row: &NewPayable<'_>) -> Result<i64, StoreError>;
}
