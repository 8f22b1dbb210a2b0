//! The Host header field of a request (RFC 9112, section 3.2).

use http::header::HOST;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Version};

/// Whether a request names its host as its version of HTTP demands: exactly once in HTTP/1.1, at
/// most once before, with a valid name.
pub(super) fn is_valid(version: Version, headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) => version < Version::HTTP_11,
        (Some(host), None) => is_host(host),
        (Some(_), Some(_)) => false,
    }
}

/// An empty value stands for a target without a host.
fn is_host(value: &HeaderValue) -> bool {
    value.is_empty() || Authority::try_from(value.as_bytes()).is_ok_and(|host| !host.as_str().contains('@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_one_host() {
        for (version, hosts, valid) in [
            (Version::HTTP_11, &["erp.example.com"][..], true),
            (Version::HTTP_11, &["[::1]:8080"], true),
            (Version::HTTP_11, &[""], true),
            (Version::HTTP_11, &[], false),
            (Version::HTTP_11, &["a", "a"], false),
            (Version::HTTP_11, &["user@a"], false),
            (Version::HTTP_11, &["a b"], false),
            (Version::HTTP_10, &[], true),
            (Version::HTTP_10, &["a", "b"], false),
        ] {
            let headers = hosts.iter().map(|host| (HOST, HeaderValue::from_static(host))).collect();
            assert_eq!(is_valid(version, &headers), valid, "{version:?} {hosts:?}");
        }
    }
}
