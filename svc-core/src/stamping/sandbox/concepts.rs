//! Checks of an income document: concepts, taxes, sums.

use rust_decimal::Decimal;

use super::limits::{Reach, between};
use super::{Rejection, Validation, levies, require};
use crate::domain::cfdi::{Amount, Cfdi, Concepto, Traslado};
use crate::domain::sat;

pub(super) fn validate(document: &Cfdi) -> Validation {
    let decimals = heading(document)?;
    for concept in &document.conceptos {
        keys(concept)?;
        amounts(concept, decimals)?;
        for tax in concept.impuestos.iter().flat_map(|taxes| &taxes.traslados) {
            levies::charge(tax, decimals, &document.lugar_expedicion)?;
        }
        for tax in concept.impuestos.iter().flat_map(|taxes| &taxes.retenciones) {
            levies::withheld(tax, decimals)?;
        }
    }
    totals(document)?;
    local_taxes(document)?;
    taxes(document, decimals)?;
    levies::withheld_sums(document)
}

/// Checks form and method of payment, and currency; returns the currency's decimals.
fn heading(document: &Cfdi) -> Result<u32, Rejection> {
    let (form, method) = (document.forma_pago.as_deref(), document.metodo_pago.as_deref());
    require(
        form.is_some_and(sat::payment_form_exists),
        "CFDI40104",
        "El campo FormaPago no contiene un valor del catálogo c_FormaPago.",
    )?;
    require(
        method.is_some_and(sat::payment_method_exists),
        "CFDI40124",
        "El campo MetodoPago no contiene un valor del catálogo c_MetodoPago.",
    )?;
    require(
        method != Some("PPD") || form == Some(sat::FORM_TO_BE_DEFINED),
        "CFDI40105",
        "El campo FormaPago debe contener el valor \"99\" cuando MetodoPago es PPD.",
    )?;
    let decimals = sat::currency(&document.moneda).filter(|_| document.moneda != "XXX").ok_or(Rejection {
        codigo: "CFDI40113",
        mensaje: "El campo Moneda no contiene un valor del catálogo c_Moneda.",
    })?;
    match (document.moneda.as_str(), document.tipo_cambio) {
        ("MXN", rate) => require(
            rate.is_none_or(|rate| rate.get() == Decimal::ONE),
            "CFDI40114",
            "El campo TipoCambio no tiene el valor \"1\" y la moneda indicada es MXN.",
        )?,
        (_, rate) => require(
            rate.is_some_and(|rate| rate.get() > Decimal::ZERO),
            "CFDI40115",
            "El campo TipoCambio se debe registrar cuando la moneda es distinta de MXN y de XXX.",
        )?,
    }
    Ok(decimals.into())
}

fn keys(concept: &Concepto) -> Validation {
    require(
        sat::product_service_exists(&concept.clave_prod_serv),
        "CFDI40162",
        "El campo ClaveProdServ no contiene un valor del catálogo c_ClaveProdServ.",
    )?;
    require(
        sat::unit_exists(&concept.clave_unidad),
        "CFDI40165",
        "El campo ClaveUnidad no contiene un valor del catálogo c_ClaveUnidad.",
    )?;
    let length = concept.descripcion.chars().count();
    require((1..=1_000).contains(&length), "CFDI40999", "El campo Descripcion debe tener de 1 a 1000 caracteres.")?;
    require(
        sat::tax_object_exists(&concept.objeto_imp),
        "CFDI40170",
        "El campo ObjetoImp no contiene un valor del catálogo c_ObjetoImp.",
    )?;
    levies::object(concept)?;
    let is_number = |number: &str| {
        let parts: Vec<&str> = number.split("  ").collect();
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        lengths == [2, 2, 4, 7] && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    require(
        concept.informacion_aduanera.iter().all(|customs| is_number(&customs.numero_pedimento)),
        "301",
        "El campo NumeroPedimento no cumple con el patrón.",
    )
}

fn amounts(concept: &Concepto, decimals: u32) -> Validation {
    require(
        concept.valor_unitario.get() > Decimal::ZERO,
        "CFDI40166",
        "El campo ValorUnitario debe ser mayor que cero en un comprobante de ingreso.",
    )?;
    require(
        concept.cantidad.get() > Decimal::ZERO
            && between(concept.importe, concept.cantidad, Reach::Around(concept.valor_unitario), decimals),
        "CFDI40167",
        "El campo Importe no se encuentra entre el límite inferior y superior permitido.",
    )?;
    let Some(discount) = concept.descuento else { return Ok(()) };
    require(
        discount.decimals() <= concept.importe.decimals(),
        "CFDI40168",
        "El campo Descuento tiene más decimales que el campo Importe del concepto.",
    )?;
    require(discount <= concept.importe, "CFDI40169", "El campo Descuento es mayor que el campo Importe del concepto.")
}

fn totals(document: &Cfdi) -> Validation {
    let sum = |amount: fn(&Concepto) -> Option<Amount>| -> Decimal {
        document.conceptos.iter().filter_map(amount).map(Amount::get).sum()
    };
    let (subtotal, total) = (document.sub_total.get(), document.total.get());
    require(
        !document.conceptos.is_empty() && subtotal == sum(|concept| Some(concept.importe)),
        "CFDI40108",
        "El campo SubTotal no es igual a la suma de los importes de los conceptos.",
    )?;
    let discount = document.descuento.map_or(Decimal::ZERO, Amount::get);
    require(discount <= subtotal, "CFDI40110", "El campo Descuento es mayor que el campo SubTotal.")?;
    let taxes = document.impuestos.as_ref();
    let value = |amount: Option<Amount>| amount.map_or(Decimal::ZERO, Amount::get);
    let charged = value(taxes.and_then(|taxes| taxes.total_impuestos_trasladados));
    let withheld = value(taxes.and_then(|taxes| taxes.total_impuestos_retenidos));
    let local = document.complemento.as_ref().and_then(|complement| complement.impuestos_locales.as_ref());
    let charged = charged + value(local.map(|taxes| taxes.total_de_traslados));
    let withheld = withheld + value(local.map(|taxes| taxes.total_de_retenciones));
    require(
        discount == sum(|concept| concept.descuento) && total == subtotal - discount + charged - withheld,
        "CFDI40119",
        "El campo Total no corresponde con el subtotal, menos los descuentos, más los impuestos trasladados, menos los retenidos.",
    )
}

/// Whether the sums of local taxes are those of their nodes.
fn local_taxes(document: &Cfdi) -> Validation {
    let local = document.complemento.as_ref().and_then(|complement| complement.impuestos_locales.as_ref());
    let Some(local) = local else { return Ok(()) };
    let charged: Decimal = local.traslados_locales.iter().map(|tax| tax.importe.get()).sum();
    let withheld: Decimal = local.retenciones_locales.iter().map(|tax| tax.importe.get()).sum();
    require(
        (charged, withheld) == (local.total_de_traslados.get(), local.total_de_retenciones.get()),
        "301",
        "Los totales del complemento de impuestos locales no son las sumas de sus importes.",
    )
}

/// Whether the document's taxes are the sums of its concepts'.
fn taxes(document: &Cfdi, decimals: u32) -> Validation {
    let is_sum = |sum: Decimal, written: Decimal| sum == written || Amount::rounded(sum, decimals).get() == written;
    let groups = document.impuestos.as_ref().map_or(&[][..], |taxes| &taxes.traslados);
    let parts =
        || document.conceptos.iter().filter_map(|concept| concept.impuestos.as_ref()).flat_map(|t| &t.traslados);
    for (place, group) in groups.iter().enumerate() {
        require(
            !groups[..place].iter().any(|other| is_same(other, group)),
            "CFDI40218",
            "Debe haber sólo un traslado con la misma combinación de impuesto, factor y tasa.",
        )?;
        let base: Decimal = parts().filter(|part| is_same(part, group)).map(|part| part.base.get()).sum();
        require(
            is_sum(base, group.base.get()),
            "CFDI40215",
            "El campo Base no es igual a la suma de las bases de los conceptos.",
        )?;
        let amount: Decimal =
            parts().filter(|part| is_same(part, group)).filter_map(|part| part.importe).map(Amount::get).sum();
        require(
            is_sum(amount, group.importe.map_or(Decimal::ZERO, Amount::get)),
            "CFDI40221",
            "El campo Importe no es igual a la suma de los importes de los impuestos trasladados de los conceptos.",
        )?;
    }
    require(
        parts().all(|part| groups.iter().any(|group| is_same(part, group))),
        "CFDI40215",
        "Los conceptos tienen impuestos trasladados que el comprobante no resume.",
    )?;
    let Some(taxes) = &document.impuestos else { return Ok(()) };
    let charged: Vec<Amount> = taxes.traslados.iter().filter_map(|tax| tax.importe).collect();
    let sum = (!charged.is_empty()).then(|| charged.into_iter().map(Amount::get).sum::<Decimal>());
    require(
        taxes.total_impuestos_trasladados.map(Amount::get) == sum,
        "CFDI40205",
        "El campo TotalImpuestosTrasladados no es igual a la suma de los importes de los traslados.",
    )
}

fn is_same(one: &Traslado, other: &Traslado) -> bool {
    (one.impuesto, one.tipo_factor, one.tasa_o_cuota) == (other.impuesto, other.tipo_factor, other.tasa_o_cuota)
}
