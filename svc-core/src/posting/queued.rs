//! Records of the registry that wait for the authority: for a stamp, or for the answer to a
//! cancellation.

use crate::domain::cfdi::{Cfdi, CfdiFault, Heading, InvoiceSource, TipoDeComprobante, build_related};
use crate::domain::words::{InvoiceKind, InvoiceOrigin};
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::{Cancellation, NewInvoice, Numbered, RegisteredInvoice, StampingRecord};

/// Opens a record of the registry under the next folio of its series and queues it. Returns its
/// clave and heading.
pub(crate) async fn open(
    cx: &mut Cx<'_>,
    tipo: InvoiceKind,
    serie: String,
    venta: Option<i64>,
    cliente: Option<i64>,
    origen: InvoiceOrigin,
) -> Result<(i64, Heading), Error> {
    let row = NewInvoice { tipo, venta, cliente, serie: &serie, fecha: cx.now, origen };
    let Numbered { clave: factura, folio } = cx.tx.open_invoice(&row).await?;
    Ok((factura, Heading { serie: Some(serie), folio: Some(folio.to_string()), fecha: cx.now }))
}

pub(crate) fn heading(record: StampingRecord) -> Heading {
    Heading { serie: record.serie, folio: record.folio, fecha: record.fecha }
}

/// Builds the document of a sale or a credit note, whose rates its place of issue must have.
pub(crate) fn build_checked(source: &InvoiceSource, tipo: TipoDeComprobante) -> Result<Cfdi, CfdiFault> {
    source.emisor.check_border_rate(&source.renglones)?;
    build_related(source, tipo, Vec::new())
}

/// `documento_invalido` or `impuesto_incompatible`, with the line and the reason.
pub(crate) fn unfit(fault: &CfdiFault) -> Error {
    let code = match fault {
        CfdiFault::BorderRate(_) | CfdiFault::BorderTickets => Code::ImpuestoIncompatible,
        _ => Code::DocumentoInvalido,
    };
    Error::new(code).message(fault.to_string())
}

/// Stores the document of a queued record, or fails with its fault.
pub(crate) async fn keep_fit(cx: &mut Cx<'_>, factura: i64, document: Result<Cfdi, CfdiFault>) -> Result<(), Error> {
    keep(cx, factura, &document.map_err(|fault| unfit(&fault))?).await
}

/// Stores the validated document of a queued record.
pub(crate) async fn keep(cx: &mut Cx<'_>, factura: i64, document: &Cfdi) -> Result<(), Error> {
    let xml = document.unsealed().map_err(Error::internal)?;
    Ok(cx.tx.keep_validated(factura, Some(&xml)).await?)
}

/// Requests the cancellation of `invoice`, whose record is locked; a stamping pass sends it. `pago`
/// is the payment of a complement, and `aceptacion` says whether the receiver must accept.
pub(crate) async fn request_cancellation(
    cx: &mut Cx<'_>,
    invoice: &RegisteredInvoice,
    cancellation: &Cancellation<'_>,
    pago: Option<i64>,
    aceptacion: bool,
) -> Result<(), Error> {
    cx.tx.request_cancellation(invoice.clave, cancellation, cx.now).await?;
    Ok(cx.tx.queue_cancellation(invoice.clave, pago, aceptacion, cx.now).await?)
}
