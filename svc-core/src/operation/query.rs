//! Reads a query string against a list's filters. Unknown parameters are errors (contract §3).

use std::fmt::Write as _;

use percent_encoding::percent_decode_str;

use super::page::{Cursors, ListRequest, PageLimits};
use crate::domain::time::{Edge, parse_bound};
use crate::error::{Code, Error};
use crate::record::{Condition, Filter, Query};

/// Parses and validates a query. Unknown parameters are reported before wrong values.
pub(crate) fn read(
    table: &'static [Filter],
    under: Option<i64>,
    request: ListRequest<'_>,
    cursors: &Cursors<'_>,
) -> Result<Query, Error> {
    let mut given = parameters(request.query);
    if let Some((name, _)) = given.iter().find(|(name, _)| !is_known(table, name)) {
        return Err(Error::field(
            Code::FiltroNoPermitido,
            &crate::json::brief(name),
            "no es un filtro de esta operación",
        ));
    }
    let cursor = take(&mut given, "cursor", Code::CursorInvalido)?;
    let limit = take(&mut given, "limite", Code::LimiteInvalido)?;

    let mut conditions = Vec::with_capacity(given.len());
    for (index, (name, value)) in given.iter().enumerate() {
        if given[..index].iter().any(|(earlier, _)| earlier == name) {
            return Err(Error::field(Code::FiltroInvalido, name, "está repetido"));
        }
        if value.trim().is_empty() {
            return Err(Error::field(Code::FiltroVacio, name, "el filtro está vacío"));
        }
        if value.contains(['\0', '\u{fffd}']) {
            return Err(Error::field(Code::FiltroInvalido, name, "no es texto UTF-8"));
        }
        if let Some(filter) = table.iter().find(|filter| filter.name == *name) {
            conditions.push(Condition { filter, value: filter.read(value, request.kinds)? });
        }
    }
    refuse_reversed_ranges(&given)?;
    // In the table's order, so that the order in which they were given makes no other statement.
    conditions.sort_by_key(|Condition { filter, .. }| table.iter().position(|known| known.name == filter.name));

    given.sort();
    let mut canonical = String::new();
    for (name, value) in &given {
        // The length keeps a value from looking like the next filter.
        let _ = write!(canonical, "{name}={}:{value};", value.len());
    }
    let limit = request.limits.limit(limit.as_deref())?;
    let position = cursor.map(|cursor| cursors.open(&cursor, &canonical)).transpose()?;
    // A window without an end keeps the end that it had on the first page (contract §3).
    let until = position.and_then(|position| position.until);
    let (after, now) = (position.map(|position| position.after), until.unwrap_or(request.company.time(request.now)));
    let (scopes, kinds, service_now) = (request.scopes.clone(), request.kinds.clone(), request.now);
    Ok(Query {
        under,
        conditions,
        after,
        limit,
        now,
        service_now,
        until: None,
        scopes,
        kinds,
        filters: table,
        canonical,
    })
}

/// Whether `limite` is larger than what will be accepted once limits are enforced.
pub(crate) fn exceeds_unannounced(query: &str, limits: PageLimits) -> bool {
    // Such a list never gets the warning, so the query need not be parsed.
    if limits.unannounced >= limits.max {
        return false;
    }
    let given = parameters(query);
    let limit = given.iter().find(|(name, _)| name == "limite").and_then(|(_, value)| limits.limit(Some(value)).ok());
    limit.is_some_and(|limit| limit > limits.unannounced)
}

/// The parameters of a query string, decoded like HTML forms: `+` is a space. Invalid UTF-8 becomes
/// U+FFFD, which no name contains and no value may contain.
pub(crate) fn parameters(query: &str) -> Vec<(String, String)> {
    let decode = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

/// Whether it is a parameter of every page.
pub(super) fn is_of_page(name: &str) -> bool {
    matches!(name, "cursor" | "limite")
}

fn is_known(table: &[Filter], name: &str) -> bool {
    is_of_page(name) || table.iter().any(|filter| filter.name == name)
}

fn take(given: &mut Vec<(String, String)>, name: &str, code: Code) -> Result<Option<String>, Error> {
    let Some(at) = given.iter().position(|(other, _)| other == name) else { return Ok(None) };
    let (_, value) = given.remove(at);
    if value.is_empty() || given.iter().any(|(other, _)| other == name) {
        return Err(Error::field(code, name, if value.is_empty() { "está vacío" } else { "está repetido" }));
    }
    Ok(Some(value))
}

/// A range whose `x_desde` is after its `x_hasta` matches nothing; every list refuses it (contract
/// §3).
fn refuse_reversed_ranges(given: &[(String, String)]) -> Result<(), Error> {
    for (name, from) in given {
        let Some(stem) = name.strip_suffix("_desde") else { continue };
        let until = given.iter().find(|(other, _)| other.strip_suffix("_hasta") == Some(stem));
        if let Some((_, until)) = until
            && parse_bound(from, Edge::From) > parse_bound(until, Edge::Until)
        {
            return Err(Error::field(Code::RangoInvalido, name, "es posterior al fin del rango"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::super::page::Position;
    use super::*;
    use crate::domain::company::LimitMode;
    use crate::domain::event::EventKinds;
    use crate::domain::scope::{KeyScopes, Scopes};
    use crate::record::filter::{boolean, choice, email, from, from_day, integer, phone, search, sized, until};
    use crate::record::{PageSizes, Value};
    use crate::testing::company;

    const TABLE: &[Filter] = &[
        integer("clave"),
        sized("rfc", 3, 4),
        boolean("prospecto"),
        choice("estatus", &["activo", "inactivo"]),
        email("correo", "correo_comparable"),
        phone("telefono", "telefono_comparable"),
        search("buscar", "busqueda"),
        from("fecha_desde", "fecha"),
        until("fecha_hasta", "fecha"),
        from_day("dia_desde", "dia"),
    ];

    fn parsed(query: &str) -> Result<Query, Code> {
        let limits = PageLimits::of(PageSizes::Enforced, LimitMode::Enforced);
        let company = &company(1);
        let (scopes, kinds) = (&KeyScopes::from(Scopes::all()), &EventKinds::default());
        let request = ListRequest { company, path: &[], query, scopes, kinds, limits, now: DateTime::UNIX_EPOCH };
        read(TABLE, None, request, &Cursors::new(company, "/x")).map_err(|error| error.code())
    }

    #[test]
    fn every_fault_has_its_code() {
        for (query, code) in [
            ("otro=1", Code::FiltroNoPermitido),
            ("clave=x&otro=1", Code::FiltroNoPermitido),
            ("Clave=1", Code::FiltroNoPermitido),
            ("%FF=1", Code::FiltroNoPermitido),
            ("clave", Code::FiltroVacio),
            ("clave=", Code::FiltroVacio),
            ("rfc=%20", Code::FiltroVacio),
            ("telefono=-()", Code::FiltroVacio),
            ("correo=,", Code::FiltroVacio),
            ("limite=%FF", Code::LimiteInvalido),
            ("cursor=%FF", Code::CursorInvalido),
            ("clave=1&clave=1", Code::FiltroInvalido),
            ("clave=1.0", Code::FiltroInvalido),
            ("clave=%2B1", Code::FiltroInvalido),
            ("clave=9223372036854775808", Code::FiltroInvalido),
            ("rfc=ab", Code::FiltroInvalido),
            ("rfc=abcde", Code::FiltroInvalido),
            ("rfc=ab%00", Code::FiltroInvalido),
            ("rfc=%FF%FE", Code::FiltroInvalido),
            ("prospecto=1", Code::FiltroInvalido),
            ("prospecto=TRUE", Code::FiltroInvalido),
            ("estatus=desconocido", Code::FiltroInvalido),
            ("fecha_desde=ayer", Code::FiltroInvalido),
            ("fecha_desde=2026-02-02&fecha_hasta=2026-02-01", Code::RangoInvalido),
            ("buscar=ab+cd", Code::BusquedaCorta),
            ("limite=", Code::LimiteInvalido),
            ("limite=31", Code::LimiteInvalido),
            ("limite=1&limite=1", Code::LimiteInvalido),
            ("cursor=", Code::CursorInvalido),
            ("cursor=abc", Code::CursorInvalido),
        ] {
            assert_eq!(parsed(query).map(|query| query.conditions).unwrap_err(), code, "{query}");
        }
    }

    #[test]
    fn a_search_has_200_characters_at_most() {
        let search = |letters: usize| parsed(&format!("buscar=sol+{}", "%C3%B1".repeat(letters)));
        assert!(search(196).is_ok());
        assert_eq!(search(197).map(|query| query.conditions), Err(Code::FiltroInvalido));
    }

    #[test]
    fn conditions_stand_in_the_tables_order() {
        let names = |query| -> Vec<&str> {
            parsed(query).unwrap().conditions.iter().map(|condition| condition.filter.name).collect()
        };
        assert_eq!(names("buscar=sol&prospecto=true&clave=1"), ["clave", "prospecto", "buscar"]);
    }

    #[test]
    fn values_are_decoded_and_normalised() {
        let values = |query| -> Vec<Value<'static>> {
            parsed(query).unwrap().conditions.into_iter().map(|condition| condition.value).collect()
        };
        let text = |text: &str| Value::Text(text.to_owned().into());
        assert_eq!(values("clave=-1&prospecto=false"), [Value::Integer(-1), Value::Boolean(false)]);
        assert_eq!(values("correo=Ana%40X.MX,+B@y.mx"), [text("ana@x.mx,b@y.mx")]);
        assert_eq!(values("telefono=%2B52+(55)+1234-5678"), [text("5512345678")]);
        assert_eq!(values("buscar=Camión+de+Volteo"), [Value::Texts(vec!["camion".into(), "volteo".into()])]);
        assert_eq!(values("rfc=%C3%91ap&&"), [text("Ñap")]);
        assert_eq!(values("estatus=activo"), [text("activo")]);
        assert_eq!(parsed("").unwrap().limit, 30);
    }

    #[test]
    fn a_cursor_is_bound_to_the_filters_not_to_their_order_or_the_limit() {
        let one = company(1);
        let cursors = Cursors::new(&one, "/x");
        let first = parsed("clave=1&prospecto=true").unwrap();
        let cursor = cursors.seal(Position { after: 99, until: None }, &first.canonical);
        assert_eq!(parsed(&format!("limite=5&prospecto=true&cursor={cursor}&clave=1")).unwrap().after, Some(99));
        assert_eq!(parsed(&format!("prospecto=true&cursor={cursor}")).map(|q| q.after), Err(Code::CursorInvalido));
    }
}
