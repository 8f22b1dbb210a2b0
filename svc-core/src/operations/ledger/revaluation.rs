//! The revaluation of balances in foreign currency at the end of a month.

use chrono::NaiveDate;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{EntryRef, line};
use crate::domain::accounting::{
    Account, EntryLine, EntryOrigin, ForeignBalance, FreeEntry, Revalued, revaluation_lines,
};
use crate::domain::currency::{self, PESO};
use crate::domain::quantity::{Balance, Rate};
use crate::domain::time::CalendarMonth;
use crate::error::{Code, Error};
use crate::json::{Exact, Many};
use crate::operation::{Cx, Operation, Spec};
use crate::store::period_closed;

/// How many currencies are revalued at once.
const MAX_CURRENCIES: usize = 50;

/// Revalues what bank accounts, receivables, payables and deposits that wait hold in foreign
/// currency at the end of a month, at the exchange rate of that day. Each currency has an entry of
/// the month's last day, which another of the next day takes back, so that a later payment's gain
/// or loss is the whole one.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RevalueBalances {
    /// The month, whose last day has come.
    pub mes: CalendarMonth,
    /// The exchange rate of each currency to revalue.
    pub tipos_cambio: Many<CurrencyRate, MAX_CURRENCIES>,
}

/// The exchange rate of a currency.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CurrencyRate {
    /// The currency, a key of the SAT's catalogue `c_Moneda` other than MXN.
    pub moneda: Exact<3>,
    /// Pesos for one unit of the currency on the month's last day.
    pub tipo_cambio: Rate,
}

/// The answer of [`RevalueBalances`].
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Revaluations {
    /// The month.
    pub mes: CalendarMonth,
    /// The currencies, in the order of the request.
    pub revaluaciones: Vec<CurrencyRevaluation>,
    /// The currencies with balances for which the request has no exchange rate.
    pub sin_tipo_cambio: Vec<String>,
}

/// The revaluation of one currency.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CurrencyRevaluation {
    /// The currency.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// The balances in that currency.
    pub saldos: Vec<RevaluedBalance>,
    /// The sum of the gains, in pesos.
    pub utilidad: Balance,
    /// The sum of the losses, in pesos.
    pub perdida: Balance,
    /// The entry of the month's last day; null where no balance differs.
    pub poliza: Option<i64>,
    /// The entry of the next day that takes it back.
    pub cancelacion: Option<i64>,
}

/// A balance in foreign currency. Debts to suppliers and deposits that wait are negative.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RevaluedBalance {
    /// The account that holds it, by its code.
    pub cuenta: String,
    /// The bank account, of balances in banks.
    pub cuenta_bancaria: Option<i64>,
    /// The balance, in its currency.
    pub saldo: Balance,
    /// What the books hold of it, in pesos.
    pub pesos: Balance,
    /// What it is worth at the exchange rate, in pesos.
    pub valor: Balance,
    /// How much more that is.
    pub diferencia: Balance,
}

impl Operation for RevalueBalances {
    const SPEC: Spec = Spec::new().named("ledger.revalue").each_time().errors(&[Code::MonedaInvalida]);
    type Output = Revaluations;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<Revaluations, Error> {
        let fecha = self.mes.last();
        if cx.today() < fecha {
            return Err(Error::field(Code::DatoInvalido, "mes", "aún no llega su último día"));
        }
        self.validate_rates()?;
        // Of two at once the second finds the first's entries.
        if let Some(day) = cx.tx.lock_books().await?.filter(|day| fecha <= *day) {
            return Err(period_closed(day));
        }
        for (at, CurrencyRate { moneda, .. }) in self.tipos_cambio.iter().enumerate() {
            if let Some(poliza) = cx.tx.revaluation_entry(fecha, moneda).await? {
                let field = format!("tipos_cambio[{at}].moneda");
                let text = format_args!("ya la revalúa la póliza {poliza}; ledger.reverse la deshace");
                return Err(Error::field(Code::EstadoInvalido, &field, text));
            }
        }
        let balances = cx.tx.foreign_balances(fecha).await?;
        let mut revaluaciones = Vec::with_capacity(self.tipos_cambio.len());
        for rate in self.tipos_cambio.iter() {
            revaluaciones.push(revalue(cx, fecha, rate, &balances).await?);
        }
        let is_given = |moneda: &str| self.tipos_cambio.iter().any(|rate| &*rate.moneda == moneda);
        let mut sin_tipo_cambio: Vec<String> =
            balances.into_iter().map(|balance| balance.moneda).filter(|moneda| !is_given(moneda)).collect();
        sin_tipo_cambio.sort_unstable();
        sin_tipo_cambio.dedup();
        Ok(Revaluations { mes: self.mes, revaluaciones, sin_tipo_cambio })
    }
}

impl RevalueBalances {
    /// Refuses pesos, unknown currencies and repeated ones; names the place.
    fn validate_rates(&self) -> Result<(), Error> {
        for (at, CurrencyRate { moneda, .. }) in self.tipos_cambio.iter().enumerate() {
            let field = format!("tipos_cambio[{at}].moneda");
            if &**moneda == PESO {
                return Err(Error::field(Code::DatoInvalido, &field, "los pesos no se revalúan"));
            }
            currency::validate(moneda).map_err(|error| Error::field(error.code(), &field, error.mensaje()))?;
            if self.tipos_cambio.iter().take(at).any(|earlier| earlier.moneda == *moneda) {
                return Err(Error::field(Code::DatoInvalido, &field, "está repetida"));
            }
        }
        Ok(())
    }
}

/// Writes the entries of one currency.
async fn revalue(
    cx: &mut Cx<'_>,
    fecha: NaiveDate,
    rate: &CurrencyRate,
    balances: &[ForeignBalance],
) -> Result<CurrencyRevaluation, Error> {
    let moneda = rate.moneda.to_string();
    let mut saldos = Vec::new();
    let mut differences = Vec::new();
    for balance in balances.iter().filter(|balance| balance.moneda == moneda) {
        let Revalued { valor, diferencia } = balance.at(rate.tipo_cambio)?;
        differences.push((balance.cuenta, diferencia));
        saldos.push(RevaluedBalance {
            cuenta: balance.cuenta.word().to_owned(),
            cuenta_bancaria: balance.cuenta_bancaria,
            saldo: Balance::new(balance.saldo),
            pesos: Balance::new(balance.pesos),
            valor: Balance::new(valor),
            diferencia: Balance::new(diferencia),
        });
    }
    let lines = revaluation_lines(&differences);
    let of = |account: Account| -> Decimal {
        lines.iter().filter(|line| line.cuenta == account).map(EntryLine::signed).sum()
    };
    let (utilidad, perdida) = (-of(Account::UtilidadCambiaria), of(Account::PerdidaCambiaria));
    let (mut poliza, mut cancelacion) = (None, None);
    if !lines.is_empty() {
        let tipo_cambio = rate.tipo_cambio.get().normalize();
        let entry = FreeEntry {
            fecha,
            concepto: format!("Revaluación de saldos en {moneda} a {tipo_cambio}"),
            origen: EntryOrigin::Revaluacion,
            revierte: None,
            moneda: Some(moneda.clone()),
            lines: lines.iter().map(|part| line(part.cuenta.word().to_owned(), None, part.signed())).collect(),
        };
        let written = cx.tx.insert_free_entry(&entry, cx.now).await?;
        let next = CalendarMonth::of(fecha).next();
        cancelacion = Some(cx.tx.insert_free_entry(&entry.reversed(written, next.first()), cx.now).await?);
        poliza = Some(written);
    }
    let (utilidad, perdida) = (Balance::new(utilidad), Balance::new(perdida));
    Ok(CurrencyRevaluation { moneda, tipo_cambio: rate.tipo_cambio, saldos, utilidad, perdida, poliza, cancelacion })
}

/// Undoes the revaluation `poliza`, and its `cancelacion` of the next day, each on its own day. The
/// books are locked.
pub(super) async fn undo(cx: &mut Cx<'_>, poliza: i64, entry: &FreeEntry, cancelacion: i64) -> Result<EntryRef, Error> {
    let taken_back = cx.tx.reversible_entry(cancelacion).await?;
    let taken_back = taken_back.ok_or_else(|| Error::internal("a revaluation was taken back by no entry"))?;
    if taken_back.revertida.is_some() {
        return Err(Error::field(Code::EstadoInvalido, "poliza", "ya está deshecha"));
    }
    let undone = cx.tx.insert_free_entry(&entry.reversed(poliza, entry.fecha), cx.now).await?;
    let next = &taken_back.entry;
    cx.tx.insert_free_entry(&next.reversed(cancelacion, next.fecha), cx.now).await?;
    Ok(EntryRef { poliza: undone })
}
