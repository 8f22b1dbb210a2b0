//! The revaluation of balances in foreign currency at the end of a month.

use rust_decimal::Decimal;

use super::{Account, EntryError, EntryLine, balance_in_pesos};
use crate::domain::quantity::{Balance, Rate};

/// What an account holds in foreign currency on a day, as documents say it: debits less credits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignBalance {
    /// The account: banks, receivables, payables or waiting deposits.
    pub cuenta: Account,
    /// The bank account, if `cuenta` is [`Account::Bancos`]; else `None`.
    pub cuenta_bancaria: Option<i64>,
    /// The currency of `saldo`, a key of `c_Moneda` other than `MXN`.
    pub moneda: String,
    /// The balance in that currency.
    pub saldo: Decimal,
    /// What the entries of the same documents hold of it, in pesos.
    pub pesos: Decimal,
}

/// A balance at the exchange rate of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Revalued {
    /// What it is worth, in pesos.
    pub valor: Decimal,
    /// How much more that is than what the entries hold.
    pub diferencia: Decimal,
}

impl ForeignBalance {
    /// The balance at `rate` pesos for one unit of its currency.
    pub(crate) fn at(&self, rate: Rate) -> Result<Revalued, EntryError> {
        let valor = balance_in_pesos(Balance::new(self.saldo), rate).ok_or(EntryError::TooLarge)?.get();
        Ok(Revalued { valor, diferencia: valor - self.pesos })
    }
}

/// The lines that revalue these balances: each difference on the account beside that of its
/// balance, gains and losses apart.
pub(crate) fn revaluation_lines(revalued: &[(Account, Decimal)]) -> Vec<EntryLine> {
    let mut lines: Vec<EntryLine> = Vec::new();
    for (account, difference) in revalued {
        let Some(beside) = account.revalued() else { continue };
        let contra = if difference.is_sign_negative() { Account::PerdidaCambiaria } else { Account::UtilidadCambiaria };
        lines.extend([EntryLine::of(beside, *difference), EntryLine::of(contra, -difference)]);
    }
    let sum = |account: Account| lines.iter().filter(|line| line.cuenta == account).map(EntryLine::signed).sum();
    let sums = Account::ALL.iter().map(|account| EntryLine::of(*account, sum(*account)));
    sums.filter(|line| !line.importe.get().is_zero()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_and_losses_stand_apart_and_each_account_once() {
        let of = |text: &str| text.parse::<Decimal>().unwrap();
        let differences = [
            (Account::Bancos, of("100.00")),
            (Account::Bancos, of("-30.00")),
            (Account::Clientes, of("50.00")),
            (Account::Proveedores, of("-20.00")),
            (Account::PorIdentificar, of("0.00")),
        ];
        let lines = revaluation_lines(&differences);
        let shown: Vec<String> = lines.iter().map(|line| format!("{} {}", line.cuenta.word(), line.signed())).collect();
        assert_eq!(shown, ["102.01.R 70.00", "105.01.R 50.00", "201.01.R -20.00", "701.01 50.00", "702.01 -150.00"]);
        assert!(lines.iter().map(EntryLine::signed).sum::<Decimal>().is_zero());
    }

    #[test]
    fn a_debt_is_worth_more_at_a_higher_rate() {
        let of = |text: &str| text.parse::<Decimal>().unwrap();
        let balance = ForeignBalance {
            cuenta: Account::Proveedores,
            cuenta_bancaria: None,
            moneda: "USD".to_owned(),
            saldo: of("-100.00"),
            pesos: of("-1754.32"),
        };
        let revalued = balance.at(Rate::new(of("18.123456"))).unwrap();
        assert_eq!(revalued, Revalued { valor: of("-1812.35"), diferencia: of("-58.03") });
        let endless = ForeignBalance { saldo: of("999999999999999999"), ..balance };
        assert_eq!(endless.at(Rate::new(of("18"))), Err(EntryError::TooLarge));
    }
}
