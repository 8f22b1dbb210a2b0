//! Checks of a payment document: fixed fields, the payment, the paid invoices, the sums.

use rust_decimal::{Decimal, RoundingStrategy};

use super::limits::{Reach, between};
use super::{Rejection, Validation, require};
use crate::domain::cfdi::{
    Amount, Cfdi, Concepto, DoctoRelacionado, Impuesto, Pago, Pagos20, TipoFactor, TrasladoDr, TrasladoP,
};
use crate::domain::sat;

/// Decimals of the taxes in a payment: the most allowed.
const DECIMALS: u32 = 6;

/// Decimals of the exchange rate between a payment's currency and an invoice's: the most allowed.
const WORTH_DECIMALS: u32 = 10;

pub(super) fn validate(document: &Cfdi) -> Validation {
    frame(document)?;
    let pagos = document
        .complemento
        .as_ref()
        .and_then(|complement| complement.pagos.as_ref())
        .ok_or(Rejection { codigo: "CRP20999", mensaje: "El complemento para recepción de pagos debe existir." })?;
    require(!pagos.pago.is_empty(), "CRP20999", "El complemento debe tener al menos un pago.")?;
    for payment in &pagos.pago {
        let decimals = money(payment)?;
        for invoice in &payment.docto_relacionado {
            paid(invoice, payment)?;
        }
        applied(payment, decimals)?;
        taxes(payment)?;
    }
    totals(pagos)
}

/// The fields outside the complement, which are the same for all payments.
fn frame(document: &Cfdi) -> Validation {
    let fixed = [
        (document.forma_pago.is_none(), "CFDI40103", "El campo FormaPago no debe existir en un comprobante de pago."),
        (document.metodo_pago.is_none(), "CFDI40125", "El campo MetodoPago no debe existir en un comprobante de pago."),
        (document.sub_total == Amount::ZERO, "CFDI40109", "El campo SubTotal debe ser igual a cero."),
        (document.moneda == "XXX", "CRP20104", "El campo Moneda debe ser XXX."),
        (document.condiciones_de_pago.is_none(), "CRP20107", "El campo CondicionesDePago no debe existir."),
        (document.descuento.is_none(), "CRP20108", "El campo Descuento no debe existir."),
        (document.tipo_cambio.is_none(), "CRP20109", "El campo TipoCambio no debe existir."),
        (document.total == Amount::ZERO, "CRP20110", "El campo Total debe ser cero."),
        (document.conceptos.len() == 1, "CRP20111", "Debe existir un solo concepto."),
        (document.impuestos.is_none(), "CFDI40201", "El nodo Impuestos no debe existir en un comprobante de pago."),
    ];
    fixed.into_iter().try_for_each(|(holds, codigo, mensaje)| require(holds, codigo, mensaje))?;
    document.conceptos.iter().try_for_each(concept)
}

fn concept(concept: &Concepto) -> Validation {
    let fixed = [
        (concept.clave_prod_serv == "84111506", "CRP20113", "El campo ClaveProdServ debe ser 84111506."),
        (concept.no_identificacion.is_none(), "CRP20114", "El campo NoIdentificacion no debe existir."),
        (concept.cantidad.get() == Decimal::ONE, "CRP20115", "El campo Cantidad debe ser 1."),
        (concept.clave_unidad == "ACT", "CRP20116", "El campo ClaveUnidad debe ser ACT."),
        (concept.unidad.is_none(), "CRP20117", "El campo Unidad no debe existir."),
        (concept.descripcion == "Pago", "CRP20118", "El campo Descripcion debe ser \"Pago\"."),
        (concept.valor_unitario == Amount::ZERO, "CRP20119", "El campo ValorUnitario debe ser cero."),
        (concept.importe == Amount::ZERO, "CRP20120", "El campo Importe debe ser cero."),
        (concept.descuento.is_none(), "CRP20121", "El campo Descuento del concepto no debe existir."),
        (concept.objeto_imp == "01", "CRP20122", "El campo ObjetoImp debe ser 01."),
        (concept.impuestos.is_none(), "CRP20123", "El nodo Impuestos del concepto no debe existir."),
    ];
    fixed.into_iter().try_for_each(|(holds, codigo, mensaje)| require(holds, codigo, mensaje))
}

/// Checks form, amount and currency of the payment; returns the currency's decimals.
fn money(payment: &Pago) -> Result<u32, Rejection> {
    let form = payment.forma_de_pago_p.as_str();
    require(
        sat::payment_form_exists(form) && form != sat::FORM_TO_BE_DEFINED,
        "CRP20212",
        "El campo FormaDePagoP debe ser una clave de c_FormaPago distinta de \"99\".",
    )?;
    let decimals = sat::currency(&payment.moneda_p).filter(|_| payment.moneda_p != "XXX").ok_or(Rejection {
        codigo: "CRP20213",
        mensaje: "El campo MonedaP debe ser una clave de c_Moneda distinta de \"XXX\".",
    })?;
    let rate = payment.tipo_cambio_p;
    require(rate.get() > Decimal::ZERO, "CRP20214", "El campo TipoCambioP se debe registrar.")?;
    require(
        payment.moneda_p != "MXN" || rate.to_string() == "1",
        "CRP20215",
        "El campo TipoCambioP debe ser \"1\" cuando MonedaP es MXN.",
    )?;
    require(payment.monto.get() > Decimal::ZERO, "CRP20218", "El campo Monto debe ser mayor que cero.")?;
    require(
        payment.monto.decimals() <= decimals.into(),
        "CRP20219",
        "El campo Monto excede los decimales de la moneda.",
    )?;
    Ok(decimals.into())
}

/// Whether no more is applied than was paid, in a currency with `decimals` decimals.
fn applied(payment: &Pago, decimals: u32) -> Validation {
    let applied: Decimal = payment.docto_relacionado.iter().map(least).sum();
    let applied = applied.round_dp_with_strategy(decimals, RoundingStrategy::ToZero);
    require(
        !payment.docto_relacionado.is_empty() && applied <= payment.monto.get(),
        "CRP20217",
        "La suma de los campos ImpPagado no debe ser mayor que el campo Monto.",
    )
}

/// The least value of an invoice's paid part in the payment's currency, since the written amount
/// may be rounded.
fn least(invoice: &DoctoRelacionado) -> Decimal {
    let (paid, worth) = (invoice.imp_pagado, invoice.equivalencia_dr);
    if worth.to_string() == "1" {
        return paid.get();
    }
    let half = |amount: Amount| Decimal::new(5, amount.decimals() + 1);
    (paid.get() - half(paid)).checked_div(worth.get() + half(worth)).unwrap_or_default()
}

fn paid(invoice: &DoctoRelacionado, payment: &Pago) -> Validation {
    let (before, paid, after) = (invoice.imp_saldo_ant, invoice.imp_pagado, invoice.imp_saldo_insoluto);
    let decimals = sat::currency(&invoice.moneda_dr).filter(|_| invoice.moneda_dr != "XXX").ok_or(Rejection {
        codigo: "CRP20235",
        mensaje: "El campo MonedaDR debe ser una clave de c_Moneda distinta de \"XXX\".",
    })?;
    let short = |amount: Amount| amount.decimals() <= decimals.into();
    let worth = invoice.equivalencia_dr;
    require(
        worth.get() > Decimal::ZERO && worth.decimals() <= WORTH_DECIMALS,
        "CRP20237",
        "El campo EquivalenciaDR debe ser mayor que cero, con 10 decimales o menos.",
    )?;
    require(
        invoice.moneda_dr != payment.moneda_p || worth.to_string() == "1",
        "CRP20238",
        "El campo EquivalenciaDR debe ser \"1\" cuando MonedaDR es igual a MonedaP.",
    )?;
    require(before.get() > Decimal::ZERO, "CRP20239", "El campo ImpSaldoAnt debe ser mayor que cero.")?;
    require(paid.get() > Decimal::ZERO, "CRP20241", "El campo ImpPagado debe ser mayor que cero.")?;
    require(short(before) && short(paid) && short(after), "CRP20242", "Un importe excede los decimales de la moneda.")?;
    require(
        after.get() >= Decimal::ZERO && after.get() == before.get() - paid.get(),
        "CRP20244",
        "El campo ImpSaldoInsoluto debe ser igual a ImpSaldoAnt menos ImpPagado.",
    )?;
    require(
        sat::tax_object_exists(&invoice.objeto_imp_dr),
        "CRP20245",
        "El campo ObjetoImpDR no está en el catálogo.",
    )?;
    let taxes = invoice.impuestos_dr.as_ref();
    let charges =
        |impuesto| taxes.is_some_and(|taxes| taxes.traslados_dr.iter().any(|tax| tax.impuesto_dr == impuesto));
    let (iva, ieps) = (charges(Impuesto::Iva), charges(Impuesto::Ieps));
    let fits = match &*invoice.objeto_imp_dr {
        "02" => true,
        "06" | "08" => !iva && !ieps,
        "07" => ieps && !iva,
        _ => taxes.is_none(),
    };
    let object = invoice.objeto_imp_dr == "02";
    require(!object || taxes.is_some(), "CRP20246", "El nodo ImpuestosDR debe existir cuando ObjetoImpDR es 02.")?;
    require(fits, "CRP20247", "Los impuestos del documento relacionado no corresponden con ObjetoImpDR.")?;
    let Some(taxes) = taxes else { return Ok(()) };
    taxes.traslados_dr.iter().try_for_each(share)?;
    for tax in &taxes.retenciones_dr {
        require(tax.base_dr.get() > Decimal::ZERO, "CRP20249", "El campo BaseDR debe ser mayor que cero.")?;
        require(
            between(tax.importe_dr, tax.base_dr, Reach::Exactly(tax.tasa_o_cuota_dr), DECIMALS),
            "CRP20254",
            "El campo ImporteDR no se encuentra entre el límite inferior y superior permitido.",
        )?;
    }
    Ok(())
}

/// Checks a tax's share in the paid part of an invoice.
fn share(tax: &TrasladoDr) -> Validation {
    require(tax.base_dr.get() > Decimal::ZERO, "CRP20255", "El campo BaseDR debe ser mayor que cero.")?;
    match (tax.tipo_factor_dr, tax.tasa_o_cuota_dr, tax.importe_dr) {
        (TipoFactor::Exento, None, None) => Ok(()),
        (TipoFactor::Tasa | TipoFactor::Cuota, Some(rate), Some(amount)) => require(
            between(amount, tax.base_dr, Reach::Exactly(rate), DECIMALS),
            "CRP20261",
            "El campo ImporteDR no se encuentra entre el límite inferior y superior permitido.",
        ),
        (TipoFactor::Exento, ..) => {
            require(false, "CRP20258", "Un traslado Exento no debe registrar TasaOCuotaDR ni ImporteDR.")
        }
        (TipoFactor::Tasa | TipoFactor::Cuota, ..) => {
            require(false, "CRP20259", "Un traslado con Tasa debe registrar TasaOCuotaDR e ImporteDR.")
        }
    }
}

/// Whether the payment's taxes are the sums of its invoices', in the payment's currency.
fn taxes(payment: &Pago) -> Validation {
    let groups = payment.impuestos_p.as_ref().map_or(&[][..], |taxes| &taxes.traslados_p);
    // The taxes of an invoice in another currency were rounded before and after the exchange.
    let off = |sum: Option<Decimal>, written: Decimal| {
        let parts = Decimal::from(payment.docto_relacionado.len());
        sum.is_none_or(|sum| {
            (sum - written).abs() > if is_exchanged(payment) { Decimal::new(5, 6) * parts } else { Decimal::ZERO }
        })
    };
    let parts = || {
        payment.docto_relacionado.iter().flat_map(|invoice| {
            let taxes = invoice.impuestos_dr.as_ref().map_or(&[][..], |taxes| &taxes.traslados_dr);
            taxes.iter().map(move |tax| (tax, invoice.equivalencia_dr.get()))
        })
    };
    let is_same = |part: &TrasladoDr, group: &TrasladoP| {
        (part.impuesto_dr, part.tipo_factor_dr, part.tasa_o_cuota_dr)
            == (group.impuesto_p, group.tipo_factor_p, group.tasa_o_cuota_p)
    };
    for group in groups {
        let of_it = || parts().filter(|(part, _)| is_same(part, group));
        let base = of_it().map(|(part, worth)| part.base_dr.get().checked_div(worth)).sum();
        require(
            !off(base, group.base_p.get()),
            "CRP20268",
            "El campo BaseP no es igual a la suma de los campos BaseDR.",
        )?;
        let amount = of_it().filter_map(|(part, worth)| Some(part.importe_dr?.get().checked_div(worth))).sum();
        require(
            !off(amount, group.importe_p.map_or(Decimal::ZERO, Amount::get)),
            "CRP20274",
            "El campo ImporteP no es igual a la suma de los campos ImporteDR.",
        )?;
    }
    require(
        parts().all(|(part, _)| groups.iter().filter(|group| is_same(part, group)).count() == 1),
        "CRP20271",
        "Debe haber un traslado por cada combinación de impuesto, factor y tasa de los documentos relacionados.",
    )?;
    for impuesto in [Impuesto::Isr, Impuesto::Iva, Impuesto::Ieps] {
        let written = payment.impuestos_p.iter().flat_map(|taxes| &taxes.retenciones_p);
        let written: Vec<Decimal> =
            written.filter(|group| group.impuesto_p == impuesto).map(|group| group.importe_p.get()).collect();
        let parts = payment.docto_relacionado.iter().flat_map(|invoice| {
            let taxes = invoice.impuestos_dr.as_ref().map_or(&[][..], |taxes| &taxes.retenciones_dr);
            taxes.iter().map(|tax| (tax, invoice.equivalencia_dr.get()))
        });
        let parts: Vec<Option<Decimal>> = parts
            .filter(|(tax, _)| tax.impuesto_dr == impuesto)
            .map(|(tax, worth)| tax.importe_dr.get().checked_div(worth))
            .collect();
        let is_there = written.len() == usize::from(!parts.is_empty());
        let sums = is_there && written.iter().all(|written| !off(parts.iter().copied().sum(), *written));
        require(sums, "CRP20264", "El campo ImporteP de la retención no es igual a la suma de los campos ImporteDR.")?;
    }
    Ok(())
}

/// Whether a payment pays invoices in another currency.
fn is_exchanged(payment: &Pago) -> bool {
    payment.docto_relacionado.iter().any(|invoice| invoice.moneda_dr != payment.moneda_p)
}

/// Whether the totals are the sums of the payments, in pesos.
fn totals(pagos: &Pagos20) -> Validation {
    let totals = &pagos.totales;
    let amount = sum(pagos, |payment| Some(payment.monto.get()));
    let holds = is_sum(Some(totals.monto_total_pagos), amount);
    require(holds, "CRP20211", "El campo MontoTotalPagos no es igual a la suma de los montos en pesos.")?;
    let kinds = [
        (Some(16), totals.base_iva_16, totals.impuesto_iva_16, "CRP20204", "CRP20205"),
        (Some(8), totals.base_iva_8, totals.impuesto_iva_8, "CRP20206", "CRP20207"),
        (Some(0), totals.base_iva_0, totals.impuesto_iva_0, "CRP20208", "CRP20209"),
        (None, totals.base_iva_exento, None, "CRP20210", "CRP20210"),
    ];
    let withheld = [
        (Impuesto::Iva, totals.retenciones_iva, "CRP20201"),
        (Impuesto::Isr, totals.retenciones_isr, "CRP20202"),
        (Impuesto::Ieps, totals.retenciones_ieps, "CRP20203"),
    ];
    for (impuesto, total, codigo) in withheld {
        let amounts = sum(pagos, |payment| {
            let mut taxes = payment.impuestos_p.iter().flat_map(|taxes| &taxes.retenciones_p);
            taxes.find(|tax| tax.impuesto_p == impuesto).map(|tax| tax.importe_p.get())
        });
        require(
            is_sum(total, amounts),
            codigo,
            "Un total de retenciones no es igual a la suma de los campos ImporteP en pesos.",
        )?;
    }
    for (percent, base, tax, base_code, tax_code) in kinds {
        let rate = percent.map(|percent| Decimal::new(percent, 2));
        let bases = sum(pagos, |payment| group(payment, rate).map(|group| group.base_p.get()));
        require(
            is_sum(base, bases),
            base_code,
            "Un total de bases no es igual a la suma de los campos BaseP en pesos.",
        )?;
        let taxes = sum(pagos, |payment| group(payment, rate)?.importe_p.map(Amount::get));
        require(
            is_sum(tax, taxes),
            tax_code,
            "Un total de impuestos no es igual a la suma de los campos ImporteP en pesos.",
        )?;
    }
    Ok(())
}

/// The payment's tax at that rate; `None` means exempt.
fn group(payment: &Pago, rate: Option<Decimal>) -> Option<&TrasladoP> {
    payment
        .impuestos_p
        .iter()
        .flat_map(|taxes| &taxes.traslados_p)
        .find(|tax| tax.impuesto_p == Impuesto::Iva && tax.tasa_o_cuota_p.map(Amount::get) == rate)
}

/// The sum of an amount over the payments that have it, in pesos.
fn sum(pagos: &Pagos20, amount: impl Fn(&Pago) -> Option<Decimal>) -> Option<Decimal> {
    let pesos = |payment: &Pago| amount(payment).map(|amount| amount.saturating_mul(payment.tipo_cambio_p.get()));
    pagos.pago.iter().filter_map(pesos).reduce(Decimal::saturating_add)
}

fn is_sum(total: Option<Amount>, sum: Option<Decimal>) -> bool {
    total.map(Amount::get) == sum.map(|sum| Amount::rounded(sum, 2).get())
}
