//! What the operations that write entries share.

use chrono::NaiveDate;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::accounting::{FreeEntry, FreeLine, Side};
use crate::domain::money::Money;
use crate::error::Error;
use crate::operation::Cx;

/// The entry that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct EntryRef {
    /// The entry's clave.
    pub poliza: i64,
}

/// Inserts an entry of month 13, for which December may be closed; the books are locked and closed
/// until `closed`.
pub(super) async fn in_month_thirteen(
    cx: &mut Cx<'_>,
    closed: Option<NaiveDate>,
    entry: &FreeEntry,
) -> Result<i64, Error> {
    let eve = entry.fecha.pred_opt();
    cx.tx.close_until(closed.min(eve)).await?;
    let poliza = cx.tx.insert_free_entry(entry, cx.now).await?;
    cx.tx.close_until(closed).await?;
    Ok(poliza)
}

/// A line that moves an account by `saldo`, debits less credits.
pub(super) fn line(codigo: String, numero: Option<String>, saldo: Decimal) -> FreeLine {
    let lado = if saldo.is_sign_negative() { Side::Abono } else { Side::Cargo };
    FreeLine { codigo, numero, lado, importe: Money::new(saldo.abs()) }
}
