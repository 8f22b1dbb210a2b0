//! The payment document, and what a payment has of its invoices' taxes.

use chrono::NaiveTime;
use rust_decimal::Decimal;

use super::concept::Currency;
use super::pagos::{
    self, DoctoRelacionado, ImpuestosDr, ImpuestosP, Pago, Pagos20, TotalesPagos, TrasladoDr, TrasladoP,
};
use super::parties::{Opening, open, receive};
use super::source::{PaidInvoice, Payment, PaymentSource};
use super::tax::{Charge, Charges, Iva, plus, times, treat};
use super::text::attribute;
use super::{Amount, Cfdi, CfdiFault, Complemento, Concepto, IVA, NO_EXPORT, TipoDeComprobante, VERSION};
use crate::domain::currency::PESO;

/// Decimals of a paid invoice's taxes: as many as the standard takes, so that instalments add up to the whole.
const DECIMALS: u32 = 6;

/// The payment document ("P") of money that came in for invoices to be paid later.
pub(crate) fn build_payment(source: &PaymentSource) -> Result<Cfdi, CfdiFault> {
    let Opening { serie, folio, fecha, no_certificado, certificado, lugar_expedicion, emisor } =
        open(&source.emisor, &source.encabezado)?;
    let receptor = receive(&source.receptor, &lugar_expedicion, Some("CP01"))?;
    let pagos = complement(source)?;
    Ok(Cfdi {
        version: VERSION,
        serie,
        folio,
        fecha,
        forma_pago: None,
        no_certificado,
        certificado,
        condiciones_de_pago: None,
        sub_total: Amount::ZERO,
        descuento: None,
        moneda: "XXX".to_owned(),
        tipo_cambio: None,
        total: Amount::ZERO,
        tipo_de_comprobante: TipoDeComprobante::P,
        exportacion: NO_EXPORT,
        metodo_pago: None,
        lugar_expedicion,
        informacion_global: None,
        emisor,
        receptor,
        conceptos: vec![the_concept()],
        impuestos: None,
        complemento: Some(Complemento { pagos }),
    })
}

/// The one concept of every payment document, as the standard words it.
fn the_concept() -> Concepto {
    Concepto {
        clave_prod_serv: "84111506".to_owned(),
        no_identificacion: None,
        cantidad: Amount::rounded(Decimal::ONE, 0),
        clave_unidad: "ACT".to_owned(),
        unidad: None,
        descripcion: "Pago".to_owned(),
        valor_unitario: Amount::ZERO,
        importe: Amount::ZERO,
        descuento: None,
        objeto_imp: "01".to_owned(),
        impuestos: None,
    }
}

fn complement(source: &PaymentSource) -> Result<Pagos20, CfdiFault> {
    let payment = &source.pago;
    let currency = Currency::of(&payment.moneda)?;
    let rate = if currency.key == PESO { Decimal::ONE } else { payment.tipo_cambio.get() };
    let mut charges = Charges::default();
    let mut paid = Decimal::ZERO;
    let mut documents = Vec::with_capacity(source.facturas.len());
    for invoice in &source.facturas {
        documents.push(document(invoice, &currency, &mut charges)?);
        paid = plus(paid, invoice.importe.get())?;
    }
    if documents.is_empty() {
        return Err(CfdiFault::Missing("la factura que se paga"));
    }
    if paid > payment.monto.get() {
        return Err(CfdiFault::Sums("se aplica más de lo que se pagó"));
    }
    Ok(Pagos20 {
        version: pagos::VERSION,
        totales: totals(&charges, payment.monto.get(), rate)?,
        pago: vec![pay(payment, &currency, rate, documents, &charges)?],
    })
}

fn pay(
    payment: &Payment,
    currency: &Currency<'_>,
    rate: Decimal,
    docto_relacionado: Vec<DoctoRelacionado>,
    charges: &Charges,
) -> Result<Pago, CfdiFault> {
    let noon = NaiveTime::from_hms_opt(12, 0, 0).unwrap_or_default();
    let traslados_p: Vec<TrasladoP> = charges.iter().map(|(iva, charge)| traslado_p(iva, charge)).collect();
    Ok(Pago {
        fecha_pago: payment.fecha.0.and_time(noon),
        forma_de_pago_p: attribute(payment.forma_pago_sat.as_deref(), 2)
            .ok_or(CfdiFault::Missing("la forma de pago"))?,
        moneda_p: currency.key.to_owned(),
        tipo_cambio_p: if currency.key == PESO { Amount::rounded(rate, 0) } else { Amount::rounded(rate, DECIMALS) },
        monto: currency.amount(payment.monto.get())?,
        num_operacion: attribute(payment.referencia.as_deref(), 100),
        docto_relacionado,
        impuestos_p: (!traslados_p.is_empty()).then_some(ImpuestosP { traslados_p }),
    })
}

/// What is paid of an invoice; its taxes are added to `charges`.
fn document(
    invoice: &PaidInvoice,
    currency: &Currency<'_>,
    charges: &mut Charges,
) -> Result<DoctoRelacionado, CfdiFault> {
    if invoice.saldo_anterior.get() - invoice.importe.get() != invoice.saldo_insoluto.get() {
        return Err(CfdiFault::Sums("el saldo insoluto no es el saldo anterior menos lo pagado"));
    }
    let mut traslados_dr = Vec::new();
    for (iva, charge) in share(invoice)?.iter() {
        charges.add(iva, charge)?;
        traslados_dr.push(traslado_dr(iva, charge));
    }
    Ok(DoctoRelacionado {
        id_documento: invoice.uuid,
        serie: attribute(invoice.serie.as_deref(), 25),
        folio: attribute(invoice.folio.as_deref(), 40),
        moneda_dr: currency.key.to_owned(),
        equivalencia_dr: "1",
        num_parcialidad: invoice.parcialidad,
        imp_saldo_ant: currency.amount(invoice.saldo_anterior.get())?,
        imp_pagado: currency.amount(invoice.importe.get())?,
        imp_saldo_insoluto: currency.amount(invoice.saldo_insoluto.get())?,
        objeto_imp_dr: if traslados_dr.is_empty() { "01" } else { "02" },
        impuestos_dr: (!traslados_dr.is_empty()).then_some(ImpuestosDr { traslados_dr }),
    })
}

/// The paid part of an invoice's taxes.
///
/// The base is the difference of what had been paid of it before and after, each rounded, so that the instalments' bases add
/// up to the invoice's; the tax is the base's, as the authority has it follow.
fn share(invoice: &PaidInvoice) -> Result<Charges, CfdiFault> {
    let mut whole = Charges::default();
    for line in &invoice.renglones {
        if let Some((iva, charge)) = treat(line)?.iva {
            whole.add(iva, charge)?;
        }
    }
    let total = invoice.total.get();
    let part =
        |owed: Decimal| (total - owed).checked_div(total).filter(|part| (Decimal::ZERO..=Decimal::ONE).contains(part));
    let fault = CfdiFault::Sums("el saldo de la factura es mayor que su total");
    let before = part(invoice.saldo_anterior.get()).ok_or_else(|| fault.clone())?;
    let after = part(invoice.saldo_insoluto.get()).ok_or(fault)?;
    let mut paid = Charges::default();
    for (iva, charge) in whole.iter() {
        let rounded = |part| times(charge.base, part).map(|base| Amount::rounded(base, DECIMALS).get());
        let base = rounded(after)? - rounded(before)?;
        if base > Decimal::ZERO {
            let importe = times(base, iva.rate().unwrap_or_default())?;
            paid.add(iva, Charge { base, importe: Amount::rounded(importe, DECIMALS).get() })?;
        }
    }
    Ok(paid)
}

/// The payment in pesos.
fn totals(charges: &Charges, monto: Decimal, rate: Decimal) -> Result<TotalesPagos, CfdiFault> {
    let pesos = |value| times(value, rate).map(|value| Amount::rounded(value, 2));
    let base = |iva| charges.get(iva).map(|charge| pesos(charge.base)).transpose();
    let tax = |iva| charges.get(iva).map(|charge| pesos(charge.importe)).transpose();
    Ok(TotalesPagos {
        base_iva_16: base(Iva::Tasa16)?,
        impuesto_iva_16: tax(Iva::Tasa16)?,
        base_iva_8: base(Iva::Tasa8)?,
        impuesto_iva_8: tax(Iva::Tasa8)?,
        base_iva_0: base(Iva::Tasa0)?,
        impuesto_iva_0: tax(Iva::Tasa0)?,
        base_iva_exento: base(Iva::Exento)?,
        monto_total_pagos: pesos(monto)?,
    })
}

fn traslado_dr(iva: Iva, charge: Charge) -> TrasladoDr {
    TrasladoDr {
        base_dr: Amount::rounded(charge.base, DECIMALS),
        impuesto_dr: IVA,
        tipo_factor_dr: iva.factor(),
        tasa_o_cuota_dr: iva.rate().map(|rate| Amount::rounded(rate, DECIMALS)),
        importe_dr: iva.rate().map(|_| Amount::rounded(charge.importe, DECIMALS)),
    }
}

fn traslado_p(iva: Iva, charge: Charge) -> TrasladoP {
    TrasladoP {
        base_p: Amount::rounded(charge.base, DECIMALS),
        impuesto_p: IVA,
        tipo_factor_p: iva.factor(),
        tasa_o_cuota_p: iva.rate().map(|rate| Amount::rounded(rate, DECIMALS)),
        importe_p: iva.rate().map(|_| Amount::rounded(charge.importe, DECIMALS)),
    }
}

#[cfg(test)]
mod tests;
