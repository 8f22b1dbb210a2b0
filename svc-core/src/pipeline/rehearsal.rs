//! Rehearsals: a write that is done and undone, to see what it would answer (contract §9).

use http::{HeaderMap, HeaderName};

use crate::error::{Code, Error};

/// Asks for a rehearsal, and marks its answer.
pub(crate) const REHEARSAL: HeaderName = HeaderName::from_static("x-svc-ensayo");

/// The types of the events that a rehearsed write would emit.
pub(crate) const REHEARSED_EVENTS: HeaderName = HeaderName::from_static("x-svc-ensayo-eventos");

/// Whether the request asks for a rehearsal: the header is absent, or once `true`.
pub(crate) fn is_asked(headers: &HeaderMap) -> Result<bool, Error> {
    let mut values = headers.get_all(REHEARSAL).iter();
    match (values.next().map(http::HeaderValue::as_bytes), values.next()) {
        (None, _) => Ok(false),
        (Some(b"true"), None) => Ok(true),
        _ => Err(Error::field(Code::DatoInvalido, "X-Svc-Ensayo", "solo puede ser true")),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_rehearsal_is_asked_for_by_true_alone() {
        let asked = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(REHEARSAL, HeaderValue::from_str(value).unwrap());
            }
            is_asked(&headers).map_err(|error| error.code())
        };
        assert_eq!((asked(&[]), asked(&["true"])), (Ok(false), Ok(true)));
        for wrong in [&[""][..], &["false"], &["True"], &["1"], &["true", "true"]] {
            assert_eq!(asked(wrong), Err(Code::DatoInvalido), "{wrong:?}");
        }
    }
}
