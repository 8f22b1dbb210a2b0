//! Closed filters: a list names them in a table, whose constructors are the variants of its filter enum, and nothing
//! else in a query string is accepted. The store matches the enum exhaustively: a filter without SQL does not compile.

use std::borrow::Cow;
use std::fmt::Write as _;

use chrono::{DateTime, NaiveDate, Utc};
use percent_encoding::percent_decode_str;
use uuid::Uuid;

use super::page::{Cursors, Regime};
use crate::domain::text;
use crate::domain::time::{Edge, bound_date, parse_bound};
use crate::error::{Code, Error};

/// One filter: its name on the wire, and what its value makes.
#[derive(Debug)]
pub struct Filter<F> {
    name: &'static str,
    kind: Kind<F>,
}

/// What a filter's value is, and the constructor of the enum variant that carries it.
#[derive(Debug)]
enum Kind<F> {
    Integer(fn(i64) -> F),
    Text { shortest: usize, longest: usize, make: fn(String) -> F },
    Uuid(fn(String) -> F),
    Boolean(fn(bool) -> F),
    Choice { values: &'static [&'static str], make: fn(&'static str) -> F },
    Email(fn(String) -> F),
    Phone(fn(String) -> F),
    Search(fn(Vec<String>) -> F),
    Instant(Edge, fn(DateTime<Utc>) -> F),
    Date(Edge, fn(NaiveDate) -> F),
}

/// What a filter takes, for documents and table tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// A 64-bit integer.
    Integer,
    /// A string of so many characters, compared exactly.
    Text {
        /// Least length.
        shortest: usize,
        /// Greatest length.
        longest: usize,
    },
    /// A complete fiscal folio of 36 characters, compared without case.
    Uuid,
    /// `true` or `false`.
    Boolean,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// An e-mail field, compared without case and spaces.
    Email,
    /// A phone number, compared by its last ten characters.
    Phone,
    /// Words to search for.
    Search,
    /// A date or instant, a bound of a range.
    Bound(Edge),
}

/// A filter as documents and table tests see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Description {
    /// Its name on the wire.
    pub name: &'static str,
    /// What it takes.
    pub takes: Takes,
}

/// Longest value of a text filter that says nothing else.
const LONGEST: usize = 200;

/// An integer.
pub const fn integer<F>(name: &'static str, make: fn(i64) -> F) -> Filter<F> {
    Filter { name, kind: Kind::Integer(make) }
}

/// A string compared exactly.
pub const fn exact<F>(name: &'static str, make: fn(String) -> F) -> Filter<F> {
    sized(name, 1, LONGEST, make)
}

/// A string of `shortest` to `longest` characters, compared exactly.
pub const fn sized<F>(name: &'static str, shortest: usize, longest: usize, make: fn(String) -> F) -> Filter<F> {
    Filter { name, kind: Kind::Text { shortest, longest, make } }
}

/// A complete fiscal folio, 36 characters; compared without case.
pub const fn uuid<F>(name: &'static str, make: fn(String) -> F) -> Filter<F> {
    Filter { name, kind: Kind::Uuid(make) }
}

/// `true` or `false`.
pub const fn boolean<F>(name: &'static str, make: fn(bool) -> F) -> Filter<F> {
    Filter { name, kind: Kind::Boolean(make) }
}

/// One of `values`.
pub const fn choice<F>(name: &'static str, values: &'static [&'static str], make: fn(&'static str) -> F) -> Filter<F> {
    Filter { name, kind: Kind::Choice { values, make } }
}

/// An e-mail field, normalised (spec, "Customer").
pub const fn email<F>(name: &'static str, make: fn(String) -> F) -> Filter<F> {
    Filter { name, kind: Kind::Email(make) }
}

/// A phone number, cleaned (spec, "Customer").
pub const fn phone<F>(name: &'static str, make: fn(String) -> F) -> Filter<F> {
    Filter { name, kind: Kind::Phone(make) }
}

/// Words, folded; those shorter than 3 characters are dropped (spec, "Conventions" 6).
pub const fn search<F>(name: &'static str, make: fn(Vec<String>) -> F) -> Filter<F> {
    Filter { name, kind: Kind::Search(make) }
}

/// A bound on a column of instants.
pub const fn instant<F>(name: &'static str, edge: Edge, make: fn(DateTime<Utc>) -> F) -> Filter<F> {
    Filter { name, kind: Kind::Instant(edge, make) }
}

/// A bound on a column of dates.
pub const fn date<F>(name: &'static str, edge: Edge, make: fn(NaiveDate) -> F) -> Filter<F> {
    Filter { name, kind: Kind::Date(edge, make) }
}

impl<F> Filter<F> {
    /// The filter as documents and table tests see it.
    pub fn describe(&self) -> Description {
        let takes = match self.kind {
            Kind::Integer(_) => Takes::Integer,
            Kind::Text { shortest, longest, .. } => Takes::Text { shortest, longest },
            Kind::Uuid(_) => Takes::Uuid,
            Kind::Boolean(_) => Takes::Boolean,
            Kind::Choice { values, .. } => Takes::Choice(values),
            Kind::Email(_) => Takes::Email,
            Kind::Phone(_) => Takes::Phone,
            Kind::Search(_) => Takes::Search,
            Kind::Instant(edge, _) | Kind::Date(edge, _) => Takes::Bound(edge),
        };
        Description { name: self.name, takes }
    }

    /// Refuses a value of which nothing is left once it is normalised.
    fn filled(&self, value: String) -> Result<String, Error> {
        if value.is_empty() {
            Err(Error::field(Code::FiltroVacio, self.name, "el filtro está vacío"))
        } else {
            Ok(value)
        }
    }

    /// Makes the filter of a value that is neither empty nor given twice.
    fn read(&self, value: &str) -> Result<F, Error> {
        let invalid = |text: Cow<'static, str>| Error::field(Code::FiltroInvalido, self.name, text);
        let bound =
            |edge| parse_bound(value, edge).ok_or_else(|| invalid("debe ser YYYY-MM-DD o YYYY-MM-DDTHH:MM:SSZ".into()));
        match self.kind {
            Kind::Integer(make) => parse_integer(value).map(make).ok_or_else(|| invalid("debe ser un entero".into())),
            Kind::Text { shortest, longest, make } => {
                if !(shortest..=longest).contains(&value.chars().count()) {
                    return Err(invalid(format!("debe tener de {shortest} a {longest} caracteres").into()));
                }
                Ok(make(value.to_owned()))
            }
            Kind::Uuid(make) => match Uuid::try_parse(value) {
                Ok(uuid) if value.len() == 36 => Ok(make(uuid.to_string())),
                _ => Err(invalid("debe ser un folio fiscal de 36 caracteres".into())),
            },
            Kind::Boolean(make) => match value {
                "true" => Ok(make(true)),
                "false" => Ok(make(false)),
                _ => Err(invalid("debe ser true o false".into())),
            },
            Kind::Choice { values, make } => match values.iter().find(|word| **word == value) {
                Some(word) => Ok(make(word)),
                None => Err(invalid(format!("debe ser uno de: {}", values.join(", ")).into())),
            },
            Kind::Email(make) => self.filled(text::normalise_email(value)).map(make),
            Kind::Phone(make) => self.filled(text::clean_phone(value)).map(make),
            Kind::Search(make) => match text::search_words(value) {
                words if words.is_empty() => {
                    Err(Error::field(Code::BusquedaCorta, self.name, "necesita una palabra de al menos 3 caracteres"))
                }
                words => Ok(make(words)),
            },
            Kind::Instant(edge, make) => bound(edge).map(make),
            Kind::Date(edge, make) => bound(edge).map(|at| make(bound_date(at, edge))),
        }
    }
}

/// What a list is asked for.
#[derive(Debug)]
pub struct Query<F> {
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
        Self { filters, after, limit, now, canonical: String::new() }
    }
}

/// Reads a query string against a list's filters. Parameters that do not exist are reported before values that are wrong.
pub(crate) fn read<F>(
    table: &[Filter<F>],
    query: &str,
    cursors: &Cursors<'_>,
    regime: Regime,
    now: DateTime<Utc>,
) -> Result<Query<F>, Error> {
    let mut given = parameters(query);
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
    let limit = regime.limit(limit.as_deref())?;
    let after = cursor.map(|cursor| cursors.open(&cursor, &canonical)).transpose()?;
    Ok(Query { filters, after, limit, now, canonical })
}

/// Whether `limite` asks for more than will be served once limits are enforced.
pub(crate) fn exceeds_unannounced(query: &str, regime: Regime) -> bool {
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

/// Reads `-?[0-9]+` within 64 bits.
pub(crate) fn parse_integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Pages;
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
        read(TABLE, query, &Cursors::new(&company(1), "/x"), regime, DateTime::UNIX_EPOCH).map_err(|error| error.code())
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
