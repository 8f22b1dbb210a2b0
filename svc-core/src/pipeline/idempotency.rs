//! The Idempotency-Key of a write and the fingerprint of its request (contract §4).

use http::HeaderMap;
use sha2::{Digest, Sha256};

use super::limits::ResponseMeta;
use super::rehearsal;
use crate::error::{Code, Error};
use crate::json::Json;
use crate::operation::{Http, Idempotency};
use crate::store::{ANSWER_RETENTION, ClaimKey};

/// An Idempotency-Key and the fingerprint of its request.
pub(super) struct Key {
    pub(super) name: String,
    pub(super) fingerprint: [u8; 32],
}

/// An Idempotency-Key of the API key `suffix`, as the store claims it.
pub(super) fn claimed<'a>(suffix: &'a str, name: &'a str) -> ClaimKey<'a> {
    ClaimKey { suffix, name, kept: ANSWER_RETENTION }
}

/// The Idempotency-Key that a write claims. A rehearsal claims none and needs none; `meta` then
/// says that it is one.
pub(super) fn of_write(
    headers: &HeaderMap,
    meta: &mut ResponseMeta<'_>,
    rule: Idempotency,
) -> Result<Option<String>, Error> {
    meta.rehearsal = rehearsal::is_asked(headers)?;
    if meta.rehearsal { Ok(None) } else { name(headers, rule) }
}

/// The Idempotency-Key, validated by its form only; the body is still unread.
fn name(headers: &HeaderMap, rule: Idempotency) -> Result<Option<String>, Error> {
    let mut values = headers.get_all("idempotency-key").iter();
    let Some(value) = values.next() else {
        return match rule {
            Idempotency::Required => Err(Code::IdempotenciaRequerida.into()),
            Idempotency::Optional => Ok(None),
        };
    };
    let visible = (1..=255).contains(&value.len()) && value.as_bytes().iter().all(u8::is_ascii_graphic);
    match value.to_str() {
        Ok(name) if visible && values.next().is_none() => Ok(Some(name.to_owned())),
        _ => Err(Code::IdempotenciaInvalida.into()),
    }
}

/// SHA-256 over method, path and canonical body: equivalent requests have the same fingerprint.
pub(super) fn fingerprint(operation: &Http, path: &str, body: &Json) -> [u8; 32] {
    let mut digest = Sha256::new();
    // Neither a method nor a path contains a line break, so the three parts cannot run together.
    for part in [operation.method.name(), path] {
        digest.update(part.as_bytes());
        digest.update(b"\n");
    }
    body.canonical(|piece| digest.update(piece));
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_visible_ascii_and_stands_once() {
        let named = |values: &[&[u8]]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append("idempotency-key", http::HeaderValue::from_bytes(value).unwrap());
            }
            name(&headers, Idempotency::Required).map_err(|error| error.code())
        };
        assert_eq!(named(&[b"a-1"]), Ok(Some("a-1".into())));
        assert_eq!(named(&[&[b'x'; 255]]), Ok(Some("x".repeat(255))));
        assert_eq!(named(&[]), Err(Code::IdempotenciaRequerida));
        for wrong in [&[&b""[..]][..], &[b"a b"], &[b"a\tb"], &[&[b'x'; 256]], &["ñ".as_bytes()], &[b"a", b"a"]] {
            assert_eq!(named(wrong), Err(Code::IdempotenciaInvalida), "{wrong:?}");
        }
        assert_eq!(name(&HeaderMap::new(), Idempotency::Optional).unwrap(), None);
    }
}
