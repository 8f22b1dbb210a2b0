//! Checks of a concept's taxes: which are required and allowed, their rates, the withheld ones.

use rust_decimal::Decimal;

use super::limits::{Reach, between};
use super::{Validation, require};
use crate::domain::cfdi::{Amount, Cfdi, Concepto, Impuesto, RetencionConcepto, TipoFactor, Traslado};
use crate::domain::sat::{self, Factor, Levied};

/// Whether a concept breaks down exactly the taxes that its `c_ObjetoImp` requires.
pub(super) fn object(concept: &Concepto) -> Validation {
    let taxed = concept.impuestos.as_ref();
    let charges = |impuesto| taxed.is_some_and(|taxes| taxes.traslados.iter().any(|tax| tax.impuesto == impuesto));
    let (iva, ieps) = (charges(Impuesto::Iva), charges(Impuesto::Ieps));
    let fits = match concept.objeto_imp.as_str() {
        "02" => true,
        "06" | "08" => !iva && !ieps,
        "07" => ieps && !iva,
        _ => taxed.is_none(),
    };
    require(
        concept.objeto_imp != "02" || taxed.is_some(),
        "CFDI40171",
        "El nodo Impuestos del concepto debe existir cuando ObjetoImp es 02.",
    )?;
    require(fits, "CFDI40172", "Los impuestos del concepto no corresponden con ObjetoImp.")?;
    require(
        taxed.is_none_or(|taxes| !taxes.traslados.is_empty() || !taxes.retenciones.is_empty()),
        "CFDI40173",
        "El nodo Impuestos del concepto debe incluir al menos un impuesto.",
    )
}

pub(super) fn charge(tax: &Traslado, decimals: u32, lugar: &str) -> Validation {
    require(tax.base.get() > Decimal::ZERO, "CFDI40174", "El campo Base del traslado debe ser mayor que cero.")?;
    let (rate, amount) = match (tax.tipo_factor, tax.tasa_o_cuota, tax.importe) {
        (TipoFactor::Exento, None, None) => return Ok(()),
        (TipoFactor::Tasa | TipoFactor::Cuota, Some(rate), Some(amount)) => (rate, amount),
        (TipoFactor::Exento, ..) => {
            return require(false, "CFDI40177", "Un traslado Exento no debe registrar TasaOCuota ni Importe.");
        }
        (TipoFactor::Tasa | TipoFactor::Cuota, ..) => {
            return require(false, "CFDI40178", "Un traslado con Tasa debe registrar TasaOCuota e Importe.");
        }
    };
    let border = sat::has_border_rate(lugar);
    require(
        is_rate(tax.impuesto, tax.tipo_factor, rate, border),
        "CFDI40179",
        "El campo TasaOCuota del traslado no contiene un valor del catálogo c_TasaOCuota.",
    )?;
    require(
        between(amount, tax.base, Reach::Exactly(rate), decimals),
        "CFDI40180",
        "El campo Importe del traslado no se encuentra entre el límite inferior y superior permitido.",
    )
}

/// Whether `c_TasaOCuota` has the charged rate; 8 % of IVA only where the border stimulus applies.
fn is_rate(impuesto: Impuesto, factor: TipoFactor, rate: Amount, border: bool) -> bool {
    let border_rate = (Impuesto::Iva, TipoFactor::Tasa, Decimal::new(8, 2));
    (border || (impuesto, factor, rate.get()) != border_rate) && exists(impuesto, factor, Levied::Charged, rate)
}

fn exists(impuesto: Impuesto, factor: TipoFactor, levied: Levied, rate: Amount) -> bool {
    let factor = match factor {
        TipoFactor::Tasa => Factor::Tasa,
        TipoFactor::Cuota => Factor::Cuota,
        TipoFactor::Exento => return false,
    };
    let impuesto = match impuesto {
        Impuesto::Isr => "001",
        Impuesto::Iva => "002",
        Impuesto::Ieps => "003",
    };
    sat::tax_rate_exists(impuesto, factor, levied, rate.get())
}

pub(super) fn withheld(tax: &RetencionConcepto, decimals: u32) -> Validation {
    require(tax.base.get() > Decimal::ZERO, "CFDI40181", "El campo Base de la retención debe ser mayor que cero.")?;
    require(
        tax.tipo_factor != TipoFactor::Exento,
        "CFDI40184",
        "El campo TipoFactor de la retención no debe ser Exento.",
    )?;
    let rate = tax.tasa_o_cuota;
    require(
        exists(tax.impuesto, tax.tipo_factor, Levied::Withheld, rate),
        "CFDI40185",
        "El campo TasaOCuota de la retención no contiene un valor del catálogo c_TasaOCuota.",
    )?;
    require(
        between(tax.importe, tax.base, Reach::Exactly(rate), decimals),
        "CFDI40186",
        "El campo Importe de la retención no se encuentra entre el límite inferior y superior permitido.",
    )
}

/// Whether the document's withheld taxes are the sums of its concepts'.
pub(super) fn withheld_sums(document: &Cfdi) -> Validation {
    let parts: Vec<&RetencionConcepto> = document
        .conceptos
        .iter()
        .filter_map(|concept| concept.impuestos.as_ref())
        .flat_map(|t| &t.retenciones)
        .collect();
    let groups = document.impuestos.as_ref().map_or(&[][..], |taxes| &taxes.retenciones);
    for (place, group) in groups.iter().enumerate() {
        require(
            !groups[..place].iter().any(|other| other.impuesto == group.impuesto),
            "CFDI40208",
            "Debe haber sólo una retención por cada impuesto.",
        )?;
        let sum: Decimal =
            parts.iter().filter(|part| part.impuesto == group.impuesto).map(|part| part.importe.get()).sum();
        require(
            sum == group.importe.get(),
            "CFDI40211",
            "El campo Importe no es igual a la suma de los importes de las retenciones de los conceptos.",
        )?;
    }
    require(
        parts.iter().all(|part| groups.iter().any(|group| group.impuesto == part.impuesto)),
        "CFDI40211",
        "Los conceptos tienen retenciones que el comprobante no resume.",
    )?;
    let Some(taxes) = &document.impuestos else { return Ok(()) };
    let sum = (!groups.is_empty()).then(|| groups.iter().map(|group| group.importe.get()).sum::<Decimal>());
    require(
        taxes.total_impuestos_retenidos.map(Amount::get) == sum,
        "CFDI40203",
        "El campo TotalImpuestosRetenidos no es igual a la suma de los importes de las retenciones.",
    )
}
