//! Bank accounts and deposits.

use async_trait::async_trait;
use chrono::NaiveDate;

use super::StoreError;
use crate::domain::deposit::{Earlier, PaidAccount};
use crate::domain::money::Money;
use crate::domain::time::Timestamp;

/// Money that came to a bank account: the data that tell one payment or deposit from another.
#[derive(Debug, Clone, Copy)]
pub struct Receipt<'a> {
    /// The bank account.
    pub cuenta_bancaria: i64,
    /// The day.
    pub fecha: NaiveDate,
    /// The amount, in the account's currency.
    pub importe: Money,
    /// Bank reference.
    pub referencia: &'a str,
}

/// Where a deposit comes from; it decides what becomes of it when its payments are cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DepositOrigin {
    /// It was captured, to be applied later; it stays.
    Captura,
    /// It came to be with the payment that applies all of it; it goes with it.
    Pago,
}

impl DepositOrigin {
    /// The word in the database.
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

/// Bank accounts and deposits inside a transaction.
#[async_trait]
pub trait BankTx {
    /// A bank account, locked against other changes until the end. Whoever writes a deposit or a payment that came to an
    /// account has locked it, so that the same money cannot come twice at once.
    async fn lock_bank_account(&mut self, cuenta: i64) -> Result<Option<PaidAccount>, StoreError>;

    /// What came to the account before with the same data.
    async fn earlier(&mut self, receipt: &Receipt<'_>) -> Result<Earlier, StoreError>;

    /// Writes a deposit, by which the account's balance rises, and gives its clave. One of [`DepositOrigin::Pago`] is
    /// applied in full.
    async fn insert_deposit(
        &mut self,
        receipt: &Receipt<'_>,
        origen: DepositOrigin,
        now: Timestamp,
    ) -> Result<i64, StoreError>;

    /// Applies that much more of a deposit; false when less of it is left.
    async fn apply_deposit(&mut self, deposito: i64, importe: Money) -> Result<bool, StoreError>;

    /// Applies that much less of a deposit in an account. One of [`DepositOrigin::Pago`] of which nothing is applied any
    /// more is cancelled, by which the account's balance falls.
    async fn release_deposit(&mut self, deposito: i64, cuenta: i64, importe: Money) -> Result<(), StoreError>;
}
