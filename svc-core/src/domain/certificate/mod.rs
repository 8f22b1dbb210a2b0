//! The company's signing certificate: a CSD of the SAT (certificado de sello digital). An e.firma, with which a taxpayer signs
//! for themselves, looks alike, but seals no document.
//!
//! The SAT issues two files: an X.509 certificate (`.cer`, DER) and its RSA key, a PKCS#8 encrypted under a password
//! (`.key`, DER; PBES2 with 3DES, in older files PBES1). `open` checks them together, in DER or in PEM.

mod key;
mod pbes1;
mod pem;
mod subject;

use std::fmt::{self, Write as _};
use std::ops::RangeInclusive;

use chrono::DateTime;
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

/// The lengths of an RSA key that are taken, in bits; the SAT's have 2048.
const RSA_BITS: RangeInclusive<usize> = 2048..=4096;

/// The public part of a signing certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningCertificate {
    /// Its number (`NoCertificado` of a CFDI): 20 digits where the SAT issued it.
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
    /// Whether a company of that RFC can sign with it at that time.
    pub fn is_valid(&self, rfc: Option<&str>, now: Timestamp) -> bool {
        rfc == Some(self.rfc.as_str()) && (self.desde..=self.hasta).contains(&now)
    }
}

/// A valid certificate with its key.
pub(crate) struct Opened {
    /// The certificate.
    pub certificate: SigningCertificate,
    /// Its private key, PKCS#8 in DER, not encrypted.
    pub key: Zeroizing<Vec<u8>>,
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").field("certificate", &self.certificate.numero).finish_non_exhaustive()
    }
}

/// Why a certificate is refused. The text is Spanish, for people; it reveals nothing of key and password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum CertificateFault {
    /// The one file is no certificate.
    #[error("cer: no es un certificado X.509 en DER o PEM, como el archivo .cer del SAT")]
    NoCertificate,
    /// Its key is of another kind or length.
    #[error("cer: su llave no es RSA de 2048 a 4096 bits")]
    OtherAlgorithm,
    /// The other file is no encrypted key.
    #[error("key: no es una llave PKCS#8 cifrada en DER o PEM, como el archivo .key del SAT")]
    NoKey,
    /// The key is encrypted in a way that is not taken.
    #[error("key: está cifrada con un método que no se admite; debe ser PBES2 con PBKDF2, o PBES1 con DES o 3DES")]
    OtherEncryption,
    /// The password does not open the key.
    #[error("la contraseña no abre la llave")]
    WrongPassword,
    /// The key is another certificate's.
    #[error("key: no es la llave de este certificado")]
    OtherKey,
    /// It is not valid yet.
    #[error("cer: todavía no es válido; lo será desde el {0}")]
    NotYetValid(Timestamp),
    /// It is not valid any more.
    #[error("cer: venció el {0}")]
    Expired(Timestamp),
    /// It is an e.firma.
    #[error("cer: es una e.firma (FIEL); los comprobantes se sellan con un certificado de sello digital (CSD)")]
    PersonalSignature,
    /// It names no taxpayer.
    #[error("cer: no dice de qué RFC es")]
    NoRfc,
    /// It is another taxpayer's.
    #[error("cer: es del RFC {certificate}, y el de la empresa es {company}")]
    OtherRfc {
        /// Whose it is.
        certificate: String,
        /// The company's.
        company: String,
    },
}

impl From<CertificateFault> for Error {
    fn from(fault: CertificateFault) -> Self {
        Self::new(Code::CertificadoRechazado).message(fault.to_string())
    }
}

/// Checks a certificate and its encrypted key, each in DER or PEM, for a company of that RFC; a company without RFC takes any
/// taxpayer's. The key must open and be the certificate's, and the certificate be valid now.
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

/// Whether it is an e.firma: it may encipher and agree on keys too, which the authority's CSD may not (its refusal 306).
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

/// The certificate's public key as PKCS#1 in DER, if it is of RSA and of a length that is taken.
fn rsa_key(info: &SubjectPublicKeyInfoOwned) -> Option<&[u8]> {
    let key = info.subject_public_key.as_bytes()?;
    (info.algorithm.oid == RSA && bits(key).is_ok_and(|bits| RSA_BITS.contains(&bits))).then_some(key)
}

/// The bits of the modulus of an RSA public key, PKCS#1 in DER.
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

/// The SAT writes a certificate's number into its serial number as ASCII digits; any other serial number is shown as
/// hexadecimal digits.
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
