//! Builds tax documents from current records. They are validated when they are requested, and kept
//! until they are sealed ([`crate::stamping`]).

use super::issuer::issuer;
use super::queued::{build_checked, heading, keep};
use super::receiver::{of_customer, place_of_issue, receiver};
use super::{complement, correction, global, rest};
use crate::domain::cfdi::{
    Cfdi, CfdiFault, Heading, InvoiceSource, Line, Receiver, SoldSale, TipoDeComprobante, TipoRelacion,
};
use crate::domain::credit_note::{CreditLine, TAKEN_OFF};
use crate::domain::invoice::{ProposedTerms, validate_receiver};
use crate::domain::sale::Amounts;
use crate::domain::sat;
use crate::domain::words::{InvoiceKind, PaymentMethod};
use crate::error::Error;
use crate::operation::Cx;
use crate::store::{CreditNote, SaleToStamp, StampingRecord};

/// The document of a sale, without date, certificate and seal. `terms` apply if the sale does not
/// have them yet.
pub(crate) async fn of_sale(
    cx: &mut Cx<'_>,
    venta: i64,
    receptor: Receiver,
    terms: Option<&ProposedTerms>,
    encabezado: Heading,
) -> Result<Result<Cfdi, CfdiFault>, Error> {
    let Some(SaleToStamp { cp, devuelta, mut sale }) = cx.tx.sale_to_stamp(venta).await? else {
        return Ok(Err(CfdiFault::Missing("la venta que se factura")));
    };
    if let Some(terms) = terms.cloned() {
        sale.forma_pago_sat = terms.forma_pago_sat;
        sale.metodo_pago_sat = terms.metodo_pago_sat;
        sale.uso_cfdi = terms.uso_cfdi;
    }
    let renglones = cx.tx.lines_to_stamp(&[venta]).await?.into_iter().map(|(_, line)| line).collect();
    let mut source = InvoiceSource { emisor: issuer(cx, cp), receptor, encabezado, venta: sale, renglones };
    if devuelta {
        rest::leave_rest(cx, venta, &mut source).await?;
    }
    Ok(build_checked(&source, TipoDeComprobante::I))
}

/// The document of a queued record that is not a complement: of a sale, a credit note or a period.
/// `terms` apply if the sale does not have them yet.
pub(crate) async fn of_record(
    cx: &mut Cx<'_>,
    factura: i64,
    record: StampingRecord,
    terms: Option<&ProposedTerms>,
) -> Result<Result<Cfdi, CfdiFault>, Error> {
    let (venta, cliente) = (record.venta, record.cliente);
    match (record.tipo, venta) {
        (InvoiceKind::NotaCredito, _) => match cx.tx.credit_note(factura).await? {
            Some(note) => {
                let about = cx.tx.related(factura).await?;
                let about =
                    about.iter().find(|related| related.relacion == note.relacion).map(|related| related.factura);
                of_note(cx, &note, about, cliente, heading(record)).await
            }
            None => Ok(Err(CfdiFault::Missing("lo que la nota de crédito acredita"))),
        },
        (_, Some(venta)) => {
            if let Some(correction) = cx.tx.correction(factura).await? {
                return correction::document(cx, factura, venta, correction, heading(record)).await;
            }
            let receptor = of_customer(cx, cliente).await?;
            of_sale(cx, venta, receptor, terms, heading(record)).await
        }
        (_, None) => global::of_record(cx, factura, heading(record)).await,
    }
}

/// The document of a credit note on the invoice `factura`, without date, certificate, seal and
/// relations.
pub(crate) async fn of_note(
    cx: &mut Cx<'_>,
    note: &CreditNote,
    factura: Option<i64>,
    cliente: Option<i64>,
    encabezado: Heading,
) -> Result<Result<Cfdi, CfdiFault>, Error> {
    if let Some(folio) = &note.ticket {
        return global::of_leaving(cx, note, factura, folio, encabezado).await;
    }
    let Some(SaleToStamp { cp, sale, .. }) = cx.tx.sale_to_stamp(note.venta).await? else {
        return Ok(Err(CfdiFault::Missing("la venta de la nota de crédito")));
    };
    let lines = cx.tx.lines_to_stamp(&[note.anticipo.unwrap_or(note.venta)]).await?;
    let of_line = |credit: &CreditLine| {
        let line = lines.iter().map(|(_, line)| line).find(|line| line.renglon == credit.renglon)?;
        Some(match (note.anticipo, note.relacion) {
            (Some(_), TipoRelacion::NotaDeCredito) => credit.of_refund(line.clone()),
            _ => credit.of_document(line.clone(), note.relacion),
        })
    };
    let receptor = receiver(cx, factura, cliente).await?;
    let uso = validate_receiver(TipoDeComprobante::E, &receptor, Some(TAKEN_OFF));
    let Amounts { subtotal, descuento, total, .. } = note.amounts;
    let renglones: Vec<Line> = note.lines.iter().filter_map(of_line).collect();
    let mut emisor = issuer(cx, cp);
    if emisor.check_border_rate(&renglones).is_err() {
        // A branch that has moved inland still takes back what it sold at the border.
        let sold = match note.anticipo {
            Some(anticipo) => cx.tx.invoice_of_sale(anticipo).await?,
            None => factura,
        };
        emisor.cp = place_of_issue(cx, sold).await?.or(emisor.cp);
    }
    let source = InvoiceSource {
        emisor,
        receptor,
        encabezado,
        venta: SoldSale {
            condicion_pago: None,
            dias_credito: None,
            forma_pago_sat: Some(note.forma_pago_sat.clone()),
            metodo_pago_sat: Some(PaymentMethod::Pue.word().to_owned()),
            // If the receiver's regime does not allow returns, a use without fiscal effects.
            uso_cfdi: Some(if uso.is_ok() { TAKEN_OFF } else { sat::GENERIC_USE }.to_owned()),
            subtotal,
            descuento,
            impuestos: note.amounts.impuestos(),
            total,
            ..sale
        },
        renglones,
    };
    Ok(build_checked(&source, TipoDeComprobante::E))
}

/// Makes the queued documents that wait for the invoice `factura` anew, after its own document was
/// made anew: they bear its receiver.
pub(crate) async fn keep_waiting(cx: &mut Cx<'_>, factura: i64) -> Result<(), Error> {
    for waiting in cx.tx.documents_waiting_for(factura).await? {
        let Some(record) = cx.tx.stamping_record(waiting, None).await? else { continue };
        if record.tipo == InvoiceKind::Pago {
            complement::keep_again(cx, waiting).await?;
        } else {
            let document = of_record(cx, waiting, record, None).await?;
            match document {
                Ok(document) => keep(cx, waiting, &document).await?,
                // The worker reports the fault.
                Err(_) => cx.tx.keep_validated(waiting, None).await?,
            }
        }
    }
    Ok(())
}
