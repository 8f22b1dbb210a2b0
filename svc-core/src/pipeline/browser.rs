//! The API is not for browsers (spec, "What the service does"; contract §2).

use http::{HeaderMap, header};

use crate::error::{Code, Error};
use crate::operation::query::parameters;

/// Headers that web applications send against forged requests.
pub(crate) const ANTI_FORGERY: [&str; 4] = ["x-csrf-token", "x-xsrf-token", "x-csrftoken", "requestverificationtoken"];

/// Refuses requests with browser marks: an Origin header, a `sid` parameter, an anti-forgery
/// header.
pub(super) fn refuse(headers: &HeaderMap, query: &str) -> Result<(), Error> {
    let forged = || ANTI_FORGERY.iter().any(|name| headers.contains_key(*name));
    // Decodes only queries that contain `sid` or an escape.
    let session =
        || (query.contains("sid") || query.contains('%')) && parameters(query).iter().any(|(name, _)| name == "sid");
    if headers.contains_key(header::ORIGIN) || forged() || session() {
        return Err(Code::NavegadorNoPermitido.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn what_a_browser_sends_is_refused() {
        for name in ["origin", "x-csrf-token", "x-xsrf-token", "x-csrftoken", "requestverificationtoken"] {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static(""));
            assert!(refuse(&headers, "").is_err(), "{name}");
        }
        for (query, refused) in [
            ("sid=1", true),
            ("a=1&sid", true),
            ("s%69d=", true),
            ("%FF&sid=1", true),
            ("sid=%FF", true),
            ("a=sid", false),
            ("sida=1", false),
            ("SID=1", false),
            ("", false),
        ] {
            assert_eq!(refuse(&HeaderMap::new(), query).is_err(), refused, "{query}");
        }
    }
}
