//! Verifying a notice's signature, for receivers.

use chrono::{DateTime, TimeDelta, Utc};
use hmac::Mac;
use http::HeaderMap;

use super::sign::mac;
use super::{EVENT_ID, SIGNATURE};

/// The maximum age of a signature (spec, "Limits"), and how far ahead the sender's clock may be.
const WINDOW: TimeDelta = TimeDelta::minutes(5);

/// Why a notice is not genuine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// `X-Svc-Firma` is missing, or occurs several times.
    #[error("the request has no X-Svc-Firma header, or several")]
    Missing,
    /// `X-Svc-Firma` cannot be parsed.
    #[error("the X-Svc-Firma header is not t=<unix seconds>,v1=<hex>")]
    Malformed,
    /// The signature is more than five minutes before or after `now`: it may be a replay.
    #[error("the signature is not of the last five minutes")]
    Expired,
    /// No signature matches any of the secrets: the body was changed, or the sender does not have
    /// the secret.
    #[error("the signature is not of any of the secrets")]
    Mismatch,
}

/// Verifies that a notice was signed with one of `secrets` within five minutes of `now`. Returns
/// the event's id (`evt_…`), by which receivers recognize repeated notices (contract §6).
///
/// The id comes from the header `X-Svc-Evento-Id`, if present. The header is not signed; the body's
/// `id` is, and equal.
///
/// `body` is the raw body, as received. `secrets` are the webhook's (`whsec_…`): the old and the
/// new one during a rotation.
///
/// ```
/// use svc_core::domain::clock::{Clock, SystemClock};
/// use svc_core::webhooks::{VerifyError, verify};
///
/// fn receive(request: &http::Request<Vec<u8>>, secret: &str) -> Result<(), VerifyError> {
///     let event = verify(request.headers(), request.body(), &[secret], SystemClock.now())?;
///     println!("{event:?} is genuine; answer 2xx, then do the work");
///     Ok(())
/// }
///
/// let signature = format!("t=1791828000,v1={}", "0".repeat(64));
/// let forged = http::Request::post("/avisos").header("X-Svc-Firma", signature).body(b"{}".to_vec()).unwrap();
/// assert!(receive(&forged, "whsec_…").is_err());
/// ```
pub fn verify<'a>(
    headers: &'a HeaderMap,
    body: &[u8],
    secrets: &[&str],
    now: DateTime<Utc>,
) -> Result<Option<&'a str>, VerifyError> {
    let mut values = headers.get_all(SIGNATURE).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return Err(VerifyError::Missing) };
    let (t, given) = value.to_str().ok().and_then(parse).ok_or(VerifyError::Malformed)?;
    let at = t.parse().ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0)).ok_or(VerifyError::Malformed)?;
    if now.signed_duration_since(at).abs() > WINDOW {
        return Err(VerifyError::Expired);
    }
    let genuine = secrets.iter().any(|secret| {
        let mac = mac(secret.as_bytes(), t, body);
        // The comparison takes constant time.
        given.iter().any(|signature| mac.clone().verify_slice(signature).is_ok())
    });
    if !genuine {
        return Err(VerifyError::Mismatch);
    }
    Ok(headers.get(EVENT_ID).and_then(|id| id.to_str().ok()))
}

/// `t`, as it was signed, and every `v1`; unknown fields are ignored, for later versions.
fn parse(header: &str) -> Option<(&str, Vec<[u8; 32]>)> {
    let (mut t, mut signatures) = (None, Vec::new());
    for part in header.split(',') {
        match part.trim().split_once('=')? {
            ("t", digits) if t.is_none() && digits.bytes().all(|byte| byte.is_ascii_digit()) => t = Some(digits),
            ("t", _) => return None,
            ("v1", hex) => signatures.push(digest(hex)?),
            _ => {}
        }
    }
    t.filter(|_| !signatures.is_empty()).map(|t| (t, signatures))
}

fn digest(hex: &str) -> Option<[u8; 32]> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let mut bytes = [0; 32];
    let pairs = hex.as_bytes().chunks_exact(2);
    if hex.len() != 64 {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::signature;
    use super::*;

    const BODY: &[u8] = b"{\"id\":\"evt_1\"}";

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_791_828_000 + seconds, 0).unwrap()
    }

    fn signed(header: &str) -> HeaderMap {
        [(SIGNATURE, header.parse().unwrap()), (EVENT_ID, "evt_1".parse().unwrap())].into_iter().collect()
    }

    #[test]
    fn what_we_sign_is_genuine_for_five_minutes() {
        let headers = signed(&signature(&[b"whsec_new", b"whsec_old"], at(0), BODY));
        for (seconds, expected) in [
            (0, Ok(Some("evt_1"))),
            (300, Ok(Some("evt_1"))),
            (-300, Ok(Some("evt_1"))),
            (301, Err(VerifyError::Expired)),
            (-301, Err(VerifyError::Expired)),
        ] {
            assert_eq!(verify(&headers, BODY, &["whsec_old"], at(seconds)), expected, "{seconds}");
        }
        for secrets in [&["whsec_new"][..], &["whsec_other", "whsec_new"]] {
            assert!(verify(&headers, BODY, secrets, at(0)).is_ok());
        }
        assert_eq!(verify(&headers, BODY, &["whsec_other"], at(0)), Err(VerifyError::Mismatch));
        assert_eq!(verify(&headers, BODY, &[], at(0)), Err(VerifyError::Mismatch));
        assert_eq!(verify(&headers, b"{\"id\":\"evt_2\"}", &["whsec_new"], at(0)), Err(VerifyError::Mismatch));
    }

    #[test]
    fn a_malformed_header_is_distinguished_from_a_wrong_signature() {
        let genuine = signature(&[b"whsec_new"], at(0), BODY);
        assert_eq!(verify(&HeaderMap::new(), BODY, &["whsec_new"], at(0)), Err(VerifyError::Missing));
        let mut twice = signed(&genuine);
        twice.append(SIGNATURE, genuine.parse().unwrap());
        assert_eq!(verify(&twice, BODY, &["whsec_new"], at(0)), Err(VerifyError::Missing));
        let hex = genuine.split_once("v1=").unwrap().1;
        for wrong in [
            String::new(),
            "t=1791828000".to_owned(),
            format!("v1={hex}"),
            format!("t=,v1={hex}"),
            format!("t=+1791828000,v1={hex}"),
            format!("t=99999999999999999999,v1={hex}"),
            format!("t=1791828000,t=1791828000,v1={hex}"),
            format!("t=1791828000,v1={}", &hex[1..]),
            format!("t=1791828000,v1={}g", &hex[1..]),
            format!("t=1791828000;v1={hex}"),
        ] {
            assert_eq!(verify(&signed(&wrong), BODY, &["whsec_new"], at(0)), Err(VerifyError::Malformed), "{wrong}");
        }
        // Additions of a later version, spaces, capitals.
        let later = format!("t=1791828000, v2=abc, v1={}", hex.to_uppercase());
        assert_eq!(verify(&signed(&later), BODY, &["whsec_new"], at(0)), Ok(Some("evt_1")));
        let zeros = format!("t=01791828000,v1={hex}");
        assert_eq!(verify(&signed(&zeros), BODY, &["whsec_new"], at(0)), Err(VerifyError::Mismatch));
    }
}
