//! A provider within this process.

mod concepts;
mod document;
mod payments;

use std::sync::LazyLock;

use async_trait::async_trait;
use chrono::{DateTime, TimeZone as _, Utc};
use chrono_tz::America::Mexico_City;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{StampFailure, StampRequest, StampedXml, Stamper};
use crate::domain::cfdi::{Cfdi, Provider, SealFault, SigningKey, TipoDeComprobante, holds, stamp};
use crate::domain::sat;

/// A receiver whose name contains this is rejected.
const REJECTED: &str = "RECHAZO";
/// With a receiver whose name contains this, the provider is not reached.
const NO_SERVICE: &str = "SIN SERVICIO";

/// Whose stamps these are: no provider's RFC.
const RFC: &str = "AAA010101AAA";
/// The number of `certificate.der`.
const CERTIFICATE: &str = "30001000000500009999";
/// An RSA key of 2048 bits in PKCS#8, made for this with `openssl genpkey`; it protects nothing.
static KEY: LazyLock<Result<SigningKey, SealFault>> =
    LazyLock::new(|| SigningKey::from_pkcs8(include_bytes!("key.der")));

/// A provider within this process, for development and tests.
///
/// It reads the XML and validates what needs no register of taxpayers: attributes, catalogues, sums and the seal, with the
/// authority's codes (`CFDI40…`; `CRP20…` for payments; `301` and `302` for an XML or a seal that is none). It has no clock and no
/// state, so it does not check a document's age; it dates the stamp as the document is, and the same XML always gets the same
/// stamped XML, UUID and all.
///
/// Its stamps are whole, but worth nothing: they are signed with a key that everyone has (`key.der` in its folder; its certificate
/// is beside it, number `30001000000500009999`).
///
/// The receiver's name simulates failures that depend on a register or a network:
///
/// | the name contains | result |
/// |---|---|
/// | `RECHAZO` | rejected with `CFDI40145`: the name does not belong to the RFC |
/// | `SIN SERVICIO` | the provider is not reached |
#[derive(Debug, Clone, Copy, Default)]
pub struct SandboxStamper;

#[async_trait]
impl Stamper for SandboxStamper {
    async fn stamp(&self, request: &StampRequest) -> Result<StampedXml, StampFailure> {
        let document =
            Cfdi::read(&request.xml).map_err(|_| Rejection { codigo: "301", mensaje: "XML mal formado." })?;
        if document.receptor.nombre.contains(NO_SERVICE) {
            return Err(StampFailure::Unreachable("the receiver's name simulates an outage".to_owned()));
        }
        judge(&document)?;
        require(holds(&request.xml), "302", "Sello mal formado o inválido.")?;
        Self::sign(request, folio(&request.xml), issued(&document))
    }
}

impl SandboxStamper {
    /// Stamps a document unjudged, under that UUID and as of that time: for stand-ins of providers in tests. The failure is that
    /// of an XML that is no sealed document.
    pub fn sign(request: &StampRequest, uuid: Uuid, at: DateTime<Utc>) -> Result<StampedXml, StampFailure> {
        let fault = |fault: &SealFault| StampFailure::Unreachable(format!("the sandbox cannot stamp it: {fault}"));
        let provider = Provider { rfc: RFC, certificado: CERTIFICATE, key: KEY.as_ref().map_err(fault)? };
        request.stamped(stamp(&request.xml, uuid, at, &provider).map_err(|error| fault(&error))?)
    }
}

impl From<Rejection> for StampFailure {
    fn from(Rejection { codigo, mensaje }: Rejection) -> Self {
        Self::Rejected { codigo: codigo.to_owned(), mensaje: mensaje.to_owned() }
    }
}

/// When a document was issued; its place says in which zone its date is.
fn issued(document: &Cfdi) -> DateTime<Utc> {
    let zone = sat::time_zone(&document.lugar_expedicion).unwrap_or(Mexico_City);
    let at = zone.from_local_datetime(&document.fecha).earliest().map(|at| at.with_timezone(&Utc));
    at.unwrap_or_else(|| document.fecha.and_utc())
}

/// The authority's code, and its message in short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rejection {
    codigo: &'static str,
    mensaje: &'static str,
}

type Verdict = Result<(), Rejection>;

fn require(holds: bool, codigo: &'static str, mensaje: &'static str) -> Verdict {
    if holds { Ok(()) } else { Err(Rejection { codigo, mensaje }) }
}

/// The first thing that is wrong with a document.
fn judge(document: &Cfdi) -> Verdict {
    document::judge(document)?;
    match document.tipo_de_comprobante {
        TipoDeComprobante::I | TipoDeComprobante::E => concepts::judge(document),
        TipoDeComprobante::P => payments::judge(document),
    }
}

/// The UUID of a document, by which it is known: of version 8 (RFC 9562), made of its bytes.
fn folio(xml: &str) -> Uuid {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(xml)[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

#[cfg(test)]
mod tests;
