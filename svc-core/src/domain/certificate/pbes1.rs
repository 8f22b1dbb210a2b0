//! Decrypts the keys of older files: PBES1 (PKCS #5, RFC 8018 §6.1) with DES, and PKCS #12 (RFC
//! 7292, appendix B) with 3DES. Both derive the cipher's key from the password by repeated hashing;
//! the crate for PBES2 supports neither.

use cbc::Decryptor;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockCipherDecrypt, BlockModeDecrypt as _, KeyInit, KeyIvInit as _};
use des::{Des, TdesEde3};
use md5::Md5;
use pkcs8::der::Decode as _;
use pkcs8::der::asn1::OctetStringRef;
use pkcs8::{AlgorithmIdentifierRef, ObjectIdentifier};
use sha1::Sha1;
use sha2::Digest;
use zeroize::Zeroizing;

/// `pbeWithMD5AndDES-CBC` and `pbeWithSHA1AndDES-CBC` (RFC 8018).
const MD5_DES: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.5.3");
const SHA1_DES: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.5.10");
/// `pbeWithSHAAnd3-KeyTripleDES-CBC` (RFC 7292).
const SHA1_TDES: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.1.3");

/// The purposes of a derivation, in PKCS #12.
const KEY: u8 = 1;
const IV: u8 = 2;

/// The block size of SHA-1, in bytes.
const SHA1_BLOCK: usize = 64;

/// One of these encryptions with its parameters.
pub(super) struct Scheme<'a> {
    oid: ObjectIdentifier,
    salt: &'a [u8],
    rounds: u32,
}

impl<'a> Scheme<'a> {
    /// Reads the parameters of an algorithm; `None` for other algorithms and for more than
    /// `max_rounds` rounds.
    pub(super) fn of(algorithm: &AlgorithmIdentifierRef<'a>, max_rounds: u32) -> Option<Self> {
        let oid = [MD5_DES, SHA1_DES, SHA1_TDES].into_iter().find(|oid| *oid == algorithm.oid)?;
        let parameters = algorithm.parameters?;
        let (salt, rounds) = parameters
            .sequence(|parts| {
                let salt = <&OctetStringRef>::decode(parts)?;
                pkcs8::der::Result::Ok((salt.as_bytes(), u32::decode(parts)?))
            })
            .ok()?;
        (1..=max_rounds).contains(&rounds).then_some(Self { oid, salt, rounds })
    }

    /// Decrypts the text; `None` if the password is wrong.
    pub(super) fn decrypt(&self, password: &str, text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        match self.oid {
            MD5_DES => self.des::<Md5>(password, text),
            SHA1_DES => self.des::<Sha1>(password, text),
            _ => {
                let (key, iv) = (self.pkcs12(password, KEY, 24), self.pkcs12(password, IV, 8));
                open::<TdesEde3>(&key, &iv, text)
            }
        }
    }

    /// PBKDF1: one hash holds the DES key and the initialization vector.
    fn des<D: Digest>(&self, password: &str, text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let mut hash = Zeroizing::new(D::new().chain_update(password).chain_update(self.salt).finalize().to_vec());
        for _ in 1..self.rounds {
            hash = Zeroizing::new(D::digest(hash.as_slice()).to_vec());
        }
        open::<Des>(&hash[..8], &hash[8..16], text)
    }

    /// The key derivation of PKCS #12 with SHA-1: `length` bytes for one purpose.
    fn pkcs12(&self, password: &str, purpose: u8, length: usize) -> Zeroizing<Vec<u8>> {
        let password = password.encode_utf16().chain([0]).flat_map(u16::to_be_bytes).collect::<Vec<_>>();
        let password = Zeroizing::new(password);
        let fill = |from: &[u8]| -> Vec<u8> {
            let length = from.len().next_multiple_of(SHA1_BLOCK);
            from.iter().copied().cycle().take(length).collect()
        };
        let mut input = Zeroizing::new([fill(self.salt), fill(&password)].concat());
        let mut derived = Zeroizing::new(Vec::with_capacity(length + SHA1_BLOCK));
        while derived.len() < length {
            let mut hash = Sha1::new().chain_update([purpose; SHA1_BLOCK]).chain_update(input.as_slice()).finalize();
            for _ in 1..self.rounds {
                hash = Sha1::digest(hash);
            }
            derived.extend_from_slice(&hash);
            for block in input.chunks_exact_mut(SHA1_BLOCK) {
                // Adds big-endian numbers: the block, the hash repeated to its length, and one.
                let mut carry = 1_u16;
                for (place, byte) in block.iter_mut().enumerate().rev() {
                    carry += u16::from(*byte) + u16::from(hash[place % hash.len()]);
                    *byte = carry.to_be_bytes()[1];
                    carry >>= 8;
                }
            }
        }
        derived.truncate(length);
        derived
    }
}

/// Decrypts a block cipher in CBC mode; `None` if the padding is invalid.
fn open<C>(key: &[u8], iv: &[u8], text: &[u8]) -> Option<Zeroizing<Vec<u8>>>
where
    C: BlockCipherDecrypt + KeyInit,
{
    let mut buffer = Zeroizing::new(text.to_vec());
    let length = Decryptor::<C>::new_from_slices(key, iv).ok()?.decrypt_padded::<Pkcs7>(&mut buffer).ok()?.len();
    buffer.truncate(length);
    Some(buffer)
}
