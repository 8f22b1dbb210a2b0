//! The private key of a certificate.

use pkcs8::der::asn1::OctetStringRef;
use pkcs8::der::{self, Decode as _, Reader as _, SliceReader};
use pkcs8::pkcs5::EncryptionScheme;
use pkcs8::pkcs5::pbes2::Kdf;
use pkcs8::{AlgorithmIdentifierRef, PrivateKeyInfoRef};
use ring::rsa::KeyPair;
use ring::signature::KeyPair as _;
use zeroize::Zeroizing;

use super::CertificateFault;
use super::pbes1::Scheme;

/// The most rounds of a key derivation that are computed, since a hostile file can ask for any
/// number. The SAT's keys have 2048.
const MAX_ROUNDS: u32 = 1_000_000;

/// Decrypts an encrypted PKCS#8 in DER; returns the plain PKCS#8.
pub(super) fn open(file: &[u8], password: &str) -> Result<Zeroizing<Vec<u8>>, CertificateFault> {
    let (algorithm, text) = read(file).map_err(|_| CertificateFault::NoKey)?;
    let plain = if let Some(scheme) = Scheme::of(&algorithm, MAX_ROUNDS) {
        scheme.decrypt(password, text)
    } else {
        pbes2(algorithm, password, text)?
    };
    // A wrong password can by chance produce valid padding, but not a key.
    plain.filter(|plain| PrivateKeyInfoRef::try_from(plain.as_slice()).is_ok()).ok_or(CertificateFault::WrongPassword)
}

/// Decrypts PBES2; `None` if the password is wrong.
fn pbes2(
    algorithm: AlgorithmIdentifierRef<'_>,
    password: &str,
    text: &[u8],
) -> Result<Option<Zeroizing<Vec<u8>>>, CertificateFault> {
    let Ok(scheme @ EncryptionScheme::Pbes2(_)) = EncryptionScheme::try_from(algorithm) else {
        return Err(CertificateFault::OtherEncryption);
    };
    // scrypt, the other key derivation, would use as much memory as the file asks for.
    let affordable = scheme
        .pbes2()
        .is_some_and(|parameters| matches!(&parameters.kdf, Kdf::Pbkdf2(kdf) if kdf.iteration_count <= MAX_ROUNDS));
    if !affordable {
        return Err(CertificateFault::OtherEncryption);
    }
    match scheme.decrypt(password, text) {
        Ok(plain) => Ok(Some(Zeroizing::new(plain))),
        Err(pkcs8::pkcs5::Error::UnsupportedAlgorithm { .. }) => Err(CertificateFault::OtherEncryption),
        Err(_) => Ok(None),
    }
}

/// The encryption and the text of an encrypted PKCS#8 (RFC 5958), by any algorithm.
fn read(file: &[u8]) -> der::Result<(AlgorithmIdentifierRef<'_>, &[u8])> {
    let mut reader = SliceReader::new(file)?;
    let parts = reader.sequence(|parts| {
        let algorithm = AlgorithmIdentifierRef::decode(parts)?;
        der::Result::Ok((algorithm, <&OctetStringRef>::decode(parts)?.as_bytes()))
    })?;
    reader.finish()?;
    Ok(parts)
}

/// Whether a private key (PKCS#8 in DER) belongs to an RSA public key (PKCS#1 in DER).
pub(super) fn belongs(key: &[u8], public: &[u8]) -> bool {
    KeyPair::from_pkcs8(key).is_ok_and(|pair| pair.public_key().as_ref() == public)
}
