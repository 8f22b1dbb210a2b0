//! A query string read against a list's filters: nothing in it is ignored.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use percent_encoding::percent_decode_str;

use super::erased::Ask;
use super::filters::Filter;
use super::page::{Cursors, Regime};
use crate::domain::time::{Edge, parse_bound};
use crate::error::{Code, Error};

/// What a list is asked for.
#[derive(Debug)]
pub struct Query<F, P = ()> {
    /// The parameters of its path: the record that it is under, if it is under one.
    pub path: P,
    /// Its filters, all of which a record must pass.
    pub filters: Vec<F>,
    /// The clave after which the page begins; `None` from the beginning.
    pub after: Option<i64>,
    /// The page's size.
    pub limit: u32,
    /// Now: what `vencido` and open date ranges are judged by.
    pub now: DateTime<Utc>,
    /// Names and values of the filters, in the order of the names: what a cursor is bound to.
    pub(super) canonical: String,
}

impl<F> Query<F> {
    /// A query of one's own, for reads outside a request.
    pub fn new(filters: Vec<F>, after: Option<i64>, limit: u32, now: DateTime<Utc>) -> Self {
        Self { path: (), filters, after, limit, now, canonical: String::new() }
    }
}

impl<F, P> Query<F, P> {
    /// The same under a record.
    pub fn under<Q>(self, path: Q) -> Query<F, Q> {
        let Self { path: _, filters, after, limit, now, canonical } = self;
        Query { path, filters, after, limit, now, canonical }
    }
}

/// Reads a query string against a list's filters. Parameters that do not exist are reported before values that are wrong.
pub(crate) fn read<F, P>(
    table: &[Filter<F>],
    path: P,
    ask: Ask<'_>,
    cursors: &Cursors<'_>,
) -> Result<Query<F, P>, Error> {
    let mut given = parameters(ask.query);
    if let Some((name, _)) = given.iter().find(|(name, _)| !is_known(table, name)) {
        return Err(Error::field(
            Code::FiltroNoPermitido,
            &crate::json::brief(name),
            "no es un filtro de esta operación",
        ));
    }
    let cursor = take(&mut given, "cursor", Code::CursorInvalido)?;
    let limit = take(&mut given, "limite", Code::LimiteInvalido)?;

    let mut filters = Vec::with_capacity(given.len());
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
        let filter = table.iter().find(|filter| filter.name == *name);
        filters.extend(filter.map(|filter| filter.read(value)).transpose()?);
    }
    refuse_reversed_ranges(&given)?;

    given.sort();
    let mut canonical = String::new();
    for (name, value) in &given {
        // The length keeps a value from passing for the next filter.
        let _ = write!(canonical, "{name}={}:{value};", value.len());
    }
    let limit = ask.regime.limit(limit.as_deref())?;
    let after = cursor.map(|cursor| cursors.open(&cursor, &canonical)).transpose()?;
    Ok(Query { path, filters, after, limit, now: ask.now, canonical })
}

/// Whether `limite` asks for more than will be served once limits are enforced.
pub(crate) fn exceeds_unannounced(query: &str, regime: Regime) -> bool {
    // Where nothing is served that will be refused, the query need not be read for it.
    if regime.unannounced >= regime.most {
        return false;
    }
    let given = parameters(query);
    let asked = given.iter().find(|(name, _)| name == "limite").and_then(|(_, value)| regime.limit(Some(value)).ok());
    asked.is_some_and(|limit| limit > regime.unannounced)
}

/// The parameters of a query string, decoded as HTML forms are: `+` is a space. Bytes that are no UTF-8 become U+FFFD,
/// which no name has and no value may hold.
pub(crate) fn parameters(query: &str) -> Vec<(String, String)> {
    let decode = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

fn is_known<F>(table: &[Filter<F>], name: &str) -> bool {
    matches!(name, "cursor" | "limite") || table.iter().any(|filter| filter.name == name)
}

fn take(given: &mut Vec<(String, String)>, name: &str, code: Code) -> Result<Option<String>, Error> {
    let Some(at) = given.iter().position(|(other, _)| other == name) else { return Ok(None) };
    let (_, value) = given.remove(at);
    if value.is_empty() || given.iter().any(|(other, _)| other == name) {
        return Err(Error::field(code, name, if value.is_empty() { "está vacío" } else { "está repetido" }));
    }
    Ok(Some(value))
}

/// `x_desde` after `x_hasta` can match nothing, and is a mistake in every list (contract §3).
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
    use chrono::NaiveDate;

    use super::*;
    use crate::operation::Pages;
    use crate::operation::filters::{boolean, choice, date, email, instant, integer, phone, search, sized};
    use crate::store::LimitMode;
    use crate::testing::company;

    #[derive(Debug, PartialEq)]
    enum F {
        Clave(i64),
        Rfc(String),
        Prospecto(bool),
        Estatus(&'static str),
        Correo(String),
        Telefono(String),
        Buscar(Vec<String>),
        Desde(DateTime<Utc>),
        Hasta(DateTime<Utc>),
        Dia(NaiveDate),
    }

    const TABLE: &[Filter<F>] = &[
        integer("clave", F::Clave),
        sized("rfc", 3, 4, F::Rfc),
        boolean("prospecto", F::Prospecto),
        choice("estatus", &["activo", "inactivo"], F::Estatus),
        email("correo", F::Correo),
        phone("telefono", F::Telefono),
        search("buscar", F::Buscar),
        instant("fecha_desde", Edge::From, F::Desde),
        instant("fecha_hasta", Edge::Until, F::Hasta),
        date("dia_desde", Edge::From, F::Dia),
    ];

    fn ask(query: &str) -> Result<Query<F>, Code> {
        let regime = Regime::of(Pages::Enforced, LimitMode::Enforced);
        let company = &company(1);
        let ask = Ask { company, path: &[], query, regime, now: DateTime::UNIX_EPOCH };
        read(TABLE, (), ask, &Cursors::new(company, "/x")).map_err(|error| error.code())
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
            assert_eq!(ask(query).map(|query| query.filters).unwrap_err(), code, "{query}");
        }
    }

    #[test]
    fn values_are_decoded_and_normalised() {
        let filters = |query| ask(query).unwrap().filters;
        assert_eq!(filters("clave=-1&prospecto=false"), [F::Clave(-1), F::Prospecto(false)]);
        assert_eq!(filters("correo=Ana%40X.MX,+B@y.mx"), [F::Correo("ana@x.mx,b@y.mx".into())]);
        assert_eq!(filters("telefono=%2B52+(55)+1234-5678"), [F::Telefono("5512345678".into())]);
        assert_eq!(filters("buscar=Camión+de+Volteo"), [F::Buscar(vec!["camion".into(), "volteo".into()])]);
        assert_eq!(filters("rfc=%C3%91ap&&"), [F::Rfc("Ñap".into())]);
        assert_eq!(filters("estatus=activo"), [F::Estatus("activo")]);
        assert_eq!(ask("").unwrap().limit, 30);
    }

    #[test]
    fn a_cursor_is_bound_to_the_filters_not_to_their_order_or_the_limit() {
        let one = company(1);
        let cursors = Cursors::new(&one, "/x");
        let first = ask("clave=1&prospecto=true").unwrap();
        let cursor = cursors.seal(99, &first.canonical);
        assert_eq!(ask(&format!("limite=5&prospecto=true&cursor={cursor}&clave=1")).unwrap().after, Some(99));
        assert_eq!(ask(&format!("prospecto=true&cursor={cursor}")).map(|q| q.after), Err(Code::CursorInvalido));
    }
}
