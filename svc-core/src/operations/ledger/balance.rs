//! The trial balance.

use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chart::Chart;
use crate::domain::quantity::Balance;
use crate::domain::time::Date;
use crate::error::{Code, Error};
use crate::operation::{Cx, Operation, Spec};

/// The trial balance of a period, or up to a day: every account with entries, in pesos.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrialBalance {
    /// The first day; the day of the first entry if left out.
    pub desde: Option<Date>,
    /// The last day; the day of the last entry if left out.
    pub hasta: Option<Date>,
}

/// The answer of [`TrialBalance`]. A balance is debits less credits, so a credit balance is
/// negative.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Balances {
    /// The first day of the period, as requested.
    pub desde: Option<Date>,
    /// The last day of the period, as requested.
    pub hasta: Option<Date>,
    /// The accounts, sorted by number.
    pub cuentas: Vec<AccountMovement>,
    /// The sums over all accounts: the balances add up to zero, and debits equal credits.
    pub totales: Sums,
}

/// An account in the trial balance.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AccountMovement {
    /// The number in the company's books.
    pub cuenta: String,
    /// The SAT's codes posted under that number: several if the company gave them the same one.
    pub codigos: Vec<String>,
    /// The names of those codes.
    pub nombre: String,
    /// The account's movement.
    #[serde(flatten)]
    pub sums: Sums,
}

/// Movement in a period, in pesos.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Sums {
    /// The balance at the beginning.
    pub saldo_inicial: Balance,
    /// The sum of the debits.
    pub cargos: Balance,
    /// The sum of the credits.
    pub abonos: Balance,
    /// The balance at the end.
    pub saldo: Balance,
}

impl Sums {
    fn of(saldo_inicial: Decimal, cargos: Decimal, abonos: Decimal) -> Self {
        let [saldo_inicial, cargos, abonos, saldo] =
            [saldo_inicial, cargos, abonos, saldo_inicial + cargos - abonos].map(Balance::new);
        Self { saldo_inicial, cargos, abonos, saldo }
    }

    fn plus(self, other: Self) -> Self {
        let sum = |of: fn(Self) -> Balance| of(self).get() + of(other).get();
        Self::of(sum(|sums| sums.saldo_inicial), sum(|sums| sums.cargos), sum(|sums| sums.abonos))
    }
}

impl Operation for TrialBalance {
    const SPEC: Spec = Spec::new().named("ledger.balance").reads();
    type Output = Balances;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<Balances, Error> {
        let (desde, hasta) = (self.desde.map(|day| day.0), self.hasta.map(|day| day.0));
        if desde.zip(hasta).is_some_and(|(desde, hasta)| desde > hasta) {
            return Err(Error::field(Code::DatoInvalido, "hasta", "es anterior a desde"));
        }
        let balances = cx.tx.trial_balance(desde, hasta).await?;
        let chart = Chart::read(cx).await?;
        let names = |codes: &[String]| codes.iter().map(|code| chart.name(code)).collect::<Vec<_>>().join("; ");
        let cuentas: Vec<AccountMovement> = balances
            .into_iter()
            .map(|row| AccountMovement {
                nombre: names(&row.codigos),
                cuenta: row.cuenta,
                codigos: row.codigos,
                sums: Sums::of(row.saldo_inicial, row.cargos, row.abonos),
            })
            .collect();
        let totales = cuentas.iter().fold(Sums::default(), |sum, line| sum.plus(line.sums));
        Ok(Balances { desde: self.desde, hasta: self.hasta, cuentas, totales })
    }
}
