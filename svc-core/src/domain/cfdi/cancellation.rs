//! The request to cancel a document (`Cancelacion`, namespace `http://cancelacfd.sat.gob.mx`). The
//! issuer signs it with an enveloped XML signature (`XMLDSig`) by RSA with SHA-1, as the authority
//! prescribes.
//!
//! The text is written in canonical form (C14N 1.0), so the signed bytes are the bytes sent.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::NaiveDateTime;
use quick_xml::escape::escape;
use rsa::pkcs8::DecodePrivateKey as _;
use rsa::traits::PublicKeyParts as _;
use rsa::{Pkcs1v15Sign, RsaPrivateKey};
use sha1::{Digest as _, Sha1};
use uuid::Uuid;
use x509_cert::Certificate as X509;
use x509_cert::der::Decode as _;

use super::{Certificate, SealFault};
use crate::domain::clock::Random;
use crate::domain::words::CancellationReason;

/// The root's namespaces, which are in scope of the signature too.
const PREFIXES: &str =
    "xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";

const SIGNATURE: &str = "http://www.w3.org/2000/09/xmldsig#";

/// The prefix of a SHA-1 digest in an RSA signature (RFC 8017, section 9.2).
const SHA1: [u8; 15] = [0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14];

/// The data of a request.
#[derive(Debug, Clone)]
pub(crate) struct Cancelacion<'a> {
    pub(crate) rfc: &'a str,
    /// The time of the request, in local time.
    pub(crate) fecha: NaiveDateTime,
    /// The document's fiscal folio.
    pub(crate) uuid: Uuid,
    pub(crate) motivo: CancellationReason,
    /// The document that replaces it, with reason 01.
    pub(crate) sustitucion: Option<Uuid>,
}

impl Cancelacion<'_> {
    /// Signs the request with the certificate's key: an unencrypted PKCS#8 in DER. `random` blinds
    /// the key while it signs and does not affect the signature.
    pub(crate) fn sign(&self, certificate: &Certificate, key: &[u8], random: &dyn Random) -> Result<String, SealFault> {
        let key = RsaPrivateKey::from_pkcs8_der(key).map_err(|_| SealFault::Key)?;
        let (opening, end) = (self.opening(), "</Cancelacion>");
        let digest = STANDARD.encode(Sha1::digest(format!("{opening}{end}")));
        let info = signed_info(&digest);
        // In canonical form the signed node declares the namespaces in scope.
        let scope = format!("<SignedInfo xmlns=\"{SIGNATURE}\" {PREFIXES}>{info}</SignedInfo>");
        let padding = Pkcs1v15Sign { hash_len: Some(20), prefix: Box::new(SHA1) };
        let signature = key.sign_with_rng(&mut Source(random), padding, &Sha1::digest(scope));
        let signature = STANDARD.encode(signature.map_err(|_| SealFault::Key)?);
        Ok(format!(
            "{opening}<Signature xmlns=\"{SIGNATURE}\"><SignedInfo>{info}</SignedInfo><SignatureValue>{signature}</SignatureValue>\
             <KeyInfo>{}</KeyInfo></Signature>{end}",
            key_info(certificate, &key)?,
        ))
    }

    /// The request without its signature and its closing tag.
    fn opening(&self) -> String {
        let folio = |uuid: Uuid| uuid.to_string().to_uppercase();
        format!(
            "<Cancelacion xmlns=\"http://cancelacfd.sat.gob.mx\" {PREFIXES} Fecha=\"{}\" RfcEmisor=\"{}\"><Folios>\
             <Folio FolioSustitucion=\"{}\" Motivo=\"{}\" UUID=\"{}\"></Folio></Folios>",
            self.fecha.format("%Y-%m-%dT%H:%M:%S"),
            escape(self.rfc),
            self.sustitucion.map(folio).unwrap_or_default(),
            self.motivo.word(),
            folio(self.uuid),
        )
    }
}

fn signed_info(digest: &str) -> String {
    format!(
        "<CanonicalizationMethod Algorithm=\"http://www.w3.org/TR/2001/REC-xml-c14n-20010315\"></CanonicalizationMethod>\
         <SignatureMethod Algorithm=\"{SIGNATURE}rsa-sha1\"></SignatureMethod><Reference URI=\"\"><Transforms>\
         <Transform Algorithm=\"{SIGNATURE}enveloped-signature\"></Transform></Transforms>\
         <DigestMethod Algorithm=\"{SIGNATURE}sha1\"></DigestMethod><DigestValue>{digest}</DigestValue></Reference>"
    )
}

/// The `KeyInfo` node: certificate and public key.
fn key_info(certificate: &Certificate, key: &RsaPrivateKey) -> Result<String, SealFault> {
    let read = X509::from_der(&certificate.der).map_err(|_| SealFault::Key)?;
    let issuer: Vec<String> = read.tbs_certificate().issuer().iter().map(ToString::to_string).collect();
    let number = |number: &rsa::BigUint| STANDARD.encode(number.to_bytes_be());
    Ok(format!(
        "<X509Data><X509IssuerSerial><X509IssuerName>{}</X509IssuerName><X509SerialNumber>{}</X509SerialNumber>\
         </X509IssuerSerial><X509Certificate>{}</X509Certificate></X509Data><KeyValue><RSAKeyValue><Modulus>{}</Modulus>\
         <Exponent>{}</Exponent></RSAKeyValue></KeyValue>",
        escape(issuer.join(",")),
        certificate.numero,
        STANDARD.encode(&certificate.der),
        number(key.n()),
        number(key.e()),
    ))
}

/// Adapts [`Random`] to the library's trait.
struct Source<'a>(&'a dyn Random);

impl rsa::rand_core::RngCore for Source<'_> {
    fn next_u32(&mut self) -> u32 {
        rsa::rand_core::impls::next_u32_via_fill(self)
    }

    fn next_u64(&mut self) -> u64 {
        rsa::rand_core::impls::next_u64_via_fill(self)
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.0.fill(bytes);
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rsa::rand_core::Error> {
        self.0.fill(bytes);
        Ok(())
    }
}

impl rsa::rand_core::CryptoRng for Source<'_> {}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::super::authority::opened;
    use super::super::tools::Tools;
    use super::*;
    use crate::domain::clock::SystemRandom;

    /// The canonical form of a document, made by xmllint.
    fn canonical(tools: &Tools, xml: &str) -> String {
        let path = tools.dir().join("c14n.xml");
        fs::write(&path, xml).unwrap();
        let output = Command::new("xmllint").arg("--c14n").arg(path).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn text<'a>(xml: &'a str, name: &str) -> &'a str {
        let (_, rest) = xml.split_once(&format!("<{name}>")).unwrap();
        rest.split_once(&format!("</{name}>")).unwrap().0
    }

    #[test]
    fn a_request_is_signed_as_xmldsig_says() {
        let Some(tools) = Tools::find("a_request_is_signed_as_xmldsig_says") else { return };
        let opened = opened("EKU9003173C9");
        let certificate = Certificate { numero: opened.certificate.numero, der: opened.certificate.der };
        let uuid = Uuid::from_u128(0x5ad4_27b5_2b1e_4d3c_9f0a_1b2c_3d4e_5f60);
        for sustitucion in [None, Some(Uuid::from_u128(7))] {
            let motivo = sustitucion.map_or(CancellationReason::Wrong, |_| CancellationReason::Replaced);
            let fecha = "2026-10-12T12:00:00".parse().unwrap();
            let request = Cancelacion { rfc: "A&A010101AAA", fecha, uuid, motivo, sustitucion };
            let xml = request.sign(&certificate, &opened.key, &SystemRandom).unwrap();
            assert_eq!(canonical(&tools, &xml), xml, "what is sent is canonical");

            let (before, signature) = xml.split_once("<Signature ").unwrap();
            let unsigned = canonical(&tools, &format!("{before}</Cancelacion>"));
            assert_eq!(text(&xml, "DigestValue"), STANDARD.encode(Sha1::digest(unsigned)));
            // The signed node as a document of its own, with the namespaces in scope.
            let info =
                format!("<SignedInfo xmlns=\"{SIGNATURE}\" {PREFIXES}>{}</SignedInfo>", text(signature, "SignedInfo"));
            assert_eq!(canonical(&tools, &info), info);
            let [signed, bytes, der, pem] = ["info", "signature", "cer", "pem"].map(|name| tools.dir().join(name));
            fs::write(&signed, info).unwrap();
            fs::write(&bytes, STANDARD.decode(text(signature, "SignatureValue")).unwrap()).unwrap();
            fs::write(&der, STANDARD.decode(text(signature, "X509Certificate")).unwrap()).unwrap();
            let mut key = Command::new("openssl");
            let key = key.args(["x509", "-inform", "der", "-pubkey", "-noout", "-in"]).arg(der).output();
            fs::write(&pem, key.unwrap().stdout).unwrap();
            let output = Command::new("openssl")
                .args(["dgst", "-sha1", "-verify"])
                .arg(pem)
                .arg("-signature")
                .arg(bytes)
                .arg(signed)
                .output();
            assert_eq!(String::from_utf8_lossy(&output.unwrap().stdout), "Verified OK\n");
            assert!(
                xml.contains("UUID=\"5AD427B5-2B1E-4D3C-9F0A-1B2C3D4E5F60\"")
                    && xml.contains("RfcEmisor=\"A&amp;A010101AAA\"")
            );
        }
    }
}
