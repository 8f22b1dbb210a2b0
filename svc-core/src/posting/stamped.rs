//! What the tax authority says of an invoice or a payment complement, whoever brings its word: the worker or the screens.

use uuid::Uuid;

use crate::domain::event::Event;
use crate::domain::time::Timestamp;
use crate::domain::words::InvoiceKind;
use crate::error::Error;
use crate::operation::Cx;
use crate::store::RegisteredInvoice;

/// It stamped a record: registry, sale, receivable or payments bear its uuid; of an income invoice `factura.timbrada` is
/// emitted. The record is locked, and may be stamped.
pub(crate) async fn accepted(
    cx: &mut Cx<'_>,
    invoice: &RegisteredInvoice,
    uuid: Uuid,
    at: Timestamp,
) -> Result<(), Error> {
    let uuid = uuid.to_string();
    if let Some(venta) = invoice.venta {
        cx.tx.lock_receivables(venta).await?;
    }
    cx.tx.set_stamped(invoice.clave, &uuid, at, cx.now).await?;
    if let (InvoiceKind::Factura, Some(venta)) = (invoice.tipo, invoice.venta) {
        cx.emit(&Event::FacturaTimbrada { factura: invoice.clave, venta, uuid }).await?;
        cx.tx.hurry_complements(invoice.clave, cx.now).await?;
    }
    Ok(())
}

/// It refused a record. The record is locked, and waits for its word.
pub(crate) async fn refused(
    cx: &mut Cx<'_>,
    invoice: &RegisteredInvoice,
    codigo: &str,
    mensaje: &str,
) -> Result<(), Error> {
    Ok(cx.tx.set_rejected(invoice.clave, codigo, mensaje, cx.now).await?)
}
