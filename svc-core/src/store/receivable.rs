//! Receivables, bank accounts and deposits.

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::StoreError;
use crate::domain::deposit::{Legacy, PaidAccount};
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

/// Money received in a bank account: the data by which a payment or deposit is identified.
#[derive(Debug, Clone, Copy)]
pub struct BankReceipt<'a> {
    /// The bank account.
    pub cuenta_bancaria: i64,
    /// The day.
    pub fecha: NaiveDate,
    /// The amount, in the account's currency.
    pub importe: Money,
    /// Bank reference.
    pub referencia: &'a str,
}

/// The origin of a deposit, which decides whether it is cancelled with its payments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DepositOrigin {
    /// It was captured, to be applied later; it remains when its payments are cancelled.
    Captura,
    /// It was created by the payment that applies all of it, and is cancelled with it.
    Pago,
}

impl DepositOrigin {
    /// Its value in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Captura => "captura",
            Self::Pago => "pago",
        }
    }

    /// How much of a new deposit of `importe` is applied at once.
    pub fn applied(self, importe: Money) -> Money {
        match self {
            Self::Captura => Money::default(),
            Self::Pago => importe,
        }
    }
}

/// Receivables, bank accounts and deposits.
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
    async fn customer_debt(&mut self, cliente: i64, today: NaiveDate) -> Result<CustomerDebt, StoreError>;

    /// A bank account, locked until the end. It must be locked before a deposit or a payment in it
    /// is written, so that concurrent duplicates are detected.
    async fn lock_bank_account(&mut self, cuenta: i64) -> Result<Option<PaidAccount>, StoreError>;

    /// Earlier payments and deposits in the account with the same data.
    async fn earlier(&mut self, receipt: &BankReceipt<'_>) -> Result<Legacy, StoreError>;

    /// Inserts a deposit and adds it to the account's balance; returns its clave. One of
    /// [`DepositOrigin::Pago`] is fully applied.
    async fn insert_deposit(
        &mut self,
        receipt: &BankReceipt<'_>,
        origen: DepositOrigin,
        now: Timestamp,
    ) -> Result<i64, StoreError>;

    /// Adds to the applied amount of a deposit; `false` when less than that is unapplied.
    async fn apply_deposit(&mut self, deposito: i64, importe: Money) -> Result<bool, StoreError>;

    /// Subtracts from the applied amount of a deposit. One of [`DepositOrigin::Pago`] of which
    /// nothing remains applied is cancelled, and subtracted from the account's balance. Returns
    /// whether it was; none when the account has no such deposit.
    async fn release_deposit(&mut self, deposito: i64, cuenta: i64, importe: Money)
    -> Result<Option<bool>, StoreError>;
}
