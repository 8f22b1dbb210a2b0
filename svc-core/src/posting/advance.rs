//! Applies reserved advances when their sale is invoiced.

use rust_decimal::Decimal;

use super::credit_note::{self, NewNote};
use crate::domain::advance;
use crate::domain::cfdi::TipoRelacion;
use crate::domain::invoice::LockedSale;
use crate::domain::money::Money;
use crate::domain::words::PaymentOrigin;
use crate::error::Error;
use crate::operation::Cx;

/// Applies the advances that were assigned to a sale just invoiced as `factura`, as long as
/// something is owed. The invoice relates to them (07), and a credit note per advance, related to
/// the invoice, reduces the receivable.
pub(crate) async fn apply_named(cx: &mut Cx<'_>, sale: &LockedSale, factura: i64) -> Result<(), Error> {
    let Some(cliente) = sale.cliente else { return Ok(()) };
    for anticipo in cx.tx.assigned_advances(sale.clave).await? {
        // Advances that were cancelled or rejected meanwhile are skipped.
        let Some(found) = cx.tx.lock_advance(anticipo).await?.filter(|found| !found.en_error) else { continue };
        let Some((_, owed)) = cx.tx.owed_of_sale(sale.clave).await? else { break };
        let funds = cx.tx.funds(cliente, &sale.moneda, PaymentOrigin::Anticipo).await?;
        let part = found.restante.get().min(owed.get()).min(funds);
        if part <= Decimal::ZERO {
            continue;
        }
        let lines = cx.tx.lines_to_stamp(&[anticipo]).await?;
        let line = lines.first().and_then(|(_, line)| advance::applied(line, Money::new(part)));
        let line = line.ok_or_else(|| Error::internal(format!("advance {anticipo} has no line")))?;
        cx.tx.relate(factura, TipoRelacion::Anticipo, found.factura).await?;
        let note = NewNote {
            factura,
            sale,
            relacion: TipoRelacion::Anticipo,
            forma_pago_sat: advance::FORM,
            anticipo: Some(anticipo),
            amounts: line.amounts,
            lines: vec![line],
        };
        credit_note::apply_advance(cx, note, found.tipo_cambio).await?;
    }
    Ok(())
}
