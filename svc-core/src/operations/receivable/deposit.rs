//! Deposits: money in a bank account that pays receivables later.

use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::accounting::{About, Account, EntryError, EntryLine, LedgerEntry};
use crate::domain::currency::{self, PESO};
use crate::domain::deposit::PaidAccount;
use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::payment::{amount_schema, validate_amount, validate_document_day};
use crate::domain::quantity::Rate;
use crate::domain::time::Date;
use crate::error::{Code, Error};
use crate::json::Text;
use crate::operation::{Cx, Operation, Spec};
use crate::posting::payment::named_deposit;
use crate::store::{BankReceipt, BookedDocument, DepositOrigin, period_closed};

/// Captures a deposit to be applied later.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaptureDeposit {
    /// The clave of the bank account.
    pub cuenta_bancaria: i64,
    /// The day of the deposit, not in the future and at most five years ago.
    pub fecha: Date,
    /// The amount, in the account's currency.
    #[schemars(schema_with = "amount_schema")]
    pub importe: Money,
    /// The bank's reference.
    pub referencia: Text<100>,
    /// Pesos per unit of the account's currency on that day. Without it, a deposit in a foreign
    /// currency is posted when it is applied.
    pub tipo_cambio: Option<Rate>,
}

/// The deposit that was created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DepositRef {
    /// The deposit's clave.
    pub deposito: i64,
}

/// Cancels a captured deposit that no payment uses.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelDeposit {
    /// The clave of the deposit.
    pub deposito: i64,
}

impl Operation for CaptureDeposit {
    const SPEC: Spec = Spec::new().named("deposit.capture");
    type Output = DepositRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<DepositRef, Error> {
        let receipt = BankReceipt {
            cuenta_bancaria: self.cuenta_bancaria,
            fecha: validate_document_day(self.fecha.0, cx.latest_day())?,
            importe: validate_amount(self.importe)?,
            referencia: &self.referencia,
        };
        let account = cx.tx.lock_bank_account(self.cuenta_bancaria).await?;
        let account = PaidAccount::validate(account.as_ref())?;
        account.validate_receiving(receipt.importe)?;
        let known = self.tipo_cambio.is_some() || account.moneda == PESO;
        let rate = known.then(|| currency::exchange_rate(&account.moneda, self.tipo_cambio)).transpose()?;
        let deposito = cx.tx.insert_deposit(&receipt, DepositOrigin::Captura, cx.now).await?;
        if let Some(rate) = rate {
            let pesos = line::pesos(receipt.importe, rate).ok_or(EntryError::TooLarge)?;
            let lines = [EntryLine::cargo(Account::Bancos, pesos), EntryLine::abono(Account::PorIdentificar, pesos)];
            if let Some(entry) = LedgerEntry::new(format!("Depósito {deposito}"), receipt.fecha, lines)? {
                let cuenta_bancaria = Some(self.cuenta_bancaria);
                let about = About { deposito: Some(deposito), cuenta_bancaria, ..About::default() };
                cx.tx.insert_entry(&entry.of(about), cx.now).await?;
            }
        } else if let Some(day) = cx.tx.lock_books().await?.filter(|day| receipt.fecha <= *day) {
            // It is posted when it is applied, but dated now.
            return Err(period_closed(day));
        }
        Ok(DepositRef { deposito })
    }
}

impl Operation for CancelDeposit {
    const SPEC: Spec = Spec::new().named("deposit.cancel");
    type Output = DepositRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<DepositRef, Error> {
        let deposito = self.deposito;
        let account = named_deposit(cx, deposito).await?.cuenta_bancaria;
        cx.tx.lock_bank_account(account).await?;
        let named = named_deposit(cx, deposito).await?;
        named.validate()?;
        if !cx.tx.cancel_deposit(deposito).await? {
            return Err(Error::field(Code::EstadoInvalido, "deposito", "está aplicado, al menos en parte"));
        }
        let waited = cx.tx.booked(BookedDocument::Deposit(deposito), &[Account::PorIdentificar]).await?;
        let waited = Money::new((-waited).max(Decimal::ZERO));
        let lines = [EntryLine::cargo(Account::PorIdentificar, waited), EntryLine::abono(Account::Bancos, waited)];
        let concept = format!("Cancelación: Depósito {deposito}");
        if let Some(entry) = LedgerEntry::new(concept, named.fecha.max(cx.today()), lines)? {
            let about = About { deposito: Some(deposito), cuenta_bancaria: Some(account), ..About::default() };
            cx.tx.insert_entry(&entry.of(about), cx.now).await?;
        }
        Ok(DepositRef { deposito })
    }
}
