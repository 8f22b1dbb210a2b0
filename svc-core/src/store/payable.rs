//! Accounts payable.

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::StoreError;
use crate::domain::money::Money;
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

/// What paying an account payable needs of it.
#[derive(Debug, Clone)]
pub struct OpenPayable {
    /// Its status.
    pub estatus: PayableStatus,
    /// Currency.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// What is left to pay.
    pub saldo: Decimal,
}

/// A payment of an account payable to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewPayablePayment<'a> {
    /// The account payable.
    pub cxp: i64,
    /// The day.
    pub fecha: NaiveDate,
    /// The amount, in its currency.
    pub importe: Money,
    /// The bank account it leaves; none: paid in cash.
    pub cuenta_bancaria: Option<i64>,
    /// Reference.
    pub referencia: &'a str,
    /// Pesos for one unit of the currency on that day; the payable's own if it is not known.
    pub tipo_cambio: Option<Rate>,
}

/// Accounts payable inside a transaction.
#[async_trait]
pub trait PayableTx {
    /// Inserts an account payable under the company's next clave, and returns it.
    async fn insert_payable(&mut self, row: &NewPayable<'_>) -> Result<i64, StoreError>;

    /// An account payable, locked until the end.
    async fn lock_payable(&mut self, cxp: i64) -> Result<Option<OpenPayable>, StoreError>;

    /// Whether the same payment was made already: of the account payable, of that day, amount, bank
    /// account and reference.
    async fn is_payable_paid(&mut self, payment: &NewPayablePayment<'_>) -> Result<bool, StoreError>;

    /// Inserts a payment, which lowers the balances of the account payable and of the bank account;
    /// returns its clave.
    async fn pay_payable(&mut self, payment: &NewPayablePayment<'_>, now: Timestamp) -> Result<i64, StoreError>;
}
