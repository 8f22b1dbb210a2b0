//! Who asks: key, API, owner, plan, terms — in this order (contract §2).

use std::sync::Arc;

use http::{HeaderMap, header};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::keys::KeyName;
use super::limits::Passage;
use super::{Aside, limits};
use crate::domain::scope::Scopes;
use crate::error::{Code, Error};
use crate::operation::Actor;
use crate::service::Inner;
use crate::store::{Company, CompanyId, KeyRecord, LimitMode, Plan};

/// The version of the terms of use that a key must have accepted (spec, "Versioning").
pub const TERMS_VERSION: &str = "2026-10";

/// Whoever passed.
pub(super) struct Caller {
    key: Arc<KeyRecord>,
    pub(super) actor: Actor,
}

impl Caller {
    pub(super) fn company(&self) -> &Company {
        &self.key.company
    }

    pub(super) fn scopes(&self) -> Scopes {
        self.key.scopes
    }
}

/// Whoever has a genuine key is told their limits with every answer from here on.
pub(super) async fn caller<'a>(api: &'a Inner, headers: &HeaderMap, aside: &mut Aside<'a>) -> Result<Caller, Error> {
    let refused = || Error::from(Code::LlaveInvalida);
    let (company, suffix) = key_id(headers).ok_or_else(refused)?;
    let secret = bearer(headers).ok_or_else(refused)?;
    let key = api.keys.key(KeyName { company, suffix }, api.store.as_ref(), api.clock.as_ref()).await?;
    let key = genuine(key, secret).ok_or_else(refused)?;
    let now = api.clock.now();
    if key.revoked || key.expires.is_some_and(|expires| expires <= now) {
        return Err(refused());
    }
    aside.passage = Some(Passage::new(api, Arc::clone(&key)));
    if !key.company.api {
        return Err(Code::ApiNoHabilitada.into());
    }
    let notice_mode = limits::mode(api, &key.company) == LimitMode::Notice;
    if !key.owner_active {
        if !notice_mode {
            return Err(Code::LlaveSinTitular.into());
        }
        aside.notices.announce(Code::LlaveSinTitular, "the owner of this key no longer has access to the company");
    }
    if key.company.plan != Plan::Pro {
        if !notice_mode {
            return Err(Code::PlanRequerido.into());
        }
        // The odd one out: in notice mode this case is still refused, as 401 (spec, "Errors").
        aside.notices.announce(Code::PlanRequerido, "the company has no current Pro plan");
        return Err(refused());
    }
    if key.terms.as_deref() != Some(TERMS_VERSION) {
        return Err(Code::TerminosPendientes.into());
    }
    let actor = Actor::Key { suffix: suffix.to_owned(), owner: key.owner, scopes: key.scopes };
    Ok(Caller { key, actor })
}

/// The company and the suffix of `X-Svc-Key-Id: <company>_<suffix>`.
fn key_id(headers: &HeaderMap) -> Option<(CompanyId, &str)> {
    parse_key_id(only(headers, "x-svc-key-id")?)
}

/// Reads a key's public identifier, `<company>_<suffix>`: the company and the suffix (spec, "Authentication" 1).
pub fn parse_key_id(text: &str) -> Option<(CompanyId, &str)> {
    const LONGEST: usize = 64;
    let (company, suffix) = text.split_once('_')?;
    let digits = (1..=18).contains(&company.len()) && company.bytes().all(|byte| byte.is_ascii_digit());
    let word = (1..=LONGEST).contains(&suffix.len()) && suffix.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // One spelling a key: "01_ab" is not "1_ab".
    let canonical = digits && word && !company.starts_with('0');
    canonical.then(|| company.parse().ok().map(|company| (CompanyId(company), suffix))).flatten()
}

/// The secret of `Authorization: Bearer <secret>`; the scheme's case does not matter (RFC 9110 §11.1).
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, secret) = only(headers, header::AUTHORIZATION.as_str())?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("Bearer").then(|| secret.trim()).filter(|secret| !secret.is_empty())
}

/// The value of a header that is there once; two credentials are none.
fn only<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// The key, when the secret is its own. The digests are compared in constant time, and a key that does not exist costs
/// the same comparison as one that does.
fn genuine(key: Option<Arc<KeyRecord>>, secret: &str) -> Option<Arc<KeyRecord>> {
    let given: [u8; 32] = Sha256::digest(secret.as_bytes()).into();
    let stored = key.as_ref().map_or([0; 32], |key| key.secret_sha256);
    key.filter(|_| bool::from(given.ct_eq(&stored)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_id_has_one_spelling() {
        assert_eq!(parse_key_id("12_ab12CD"), Some((CompanyId(12), "ab12CD")));
        for text in [
            "",
            "_",
            "12_",
            "_ab",
            "12",
            "012_ab",
            "+1_ab",
            "-1_ab",
            "1_a b",
            "1_a_b",
            "1_\u{e9}",
            "9999999999999999999_ab",
        ] {
            assert_eq!(parse_key_id(text), None, "{text}");
        }
    }

    #[test]
    fn credentials_stand_once_and_as_bearer() {
        let headers = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::AUTHORIZATION, value.parse().unwrap());
            }
            headers
        };
        assert_eq!(bearer(&headers(&["Bearer abc"])), Some("abc"));
        assert_eq!(bearer(&headers(&["bearer abc"])), Some("abc"));
        for wrong in [&[][..], &["Bearer"], &["Bearer "], &["Basic abc"], &["abc"], &["Bearer a", "Bearer a"]] {
            assert_eq!(bearer(&headers(wrong)), None, "{wrong:?}");
        }
    }
}
