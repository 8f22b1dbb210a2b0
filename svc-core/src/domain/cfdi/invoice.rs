//! The income document of a sale.

use chrono::Datelike;
use rust_decimal::Decimal;

use super::concept::{Currency, concept};
use super::parties::{Opening, is_general_public, open, receive};
use super::source::InvoiceSource;
use super::tax::{Charges, plus};
use super::text::attribute;
use super::{Amount, Cfdi, CfdiFault, Concepto, Impuestos, InformacionGlobal, NO_EXPORT, TipoDeComprobante, VERSION};
use crate::domain::currency::PESO;
use crate::domain::words::PaymentTerm;

/// The income document ("I") of a sale: one concept a line, amounts equal to the sale's.
pub(crate) fn build_invoice(source: &InvoiceSource) -> Result<Cfdi, CfdiFault> {
    let Opening { serie, folio, fecha, no_certificado, certificado, lugar_expedicion, emisor } =
        open(&source.emisor, &source.encabezado)?;
    let receptor = receive(&source.receptor, &lugar_expedicion, None)?;
    let currency = Currency::of(&source.moneda)?;
    let Body { conceptos, charges } = body(source, &currency)?;
    let discount = source.descuento.get();
    Ok(Cfdi {
        version: VERSION,
        serie,
        folio,
        fecha,
        forma_pago: Some(given(source.forma_pago_sat.as_deref(), "la forma de pago")?),
        no_certificado,
        certificado,
        condiciones_de_pago: terms(source),
        sub_total: currency.amount(source.subtotal.get())?,
        // A concept has one exactly if it is not zero, and none is negative.
        descuento: (!discount.is_zero()).then(|| currency.amount(discount)).transpose()?,
        moneda: source.moneda.clone(),
        tipo_cambio: (currency.key != PESO).then(|| Amount::rounded(source.tipo_cambio.get(), 6)),
        total: currency.amount(source.total.get())?,
        tipo_de_comprobante: TipoDeComprobante::I,
        exportacion: NO_EXPORT,
        metodo_pago: Some(given(source.metodo_pago_sat.as_deref(), "el método de pago")?),
        lugar_expedicion,
        informacion_global: is_general_public(&receptor).then(|| InformacionGlobal {
            periodicidad: "01",
            meses: format!("{:02}", fecha.month()),
            anio: fecha.year(),
        }),
        emisor,
        receptor,
        conceptos,
        impuestos: taxes(&charges, &currency)?,
        complemento: None,
    })
}

struct Body {
    conceptos: Vec<Concepto>,
    charges: Charges,
}

/// The concepts and their taxes, once they have been found to add up to the sale.
fn body(source: &InvoiceSource, currency: &Currency<'_>) -> Result<Body, CfdiFault> {
    let mut body = Body { conceptos: Vec::with_capacity(source.renglones.len()), charges: Charges::default() };
    let (mut subtotal, mut descuento, mut impuestos) = (Decimal::ZERO, Decimal::ZERO, Decimal::ZERO);
    for line in &source.renglones {
        let (concept, iva) = concept(line, currency)?;
        body.conceptos.push(concept);
        if let Some((iva, charge)) = iva {
            body.charges.add(iva, charge)?;
        }
        subtotal = plus(subtotal, line.subtotal.get())?;
        descuento = plus(descuento, line.descuento.get())?;
        impuestos = plus(impuestos, line.iva.get())?;
    }
    if body.conceptos.is_empty() {
        return Err(CfdiFault::Missing("al menos un renglón"));
    }
    let sums = [
        (source.subtotal, subtotal, "el subtotal de la venta no es el de sus renglones"),
        (source.descuento, descuento, "el descuento de la venta no es el de sus renglones"),
        (source.impuestos, impuestos, "los impuestos de la venta no son los de sus renglones"),
        (source.total, plus(subtotal - descuento, impuestos)?, "el total de la venta no es el de sus renglones"),
    ];
    match sums.into_iter().find(|(sale, lines, _)| sale.get() != *lines) {
        Some((_, _, fault)) => Err(CfdiFault::Sums(fault)),
        None => Ok(body),
    }
}

/// The document's taxes: none if no line has any, and no sum if all of them are exempt.
fn taxes(charges: &Charges, currency: &Currency<'_>) -> Result<Option<Impuestos>, CfdiFault> {
    let mut traslados = Vec::new();
    let mut total = None;
    for (iva, charge) in charges.iter() {
        traslados.push(currency.traslado(iva, charge)?);
        if iva.rate().is_some() {
            total = Some(plus(total.unwrap_or_default(), charge.importe)?);
        }
    }
    if traslados.is_empty() {
        return Ok(None);
    }
    let total_impuestos_trasladados = total.map(|total| currency.amount(total)).transpose()?;
    Ok(Some(Impuestos { total_impuestos_trasladados, traslados }))
}

fn given(value: Option<&str>, what: &'static str) -> Result<String, CfdiFault> {
    attribute(value, 3).ok_or(CfdiFault::Missing(what))
}

fn terms(source: &InvoiceSource) -> Option<String> {
    match (source.condicion_pago?, source.dias_credito) {
        (PaymentTerm::Contado, _) => Some("Contado".to_owned()),
        (PaymentTerm::Credito, Some(days)) if days > 0 => Some(format!("Crédito a {days} días")),
        (PaymentTerm::Credito, _) => Some("Crédito".to_owned()),
    }
}

#[cfg(test)]
mod tests;
