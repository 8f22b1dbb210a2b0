//! The signature of a notice: `X-Svc-Firma: t=<unix seconds>,v1=<hex>[,v1=<hex>]` (spec, "Signature
//! verification").

use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The value of `X-Svc-Firma` for a notice with this body, sent at `at`: one signature per secret,
/// in their order (the new one first during a rotation). The key of the HMAC-SHA256 is the whole
/// secret, prefix included.
pub fn signature(secrets: &[&[u8]], at: DateTime<Utc>, body: &[u8]) -> String {
    let t = at.timestamp();
    let mut text = format!("t={t}");
    for secret in secrets {
        text.push_str(",v1=");
        text.push_str(&hex::encode(mac(secret, &t.to_string(), body).finalize().into_bytes()));
    }
    text
}

/// HMAC-SHA256 over `<t>.<body>`.
pub(super) fn mac(secret: &[u8], t: &str, body: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("any key length");
    for part in [t.as_bytes(), b".", body] {
        mac.update(part);
    }
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_as_specified() {
        let at = "2026-10-12T18:00:00.900Z".parse().unwrap();
        // printf '1791828000.{"a":1}' | openssl dgst -sha256 -hmac whsec_0123
        let first = "355c5029d68b7c1d8bb03edcb1d210d2f5f5f5dcd62678015b82001ca145cf13";
        let second = "c6931a8098bc3e4b25a002ce6fa5d04aaa47d2f7b24f9a776bcec039cd124bcb";
        assert_eq!(signature(&[b"whsec_0123"], at, b"{\"a\":1}"), format!("t=1791828000,v1={first}"));
        assert_eq!(
            signature(&[b"whsec_0123", b"whsec_4567"], at, b"{\"a\":1}"),
            format!("t=1791828000,v1={first},v1={second}")
        );
    }
}
