//! Receivables, bank accounts and deposits.

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::StoreError;
use crate::domain::accounting::OpenedDebt;
use crate::domain::deposit::{Legacy, NamedDeposit, PaidAccount};
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::time::Timestamp;
use crate::domain::words::{PaymentMethod, ReceivableStatus, SaleKind};

/// A receivable to be stored.
#[derive(Debug)]
pub struct NewReceivable<'a> {
    /// Series and number of the sale or its invoice, in one text.
    pub folio: &'a str,
    /// The customer who owes it.
    pub cliente: Option<i64>,
    /// Clave of the sale.
    pub venta: i64,
    /// Type of the sale.
    pub tipo_venta: SaleKind,
    /// The sale's invoice in the registry.
    pub factura: Option<i64>,
    /// `None`: the sale states none.
    pub metodo_pago_sat: Option<PaymentMethod>,
    /// The day since which it is owed.
    pub fecha: NaiveDate,
    /// When it is due.
    pub vencimiento: NaiveDate,
    /// Currency of all amounts.
    pub moneda: &'a str,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// Total of the sale, with its taxes.
    pub total: Money,
    /// What is still to be paid: less than the total of a sale that was paid in part before the
    /// books began.
    pub saldo: Money,
    /// Clave of the sale's branch.
    pub sucursal: i64,
    /// Time of creation, stored as the time of its last change.
    pub modificado: Timestamp,
}

impl NewReceivable<'_> {
    /// Its status: one without a balance is paid from the start.
    pub fn estatus(&self) -> ReceivableStatus {
        ReceivableStatus::by_balance(self.saldo)
    }
}

/// How something of a sale's receivables was paid; cancelled ones do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HowPaid {
    /// Nothing of them is paid.
    Not,
    /// Something, but no payment says so.
    BeforeTheBooks,
    /// Something by payments that are not cancelled.
    ByPayments,
}

/// What the receivables of a sale come to, in its currency.
#[derive(Debug, Clone, Copy)]
pub struct Charged {
    /// Their totals; zero if an imported sale has none.
    pub total: Money,
    /// What was paid of the sale before the books began: no payment with an entry says so.
    pub antes: Money,
    /// Whether one of them is in another currency than the sale.
    pub en_otra_moneda: bool,
}

/// What a customer owes.
#[derive(Debug, Clone, Copy)]
pub struct CustomerBalance {
    /// The balances of all receivables, in pesos.
    pub adeudo: Decimal,
    /// Whether any of them is overdue.
    pub vencido: bool,
}

/// The data by which a deposit or a payment into a bank account is recognised when it is sent
/// again.
#[derive(Debug, Clone, Copy)]
pub struct BankReceipt<'a> {
    /// The bank account that received it.
    pub cuenta_bancaria: i64,
    /// The day it was received.
    pub fecha: NaiveDate,
    /// In the account's currency.
    pub importe: Money,
    /// Reference of the bank movement.
    pub referencia: &'a str,
}

/// What a bank account holds when it is imported.
#[derive(Debug, Clone, Copy)]
pub struct OpenedBankAccount {
    /// Clave of the bank account.
    pub clave: i64,
    /// In the account's currency.
    pub saldo: Decimal,
    /// In pesos, as it is posted.
    pub pesos: Decimal,
}

/// What created a deposit, which decides whether it is cancelled with its payments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DepositOrigin {
    /// It was captured, to be applied later; it remains if its payments are cancelled.
    Captura,
    /// A payment that uses all of it; it is cancelled with the payment.
    Pago,
}

impl DepositOrigin {
    /// The word in `depositos.origen`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Captura => "captura",
            Self::Pago => "pago",
        }
    }

    /// How much of a new deposit of `importe` is applied from the start.
    pub fn applied(self, importe: Money) -> Money {
        match self {
            Self::Captura => Money::default(),
            Self::Pago => importe,
        }
    }
}

/// A deposit that a cancelled payment no longer applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReleasedDeposit {
    /// It came with the payment and is cancelled with it.
    Gone,
    /// Its money stays in the bank, and its worth in pesos is posted.
    Waits,
    /// Its money stays in the bank, and nothing is posted of what no payment applies, because it
    /// was captured without an exchange rate.
    Unposted,
}

/// Receivables, bank accounts and deposits.
#[async_trait]
pub trait ReceivableTx {
    /// Inserts a receivable and returns its clave.
    async fn insert_receivable(&mut self, row: &NewReceivable<'_>) -> Result<i64, StoreError>;

    /// Locks the receivables of a sale until the end; returns how something of them was paid.
    /// Lock order: the receivable first, then the sale.
    async fn lock_receivables(&mut self, venta: i64) -> Result<HowPaid, StoreError>;

    /// Cancels the locked receivables of a sale.
    async fn cancel_receivables(&mut self, venta: i64, now: Timestamp) -> Result<(), StoreError>;

    /// What imports posted of the receivables of a sale against the opening account, in pesos. It
    /// is forgotten: the caller takes it out of the books.
    async fn take_opening(&mut self, venta: i64) -> Result<OpenedDebt, StoreError>;

    /// Adds to what is posted of a locked receivable against the opening account, in pesos.
    async fn add_opening(&mut self, cxc: i64, opened: OpenedDebt) -> Result<(), StoreError>;

    /// What the receivables of a sale come to; cancelled ones do not count.
    async fn charged(&mut self, venta: i64) -> Result<Charged, StoreError>;

    /// What a customer owes; what was due before `today` is overdue.
    async fn customer_balance(&mut self, cliente: i64, today: NaiveDate) -> Result<CustomerBalance, StoreError>;

    /// A bank account, locked until the end. It must be locked before a deposit or a payment into
    /// it is written, so that concurrent duplicates are detected.
    async fn lock_bank_account(&mut self, cuenta: i64) -> Result<Option<PaidAccount>, StoreError>;

    /// Gives new bank accounts what they hold on `dia` before their first document.
    async fn open_bank_accounts(&mut self, opened: &[OpenedBankAccount], dia: NaiveDate) -> Result<(), StoreError>;

    /// The deposits with this data, and whether there is a payment with it.
    async fn earlier(&mut self, receipt: &BankReceipt<'_>) -> Result<Legacy, StoreError>;

    /// Inserts a deposit and adds it to the account's balance; returns its clave. A deposit of
    /// [`DepositOrigin::Pago`] is fully applied.
    async fn insert_deposit(
        &mut self,
        receipt: &BankReceipt<'_>,
        origen: DepositOrigin,
        now: Timestamp,
    ) -> Result<i64, StoreError>;

    /// A deposit. It does not change while its bank account is locked.
    async fn deposit(&mut self, deposito: i64) -> Result<Option<NamedDeposit>, StoreError>;

    /// Cancels a deposit and subtracts it from the account's balance; `false` if it is cancelled,
    /// or applied in part.
    async fn cancel_deposit(&mut self, deposito: i64) -> Result<bool, StoreError>;

    /// Adds to the applied amount of a deposit; `false` if less than that is unapplied.
    async fn apply_deposit(&mut self, deposito: i64, importe: Money) -> Result<bool, StoreError>;

    /// Subtracts from the applied amount of a deposit. A deposit of [`DepositOrigin::Pago`] is
    /// cancelled once nothing of it is applied, and subtracted from the account's balance. `None`
    /// if the account has no such deposit.
    async fn release_deposit(
        &mut self,
        deposito: i64,
        cuenta: i64,
        importe: Money,
    ) -> Result<Option<ReleasedDeposit>, StoreError>;
}
