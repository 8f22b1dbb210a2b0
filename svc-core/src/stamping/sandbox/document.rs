//! Checks of every document: certificate, parties, place of issue.

use chrono::Datelike;

use super::{REJECTED, Rejection, Validation, require};
use crate::domain::cfdi::{Cfdi, Emisor, GENERAL_PUBLIC, InformacionGlobal, Periodicidad, Receptor, TipoDeComprobante};
use crate::domain::rfc::Rfc;
use crate::domain::sat::{self, FiscalFault, TaxRegime};

const NATIONAL: &str = "XAXX010101000";

pub(super) fn validate(document: &Cfdi) -> Validation {
    let number = document.no_certificado.as_str();
    let numbered = number.len() == 20 && number.bytes().all(|byte| byte.is_ascii_digit());
    require(numbered && !document.certificado.is_empty(), "CFDI40106", "El campo Certificado no es válido.")?;
    require(
        sat::postal_code(&document.lugar_expedicion).is_some(),
        "CFDI40126",
        "El campo LugarExpedicion no contiene un valor del catálogo c_CodigoPostal.",
    )?;
    issuer(&document.emisor)?;
    receiver(document)?;
    match &document.informacion_global {
        Some(period) => of_period(document, period),
        None => require(
            !is_general_public(&document.receptor) || document.tipo_de_comprobante != TipoDeComprobante::I,
            "CFDI40130",
            "El nodo InformacionGlobal debe existir cuando el receptor es PUBLICO EN GENERAL.",
        ),
    }
}

fn issuer(emisor: &Emisor) -> Validation {
    let rfc = Rfc::parse(&emisor.rfc).ok().filter(|rfc| !rfc.is_generic());
    let unlisted = Rejection {
        codigo: "CFDI40138",
        mensaje: "El emisor debe encontrarse en la lista de RFC inscritos no cancelados en el SAT.",
    };
    let rfc = rfc.ok_or(unlisted)?;
    require(!emisor.nombre.is_empty(), "CFDI40139", "El campo Nombre del emisor debe pertenecer al RFC del emisor.")?;
    let regime = regime(&emisor.regimen_fiscal).ok_or(Rejection {
        codigo: "CFDI40140",
        mensaje: "El campo RegimenFiscal no contiene un valor del catálogo c_RegimenFiscal.",
    })?;
    require(
        regime.allows(rfc.person()),
        "CFDI40141",
        "El campo RegimenFiscal debe corresponder con el tipo de persona del emisor.",
    )
}

fn receiver(document: &Cfdi) -> Validation {
    let receptor = &document.receptor;
    let rfc = Rfc::parse(&receptor.rfc).map_err(|_| Rejection {
        codigo: "CFDI40143",
        mensaje: "El RFC del receptor no existe en la lista de RFC inscritos no cancelados del SAT.",
    })?;
    let named = !receptor.nombre.is_empty() && !receptor.nombre.contains(REJECTED);
    require(named, "CFDI40145", "El campo Nombre del receptor debe pertenecer al RFC del receptor.")?;
    require(
        receptor.nombre != GENERAL_PUBLIC || rfc.as_str() == NATIONAL,
        "CFDI40146",
        "El RFC del receptor debe ser XAXX010101000 cuando el nombre es PUBLICO EN GENERAL.",
    )?;
    let address = receptor.domicilio_fiscal_receptor.as_str();
    require(
        sat::postal_code(address).is_some(),
        "CFDI40147",
        "El campo DomicilioFiscalReceptor debe encontrarse en la lista de RFC inscritos no cancelados en el SAT.",
    )?;
    require(
        !rfc.is_generic() || address == document.lugar_expedicion,
        "CFDI40149",
        "El campo DomicilioFiscalReceptor debe ser igual a LugarExpedicion con un RFC genérico.",
    )?;
    fiscal(&rfc, receptor)?;
    require(
        document.tipo_de_comprobante.allows_use(&receptor.uso_cfdi, rfc.is_generic()),
        "CFDI40161",
        "El campo UsoCFDI debe corresponder con el tipo de comprobante y el RFC del receptor.",
    )
}

/// Whether the receiver's regime and use belong to its RFC.
fn fiscal(rfc: &Rfc, receptor: &Receptor) -> Validation {
    let unlisted = Rejection {
        codigo: "CFDI40157",
        mensaje: "El campo RegimenFiscalReceptor no contiene un valor del catálogo c_RegimenFiscal.",
    };
    let regime = regime(&receptor.regimen_fiscal_receptor).ok_or(unlisted)?;
    sat::validate(Some(rfc), Some(regime.clave), Some(&receptor.uso_cfdi)).map_err(|fault| match fault {
        FiscalFault::RegimenInvalido => unlisted,
        FiscalFault::RegimenIncompatible => Rejection {
            codigo: "CFDI40158",
            mensaje: "El campo RegimenFiscalReceptor debe corresponder con el tipo de persona del receptor.",
        },
        FiscalFault::UsoInvalido => {
            Rejection { codigo: "CFDI40160", mensaje: "El campo UsoCFDI no contiene un valor del catálogo c_UsoCFDI." }
        }
        FiscalFault::UsoIncompatible => Rejection {
            codigo: "CFDI40161",
            mensaje: "El campo UsoCFDI debe corresponder con el tipo de persona y el régimen del receptor.",
        },
    })
}

fn of_period(document: &Cfdi, period: &InformacionGlobal) -> Validation {
    require(
        is_general_public(&document.receptor),
        "CFDI40130",
        "El nodo InformacionGlobal exige el RFC XAXX010101000 y el nombre PUBLICO EN GENERAL.",
    )?;
    let month: Option<u32> = period.meses.parse().ok().filter(|_| period.meses.len() == 2);
    if period.periodicidad == Periodicidad::Bimestral {
        require(
            document.emisor.regimen_fiscal == "621",
            "CFDI40132",
            "El campo Periodicidad sólo es 05 con el régimen fiscal 621.",
        )?;
        let bimester = matches!(month, Some(13..=18));
        require(bimester, "CFDI40135", "El campo Meses debe contener un valor entre 13 y 18 con la periodicidad 05.")?;
    } else {
        let month = matches!(month, Some(1..=12));
        require(month, "CFDI40134", "El campo Meses debe contener un valor entre 01 y 12.")?;
    }
    let issued = document.fecha.year();
    require(
        (issued - 1..=issued).contains(&period.anio),
        "CFDI40136",
        "El campo Año debe ser el año en curso o el inmediato anterior.",
    )
}

fn is_general_public(receptor: &Receptor) -> bool {
    receptor.rfc == NATIONAL && receptor.nombre == GENERAL_PUBLIC
}

fn regime(key: &str) -> Option<TaxRegime> {
    key.parse().ok().and_then(sat::regime)
}
