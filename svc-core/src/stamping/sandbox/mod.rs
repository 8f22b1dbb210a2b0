//! A provider that lives in this process.
//!
//! It judges as the authority does where that needs no register of taxpayers: attributes, catalogues, sums, with the
//! authority's codes (`CFDI40…`; `CRP20…` for payments). It has no clock and no memory, so it does not judge how old a
//! document is, and stamps one and the same document with one and the same UUID.
//!
//! What a register would tell is played by the receiver's name:
//!
//! | the name holds | then |
//! |---|---|
//! | `RECHAZO` ([`REJECTED`]) | rejected with `CFDI40145`: the name is not the one that belongs to the RFC |
//! | `SIN SERVICIO` ([`NO_SERVICE`]) | the provider is not reached, as long as the receiver is called so |

mod concepts;
mod document;
mod payments;

use async_trait::async_trait;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{StampFailure, StampRequest, Stamped, Stamper};
use crate::domain::cfdi::{Cfdi, TipoDeComprobante};

/// A receiver whose name holds this is rejected.
pub const REJECTED: &str = "RECHAZO";
/// With a receiver whose name holds this, the provider is not reached.
pub const NO_SERVICE: &str = "SIN SERVICIO";

/// A provider that lives in this process.
#[derive(Debug, Clone, Copy, Default)]
pub struct SandboxStamper;

#[async_trait]
impl Stamper for SandboxStamper {
    async fn stamp(&self, request: &StampRequest) -> Result<Stamped, StampFailure> {
        let document = &request.document;
        if document.receptor.nombre.contains(NO_SERVICE) {
            return Err(StampFailure::Unreachable("the receiver's name asks for an outage".to_owned()));
        }
        judge(document).map_err(|Rejection { codigo, mensaje }| StampFailure::Rejected {
            codigo: codigo.to_owned(),
            mensaje: mensaje.to_owned(),
        })?;
        Ok(Stamped { uuid: folio(request), at: None })
    }
}

/// The authority's code, and what it says, in short.
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
        TipoDeComprobante::I => concepts::judge(document),
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
