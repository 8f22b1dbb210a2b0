//! Recording the tax authority's answer on an invoice or complement, from the stamping worker or
//! the back office.

use uuid::Uuid;

use super::{complement, correction, mailing};
use crate::domain::cfdi::StampedXml;
use crate::domain::event::Event;
use crate::domain::time::Timestamp;
use crate::domain::words::InvoiceKind;
use crate::error::Error;
use crate::operation::Cx;
use crate::store::RegisteredInvoice;

/// Records that `invoice` was stamped. Registry, sale, and receivable or payments get the fiscal
/// folio; an income invoice emits `factura.timbrada`. `xml`, the stamped document if it is known,
/// is stored for good, with its addenda if it has one, and the sealed one removed. The record must
/// be locked and in a state that allows stamping.
pub(crate) async fn accepted(
    cx: &mut Cx<'_>,
    invoice: &RegisteredInvoice,
    uuid: Uuid,
    at: Timestamp,
    xml: Option<&str>,
) -> Result<(), Error> {
    let uuid = uuid.to_string();
    if let Some(venta) = invoice.venta {
        cx.tx.lock_receivables(venta).await?;
    }
    if let (InvoiceKind::Pago, Some(replaced)) = (invoice.tipo, invoice.sustituye) {
        cx.tx.postpone_entries(true);
        complement::replace(cx, invoice.clave, &uuid, replaced).await?;
        cx.tx.postpone_entries(false);
    }
    cx.tx.set_stamped(invoice, &uuid, at, cx.now).await?;
    if let (Some(venta), Some(replaced)) = (invoice.venta, invoice.sustituye) {
        cx.tx.postpone_entries(true);
        correction::apply(cx, invoice, venta).await?;
        cx.tx.postpone_entries(false);
        cx.tx.move_entry(venta, replaced, invoice.clave).await?;
    }
    match xml {
        Some(xml) => {
            let addenda = cx.tx.sealed_addenda(invoice.clave).await?;
            let xml = match addenda {
                Some(addenda) => &StampedXml::with_addenda(xml, &addenda).map_err(Error::internal)?,
                None => xml,
            };
            cx.tx.keep_stamped(invoice.clave, xml, cx.now).await?;
            mailing::stamped(cx, invoice.clave).await?;
        }
        None => cx.tx.drop_sealed(invoice.clave).await?,
    }
    if invoice.tipo == InvoiceKind::NotaCredito {
        cx.tx.make_ticket_invoice_due(invoice.clave).await?;
    }
    if invoice.tipo == InvoiceKind::Factura {
        if invoice.venta.is_none() {
            cx.tx.set_global_folio(invoice.clave, Some(&uuid), cx.now).await?;
        }
        cx.tx.make_complements_due(invoice.clave).await?;
        cx.tx.make_related_due(invoice.clave).await?;
        cx.emit(&Event::FacturaTimbrada { factura: invoice.clave, venta: invoice.venta, uuid }).await?;
    }
    Ok(())
}

/// Records that `invoice` was rejected, and removes its sealed document so that another can be
/// made. The record must be locked and waiting (`en_espera`).
pub(crate) async fn refused(
    cx: &mut Cx<'_>,
    invoice: &RegisteredInvoice,
    codigo: &str,
    mensaje: &str,
) -> Result<(), Error> {
    cx.tx.set_rejected(invoice.clave, codigo, mensaje, cx.now).await?;
    cx.tx.drop_sealed(invoice.clave).await?;
    let codigo = codigo.to_owned();
    cx.emit(&Event::FacturaRechazada { factura: invoice.clave, venta: invoice.venta, codigo }).await
}
