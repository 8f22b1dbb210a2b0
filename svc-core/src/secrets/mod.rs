//! Secrets at rest: private keys of certificates and secrets of webhooks are sealed under a key
//! that is not in the database.
//!
//! The first byte of a sealed value is its format:
//!
//! - `0`: the secret in plain text, written if no key is set.
//! - `1`: a random nonce of 24 bytes, and the secret under XChaCha20-Poly1305. Earlier versions
//!   wrote it; it can only be opened.
//! - `2`: the [id of the key](SecretsKey::id) (8 bytes), followed by the same as in format 1.
//!
//! The [`Place`] of a secret is authenticated with it, so a value that was moved to another company
//! or record does not open. If a key is set, a value in plain text does not open either, since
//! anyone who can write to the database could have put it there.
//!
//! To change the key: set the new one and keep the former one beside it ([`Sealer::with_old`],
//! `SVC_SECRETS_KEY_OLD`), seal everything under the new one ([`crate::Context::rotate_secrets`],
//! `svc secrets rotate`), then remove the former one. With [`PlainSecrets::Accepted`] the same call
//! seals secrets that were stored before there was a key.

mod key;

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

pub use self::key::{NoSecretsKey, SecretsKey};
use crate::domain::clock::{Random, random_bytes};
use crate::domain::company::CompanyId;

/// The format of a secret in plain text.
const PLAIN: u8 = 0;
/// The format of a secret under XChaCha20-Poly1305 without its key's id.
const XCHACHA20_POLY1305: u8 = 1;
/// The format of a secret under XChaCha20-Poly1305 after its key's id.
const WITH_KEY_ID: u8 = 2;

const NONCE: usize = 24;

/// In bytes.
const KEY_ID: usize = 8;

/// What a sealed value belongs to; it opens nowhere else.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The company that the value is of.
    pub company: CompanyId,
    /// Table and column: `certificados.llave`.
    pub column: &'static str,
    /// The primary key of the record, within the company.
    pub record: &'a str,
}

impl std::fmt::Display for Place<'_> {
    /// Unique for each place: neither a number nor a column contains a slash.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.company.0, self.column, self.record)
    }
}

/// Why a secret could not be sealed or opened. The error does not contain the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SecretsError {
    /// The value is sealed, but no key is set.
    #[error("the secret is sealed and no secrets key is set (SVC_SECRETS_KEY)")]
    NoKey,
    /// The value is sealed under a key that is not set.
    #[error("the secret is sealed under a secrets key that is not set (SVC_SECRETS_KEY, SVC_SECRETS_KEY_OLD)")]
    UnknownKey,
    /// The value is plain text although a key is set.
    #[error(
        "the secret is in plain text although a secrets key is set (SVC_SECRETS_KEY); \
         `svc secrets rotate --accept-plain` seals what was stored before there was a key"
    )]
    Plain,
    /// The value was moved, damaged, or (in format 1) sealed under another key.
    #[error(
        "the sealed secret does not open: it was moved or damaged, or sealed by an earlier version under another \
         secrets key (SVC_SECRETS_KEY)"
    )]
    Refused,
    /// Neither this version nor an earlier one writes this format.
    #[error("the sealed secret has an unknown format")]
    Unknown,
    /// The secret is longer than the cipher accepts.
    #[error("the secret is too long to be sealed")]
    TooLong,
}

/// No stored secret opens, so the key is the wrong one; why the first does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no stored secret opens: {0}")]
pub struct WrongKey(pub SecretsError);

/// Whether [`Sealer::reseal`] accepts secrets in plain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlainSecrets {
    /// They are refused, as [`Sealer::open`] does when a key is set.
    #[default]
    Refused,
    /// They are sealed like any other. Use it only for a database that ran without a key and that
    /// nobody else could write to, since secrets planted there are sealed too.
    Accepted,
}

/// Seals and opens secrets; without a key it stores them as plain text. It is cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Sealer {
    current: Option<SecretsKey>,
    old: Vec<SecretsKey>,
}

impl Sealer {
    /// A sealer with that key, or without one.
    pub fn new(key: impl Into<Option<SecretsKey>>) -> Self {
        Self { current: key.into(), old: Vec::new() }
    }

    /// Adds keys that only open. Use it for former keys until their secrets are sealed again, and
    /// for the next key on servers that still seal under the former one.
    #[must_use]
    pub fn with_old(mut self, keys: impl IntoIterator<Item = SecretsKey>) -> Self {
        self.old.extend(keys);
        self
    }

    /// Whether there is a key to seal with.
    pub fn has_key(&self) -> bool {
        self.current.is_some()
    }

    /// Seals `secret` for `place`. A random nonce makes every sealed value different.
    pub fn seal(&self, place: Place<'_>, secret: &[u8], random: &dyn Random) -> Result<Vec<u8>, SecretsError> {
        let Some(key) = &self.current else { return Ok([&[PLAIN], secret].concat()) };
        let nonce = XNonce::from(random_bytes::<NONCE>(random));
        let aad = place.to_string();
        let payload = Payload { msg: secret, aad: aad.as_bytes() };
        let text = cipher(key).encrypt(&nonce, payload).map_err(|_| SecretsError::TooLong)?;
        Ok([&prefix(key)[..], nonce.as_slice(), &text].concat())
    }

    /// Opens a sealed value. A value in plain text opens only if no key is set.
    pub fn open(&self, place: Place<'_>, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, SecretsError> {
        let plain = if self.has_key() { PlainSecrets::Refused } else { PlainSecrets::Accepted };
        self.open_with(place, sealed, plain)
    }

    /// Opens a sealed value and seals it again under the current key. Fails with
    /// [`SecretsError::NoKey`] without one.
    pub fn reseal(
        &self,
        place: Place<'_>,
        sealed: &[u8],
        plain: PlainSecrets,
        random: &dyn Random,
    ) -> Result<Vec<u8>, SecretsError> {
        if !self.has_key() {
            return Err(SecretsError::NoKey);
        }
        self.seal(place, &self.open_with(place, sealed, plain)?, random)
    }

    /// The first bytes of every value that is sealed under the current key; `None` without a key.
    pub fn current_prefix(&self) -> Option<[u8; 1 + KEY_ID]> {
        self.current.as_ref().map(prefix)
    }

    fn open_with(
        &self,
        place: Place<'_>,
        sealed: &[u8],
        plain: PlainSecrets,
    ) -> Result<Zeroizing<Vec<u8>>, SecretsError> {
        match sealed.split_first() {
            Some((&PLAIN, secret)) => match plain {
                PlainSecrets::Accepted => Ok(Zeroizing::new(secret.to_vec())),
                PlainSecrets::Refused => Err(SecretsError::Plain),
            },
            Some((&XCHACHA20_POLY1305, rest)) => {
                // The format does not say which key it is under.
                let mut error = SecretsError::NoKey;
                for key in self.keys() {
                    match decrypt(key, place, rest) {
                        Err(refused) => error = refused,
                        opened => return opened,
                    }
                }
                Err(error)
            }
            Some((&WITH_KEY_ID, rest)) => {
                let (id, rest) = rest.split_first_chunk::<KEY_ID>().ok_or(SecretsError::Unknown)?;
                let missing = if self.keys().next().is_none() { SecretsError::NoKey } else { SecretsError::UnknownKey };
                decrypt(self.keys().find(|key| key.id() == *id).ok_or(missing)?, place, rest)
            }
            _ => Err(SecretsError::Unknown),
        }
    }

    fn keys(&self) -> impl Iterator<Item = &SecretsKey> {
        self.current.iter().chain(&self.old)
    }
}

impl From<Option<SecretsKey>> for Sealer {
    fn from(key: Option<SecretsKey>) -> Self {
        Self::new(key)
    }
}

impl From<SecretsKey> for Sealer {
    fn from(key: SecretsKey) -> Self {
        Self::new(key)
    }
}

fn prefix(key: &SecretsKey) -> [u8; 1 + KEY_ID] {
    let mut prefix = [WITH_KEY_ID; 1 + KEY_ID];
    prefix[1..].copy_from_slice(&key.id());
    prefix
}

/// Decrypts a nonce followed by a ciphertext.
fn decrypt(key: &SecretsKey, place: Place<'_>, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, SecretsError> {
    let (nonce, text) = sealed.split_first_chunk::<NONCE>().ok_or(SecretsError::Unknown)?;
    let aad = place.to_string();
    let payload = Payload { msg: text, aad: aad.as_bytes() };
    let secret = cipher(key).decrypt(&XNonce::from(*nonce), payload);
    secret.map(Zeroizing::new).map_err(|_| SecretsError::Refused)
}

fn cipher(key: &SecretsKey) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(key.bytes().into())
}

#[cfg(test)]
mod tests;
