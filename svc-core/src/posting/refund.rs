//! Money that goes back to a customer from a bank account.

use crate::domain::accounting::{About, Account, EntryError, EntryLine, LedgerEntry, exchange_difference};
use crate::domain::line;
use crate::error::Error;
use crate::operation::Cx;
use crate::store::NewRefund;

/// Stores a refund, about the sale `venta` if there is one, and posts it: `lines` are what is no
/// longer owed, and the rest is an exchange difference. The bank account is locked. Returns the
/// refund's clave.
pub(crate) async fn give_back(
    cx: &mut Cx<'_>,
    refund: &NewRefund<'_>,
    venta: Option<i64>,
    mut lines: Vec<EntryLine>,
) -> Result<i64, Error> {
    let reembolso = cx.tx.insert_refund(refund, cx.now).await?;
    let pesos = line::pesos(refund.importe, refund.tipo_cambio).ok_or(EntryError::TooLarge)?;
    lines.push(EntryLine::abono(Account::Bancos, pesos));
    lines.push(exchange_difference(&lines));
    if let Some(entry) = LedgerEntry::new(format!("Reembolso {reembolso}"), refund.fecha, lines)? {
        let about = About { venta, factura: refund.factura, reembolso: Some(reembolso), ..About::default() };
        let about = About { cuenta_bancaria: Some(refund.cuenta_bancaria), ..about };
        cx.tx.insert_entry(&entry.of(about), cx.now).await?;
    }
    Ok(reembolso)
}
