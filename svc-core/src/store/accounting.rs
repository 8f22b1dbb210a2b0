//! Accounting entries, and the accounts that they are written on.

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::StoreError;
use crate::domain::accounting::{Account, Collected, LedgerEntry};
use crate::domain::time::Timestamp;

/// A document, of whose entries the sum of some accounts is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Booked {
    /// A sales document.
    Sale(i64),
    /// A purchase order.
    Purchase(i64),
    /// An account payable.
    Payable(i64),
    /// A deposit.
    Deposit(i64),
}

/// The movement of an account in a period, in pesos: debits are positive, credits negative in
/// balances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountBalance {
    /// Its number.
    pub cuenta: String,
    /// What the company posted there.
    pub codigos: Vec<Account>,
    /// Its balance before the period.
    pub saldo_inicial: Decimal,
    /// Debits of the period.
    pub cargos: Decimal,
    /// Credits of the period.
    pub abonos: Decimal,
}

/// Accounting entries inside a transaction.
#[async_trait]
pub trait AccountingTx {
    /// Inserts an entry, each line under the number that the company has for its account; one that
    /// undoes another under the numbers of that. Returns its clave.
    async fn insert_entry(&mut self, entry: &LedgerEntry, now: Timestamp) -> Result<i64, StoreError>;

    /// The standing entry of a sale's receivable; an imported sale has none.
    async fn entry_of_sale(&mut self, venta: i64) -> Result<Option<LedgerEntry>, StoreError>;

    /// The entry of a credit note of a sale, by its record in the registry.
    async fn entry_of_note(&mut self, venta: i64, factura: i64) -> Result<Option<LedgerEntry>, StoreError>;

    /// The standing entries of what was handed over of an order before it was owed.
    async fn entries_of_handovers(&mut self, venta: i64) -> Result<Vec<LedgerEntry>, StoreError>;

    /// What the entries say of a receivable and of its valid payments.
    async fn collected(&mut self, cxc: i64) -> Result<Collected, StoreError>;

    /// The standing entry of a payment; an imported payment has none.
    async fn entry_of_payment(&mut self, pago: i64) -> Result<Option<LedgerEntry>, StoreError>;

    /// What the entries of a document add up to on these accounts, in pesos: debits less credits.
    async fn booked(&mut self, document: Booked, accounts: &[Account]) -> Result<Decimal, StoreError>;

    /// The numbers that the company has given accounts.
    async fn account_numbers(&mut self) -> Result<Vec<(Account, String)>, StoreError>;

    /// Gives an account a number for entries from now on; `None` takes it away.
    async fn number_account(
        &mut self,
        account: Account,
        numero: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// The accounts that entries up to `hasta` are written on, in order of their numbers, with
    /// their movement from `desde` on: the last day of all, and the first, when none is given.
    async fn trial_balance(
        &mut self,
        desde: Option<NaiveDate>,
        hasta: Option<NaiveDate>,
    ) -> Result<Vec<AccountBalance>, StoreError>;
}
