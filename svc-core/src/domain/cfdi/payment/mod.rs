//! The payment document, and the share of its invoices' taxes in a payment.

use chrono::{NaiveDateTime, NaiveTime};
use rust_decimal::Decimal;

use super::concept::ACTIVITY;
use super::currency::{Currency, plus, times};
use super::pagos::{
    self, DoctoRelacionado, ImpuestosDr, ImpuestosP, Pago, Pagos20, RetencionDr, RetencionP, TotalesPagos, TrasladoDr,
    TrasladoP,
};
use super::parties::{Opening, PAYMENTS, open, receive};
use super::source::{Line, PaidInvoice, PaymentOfInvoices, PaymentSource, ReceiptSource, SettledInvoice};
use super::tax::{Charge, Levy, NO_OBJECT, Taxes, treat};
use super::text::attribute;
use super::{Amount, Cfdi, CfdiFault, Complemento, Concepto, Impuesto, NO_EXPORT, TipoDeComprobante, VERSION};
use crate::domain::currency::PESO;
use crate::domain::line::VatRate;
use crate::domain::sat;

/// Decimals of a paid invoice's taxes: the most that the standard accepts, so that instalments add
/// up to the whole.
const DECIMALS: u32 = 6;

/// By how much an imported invoice's total may differ from its lines', which another program
/// rounded, in the invoice's currency.
const ROUNDING: Decimal = Decimal::ONE;

/// Decimals of an exchange rate between two currencies.
const RATE_DECIMALS: u32 = 10;

/// Builds the payment document ("P") of money received for invoices on credit.
pub fn build_payment(source: &PaymentSource) -> Result<Cfdi, CfdiFault> {
    let facturas = source.facturas.iter().map(|factura| SettledInvoice {
        factura: factura.clone(),
        moneda: source.pago.moneda.clone(),
        monto: factura.importe,
    });
    let receipt = PaymentOfInvoices { pago: source.pago.clone(), facturas: facturas.collect() };
    build_receipts(&ReceiptSource {
        emisor: source.emisor.clone(),
        receptor: source.receptor.clone(),
        encabezado: source.encabezado.clone(),
        pagos: vec![receipt],
    })
}

/// Builds the payment document of several payments of one receiver, for invoices in any currencies.
pub fn build_receipts(source: &ReceiptSource) -> Result<Cfdi, CfdiFault> {
    let Opening { serie, folio, fecha, no_certificado, certificado, lugar_expedicion, emisor } =
        open(&source.emisor, &source.encabezado)?;
    let receptor = receive(&source.receptor, &lugar_expedicion, Some(PAYMENTS))?;
    let pagos = complement(&source.pagos, fecha)?;
    Ok(Cfdi {
        version: VERSION.into(),
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
        exportacion: NO_EXPORT.into(),
        metodo_pago: None,
        lugar_expedicion,
        informacion_global: None,
        cfdi_relacionados: Vec::new(),
        emisor,
        receptor,
        conceptos: vec![the_concept()],
        impuestos: None,
        complemento: Some(Complemento { pagos: Some(pagos), impuestos_locales: None }),
    })
}

/// The one concept of every payment document, as the standard prescribes it.
fn the_concept() -> Concepto {
    Concepto {
        clave_prod_serv: "84111506".to_owned(),
        no_identificacion: None,
        cantidad: Amount::ONE,
        clave_unidad: ACTIVITY.to_owned(),
        unidad: None,
        descripcion: "Pago".to_owned(),
        valor_unitario: Amount::ZERO,
        importe: Amount::ZERO,
        descuento: None,
        objeto_imp: NO_OBJECT.to_owned(),
        impuestos: None,
        informacion_aduanera: Vec::new(),
        cuenta_predial: None,
    }
}

fn complement(receipts: &[PaymentOfInvoices], issued: NaiveDateTime) -> Result<Pagos20, CfdiFault> {
    let mut totals = Totals::default();
    let pago = receipts.iter().map(|receipt| pay(receipt, issued, &mut totals)).collect::<Result<Vec<_>, _>>()?;
    if pago.is_empty() {
        return Err(CfdiFault::Missing("el pago"));
    }
    Ok(Pagos20 { version: pagos::VERSION.into(), totales: totals.write()?, pago })
}

/// Builds a payment with the invoices it pays, and adds it to `totals`. Its hour is unknown: noon,
/// but not after the document is issued.
fn pay(receipt: &PaymentOfInvoices, issued: NaiveDateTime, totals: &mut Totals) -> Result<Pago, CfdiFault> {
    let PaymentOfInvoices { pago: payment, facturas } = receipt;
    let currency = Currency::of(&payment.moneda)?;
    let rate = if currency.key == PESO { Amount::ONE } else { Amount::rounded(payment.tipo_cambio.get(), DECIMALS) };
    let mut taxes = Taxes::default();
    let mut paid = Decimal::ZERO;
    let mut docto_relacionado = Vec::with_capacity(facturas.len());
    for invoice in facturas {
        docto_relacionado.push(document(invoice, &currency, &mut taxes)?);
        paid = plus(paid, invoice.monto.get())?;
    }
    if docto_relacionado.is_empty() {
        return Err(CfdiFault::Missing("la factura que se paga"));
    }
    if paid > payment.monto.get() {
        return Err(CfdiFault::Sums("se aplica más de lo que se pagó"));
    }
    // Sums are rounded once, when written, and the totals are computed from the written values.
    let taxes = taxes
        .map(|_, Charge { base, importe }| Ok(Some(Charge { base: six(base).get(), importe: six(importe).get() })))?;
    totals.add(&taxes, payment.monto.get(), rate.get())?;
    let form = attribute(sat::known_payment_form(payment.forma_pago_sat.as_deref()), 2);
    let noon = NaiveTime::from_hms_opt(12, 0, 0).unwrap_or_default();
    Ok(Pago {
        fecha_pago: payment.fecha.0.and_time(noon).min(issued),
        forma_de_pago_p: form.ok_or(CfdiFault::Missing("la forma de pago"))?,
        moneda_p: currency.key.to_owned(),
        tipo_cambio_p: rate,
        monto: currency.amount(payment.monto.get())?,
        num_operacion: attribute(payment.referencia.as_deref(), 100),
        docto_relacionado,
        impuestos_p: if taxes.is_empty() { None } else { Some(impuestos_p(&taxes)?) },
    })
}

/// Builds a paid invoice, and adds its taxes to `taxes` in the payment's currency.
fn document(
    settled: &SettledInvoice,
    payment: &Currency<'_>,
    taxes: &mut Taxes,
) -> Result<DoctoRelacionado, CfdiFault> {
    let invoice = &settled.factura;
    if invoice.saldo_anterior.get() - invoice.importe.get() != invoice.saldo_insoluto.get() {
        return Err(CfdiFault::Sums("el saldo insoluto no es el saldo anterior menos lo pagado"));
    }
    let currency = Currency::of(&settled.moneda)?;
    let worth = worth(settled, payment)?;
    let shares = share(invoice)?;
    let exchanged = |value: Decimal| value.checked_div(worth.get()).ok_or(CfdiFault::TooLarge);
    taxes.add(&shares.map(|_, Charge { base, importe }| {
        Ok(Some(Charge { base: exchanged(base)?, importe: exchanged(importe)? }))
    })?)?;
    let retenciones_dr = shares.retenciones.iter().map(|(levy, charge)| RetencionDr {
        base_dr: six(charge.base),
        impuesto_dr: levy.impuesto,
        tipo_factor_dr: levy.factor,
        tasa_o_cuota_dr: six(levy.rate().unwrap_or_default()),
        importe_dr: six(charge.importe),
    });
    let traslados_dr = shares.traslados.iter().map(|(levy, charge)| TrasladoDr {
        base_dr: six(charge.base),
        impuesto_dr: levy.impuesto,
        tipo_factor_dr: levy.factor,
        tasa_o_cuota_dr: levy.rate().map(six),
        importe_dr: levy.rate().map(|_| six(charge.importe)),
    });
    let impuestos_dr = ImpuestosDr { retenciones_dr: retenciones_dr.collect(), traslados_dr: traslados_dr.collect() };
    Ok(DoctoRelacionado {
        id_documento: invoice.uuid,
        serie: attribute(invoice.serie.as_deref(), 25),
        folio: attribute(invoice.folio.as_deref(), 40),
        moneda_dr: currency.key.to_owned(),
        equivalencia_dr: worth,
        num_parcialidad: invoice.parcialidad,
        imp_saldo_ant: currency.amount(invoice.saldo_anterior.get())?,
        imp_pagado: currency.amount(invoice.importe.get())?,
        imp_saldo_insoluto: currency.amount(invoice.saldo_insoluto.get())?,
        objeto_imp_dr: shares.object().unwrap_or(NO_OBJECT).into(),
        impuestos_dr: (!shares.is_empty()).then_some(impuestos_dr),
    })
}

/// The value of one unit of the payment's currency in the invoice's: the quotient of the paid
/// amounts, so that the parts of a payment add up to it.
fn worth(settled: &SettledInvoice, payment: &Currency<'_>) -> Result<Amount, CfdiFault> {
    if settled.moneda == payment.key {
        if settled.monto != settled.factura.importe {
            return Err(CfdiFault::Sums("lo pagado de la factura no es lo que toma del pago"));
        }
        return Ok(Amount::ONE);
    }
    let quotient = settled.factura.importe.get().checked_div(settled.monto.get());
    let worth = quotient.map(|quotient| Amount::rounded(quotient, RATE_DECIMALS));
    worth.filter(|worth| worth.get() > Decimal::ZERO).ok_or(CfdiFault::Sums("las monedas no tienen equivalencia"))
}

/// The taxes in the paid part of an invoice.
///
/// The base is the rounded total paid after this payment less the rounded total paid before it, so
/// that the instalments' bases add up to the invoice's. The tax is computed from the base, as the
/// authority requires. What credit notes took off before is neither owed nor paid.
fn share(invoice: &PaidInvoice) -> Result<Taxes, CfdiFault> {
    if invoice.renglones.is_empty() {
        let serie = invoice.serie.as_deref().unwrap_or_default();
        return Err(CfdiFault::EmptySale(format!("{serie}{}", invoice.folio.as_deref().unwrap_or_default())));
    }
    let sum = invoice.renglones.iter().map(|line| line.amounts.total.get()).sum::<Decimal>();
    if (sum - invoice.total.get()).abs() > ROUNDING {
        return Err(CfdiFault::Sums("los renglones de la venta no suman el total de la factura que se paga"));
    }
    let mut whole = taxes(&invoice.renglones)?;
    let mut total = invoice.total.get();
    for note in &invoice.notas {
        let part = (-note.importe.get()).checked_div(note.total.get()).ok_or(CfdiFault::TooLarge)?;
        let lowered = |Charge { base, importe }: Charge| {
            Ok(Some(Charge { base: times(base, part)?, importe: times(importe, part)? }))
        };
        whole.add(&taxes(&note.renglones)?.map(|_, charge| lowered(charge))?)?;
        total = plus(total, -note.importe.get())?;
    }
    let part =
        |owed: Decimal| (total - owed).checked_div(total).filter(|part| (Decimal::ZERO..=Decimal::ONE).contains(part));
    let fault = CfdiFault::Sums("el saldo de la factura es mayor que su total");
    let before = part(invoice.saldo_anterior.get()).ok_or_else(|| fault.clone())?;
    let after = part(invoice.saldo_insoluto.get()).ok_or(fault)?;
    whole.map(|levy, charge| {
        let rounded = |part| times(charge.base, part).map(|base| six(base).get());
        let base = rounded(after)? - rounded(before)?;
        let importe = six(times(base, levy.rate().unwrap_or_default())?).get();
        Ok((base > Decimal::ZERO).then_some(Charge { base, importe }))
    })
}

fn taxes(lines: &[Line]) -> Result<Taxes, CfdiFault> {
    let mut taxes = Taxes::default();
    for line in lines {
        taxes.add(&treat(line)?.taxes)?;
    }
    Ok(taxes)
}

fn six(value: Decimal) -> Amount {
    Amount::rounded(value, DECIMALS)
}

fn impuestos_p(taxes: &Taxes) -> Result<ImpuestosP, CfdiFault> {
    let retenciones = taxes.retenciones.by_tax()?.into_iter();
    let traslados = taxes.traslados.iter().map(|(levy, charge)| TrasladoP {
        base_p: six(charge.base),
        impuesto_p: levy.impuesto,
        tipo_factor_p: levy.factor,
        tasa_o_cuota_p: levy.rate().map(six),
        importe_p: levy.rate().map(|_| six(charge.importe)),
    });
    Ok(ImpuestosP {
        retenciones_p: retenciones.map(|(impuesto_p, sum)| RetencionP { impuesto_p, importe_p: six(sum) }).collect(),
        traslados_p: traslados.collect(),
    })
}

/// The sums of all payments, in pesos.
#[derive(Default)]
struct Totals {
    taxes: Taxes,
    monto: Decimal,
}

impl Totals {
    /// Adds a payment whose currency is worth `rate` pesos.
    fn add(&mut self, taxes: &Taxes, monto: Decimal, rate: Decimal) -> Result<(), CfdiFault> {
        self.taxes.add(&taxes.map(|_, Charge { base, importe }| {
            Ok(Some(Charge { base: times(base, rate)?, importe: times(importe, rate)? }))
        })?)?;
        self.monto = plus(self.monto, times(monto, rate)?)?;
        Ok(())
    }

    fn write(&self) -> Result<TotalesPagos, CfdiFault> {
        let pesos = |value| Amount::rounded(value, 2);
        let withheld = self.taxes.retenciones.by_tax()?;
        let withheld = |impuesto| withheld.get(&impuesto).copied().map(pesos);
        let iva = |rate| Levy::iva(rate).and_then(|levy| self.taxes.traslados.get(levy));
        let rate = |percent| iva(VatRate::Rate(Decimal::new(percent, 2)));
        let base = |charge: Option<Charge>| charge.map(|charge| pesos(charge.base));
        let tax = |charge: Option<Charge>| charge.map(|charge| pesos(charge.importe));
        Ok(TotalesPagos {
            retenciones_iva: withheld(Impuesto::Iva),
            retenciones_isr: withheld(Impuesto::Isr),
            retenciones_ieps: withheld(Impuesto::Ieps),
            base_iva_16: base(rate(16)),
            impuesto_iva_16: tax(rate(16)),
            base_iva_8: base(rate(8)),
            impuesto_iva_8: tax(rate(8)),
            base_iva_0: base(rate(0)),
            impuesto_iva_0: tax(rate(0)),
            base_iva_exento: base(iva(VatRate::Exempt)),
            monto_total_pagos: pesos(self.monto),
        })
    }
}

#[cfg(test)]
mod tests;
