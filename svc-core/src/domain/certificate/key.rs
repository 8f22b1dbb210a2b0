//! The private key of a certificate.

use pkcs8::der::asn1::OctetStringRef;
use pkcs8::der::{Decode as _, Reader as _, SliceReader};
use pkcs8::pkcs5::EncryptionScheme;
use pkcs8::pkcs5::pbes2::Kdf;
use pkcs8::{AlgorithmIdentifierRef, EncryptedPrivateKeyInfoRef, Error, PrivateKeyInfoRef};
use ring::rsa::KeyPair;
use ring::signature::KeyPair as _;
use zeroize::Zeroizing;

use super::CertificateFault;

/// The most rounds of PBKDF2 that are computed, since a hostile file can demand any number. The SAT's keys have 2048.
const MOST_ROUNDS: u32 = 1_000_000;

/// Decrypts an encrypted PKCS#8 in DER; gives the PKCS#8 without encryption.
pub(super) fn open(file: &[u8], password: &str) -> Result<Zeroizing<Vec<u8>>, CertificateFault> {
    let encrypted = EncryptedPrivateKeyInfoRef::try_from(file).map_err(|_| {
        if is_encrypted_key(file) { CertificateFault::OtherEncryption } else { CertificateFault::NoKey }
    })?;
    // scrypt, the other key derivation, would use as much memory as the file demands.
    let affordable = match &encrypted.encryption_algorithm {
        EncryptionScheme::Pbes2(parameters) => {
            matches!(&parameters.kdf, Kdf::Pbkdf2(kdf) if kdf.iteration_count <= MOST_ROUNDS)
        }
        _ => false,
    };
    if !affordable {
        return Err(CertificateFault::OtherEncryption);
    }
    match encrypted.decrypt(password) {
        Ok(plain) if PrivateKeyInfoRef::try_from(plain.as_bytes()).is_ok() => Ok(plain.to_bytes()),
        Err(Error::EncryptedPrivateKey(pkcs8::pkcs5::Error::UnsupportedAlgorithm { .. })) => {
            Err(CertificateFault::OtherEncryption)
        }
        // A wrong password can by chance give a well-formed padding, but no key.
        Ok(_) | Err(_) => Err(CertificateFault::WrongPassword),
    }
}

/// Whether it has the form of an encrypted PKCS#8 (RFC 5958), by whatever algorithm.
fn is_encrypted_key(file: &[u8]) -> bool {
    let read = |file| {
        let mut reader = SliceReader::new(file)?;
        reader.sequence(|parts| {
            AlgorithmIdentifierRef::decode(parts)?;
            <&OctetStringRef>::decode(parts).map(|_| ())
        })?;
        reader.finish()
    };
    read(file).is_ok()
}

/// Whether a private key, PKCS#8 in DER, is the one of an RSA public key, PKCS#1 in DER.
pub(super) fn belongs(key: &[u8], public: &[u8]) -> bool {
    KeyPair::from_pkcs8(key).is_ok_and(|pair| pair.public_key().as_ref() == public)
}
