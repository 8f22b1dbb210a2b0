//! Bank accounts and their deposits, for payments of receivables.

use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::line;
use super::money::Money;
use super::payment::too_large;
use crate::error::{Code, Error};

/// A bank account that receives deposits.
#[derive(Debug, Clone)]
pub struct PaidAccount {
    /// The clave in `cuentas_bancarias`.
    pub clave: i64,
    /// Whether it is in use.
    pub activa: bool,
    /// The currency of its deposits and of its balance.
    pub moneda: String,
    /// The balance, in the account's currency.
    pub saldo: Decimal,
}

impl PaidAccount {
    /// Checks that the account exists and is in use.
    pub(crate) fn validate(found: Option<&Self>) -> Result<&Self, Error> {
        found.filter(|account| account.activa).ok_or_else(|| Code::CuentaBancariaInvalida.into())
    }

    /// Refuses a receivable in another currency.
    pub(crate) fn validate_currency(&self, moneda: &str) -> Result<(), Error> {
        if self.moneda == moneda { Ok(()) } else { Err(Code::MonedaDistinta.into()) }
    }

    /// Refuses an amount that would make the balance longer than 18 digits (contract §1).
    pub(crate) fn validate_receiving(&self, importe: Money) -> Result<(), Error> {
        self.validate_change(importe.get())
    }

    /// Refuses a change of the balance, negative if money leaves, that would make it longer than 18
    /// digits.
    pub(crate) fn validate_change(&self, importe: Decimal) -> Result<(), Error> {
        let after = Money::new((self.saldo + importe).abs());
        line::amount(after.get()).map(|_| ()).ok_or_else(too_large)
    }
}

/// A deposit that is not cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deposit {
    /// The clave in `depositos`.
    pub clave: i64,
    /// What was deposited, in the account's currency.
    pub importe: Money,
    /// The part that is applied to receivables.
    pub aplicado: Money,
}

impl Deposit {
    /// The part that is not applied yet.
    fn rest(&self) -> Decimal {
        self.importe.get() - self.aplicado.get()
    }
}

/// A deposit that a payment names.
#[derive(Debug, Clone)]
pub struct NamedDeposit {
    /// The clave in `depositos`.
    pub clave: i64,
    /// The bank account that received it.
    pub cuenta_bancaria: i64,
    /// The day it was received.
    pub fecha: NaiveDate,
    /// Its amount, in the account's currency.
    pub importe: Money,
    /// The part that is applied to receivables.
    pub aplicado: Money,
    /// The bank's reference; `None` if the deposit has none.
    pub referencia: Option<String>,
    /// Whether it is cancelled.
    pub cancelado: bool,
}

impl NamedDeposit {
    /// Refuses a cancelled deposit. Returns the part that is not applied yet.
    pub(crate) fn validate(&self) -> Result<Money, Error> {
        if self.cancelado {
            return Err(Error::field(Code::EstadoInvalido, "deposito", "está cancelado"));
        }
        Ok(Money::new(self.importe.get() - self.aplicado.get()))
    }
}

/// Earlier deposits and payments in the same account, on the same day and with the same reference:
/// deposits whose amount or unapplied part equals the payment's amount, and whether a valid payment
/// of that amount exists.
#[derive(Debug, Clone, Default)]
pub struct Legacy {
    /// The deposits, cancelled ones left out.
    pub deposits: Vec<Deposit>,
    /// Whether there is such a payment.
    pub payment: bool,
}

impl Legacy {
    fn is_repeated(&self) -> bool {
        self.payment || self.deposits.iter().any(|deposit| deposit.rest().is_zero())
    }

    /// For the API: refuses a repeated payment, and a payment whose deposit already exists, because
    /// the API does not apply deposits.
    pub(crate) fn refuse(&self) -> Result<(), Error> {
        match self {
            _ if self.is_repeated() => Err(Code::PagoRepetido.into()),
            _ if !self.deposits.is_empty() => Err(Code::DepositoSinAplicar.into()),
            _ => Ok(()),
        }
    }

    /// For the back office: returns the existing deposit to apply, if any. A repeated payment is
    /// refused.
    pub(crate) fn deposit_of(&self, importe: Money) -> Result<Option<i64>, Error> {
        if let Some(deposit) = self.deposits.iter().find(|deposit| deposit.rest() == importe.get()) {
            return Ok(Some(deposit.clave));
        }
        match self.deposits.iter().find(|deposit| !deposit.rest().is_zero()) {
            _ if self.is_repeated() => Err(Code::PagoRepetido.into()),
            Some(Deposit { clave, .. }) => Err(Error::field(
                Code::EstadoInvalido,
                "importe",
                format_args!("el depósito {clave} ya está aplicado en parte; aplique el resto"),
            )),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn money(text: &str) -> Money {
        Money::parse(text).unwrap()
    }

    fn code<T>(outcome: Result<T, Error>) -> Option<Code> {
        outcome.err().map(|error| error.code())
    }

    #[test]
    fn an_account_is_in_use_and_of_the_same_currency() {
        let account = PaidAccount { clave: 1, activa: true, moneda: "MXN".into(), saldo: Decimal::NEGATIVE_ONE };
        assert_eq!(code(PaidAccount::validate(None)), Some(Code::CuentaBancariaInvalida));
        let closed = PaidAccount { activa: false, ..account.clone() };
        assert_eq!(code(PaidAccount::validate(Some(&closed))), Some(Code::CuentaBancariaInvalida));
        assert_eq!(code(PaidAccount::validate(Some(&account))), None);
        assert_eq!(code(account.validate_currency("MXN")), None);
        assert_eq!(code(account.validate_currency("USD")), Some(Code::MonedaDistinta));
        assert_eq!(code(account.validate_receiving(money("0.5"))), None);
        let full = PaidAccount { saldo: money("999999999999999999").get(), ..account };
        assert_eq!(code(full.validate_receiving(money("1"))), Some(Code::DatoInvalido));
    }

    #[test]
    fn what_came_before_is_repeated_waits_or_is_applied() {
        let deposit = |clave, importe, aplicado| Deposit { clave, importe: money(importe), aplicado: money(aplicado) };
        let earlier = |deposits: &[Deposit], payment| Legacy { deposits: deposits.to_vec(), payment };
        let [waiting, applied] = [deposit(1, "100", "0"), deposit(2, "100", "100")];
        let [part, rest] = [deposit(3, "100", "40"), deposit(4, "300", "200")];
        // The earlier records, the outcome for the API, and the outcome for the back office.
        for (found, refused, applies) in [
            (earlier(&[], false), None, Ok(None)),
            (earlier(&[], true), Some(Code::PagoRepetido), Err(Code::PagoRepetido)),
            (earlier(&[applied], false), Some(Code::PagoRepetido), Err(Code::PagoRepetido)),
            (earlier(&[waiting], false), Some(Code::DepositoSinAplicar), Ok(Some(1))),
            (earlier(&[applied, waiting], true), Some(Code::PagoRepetido), Ok(Some(1))),
            (earlier(&[part], false), Some(Code::DepositoSinAplicar), Err(Code::EstadoInvalido)),
            (earlier(&[part], true), Some(Code::PagoRepetido), Err(Code::PagoRepetido)),
            (earlier(&[rest], true), Some(Code::PagoRepetido), Ok(Some(4))),
        ] {
            assert_eq!(code(found.refuse()), refused, "{found:?}");
            assert_eq!(found.deposit_of(money("100")).map_err(|error| error.code()), applies, "{found:?}");
        }
    }
}
