//! Limits the date range of queries for sales and invoices (spec, "Limits"; contract §3, "Dates").

use chrono::{DateTime, TimeDelta, Utc};

use super::{Query, Value};
use crate::error::{Code, Error};

/// The longest range, between the two dates.
pub const LONGEST: TimeDelta = TimeDelta::days(92);

/// Validates the range `fecha_desde` to `fecha_hasta`; a range without an end ends now.
pub(super) fn close(query: &mut Query) -> Result<(), Error> {
    let until = query.instant("fecha_hasta");
    let end = end(query.instant("fecha_desde"), until, query.now)?;
    if until.is_none() {
        query.until = end;
    }
    if let Some(end) = end {
        query.set("fecha_hasta", Value::Instant(end));
    }
    Ok(())
}

/// The end of the range; `None` without a range. A range that is too long, or has no beginning, is
/// an error and not clipped.
fn end(
    from: Option<DateTime<Utc>>,
    until: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, Error> {
    let Some(from) = from else {
        return match until {
            None => Ok(None),
            Some(_) => Err(Error::field(Code::RangoInvalido, "fecha_hasta", "necesita fecha_desde")),
        };
    };
    let until = until.unwrap_or(now);
    if from > until {
        return Err(Error::field(Code::RangoInvalido, "fecha_desde", "es posterior al fin del rango"));
    }
    if until.date_naive() - from.date_naive() > LONGEST {
        return Err(Error::field(Code::RangoInvalido, "fecha_desde", "el rango es de más de 92 días"));
    }
    Ok(Some(until))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn validate(from: Option<&str>, until: Option<&str>) -> Result<Option<String>, Code> {
        let at = |text: &str| format!("{text}Z").parse().unwrap();
        end(from.map(at), until.map(at), at("2026-10-12T18:00:00"))
            .map(|until| until.map(|until| until.format("%FT%T").to_string()))
            .map_err(|error| error.code())
    }

    #[test]
    fn ninety_two_days_are_counted_by_date() {
        assert_eq!(validate(None, None), Ok(None));
        assert_eq!(validate(Some("2026-10-01T00:00:00"), None), Ok(Some("2026-10-12T18:00:00".into())));
        assert!(validate(Some("2026-01-01T23:00:00"), Some("2026-04-03T01:00:00")).is_ok());
        for (from, until) in [
            (None, Some("2026-01-01T00:00:00")),
            (Some("2026-01-01T23:59:59"), Some("2026-04-04T00:00:00")),
            (Some("2026-07-11T23:59:59"), None),
            (Some("2026-10-13T00:00:00"), None),
            (Some("2026-01-02T00:00:00"), Some("2026-01-01T00:00:00")),
        ] {
            assert_eq!(validate(from, until), Err(Code::RangoInvalido), "{from:?} {until:?}");
        }
        assert!(validate(Some("2026-07-12T00:00:00"), None).is_ok());
    }
}
