//! Accounting entries, and the numbers of the accounts that they are posted to.

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::StoreError;
use crate::domain::accounting::{Account, Collected, LedgerEntry};
use crate::domain::time::Timestamp;

/// A document whose entries are added up, by its clave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookedDocument {
    /// A sales document (`ventas`). Entries of its payments and credit notes are about it too.
    Sale(i64),
    /// A purchase order (`compras`). Entries of its account payable are about it too.
    Purchase(i64),
    /// An account payable (`cxp`). Entries of its payments are about it too.
    Payable(i64),
    /// A deposit (`depositos`). Entries of payments that apply it are about it too.
    Deposit(i64),
}

/// A line of the trial balance, in pesos. Debits raise a balance, credits lower it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountBalance {
    /// The company's number for the accounts below.
    pub cuenta: String,
    /// The accounts that were posted under this number.
    pub codigos: Vec<String>,
    /// Balance before the period.
    pub saldo_inicial: Decimal,
    /// Debits of the period.
    pub cargos: Decimal,
    /// Credits of the period.
    pub abonos: Decimal,
}

/// Accounting entries and account numbers.
#[async_trait]
pub trait AccountingTx {
    /// Inserts an entry and returns its clave. Each line gets the company's number for its account;
    /// the lines of a reversal get the numbers of the entry that it reverses. Fails with
    /// [`StoreError::PeriodClosed`] if the entry's month is closed, even if that happens at the
    /// same time.
    async fn insert_entry(&mut self, entry: &LedgerEntry, now: Timestamp) -> Result<i64, StoreError>;

    /// The entry of a sale's receivable that was not reversed; an imported sale has none.
    async fn entry_of_sale(&mut self, venta: i64) -> Result<Option<LedgerEntry>, StoreError>;

    /// The entries of a sale's credit note and of its refund that were not reversed, by the note's
    /// record in the registry.
    async fn entries_of_note(&mut self, venta: i64, factura: i64) -> Result<Vec<LedgerEntry>, StoreError>;

    /// The entries of an order's deliveries before it was owed that were not reversed.
    async fn entries_of_handovers(&mut self, venta: i64) -> Result<Vec<LedgerEntry>, StoreError>;

    /// The amounts that were posted of a receivable and of its valid payments.
    async fn collected(&mut self, cxc: i64) -> Result<Collected, StoreError>;

    /// The entry of a payment that was not reversed; an imported payment has none.
    async fn entry_of_payment(&mut self, pago: i64) -> Result<Option<LedgerEntry>, StoreError>;

    /// The entries of an account payable without its payments, or of its payment `pago`, that were
    /// not reversed; an imported one has none.
    async fn entries_of_payable(&mut self, cxp: i64, pago: Option<i64>) -> Result<Vec<LedgerEntry>, StoreError>;

    /// The day of the first entry about an account payable or its payments.
    async fn first_entry_of_payable(&mut self, cxp: i64) -> Result<Option<NaiveDate>, StoreError>;

    /// The sum of a document's entries on these accounts, in pesos: debits less credits.
    async fn booked(&mut self, document: BookedDocument, accounts: &[Account]) -> Result<Decimal, StoreError>;

    /// The accounts of entries up to `hasta`, in order of their numbers, with the debits and
    /// credits from `desde` on. `None` sets no limit.
    async fn trial_balance(
        &mut self,
        desde: Option<NaiveDate>,
        hasta: Option<NaiveDate>,
    ) -> Result<Vec<AccountBalance>, StoreError>;
}
