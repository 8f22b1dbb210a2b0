//! The closing of a year.

use chrono::NaiveDate;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::Deserialize;

use super::chart::Chart;
use super::entry::{EntryRef, in_month_thirteen, line};
use crate::domain::accounting::{EntryOrigin, FreeEntry};
use crate::error::{Code, Error};
use crate::json::Within;
use crate::operation::{Cx, Operation, Spec};

/// Closes a year that is over: one entry of its last day moves the balances of income, costs and
/// expenses to the result of the year, and all its months are closed.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseYear {
    /// The year.
    pub ejercicio: Within<2015, 2099>,
}

/// Where the result of a year goes: a profit, and a loss.
const PROFIT: &str = "305.01";
const LOSS: &str = "305.02";

impl Operation for CloseYear {
    const SPEC: Spec = Spec::new().named("ledger.close-year").each_time();
    type Output = EntryRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<EntryRef, Error> {
        let year = self.ejercicio.get();
        let invalid = |text: &str| Error::field(Code::DatoInvalido, "ejercicio", text);
        let last_day = i32::try_from(year).ok().and_then(|year| NaiveDate::from_ymd_opt(year, 12, 31));
        let fecha = last_day.ok_or_else(|| invalid("no es un año"))?;
        if cx.today() <= fecha {
            return Err(invalid("aún no termina"));
        }
        let closed = cx.tx.lock_books().await?;
        if let Some((poliza, day)) = cx.tx.closing_entry(fecha).await? {
            // The result of a later year that is closed contains that of this one.
            let closed = if day == fecha { "ya lo cierra" } else { "otro posterior ya está cerrado por" };
            let text = format_args!("{closed} la póliza {poliza}; ledger.reverse la deshace");
            return Err(Error::field(Code::EstadoInvalido, "ejercicio", text));
        }
        let chart = Chart::read(cx).await?;
        let balances = cx.tx.balances_at(fecha).await?;
        let is_result = |codigo: &str| chart.group(codigo).starts_with(['4', '5', '6', '7']);
        let mut lines = Vec::new();
        let mut result = Decimal::ZERO;
        for balance in balances.into_iter().filter(|balance| is_result(&balance.codigo)) {
            result += balance.saldo;
            lines.push(line(balance.codigo, Some(balance.cuenta), -balance.saldo));
        }
        if lines.is_empty() {
            let text = "no hay ingresos, costos ni gastos que cerrar";
            return Err(Error::field(Code::EstadoInvalido, "ejercicio", text));
        }
        let account = if result.is_sign_positive() && !result.is_zero() { LOSS } else { PROFIT };
        if !result.is_zero() {
            lines.push(line(account.to_owned(), None, result));
        }
        let concepto = format!("Cierre del ejercicio {year}");
        let entry = FreeEntry { fecha, concepto, origen: EntryOrigin::Cierre, revierte: None, moneda: None, lines };
        let poliza = in_month_thirteen(cx, closed, &entry).await?;
        cx.tx.close_until(closed.max(Some(fecha))).await?;
        Ok(EntryRef { poliza })
    }
}
