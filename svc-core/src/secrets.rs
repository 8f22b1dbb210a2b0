//! Secrets at rest: certificates' keys and webhooks' secrets are sealed in the database under a key that the database does not
//! have.
//!
//! A sealed value is one byte with its format, and then: `0` the secret in plain text, when no key is set;
//! `1` a random nonce of 24 bytes and the secret under XChaCha20-Poly1305. What it belongs to ([`Place`]) is
//! authenticated with it: a value that is moved to another company or record in the database does not open.

use std::fmt;
use std::str::FromStr;

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use crate::domain::clock::{Random, random_bytes};
use crate::domain::company::CompanyId;

/// The first byte of a secret in plain text.
const PLAIN: u8 = 0;
/// The first byte of a secret under XChaCha20-Poly1305.
const XCHACHA20_POLY1305: u8 = 1;

const NONCE: usize = 24;

/// The key that seals secrets (`SVC_SECRETS_KEY`): 256 bits, written as 64 hexadecimal digits.
#[derive(Clone)]
pub struct SecretsKey(Zeroizing<[u8; 32]>);

/// A text is not a [`SecretsKey`]; the error does not contain the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a secrets key has 64 hexadecimal digits")]
pub struct NoSecretsKey;

impl FromStr for SecretsKey {
    type Err = NoSecretsKey;

    fn from_str(text: &str) -> Result<Self, NoSecretsKey> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return Err(NoSecretsKey);
        }
        let digit = |byte: u8| char::from(byte).to_digit(16).ok_or(NoSecretsKey);
        let mut key = Zeroizing::new([0; 32]);
        for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
        }
        Ok(Self(key))
    }
}

impl fmt::Debug for SecretsKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretsKey(..)")
    }
}

/// What a sealed value belongs to: it opens only there.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The company.
    pub company: CompanyId,
    /// The table and column, `certificados.llave`.
    pub column: &'static str,
    /// The record's key.
    pub record: &'a str,
}

impl fmt::Display for Place<'_> {
    /// No two places have the same text: neither a number nor a column has a slash in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.company.0, self.column, self.record)
    }
}

/// Why a secret could not be sealed or opened; the error does not contain the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SecretsError {
    /// It was sealed, and no key is set.
    #[error("the secret is sealed and no secrets key is set (SVC_SECRETS_KEY)")]
    NoKey,
    /// Another key, another place, or a damaged value.
    #[error(
        "the sealed secret does not open: it was sealed under another secrets key (SVC_SECRETS_KEY), moved or damaged"
    )]
    Refused,
    /// Its format is not one of this or an earlier version.
    #[error("the sealed secret has a form that is not known")]
    Unknown,
    /// It is longer than the cipher takes.
    #[error("the secret is too long to be sealed")]
    TooLong,
}

/// Seals and opens secrets; without a key it leaves them in plain text. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Sealer(Option<SecretsKey>);

impl Sealer {
    /// A sealer with that key, or with none.
    pub fn new(key: impl Into<Option<SecretsKey>>) -> Self {
        Self(key.into())
    }

    /// The sealed value of `secret` at `place`; the same secret is never sealed to the same value twice.
    pub fn seal(&self, place: Place<'_>, secret: &[u8], random: &dyn Random) -> Result<Vec<u8>, SecretsError> {
        let Some(key) = &self.0 else { return Ok([&[PLAIN], secret].concat()) };
        let nonce = XNonce::from(random_bytes::<NONCE>(random));
        let aad = place.to_string();
        let payload = Payload { msg: secret, aad: aad.as_bytes() };
        let text = cipher(key).encrypt(&nonce, payload).map_err(|_| SecretsError::TooLong)?;
        Ok([&[XCHACHA20_POLY1305], nonce.as_slice(), &text].concat())
    }

    /// The secret in a sealed value. One in plain text opens with any key, so that a key can be set later.
    pub fn open(&self, place: Place<'_>, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, SecretsError> {
        match sealed.split_first() {
            Some((&PLAIN, secret)) => Ok(Zeroizing::new(secret.to_vec())),
            Some((&XCHACHA20_POLY1305, rest)) => {
                let key = self.0.as_ref().ok_or(SecretsError::NoKey)?;
                let (nonce, text) = rest.split_first_chunk::<NONCE>().ok_or(SecretsError::Unknown)?;
                let aad = place.to_string();
                let payload = Payload { msg: text, aad: aad.as_bytes() };
                let secret = cipher(key).decrypt(&XNonce::from(*nonce), payload);
                secret.map(Zeroizing::new).map_err(|_| SecretsError::Refused)
            }
            _ => Err(SecretsError::Unknown),
        }
    }
}

fn cipher(key: &SecretsKey) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new((&*key.0).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::clock::SystemRandom;

    const SECRET: &[u8] = b"whsec_hunter2";

    const PLACE: Place<'_> = Place { company: CompanyId(7), column: "webhooks.secreto", record: "12" };

    fn sealer(digit: char) -> Sealer {
        Sealer::new(digit.to_string().repeat(64).parse::<SecretsKey>().unwrap())
    }

    fn contains(bytes: &[u8], part: &[u8]) -> bool {
        bytes.windows(part.len()).any(|window| window == part)
    }

    #[test]
    fn a_key_is_64_hexadecimal_digits_and_is_not_shown() {
        let key: SecretsKey = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF".parse().unwrap();
        assert_eq!(key.0[..4], [0x00, 0x11, 0x22, 0x33]);
        assert_eq!(key.0[28..], [0xcc, 0xdd, 0xee, 0xff]);
        assert_eq!(format!("{key:?} {:?}", Sealer::new(key.clone())), "SecretsKey(..) Sealer(Some(SecretsKey(..)))");
        for wrong in ["", "00", &"0".repeat(63), &"0".repeat(65), &"g".repeat(64), &"é".repeat(32), &"+1".repeat(32)] {
            assert_eq!(wrong.parse::<SecretsKey>().err(), Some(NoSecretsKey), "{wrong}");
        }
    }

    #[test]
    fn what_is_sealed_opens_again_and_does_not_show_the_secret() {
        let sealed = sealer('a').seal(PLACE, SECRET, &SystemRandom).unwrap();
        assert_eq!((sealed[0], sealed.len()), (XCHACHA20_POLY1305, 1 + NONCE + SECRET.len() + 16));
        assert!(!contains(&sealed, b"hunter2"));
        assert_eq!(*sealer('a').open(PLACE, &sealed).unwrap(), SECRET);
        assert_ne!(sealer('a').seal(PLACE, SECRET, &SystemRandom).unwrap(), sealed, "the nonce is another each time");
        let empty = sealer('a').seal(PLACE, b"", &SystemRandom).unwrap();
        assert!(sealer('a').open(PLACE, &empty).unwrap().is_empty());
    }

    #[test]
    fn it_opens_under_its_key_only() {
        let sealed = sealer('a').seal(PLACE, SECRET, &SystemRandom).unwrap();
        assert_eq!(sealer('b').open(PLACE, &sealed), Err(SecretsError::Refused));
        assert_eq!(Sealer::default().open(PLACE, &sealed), Err(SecretsError::NoKey));
    }

    #[test]
    fn it_opens_at_its_place_only() {
        let sealed = sealer('a').seal(PLACE, SECRET, &SystemRandom).unwrap();
        for elsewhere in [
            Place { company: CompanyId(8), ..PLACE },
            Place { column: "certificados.llave", ..PLACE },
            Place { record: "13", ..PLACE },
            Place { record: "12/", ..PLACE },
        ] {
            assert_eq!(sealer('a').open(elsewhere, &sealed), Err(SecretsError::Refused), "{elsewhere}");
        }
    }

    #[test]
    fn a_damaged_value_is_refused() {
        let sealed = sealer('a').seal(PLACE, SECRET, &SystemRandom).unwrap();
        for at in 1..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            assert_eq!(sealer('a').open(PLACE, &damaged), Err(SecretsError::Refused), "byte {at}");
        }
        for unknown in [&[][..], &[2, 1, 2, 3], &[XCHACHA20_POLY1305, 0, 0]] {
            assert_eq!(sealer('a').open(PLACE, unknown), Err(SecretsError::Unknown), "{unknown:?}");
        }
        assert_eq!(sealer('a').open(PLACE, &sealed[..=NONCE]), Err(SecretsError::Refused));
    }

    #[test]
    fn without_a_key_secrets_are_kept_as_they_are_and_open_once_there_is_one() {
        let kept = Sealer::default().seal(PLACE, SECRET, &SystemRandom).unwrap();
        assert_eq!(kept, [&[PLAIN], SECRET].concat());
        assert_eq!(*Sealer::default().open(PLACE, &kept).unwrap(), SECRET);
        assert_eq!(*sealer('a').open(PLACE, &kept).unwrap(), SECRET);
    }
}
