//! A provider within this process.

mod cancellation;
mod concepts;
mod document;
mod levies;
mod limits;
mod payments;

use std::sync::LazyLock;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{CancelReceipt, CancelRequest, DocumentStatus, StampFailure, StampRequest, StampedXml, Stamper};
use crate::domain::cfdi::{
    Cfdi, SANDBOX_CERTIFICATE, SANDBOX_RFC, SealFault, SigningKey, StampSigner, TipoDeComprobante, holds, stamp,
};

/// A receiver whose name contains this is rejected.
const REJECTED: &str = "RECHAZO";
/// If the receiver's name contains this, the provider cannot be reached.
const NO_SERVICE: &str = "SIN SERVICIO";

/// If the receiver's name contains this, the account has no stamps left.
const NO_CREDIT: &str = "SIN TIMBRES";

/// An RSA key of 2048 bits in PKCS#8, generated for this with `openssl genpkey`; it protects
/// nothing.
static KEY: LazyLock<Result<SigningKey, SealFault>> =
    LazyLock::new(|| SigningKey::from_pkcs8(include_bytes!("key.der")));

/// A provider within this process, for development and tests.
///
/// It reads the XML and validates everything that needs no register of taxpayers: attributes,
/// catalogues, sums and the seal, with the authority's codes (`CFDI40…`; `CRP20…` for payments;
/// `301` and `302` for an invalid XML or seal; `401` if it is older than 72 hours at the time of
/// the request). It has no clock and no state: it dates the stamp as the document is, and the same
/// XML always gets the same stamped XML with the same UUID, like a provider that returns the
/// earlier stamp (307).
///
/// Its stamps are complete but worthless: they are signed with a published key (`key.der` in its
/// folder, with its certificate beside it, number `30001000000500009999`), and their PDF says on
/// each page that they have no fiscal value.
///
/// The receiver's name simulates failures that depend on a register or a network:
///
/// | the name contains | result |
/// |---|---|
/// | `RECHAZO` | rejected with `CFDI40145`: the name does not belong to the RFC |
/// | `SIN SERVICIO` | the provider is not reached |
/// | `SIN TIMBRES` | the account has none left: an operator's matter |
/// | `NO CANCELABLE` | the document cannot be cancelled, as one that others relate to |
/// | `ACEPTA` | its cancellation is accepted by the receiver an hour after it was asked for |
/// | `RECHAZA` | its cancellation is refused by the receiver, five minutes after it was asked for |
/// | `NO RESPONDE` | its cancellation waits for 72 hours, which accept it |
///
/// All other cancellations are final at once; one that needs acceptance (`requiere_aceptacion`)
/// waits for `invoice.cancel-accepted` or `invoice.cancel-rejected`, or for 72 hours.
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
        if document.receptor.nombre.contains(NO_CREDIT) {
            return Err(StampFailure::Misconfigured(
                "the receiver's name simulates an account without stamps".to_owned(),
            ));
        }
        validate(&document)?;
        require(
            request.at.is_none_or(|now| is_of_age(&document, now)),
            "401",
            "El rango de la fecha de generación es de más de 72 horas, o está en el futuro.",
        )?;
        require(holds(&request.xml), "302", "Sello mal formado o inválido.")?;
        Self::sign(request, folio(&request.xml), document.issued())
    }

    /// Its answers are never lost, so there is no earlier one to find.
    async fn earlier(&self, _request: &StampRequest) -> Result<Option<StampedXml>, StampFailure> {
        Ok(None)
    }

    async fn cancel(&self, request: &CancelRequest) -> Result<CancelReceipt, StampFailure> {
        cancellation::cancel(request)
    }

    async fn status(&self, request: &CancelRequest) -> Result<DocumentStatus, StampFailure> {
        Ok(cancellation::status(request))
    }
}

impl SandboxStamper {
    /// Stamps a document without validating it, with that UUID and time: for fake providers in
    /// tests. Fails if the XML is not a sealed document.
    pub fn sign(request: &StampRequest, uuid: Uuid, at: DateTime<Utc>) -> Result<StampedXml, StampFailure> {
        let fault = |fault: &SealFault| StampFailure::Unreachable(format!("the sandbox cannot stamp it: {fault}"));
        let provider =
            StampSigner { rfc: SANDBOX_RFC, certificado: SANDBOX_CERTIFICATE, key: KEY.as_ref().map_err(fault)? };
        request.stamped(stamp(&request.xml, uuid, at, &provider).map_err(|error| fault(&error))?)
    }
}

impl From<Rejection> for StampFailure {
    fn from(Rejection { codigo, mensaje }: Rejection) -> Self {
        Self::Rejected { codigo: codigo.to_owned(), mensaje: mensaje.to_owned() }
    }
}

/// The authority's code with a short message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rejection {
    codigo: &'static str,
    mensaje: &'static str,
}

/// Whether a document is at most 72 hours old, and not in the future beyond the difference of
/// clocks.
fn is_of_age(document: &Cfdi, now: DateTime<Utc>) -> bool {
    let age = now - document.issued();
    age <= TimeDelta::hours(72) && age >= -TimeDelta::minutes(5)
}

type Validation = Result<(), Rejection>;

fn require(holds: bool, codigo: &'static str, mensaje: &'static str) -> Validation {
    if holds { Ok(()) } else { Err(Rejection { codigo, mensaje }) }
}

/// The first error of a document.
fn validate(document: &Cfdi) -> Validation {
    document::validate(document)?;
    match document.tipo_de_comprobante {
        TipoDeComprobante::I | TipoDeComprobante::E => concepts::validate(document),
        TipoDeComprobante::P => payments::validate(document),
    }
}

/// The UUID of a document: version 8 (RFC 9562), derived from its bytes.
fn folio(xml: &str) -> Uuid {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(xml)[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

#[cfg(test)]
mod tests;
