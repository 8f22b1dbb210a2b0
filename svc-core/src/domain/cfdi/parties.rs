//! Issuer, place and date of issue, and receiver.

use chrono::NaiveDateTime;

use super::legal_form::without_legal_form;
use super::source::{Certificate, Heading, Issuer, Receiver};
use super::text::{attribute, name};
use super::{CfdiFault, Emisor, GENERAL_PUBLIC, GENERAL_PUBLIC_RFC, Receptor, TipoDeComprobante};
use crate::domain::credit_note::TAKEN_OFF;
use crate::domain::rfc::Rfc;
use crate::domain::sat::{self, GENERIC_REGIME, GENERIC_USE};
use crate::domain::text::fold;

/// `c_Pais`: Mexico, which is never a residence abroad.
const MEXICO: &str = "MEX";

/// `c_UsoCFDI` of payment documents.
pub(super) const PAYMENTS: &str = "CP01";

/// The first part of every document.
pub(super) struct Opening {
    pub(super) serie: Option<String>,
    pub(super) folio: Option<String>,
    pub(super) fecha: NaiveDateTime,
    pub(super) no_certificado: String,
    pub(super) certificado: String,
    pub(super) lugar_expedicion: String,
    pub(super) emisor: Emisor,
}

/// The issuer's part of a document.
pub(super) fn open(issuer: &Issuer, heading: &Heading) -> Result<Opening, CfdiFault> {
    let rfc = issuer.rfc.as_deref().and_then(|rfc| Rfc::parse(rfc).ok()).filter(|rfc| !rfc.is_generic());
    let rfc = rfc.ok_or(CfdiFault::Issuer("un RFC válido"))?;
    let nombre =
        name(Some(without_legal_form(&issuer.nombre, issuer.rfc.as_deref()))).ok_or(CfdiFault::Issuer("nombre"))?;
    let regimen = issuer.regimen.ok_or(CfdiFault::Issuer("régimen fiscal"))?;
    let place = issuer.cp.as_deref().and_then(|cp| Some((cp, sat::time_zone(cp)?)));
    let (cp, zone) = place.ok_or(CfdiFault::Issuer("un código postal válido en el lugar de expedición"))?;
    Ok(Opening {
        serie: attribute(heading.serie.as_deref(), 25),
        folio: attribute(heading.folio.as_deref(), 40),
        fecha: heading.fecha.get().with_timezone(&zone).naive_local(),
        no_certificado: issuer.certificado.as_ref().map(|found| found.numero.clone()).unwrap_or_default(),
        certificado: issuer.certificado.as_ref().map(Certificate::text).unwrap_or_default(),
        lugar_expedicion: cp.to_owned(),
        emisor: Emisor { rfc: rfc.to_string(), nombre, regimen_fiscal: regimen.to_string() },
    })
}

/// The receiver's part of a document issued in `lugar`; `uso` overrides the receiver's own.
///
/// A generic RFC has no address or regime of its own: the authority requires the place of issue and
/// 616.
pub(super) fn receive(receiver: &Receiver, lugar: &str, uso: Option<&str>) -> Result<Receptor, CfdiFault> {
    let rfc = receiver.rfc.as_deref().and_then(|rfc| Rfc::parse(rfc).ok());
    let rfc = rfc.ok_or(CfdiFault::Receiver("un RFC válido"))?;
    let generic = rfc.is_generic();
    let own_use = receiver.uso_cfdi.as_deref().or(generic.then_some(GENERIC_USE));
    let uso = uso.or(own_use).ok_or(CfdiFault::Receiver("uso de CFDI"))?;
    let regimen = if generic { Some(GENERIC_REGIME) } else { receiver.regimen };
    let cp = if generic { Some(lugar) } else { receiver.cp.as_deref() };
    let residence = if rfc.is_foreign() { receiver.pais.and_then(sat::country) } else { None };
    let residence = residence.filter(|country| *country != MEXICO);
    let id = residence.and_then(|_| attribute(receiver.num_reg_id_trib.as_deref(), 40));
    if let (Some(pais), Some(id)) = (receiver.pais, &id)
        && !sat::tax_id_fits(pais, id)
    {
        return Err(CfdiFault::Receiver("un num_reg_id_trib con los dígitos de los de su país"));
    }
    let nombre = called(receiver.nombre.as_deref(), &rfc).ok_or(CfdiFault::Receiver("nombre"))?;
    // CFDI40146.
    if nombre == GENERAL_PUBLIC && rfc.as_str() != GENERAL_PUBLIC_RFC {
        return Err(CfdiFault::Receiver("un nombre propio: PUBLICO EN GENERAL es el del RFC XAXX010101000"));
    }
    Ok(Receptor {
        nombre,
        domicilio_fiscal_receptor: cp.ok_or(CfdiFault::Receiver("código postal"))?.to_owned(),
        // A tax id without its country is refused (CFDI40153).
        num_reg_id_trib: id,
        residencia_fiscal: residence.map(str::to_owned),
        regimen_fiscal_receptor: regimen.ok_or(CfdiFault::Receiver("régimen fiscal"))?.to_string(),
        uso_cfdi: uso.to_owned(),
        rfc: rfc.to_string(),
    })
}

impl TipoDeComprobante {
    /// Whether a document of this kind may have a CFDI use that fits its receiver: payments have
    /// one of their own, and a generic RFC has only "sin efectos fiscales" and, where money goes
    /// back, G02 (CFDI40161).
    pub(crate) fn allows_use(self, uso: &str, generic: bool) -> bool {
        match self {
            Self::P => uso == PAYMENTS,
            _ if uso == PAYMENTS => false,
            _ if !generic || uso == GENERIC_USE => true,
            Self::E => uso == TAKEN_OFF,
            Self::I => false,
        }
    }
}

/// The receiver that a document names, for documents about it, which have a use of their own.
impl From<Receptor> for Receiver {
    fn from(receptor: Receptor) -> Self {
        Self {
            rfc: Some(receptor.rfc),
            nombre: Some(receptor.nombre),
            cp: Some(receptor.domicilio_fiscal_receptor),
            regimen: receptor.regimen_fiscal_receptor.parse().ok(),
            uso_cfdi: None,
            pais: receptor.residencia_fiscal.as_deref().and_then(sat::country_key),
            num_reg_id_trib: receptor.num_reg_id_trib,
        }
    }
}

/// Whether the receiver is the general public; the document then states the period that it sums up.
/// A named customer without RFC is a receiver like any other.
pub(super) fn is_general_public(receptor: &Receptor) -> bool {
    receptor.rfc == GENERAL_PUBLIC_RFC && receptor.nombre == GENERAL_PUBLIC
}

/// The receiver's name; the general public has one prescribed spelling.
fn called(nombre: Option<&str>, rfc: &Rfc) -> Option<String> {
    let name = name(nombre);
    if rfc.as_str() != GENERAL_PUBLIC_RFC {
        return name;
    }
    name.filter(|name| fold(name) != fold(GENERAL_PUBLIC)).or_else(|| Some(GENERAL_PUBLIC.to_owned()))
}
