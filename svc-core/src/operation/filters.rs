//! Closed filters: a list names them in a table, whose constructors are the variants of its filter enum, and nothing
//! else in a query string is accepted. The store matches the enum exhaustively: a filter without SQL does not compile.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDate, Utc};

use crate::domain::text::{self, parse_uuid};
use crate::domain::time::{Edge, bound_date, parse_bound};
use crate::error::{Code, Error};

/// One filter: its name on the wire, and what its value makes.
#[derive(Debug)]
pub struct Filter<F> {
    pub(super) name: &'static str,
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
    pub(super) fn read(&self, value: &str) -> Result<F, Error> {
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
            Kind::Uuid(make) => parse_uuid(value)
                .map(|uuid| make(uuid.to_string()))
                .ok_or_else(|| invalid("debe ser un folio fiscal de 36 caracteres".into())),
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

/// Reads `-?[0-9]+` within 64 bits.
pub(crate) fn parse_integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}
