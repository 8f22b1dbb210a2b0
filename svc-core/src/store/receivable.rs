//! Receivables, payments and bank accounts.

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::StoreError;
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::time::Timestamp;
use crate::domain::words::{PaymentMethod, ReceivableStatus, SaleKind};

/// A receivable to be stored; nothing of it is paid.
#[derive(Debug)]
pub struct NewReceivable<'a> {
    /// The document's series and number.
    pub folio: &'a str,
    /// The debtor.
    pub cliente: Option<i64>,
    /// The sale it is of.
    pub venta: i64,
    /// The sale's type.
    pub tipo_venta: SaleKind,
    /// Its invoice.
    pub factura: Option<i64>,
    /// PUE or PPD.
    pub metodo_pago_sat: Option<PaymentMethod>,
    /// Date of the debt.
    pub fecha: NaiveDate,
    /// When it is due.
    pub vencimiento: NaiveDate,
    /// Currency.
    pub moneda: &'a str,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// Total.
    pub total: Money,
    /// Branch.
    pub sucursal: i64,
    /// Now.
    pub modificado: Timestamp,
}

impl NewReceivable<'_> {
    /// Its status: one of nothing is paid from the start.
    pub fn estatus(&self) -> ReceivableStatus {
        ReceivableStatus::by_balance(self.total)
    }
}

/// The debt of a customer.
#[derive(Debug, Clone, Copy)]
pub struct CustomerDebt {
    /// Total balance, in pesos.
    pub adeudo: Decimal,
    /// Whether some of it is overdue.
    pub vencido: bool,
}

/// Receivables, payments and bank accounts inside a transaction.
#[async_trait]
pub trait ReceivableTx {
    /// Inserts a receivable; returns its clave.
    async fn insert_receivable(&mut self, row: &NewReceivable<'_>) -> Result<i64, StoreError>;

    /// Locks the receivables of a sale until the end; returns whether one of them has payments
    /// applied. Lock order: the receivable first, then the sale.
    async fn lock_receivables(&mut self, venta: i64) -> Result<bool, StoreError>;

    /// Cancels the receivables of a sale, which must be locked.
    async fn cancel_receivables(&mut self, venta: i64, now: Timestamp) -> Result<(), StoreError>;

    /// The debt of a customer; what was due before `today` is overdue.
    async fn standing(&mut self, cliente: i64, today: NaiveDate) -> Result<CustomerDebt, StoreError>;
}
