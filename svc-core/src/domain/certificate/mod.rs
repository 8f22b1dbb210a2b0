//! The company's signing certificate: a CSD of the SAT (certificado de sello digital). A taxpayer's
//! personal e.firma has the same format but seals no documents.
//!
//! The SAT issues two files: an X.509 certificate (`.cer`, DER) and its RSA key, a
//! password-encrypted PKCS#8 (`.key`, DER; PBES2 with 3DES, in older files PBES1). `open` checks
//! them together, in DER or in PEM.

mod key;
mod pbes1;
mod pem;
mod subject;

use std::fmt::{self, Write as _};
use std::ops::RangeInclusive;

use chrono::{DateTime, TimeDelta};
use x509_cert::der::asn1::UintRef;
use x509_cert::der::oid::ObjectIdentifier;
use x509_cert::der::{self, Decode as _, Reader as _, SliceReader};
use x509_cert::ext::pkix::KeyUsage;
use x509_cert::spki::SubjectPublicKeyInfoOwned;
use x509_cert::time::Time;
use x509_cert::{Certificate, TbsCertificate};
use zeroize::Zeroizing;

use super::rfc::Rfc;
use super::time::Timestamp;
use crate::error::{Code, Error};

/// `rsaEncryption` (RFC 8017).
const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");

/// The accepted lengths of an RSA key, in bits; the SAT's have 2048.
const RSA_BITS: RangeInclusive<usize> = 2048..=4096;

/// How long before its end a certificate should be replaced; the company's owner and the operators
/// are then notified.
pub const RENEWAL_NOTICE: TimeDelta = TimeDelta::days(30);

/// The public part of a signing certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningCertificate {
    /// The certificate's number (`NoCertificado` of a CFDI): 20 digits if the SAT issued it.
    pub numero: String,
    /// The taxpayer it was issued to.
    pub rfc: String,
    /// The first instant it is valid.
    pub desde: Timestamp,
    /// The last instant it is valid.
    pub hasta: Timestamp,
    /// The certificate itself, X.509 in DER.
    pub der: Vec<u8>,
}

impl SigningCertificate {
    /// Whether a company with that RFC can sign with the certificate at that time.
    pub fn is_valid(&self, rfc: Option<&str>, now: Timestamp) -> bool {
        rfc == Some(self.rfc.as_str()) && (self.desde..=self.hasta).contains(&now)
    }
}

/// A valid certificate with its key.
pub(crate) struct Opened {
    pub certificate: SigningCertificate,
    /// The private key: an unencrypted PKCS#8 in DER.
    pub key: Zeroizing<Vec<u8>>,
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").field("certificate", &self.certificate.numero).finish_non_exhaustive()
    }
}

/// Why a certificate is refused. The text is Spanish, for people, and reveals nothing of key and
/// password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum CertificateFault {
    /// `cer` is not a certificate.
    #[error("cer: no es un certificado X.509 en DER o PEM, como el archivo .cer del SAT")]
    NoCertificate,
    /// The key is of another kind or length.
    #[error("cer: su llave no es RSA de 2048 a 4096 bits")]
    OtherAlgorithm,
    /// `key` is not an encrypted key.
    #[error("key: no es una llave PKCS#8 cifrada en DER o PEM, como el archivo .key del SAT")]
    NoKey,
    /// The key is encrypted with an unsupported method.
    #[error("key: está cifrada con un método que no se admite; debe ser PBES2 con PBKDF2, o PBES1 con DES o 3DES")]
    OtherEncryption,
    /// The password does not open the key.
    #[error("la contraseña no abre la llave")]
    WrongPassword,
    /// The key is another certificate's.
    #[error("key: no es la llave de este certificado")]
    OtherKey,
    /// The certificate is not valid yet.
    #[error("cer: todavía no es válido; lo será desde el {0}")]
    NotYetValid(Timestamp),
    /// The certificate has expired.
    #[error("cer: venció el {0}")]
    Expired(Timestamp),
    /// The certificate is an e.firma.
    #[error("cer: es una e.firma (FIEL); los comprobantes se sellan con un certificado de sello digital (CSD)")]
    PersonalSignature,
    /// The certificate names no taxpayer.
    #[error("cer: no dice de qué RFC es")]
    NoRfc,
    /// The certificate is another taxpayer's.
    #[error("cer: es del RFC {certificate}, y el de la empresa es {company}")]
    OtherRfc {
        /// The certificate's RFC.
        certificate: String,
        /// The company's RFC.
        company: String,
    },
}

impl From<CertificateFault> for Error {
    fn from(fault: CertificateFault) -> Self {
        Self::new(Code::CertificadoRechazado).message(fault.to_string())
    }
}

/// Checks a certificate and its encrypted key, each in DER or PEM, for a company with that RFC; a
/// company without RFC accepts any taxpayer's. The password must open the key, the key must be the
/// certificate's, and the certificate must be valid now.
pub(crate) fn open(
    cer: &[u8],
    key: &[u8],
    password: &str,
    company: Option<&str>,
    now: Timestamp,
) -> Result<Opened, CertificateFault> {
    let cer = pem::der(cer, "CERTIFICATE").ok_or(CertificateFault::NoCertificate)?;
    let key = pem::der(key, "ENCRYPTED PRIVATE KEY").ok_or(CertificateFault::NoKey)?;
    let parsed = Certificate::from_der(&cer).map_err(|_| CertificateFault::NoCertificate)?;
    let parsed = parsed.tbs_certificate();
    let public = rsa_key(parsed.subject_public_key_info()).ok_or(CertificateFault::OtherAlgorithm)?;
    if is_personal(parsed) {
        return Err(CertificateFault::PersonalSignature);
    }
    let key = key::open(&key, password)?;
    if !key::belongs(&key, public) {
        return Err(CertificateFault::OtherKey);
    }
    let instant = |time: &Time| {
        let seconds = i64::try_from(time.to_unix_duration().as_secs()).ok()?;
        DateTime::from_timestamp(seconds, 0).map(Timestamp::new)
    };
    let validity = parsed.validity();
    let (desde, hasta) =
        instant(&validity.not_before).zip(instant(&validity.not_after)).ok_or(CertificateFault::NoCertificate)?;
    if now < desde {
        return Err(CertificateFault::NotYetValid(desde));
    }
    if now > hasta {
        return Err(CertificateFault::Expired(hasta));
    }
    let rfc = subject::rfc(parsed.subject()).ok_or(CertificateFault::NoRfc)?;
    whose(&rfc, company)?;
    let certificate = SigningCertificate {
        numero: number(parsed.serial_number().as_bytes()),
        rfc: rfc.as_str().to_owned(),
        desde,
        hasta,
        der: cer.into_owned(),
    };
    Ok(Opened { certificate, key })
}

/// Whether it is an e.firma: its key usage also allows enciphering and key agreement, which the
/// authority's CSD does not (its refusal 306).
fn is_personal(certificate: &TbsCertificate) -> bool {
    let usage = certificate.get_extension::<KeyUsage>();
    usage.is_ok_and(|usage| usage.is_some_and(|(_, usage)| usage.data_encipherment() || usage.key_agreement()))
}

fn whose(rfc: &Rfc, company: Option<&str>) -> Result<(), CertificateFault> {
    match company {
        Some(company) if company != rfc.as_str() => {
            Err(CertificateFault::OtherRfc { certificate: rfc.to_string(), company: company.to_owned() })
        }
        _ => Ok(()),
    }
}

/// The certificate's public key as PKCS#1 in DER, if it is an RSA key of an accepted length.
fn rsa_key(info: &SubjectPublicKeyInfoOwned) -> Option<&[u8]> {
    let key = info.subject_public_key.as_bytes()?;
    (info.algorithm.oid == RSA && bits(key).is_ok_and(|bits| RSA_BITS.contains(&bits))).then_some(key)
}

/// The length in bits of an RSA public key (PKCS#1 in DER).
fn bits(key: &[u8]) -> der::Result<usize> {
    let mut reader = SliceReader::new(key)?;
    let modulus: UintRef<'_> = reader.sequence(|numbers| {
        let modulus = UintRef::decode(numbers)?;
        let _exponent = UintRef::decode(numbers)?;
        der::Result::Ok(modulus)
    })?;
    let modulus = modulus.as_bytes();
    let unused = modulus.first().map_or(0, |byte| byte.leading_zeros());
    Ok(modulus.len() * 8 - unused as usize)
}

/// The certificate's number. The SAT writes it into the serial number as ASCII digits; any other
/// serial number is returned as hexadecimal digits.
fn number(serial: &[u8]) -> String {
    let serial = if let [0, rest @ ..] = serial
        && !rest.is_empty()
    {
        rest
    } else {
        serial
    };
    match std::str::from_utf8(serial) {
        Ok(text) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => text.to_owned(),
        _ => serial.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02X}");
            text
        }),
    }
}

#[cfg(test)]
mod tests;
