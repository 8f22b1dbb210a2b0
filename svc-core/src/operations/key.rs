//! API keys: creating, revoking and accepting terms.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::user::owner;
use crate::domain::clock::{Random, random_bytes};
use crate::domain::company::TERMS_VERSION;
use crate::domain::scope::KeyScopes;
use crate::error::{Code, Error};
use crate::operation::{Cx, Operation, Spec};
use crate::store::{ListedKey, NewKey};

/// Creates an API key.
#[derive(Debug, Clone)]
pub struct CreateKey {
    /// The clave of the user who owns it; the company's first active user if left out.
    pub usuario: Option<i64>,
    /// What the key may do.
    pub scopes: KeyScopes,
    /// When it expires; `None` means never.
    pub expires: Option<DateTime<Utc>>,
    /// Whether the key accepts the current terms of use at once.
    pub accept_terms: bool,
}

/// A new key. This is the only place that shows the secret: only its SHA-256 is stored.
#[derive(Clone, Serialize)]
#[non_exhaustive]
pub struct KeyCreated {
    /// The public identifier, sent as `X-Svc-Key-Id`.
    pub key_id: String,
    /// The secret, sent as `Authorization: Bearer`.
    pub api_key: String,
}

impl fmt::Debug for KeyCreated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyCreated").field("key_id", &self.key_id).finish_non_exhaustive()
    }
}

/// Records that a key's owner accepted the current terms.
#[derive(Debug, Clone)]
pub struct AcceptTerms {
    /// The key's identifier without the company's number.
    pub suffix: String,
}

/// Revokes an API key. Other processes learn it within 5 s (contract §5).
#[derive(Debug, Clone)]
pub struct RevokeKey {
    /// The key's identifier without the company's number.
    pub suffix: String,
}

/// Lists a company's keys in the order of their suffixes, revoked ones too.
#[derive(Debug, Clone)]
pub struct ListKeys {
    /// The suffix of the last key that is known; empty at first.
    pub after: String,
    /// The largest number of keys.
    pub max: u32,
}

/// The key that was changed.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct KeyRef {
    /// The public identifier, `<company>_<suffix>`.
    pub key_id: String,
}

impl Operation for CreateKey {
    const SPEC: Spec = Spec::new().changes_access();
    type Output = KeyCreated;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<KeyCreated, Error> {
        let usuario = match self.usuario {
            Some(usuario) => usuario,
            None => owner(cx).await?,
        };
        let suffix = random_hex::<6>(cx.random);
        let api_key = format!("svc_{}", random_hex::<32>(cx.random));
        let key = NewKey {
            suffix: suffix.clone(),
            secret_sha256: Sha256::digest(api_key.as_bytes()).into(),
            usuario,
            scopes: self.scopes.clone(),
            expires: self.expires,
            terms: self.accept_terms.then_some(TERMS_VERSION),
            creada: cx.service_now(),
        };
        cx.tx.insert_key(&key).await?;
        Ok(KeyCreated { key_id: key_id(cx, &suffix), api_key })
    }
}

impl Operation for AcceptTerms {
    const SPEC: Spec = Spec::new().changes_access();
    type Output = KeyRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<KeyRef, Error> {
        let found = cx.tx.accept_terms(&self.suffix, TERMS_VERSION).await?;
        named(cx, &self.suffix, found)
    }
}

impl Operation for RevokeKey {
    const SPEC: Spec = Spec::new().changes_access();
    type Output = KeyRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<KeyRef, Error> {
        let found = cx.tx.revoke_key(&self.suffix, cx.service_now()).await?;
        named(cx, &self.suffix, found)
    }
}

impl Operation for ListKeys {
    const SPEC: Spec = Spec::new().reads();
    type Output = Vec<ListedKey>;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<Vec<ListedKey>, Error> {
        Ok(cx.tx.listed_keys(&self.after, self.max).await?)
    }
}

fn named(cx: &Cx<'_>, suffix: &str, found: bool) -> Result<KeyRef, Error> {
    let key_id = key_id(cx, suffix);
    if !found {
        return Err(Error::field(Code::NoEncontrado, "key_id", format_args!("la llave {key_id} no existe")));
    }
    Ok(KeyRef { key_id })
}

fn key_id(cx: &Cx<'_>, suffix: &str) -> String {
    format!("{}_{suffix}", cx.company.id.0)
}

fn random_hex<const N: usize>(random: &dyn Random) -> String {
    hex::encode(random_bytes::<N>(random))
}
