//! Authentication: key, API, owner, plan, terms — in this order (contract §2); of a test company a
//! simulated answer after the key.

use std::sync::Arc;

use http::{HeaderMap, header};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::limits::{Admission, ResponseMeta};
use super::simulation::simulate;
use crate::context::{Context, Identity, KeyName};
use crate::domain::company::{Company, CompanyId, LimitMode, Plan, TERMS_VERSION, parse_key_id};
use crate::domain::scope::KeyScopes;
use crate::error::{Code, Error};
use crate::operation::Actor;
use crate::store::{KeyId, KeyRecord};

pub(super) struct Caller {
    key: Arc<KeyRecord>,
    pub(super) actor: Actor,
}

impl Caller {
    pub(super) fn company(&self) -> &Company {
        &self.key.company
    }

    pub(super) fn scopes(&self) -> &KeyScopes {
        &self.key.scopes
    }

    /// The key's identifier within the company.
    pub(super) fn suffix(&self) -> &str {
        &self.key.id.suffix
    }
}

/// Authenticates a request, by its key or, if it names none, by the host's authenticator. Once the
/// caller is known, every answer carries their limits, refusals too.
pub(super) async fn caller<'a>(
    context: &'a Context,
    head: &http::request::Parts,
    meta: &mut ResponseMeta<'a>,
) -> Result<Caller, Error> {
    let authenticator = context.authenticator().filter(|_| !head.headers.contains_key(KEY_ID));
    let key = match authenticator {
        Some(authenticator) => signed_in(context, authenticator.identify(head).await?).await?,
        None => with_key(context, &head.headers).await?,
    };
    meta.admission = Some(Admission::new(context, Arc::clone(&key)));
    if key.company.prueba {
        simulate(&head.headers, meta)?;
    }
    if !key.company.api {
        return Err(Code::ApiNoHabilitada.into());
    }
    let notice_mode = context.limits(&key.company) == LimitMode::Notice;
    if !key.owner_active {
        if !notice_mode {
            return Err(Code::LlaveSinTitular.into());
        }
        meta.notices.announce(Code::LlaveSinTitular, "the owner of this key no longer has access to the company");
    }
    if key.company.plan != Plan::Pro {
        if !notice_mode {
            return Err(Code::PlanRequerido.into());
        }
        // In notice mode this case alone is still refused, with 401 (spec, "Errors").
        meta.notices.announce(Code::PlanRequerido, "the company has no current Pro plan");
        return Err(Code::LlaveInvalida.into());
    }
    if authenticator.is_none() && key.terms.as_deref() != Some(TERMS_VERSION) {
        return Err(Code::TerminosPendientes.into());
    }
    let actor = Actor::Key { suffix: key.id.suffix.to_string(), owner: key.owner, scopes: key.scopes.clone() };
    Ok(Caller { key, actor })
}

/// The genuine and current key of a request.
async fn with_key(context: &Context, headers: &HeaderMap) -> Result<Arc<KeyRecord>, Error> {
    let refused = || Error::from(Code::LlaveInvalida);
    let (company, suffix) = key_id(headers).ok_or_else(refused)?;
    let secret = bearer(headers).ok_or_else(refused)?;
    let key = context.keys().key(KeyName { company, suffix }, context.store(), context.clock()).await?;
    let key = genuine(key, secret).ok_or_else(refused)?;
    let is_over = key.revoked || key.expires.is_some_and(|expires| expires <= context.now());
    if is_over { Err(refused()) } else { Ok(key) }
}

/// The user that the host has identified, in place of a key. Refused if the company has no such
/// user.
async fn signed_in(context: &Context, identity: Option<Identity>) -> Result<Arc<KeyRecord>, Error> {
    let refused = || Error::from(Code::LlaveInvalida);
    let Identity { company, user, scopes } = identity.ok_or_else(refused)?;
    let id = KeyId::of_user(company, user);
    let name = KeyName { company, suffix: &id.suffix };
    let record = context.keys().key(name, context.store(), context.clock()).await?.ok_or_else(refused)?;
    Ok(Arc::new(KeyRecord { scopes, ..KeyRecord::clone(&record) }))
}

/// The header that names a key.
const KEY_ID: &str = "x-svc-key-id";

/// The company and the suffix of `X-Svc-Key-Id: <company>_<suffix>`.
fn key_id(headers: &HeaderMap) -> Option<(CompanyId, &str)> {
    parse_key_id(only(headers, KEY_ID)?)
}

/// The secret of `Authorization: Bearer <secret>`; the scheme's case does not matter (RFC 9110
/// §11.1).
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, secret) = only(headers, header::AUTHORIZATION.as_str())?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("Bearer").then(|| secret.trim()).filter(|secret| !secret.is_empty())
}

/// The value of a header that occurs exactly once.
fn only<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// The key, when the secret is its own. The digests are compared in constant time, and a key that
/// does not exist costs the same comparison as one that does.
fn genuine(key: Option<Arc<KeyRecord>>, secret: &str) -> Option<Arc<KeyRecord>> {
    let given: [u8; 32] = Sha256::digest(secret.as_bytes()).into();
    let stored = key.as_ref().map_or([0; 32], |key| key.secret_sha256);
    key.filter(|_| bool::from(given.ct_eq(&stored)))
}

#[cfg(test)]
mod tests {
    use super::*;

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
