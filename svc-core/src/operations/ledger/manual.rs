//! Entries that people write: manual ones, the opening balances, and their reversals.

use chrono::NaiveDate;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::Deserialize;

use super::chart::Chart;
use super::entry::{EntryRef, in_month_thirteen};
use super::revaluation;
use crate::domain::accounting::{Account, EntryOrigin, FreeEntry, FreeLine, Side, bank_subaccount, is_kept_by_lists};
use crate::domain::money::Money;
use crate::domain::time::{CalendarMonth, Date};
use crate::error::{Code, Error};
use crate::json::{Many, Text};
use crate::operation::{Cx, Operation, Spec};
use crate::store::ReversibleEntry;

/// How many lines an entry that people write has at most.
const MAX_MOVEMENTS: usize = 1000;

/// Writes an entry by hand.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteEntry {
    /// The entry's day, at the latest the last of the present month.
    pub fecha: Date,
    /// What it is for.
    pub concepto: Text<300>,
    /// The lines, which balance.
    pub movimientos: Many<ManualMovement, MAX_MOVEMENTS>,
}

/// Writes the opening balances: what accounts held before the first entry. A company has one such
/// entry; after it was reversed it can have another.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteOpening {
    /// The entry's day, at the latest the last of the present month.
    pub fecha: Date,
    /// What it is for.
    pub concepto: Text<300>,
    /// The lines, which balance.
    pub movimientos: Many<ManualMovement, MAX_MOVEMENTS>,
}

/// A line of an entry that people write.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ManualMovement {
    /// The account, by its code or its number.
    pub cuenta: Text<100>,
    /// The debit in pesos; a line has this or `haber`.
    pub debe: Option<Money>,
    /// The credit in pesos; a line has this or `debe`.
    pub haber: Option<Money>,
}

/// Reverses an entry that no document made, once: a manual one, the opening balances, the closing
/// of a year, or the revaluation of a month's end. Documents reverse their own.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReverseEntry {
    /// The clave of the entry.
    pub poliza: i64,
    /// The day of the reversal, not before the entry's; today if left out, or the entry's day if
    /// that is later. The closing of a year is undone on its own day, and so is a revaluation.
    pub fecha: Option<Date>,
}

impl Operation for WriteEntry {
    const SPEC: Spec = Spec::new().named("ledger.entry");
    type Output = EntryRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<EntryRef, Error> {
        let entry = written(cx, EntryOrigin::Manual, self.fecha, &self.concepto, &self.movimientos).await?;
        Ok(EntryRef { poliza: cx.tx.insert_free_entry(&entry, cx.now).await? })
    }
}

impl Operation for WriteOpening {
    const SPEC: Spec = Spec::new().named("ledger.opening");
    type Output = EntryRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<EntryRef, Error> {
        let entry = written(cx, EntryOrigin::Apertura, self.fecha, &self.concepto, &self.movimientos).await?;
        // Of two at once the second finds the first.
        cx.tx.lock_books().await?;
        if let Some(poliza) = cx.tx.opening_entry().await? {
            let text = format!("los saldos iniciales ya están en la póliza {poliza}; ledger.reverse los deshace");
            return Err(Error::new(Code::EstadoInvalido).message(text));
        }
        Ok(EntryRef { poliza: cx.tx.insert_free_entry(&entry, cx.now).await? })
    }
}

impl Operation for ReverseEntry {
    const SPEC: Spec = Spec::new().named("ledger.reverse");
    type Output = EntryRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<EntryRef, Error> {
        let poliza = self.poliza;
        let closed = cx.tx.lock_books().await?;
        let missing =
            || Error::field(Code::NoEncontrado, "poliza", format_args!("la póliza {poliza} no existe en la empresa"));
        let ReversibleEntry { entry, revertida } = cx.tx.reversible_entry(poliza).await?.ok_or_else(missing)?;
        let refused = |text: &str| Err(Error::field(Code::EstadoInvalido, "poliza", text));
        if entry.origen == EntryOrigin::Documento {
            return refused("es de un documento, y se deshace con él");
        }
        if entry.revierte.is_some() {
            return refused("es la cancelación de otra");
        }
        if let (EntryOrigin::Revaluacion, Some(cancelacion)) = (entry.origen, revertida) {
            return revaluation::undo(cx, poliza, &entry, cancelacion).await;
        }
        if let Some(other) = revertida {
            return refused(&format!("ya la cancela la póliza {other}"));
        }
        if entry.origen == EntryOrigin::Cierre {
            let reversal = entry.reversed(poliza, entry.fecha);
            return Ok(EntryRef { poliza: in_month_thirteen(cx, closed, &reversal).await? });
        }
        let fecha = match self.fecha {
            Some(Date(fecha)) if fecha < entry.fecha => {
                return Err(Error::field(Code::DatoInvalido, "fecha", "es anterior a la póliza"));
            }
            Some(fecha) => entry_day(cx, fecha)?,
            None => entry.fecha.max(cx.today()),
        };
        Ok(EntryRef { poliza: cx.tx.insert_free_entry(&entry.reversed(poliza, fecha), cx.now).await? })
    }
}

/// Refuses a day after the present month.
pub(super) fn entry_day(cx: &Cx<'_>, fecha: Date) -> Result<NaiveDate, Error> {
    if fecha.0 > CalendarMonth::of(cx.today()).last() {
        return Err(Error::field(Code::DatoInvalido, "fecha", "es posterior al mes en curso"));
    }
    Ok(fecha.0)
}

/// Validates an entry that people write: first what its lines say, then their accounts.
async fn written(
    cx: &mut Cx<'_>,
    origen: EntryOrigin,
    fecha: Date,
    concepto: &str,
    movimientos: &[ManualMovement],
) -> Result<FreeEntry, Error> {
    let fecha = entry_day(cx, fecha)?;
    let amounts = amounts(movimientos)?;
    let chart = Chart::read(cx).await?;
    let mut lines = Vec::with_capacity(movimientos.len());
    for (at, (movement, (lado, importe))) in movimientos.iter().zip(amounts).enumerate() {
        let fault = |code, text| Error::field(code, &format!("movimientos[{at}].cuenta"), text);
        let (codigo, numero) = if let Some(codigo) = chart.code_of(&movement.cuenta) {
            (codigo, None)
        } else {
            let text = "no es una cuenta de la empresa ni un código del SAT";
            let bank = bank_account(cx, &chart, &movement.cuenta).await?;
            (bank.ok_or_else(|| fault(Code::ReferenciaInvalida, text))?, Some(movement.cuenta.to_string()))
        };
        if Account::of(&codigo).is_some_and(Account::is_of_revaluation) {
            return Err(fault(Code::EstadoInvalido, "sus movimientos son los de ledger.revalue"));
        }
        if is_kept_by_lists(&codigo) {
            let text = "sus movimientos son de documentos, que se capturan o importan";
            return Err(fault(Code::EstadoInvalido, text));
        }
        lines.push(FreeLine { codigo, numero, lado, importe });
    }
    Ok(FreeEntry { fecha, concepto: concepto.to_owned(), origen, revierte: None, moneda: None, lines })
}

/// The account of banks, if `cuenta` is the number of a bank account's own subaccount.
async fn bank_account(cx: &mut Cx<'_>, chart: &Chart, cuenta: &str) -> Result<Option<String>, Error> {
    let banks = Account::Bancos.word();
    let clave = cuenta.strip_prefix(chart.number(banks)).and_then(|rest| rest.strip_prefix('.'));
    let Some(clave) = clave.and_then(|digits| digits.parse().ok()) else { return Ok(None) };
    let is_number = cuenta.ends_with(&bank_subaccount(clave));
    let exists = is_number && cx.tx.lock_bank_account(clave).await?.is_some();
    Ok(exists.then(|| banks.to_owned()))
}

/// The side and amount of each line; they balance.
fn amounts(movimientos: &[ManualMovement]) -> Result<Vec<(Side, Money)>, Error> {
    let (mut debe, mut haber) = (Decimal::ZERO, Decimal::ZERO);
    let mut amounts = Vec::with_capacity(movimientos.len());
    for (at, movement) in movimientos.iter().enumerate() {
        let fault = |code, field: &str, text| Err(Error::field(code, &format!("movimientos[{at}].{field}"), text));
        let (lado, field, importe) = match (movement.debe, movement.haber) {
            (Some(importe), None) => (Side::Cargo, "debe", importe),
            (None, Some(importe)) => (Side::Abono, "haber", importe),
            (None, None) => return fault(Code::DatoRequerido, "debe", "hace falta, o haber"),
            (Some(_), Some(_)) => return fault(Code::DatoInvalido, "haber", "no va junto con debe"),
        };
        let amount = importe.get().normalize();
        if amount <= Decimal::ZERO {
            return fault(Code::DatoInvalido, field, "debe ser mayor que cero");
        }
        if amount.scale() > 2 {
            return fault(Code::DatoInvalido, field, "lleva a lo más dos decimales");
        }
        *(if lado == Side::Cargo { &mut debe } else { &mut haber }) += amount;
        amounts.push((lado, Money::new(amount)));
    }
    if debe != haber {
        let text = format!("no cuadran: el debe suma {} y el haber {}", Money::new(debe), Money::new(haber));
        return Err(Error::field(Code::DatoInvalido, "movimientos", text));
    }
    Ok(amounts)
}
