//! A provider within this process.

mod concepts;
mod document;
mod payments;

use async_trait::async_trait;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{StampFailure, StampRequest, Stamped, Stamper};
use crate::domain::cfdi::{Cfdi, TipoDeComprobante};

/// A receiver whose name contains this is rejected.
const REJECTED: &str = "RECHAZO";
/// With a receiver whose name contains this, the provider is not reached.
const NO_SERVICE: &str = "SIN SERVICIO";

/// A provider within this process, for development and tests.
///
/// It validates what needs no register of taxpayers: attributes, catalogues and sums, with the authority's codes (`CFDI40…`;
/// `CRP20…` for payments). It has no clock and no state, so it does not check a document's age, and the same request always
/// gets the same UUID.
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
    async fn stamp(&self, request: &StampRequest) -> Result<Stamped, StampFailure> {
        let document = &request.document;
        if document.receptor.nombre.contains(NO_SERVICE) {
            return Err(StampFailure::Unreachable("the receiver's name simulates an outage".to_owned()));
        }
        judge(document).map_err(|Rejection { codigo, mensaje }| StampFailure::Rejected {
            codigo: codigo.to_owned(),
            mensaje: mensaje.to_owned(),
        })?;
        Ok(Stamped { uuid: folio(request), at: None })
    }
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

/// The UUID of a document: of version 8 (RFC 9562), made from what is the same in all attempts.
fn folio(request: &StampRequest) -> Uuid {
    let Cfdi { emisor, receptor, serie, folio, total, .. } = &request.document;
    let mut digest = Sha256::new();
    let texts = [&request.id, &emisor.rfc, &receptor.rfc].into_iter().chain(serie).chain(folio);
    for text in texts {
        digest.update(text.as_bytes());
        digest.update([0]);
    }
    digest.update(total.to_string().as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.finalize()[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

#[cfg(test)]
mod tests;
