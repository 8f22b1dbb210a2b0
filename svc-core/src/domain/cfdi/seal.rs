//! The sello: the issuer's signature over a document's cadena original, and the XML that contains
//! it.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::rsa::KeyPair;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, UnparsedPublicKey};
use x509_cert::Certificate;
use x509_cert::der::Decode as _;

use super::element::Element;
use super::node::{Node, Part};
use super::parts::{ComplementNode, others};
use super::{Cfdi, cadena, xml};

/// The signature's attribute, and the attribute before it.
const SEAL: &str = "Sello";
const AFTER: &str = "Fecha";

/// The private key of a signing certificate (CSD).
pub struct SigningKey(KeyPair);

impl SigningKey {
    /// Reads an unencrypted PKCS#8 in DER, as the upload of a certificate stored it. The caller's
    /// copy should be wiped when dropped ([`zeroize::Zeroizing`]).
    pub fn from_pkcs8(der: &[u8]) -> Result<Self, SealFault> {
        KeyPair::from_pkcs8(der).map(Self).map_err(|_| SealFault::Key)
    }
}

impl SigningKey {
    /// Signs a cadena original by RSASSA-PKCS1-v1_5 with SHA-256; returns base64.
    pub(super) fn sign(&self, cadena: &str) -> Result<String, SealFault> {
        let mut signature = vec![0; self.0.public().modulus_len()];
        // This padding uses no random bytes, but ring requires a source of them.
        let unused = SystemRandom::new();
        self.0.sign(&RSA_PKCS1_SHA256, &unused, cadena.as_bytes(), &mut signature).map_err(|_| SealFault::Key)?;
        Ok(STANDARD.encode(signature))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").finish_non_exhaustive()
    }
}

/// A document ready to be stamped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SealedXml {
    /// The document. It is stored and sent unchanged, since a provider identifies a document by
    /// these bytes.
    pub xml: String,
    /// The cadena original, which `sello` signs.
    pub cadena: String,
    /// The signature in base64, as in the document.
    pub sello: String,
}

/// Why a document could not be sealed; never because of its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SealFault {
    /// The key is not an RSA key.
    #[error("the signing key is no RSA key in PKCS#8")]
    Key,
    /// The document's types cannot be written as XML.
    #[error("the document cannot be written as XML")]
    Document,
}

/// Whether a sealed XML carries a valid signature by the certificate that it contains. A document
/// with a host's complements counts as validly signed: only the host knows their part of the cadena
/// original.
pub(crate) fn holds(xml: &str) -> bool {
    let Ok(root) = Element::read(xml) else { return false };
    if others(&root).next().is_some() {
        return root.get(SEAL).is_some_and(|seal| STANDARD.decode(seal).is_ok());
    }
    let Some(cadena) = Cfdi::of(&root).ok().and_then(|document| Node::of(&document).ok()).map(|node| cadena::of(&node))
    else {
        return false;
    };
    let bytes = |name| root.get(name).and_then(|text| STANDARD.decode(text).ok());
    let (Some(der), Some(signature)) = (bytes("Certificado"), bytes(SEAL)) else { return false };
    let Ok(certificate) = Certificate::from_der(&der) else { return false };
    let key = certificate.tbs_certificate().subject_public_key_info().subject_public_key.raw_bytes();
    let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key);
    key.verify(cadena.as_bytes(), &signature).is_ok()
}

/// Signs a document with the key of the certificate that it names: RSASSA-PKCS1-v1_5 with SHA-256,
/// so the same document and key always yield the same bytes. The upload of a certificate checks
/// that key and certificate belong together.
pub fn seal(document: &Cfdi, key: &SigningKey) -> Result<SealedXml, SealFault> {
    seal_with(document, &[], key)
}

/// Signs a document with a host's complements, which [`super::DocumentParts::check`] has accepted.
pub fn seal_with(document: &Cfdi, complements: &[ComplementNode], key: &SigningKey) -> Result<SealedXml, SealFault> {
    let mut root = Node::of(document).map_err(|_| SealFault::Document)?;
    let cadena = cadena::with_complements(&root, complements);
    let sello = key.sign(&cadena)?;
    let place = root.attributes().position(|(name, _)| name == AFTER).ok_or(SealFault::Document)?;
    root.parts.insert(place + 1, Part::Attribute(SEAL, sello.clone()));
    let xml = xml::write(&root, complements).map_err(|_| SealFault::Document)?;
    Ok(SealedXml { xml, cadena, sello })
}
