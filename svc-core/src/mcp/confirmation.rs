//! The digest of a rehearsal, with which its write is confirmed.
//!
//! It proves that the write was rehearsed with success: by the same key, with the same arguments,
//! not long ago. It is signed with the secret of that key, so no server has to remember it; and no
//! two are the same, so that two rehearsals of a write confirm two writes.

use chrono::{DateTime, TimeDelta, Utc};
use hmac::digest::Key;
use hmac::{Hmac, KeyInit as _, Mac as _};
use rmcp::model::JsonObject;
use serde_json::Value;
use sha2::Sha256;

use crate::domain::clock::{Random, random_bytes};

/// How long a digest confirms.
const VALID: TimeDelta = TimeDelta::minutes(15);

/// How many bytes of the signature a digest has.
const SIGNED: usize = 16;

/// Why a digest confirms nothing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unconfirmed {
    /// It belongs to no rehearsal of this write by this key.
    Foreign,
    /// Its rehearsal was too long ago.
    Expired,
}

/// The digest of a rehearsal at `now` by the key with that secret.
pub(super) fn digest(
    secret: &[u8],
    operation: &str,
    arguments: &JsonObject,
    now: DateTime<Utc>,
    random: &dyn Random,
) -> String {
    let until = (now + VALID).timestamp();
    let head = format!("{until:x}-{:08x}", u32::from_le_bytes(random_bytes(random)));
    let signature = signer(secret, operation, arguments, &head).finalize().into_bytes();
    format!("{head}-{}", hex::encode(&signature[..SIGNED]))
}

/// Whether `digest` is that of a rehearsal of this write, letter for letter: it becomes the write's
/// Idempotency-Key.
pub(super) fn verify(
    digest: &str,
    secret: &[u8],
    operation: &str,
    arguments: &JsonObject,
    now: DateTime<Utc>,
) -> Result<(), Unconfirmed> {
    let (head, signature) = digest.rsplit_once('-').ok_or(Unconfirmed::Foreign)?;
    let until = head.split_once('-').map_or(head, |(until, _)| until);
    let until = i64::from_str_radix(until, 16).map_err(|_| Unconfirmed::Foreign)?;
    let given = hex::decode(signature).map_err(|_| Unconfirmed::Foreign)?;
    if given.len() != SIGNED || hex::encode(&given) != signature {
        return Err(Unconfirmed::Foreign);
    }
    let signer = signer(secret, operation, arguments, head);
    signer.verify_truncated_left(&given).map_err(|_| Unconfirmed::Foreign)?;
    if until < now.timestamp() { Err(Unconfirmed::Expired) } else { Ok(()) }
}

fn signer(secret: &[u8], operation: &str, arguments: &JsonObject, head: &str) -> Hmac<Sha256> {
    // HMAC takes keys of any length.
    let mut signer =
        Hmac::<Sha256>::new_from_slice(secret).unwrap_or_else(|_| Hmac::new(&Key::<Hmac<Sha256>>::default()));
    for part in [operation, &canonical(arguments), head] {
        signer.update(part.as_bytes());
        signer.update(&[0]);
    }
    signer
}

/// The arguments as a text that is the same in any order.
pub(super) fn canonical(arguments: &JsonObject) -> String {
    let mut arguments = Value::Object(arguments.clone());
    arguments.sort_all_objects();
    arguments.to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::clock::SystemRandom;

    fn arguments(value: Value) -> JsonObject {
        match value {
            Value::Object(members) => members,
            other => panic!("{other} is no object"),
        }
    }

    #[test]
    fn a_digest_confirms_its_own_write_for_a_quarter_of_an_hour() {
        let now: DateTime<Utc> = "2026-03-01T12:00:00Z".parse().unwrap();
        let given = arguments(json!({ "nombre": "Ana", "linea": { "a": 1, "b": 2 } }));
        let turned = arguments(json!({ "linea": { "b": 2, "a": 1 }, "nombre": "Ana" }));
        let other = arguments(json!({ "nombre": "Eva" }));
        let made = || digest(b"secret", "createLead", &given, now, &SystemRandom);
        assert_ne!(made(), made());
        let digest = made();
        let check = |secret: &[u8], operation, arguments, minutes| {
            verify(&digest, secret, operation, arguments, now + TimeDelta::minutes(minutes))
        };
        assert_eq!(check(b"secret", "createLead", &given, 15), Ok(()));
        assert_eq!(check(b"secret", "createLead", &turned, 0), Ok(()));
        assert_eq!(check(b"secret", "createLead", &given, 16), Err(Unconfirmed::Expired));
        assert_eq!(check(b"another", "createLead", &given, 0), Err(Unconfirmed::Foreign));
        assert_eq!(check(b"secret", "createCustomer", &given, 0), Err(Unconfirmed::Foreign));
        assert_eq!(check(b"secret", "createLead", &other, 0), Err(Unconfirmed::Foreign));
        let later = format!("{:x}{}", (now + TimeDelta::days(1)).timestamp(), &digest[digest.find('-').unwrap()..]);
        let (head, signature) = digest.rsplit_once('-').unwrap();
        let capitals = format!("{head}-{}", signature.to_uppercase());
        for wrong in ["", "-", "x-y", "12", "7fffffffffffffff-00", "-1-00", &later, &capitals] {
            assert_eq!(verify(wrong, b"secret", "createLead", &given, now), Err(Unconfirmed::Foreign), "{wrong}");
        }
    }
}
