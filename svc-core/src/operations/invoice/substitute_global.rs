//! Substitution of a global invoice.

use super::InvoiceRef;
use super::outcome::wrong_state;
use crate::domain::invoice::invoice_series;
use crate::domain::words::{InvoiceKind, InvoiceOrigin};
use crate::error::Error;
use crate::operation::Cx;
use crate::posting::issuer::validate_issuer;
use crate::posting::{global, queued, ticket};
use crate::store::RegisteredInvoice;

/// Makes the substitute of a valid global invoice from the sales that are still in it. They pass to
/// the substitute when it is stamped.
pub(super) async fn substitute(cx: &mut Cx<'_>, invoice: &RegisteredInvoice) -> Result<InvoiceRef, Error> {
    let Some((period, sales)) = global::remaining(cx, invoice.clave).await? else {
        return Err(wrong_state("no es de una venta"));
    };
    if !cx.tx.substitutions(invoice.clave).await?.is_empty() {
        return Err(wrong_state("ya tiene una factura que la sustituye"));
    }
    if sales.is_empty() {
        return Err(wrong_state("ninguna de sus ventas sigue en ella"));
    }
    if let Some(text) = ticket::undecided_note(cx, invoice.clave, None).await? {
        return Err(wrong_state(&text));
    }
    validate_issuer(cx).await?;
    let (tipo, origen) = (InvoiceKind::Factura, InvoiceOrigin::Aplicacion);
    let (factura, heading) = queued::open(cx, tipo, invoice_series(0), None, None, origen).await?;
    cx.tx.relate_substitute(factura, invoice.clave).await?;
    let ventas: Vec<i64> = sales.iter().map(|sale| sale.venta).collect();
    cx.tx.insert_global(factura, &period, &ventas, cx.now).await?;
    let document = global::document(cx, &period, sales, heading).await?;
    queued::keep_fit(cx, factura, document).await?;
    Ok(InvoiceRef { factura })
}
