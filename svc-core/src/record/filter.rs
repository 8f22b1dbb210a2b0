//! The filters of lists: the name, the values it takes, the column, and how the two are compared.

use std::borrow::Cow;

use super::Value;
use crate::domain::text::{self, parse_integer, parse_uuid};
use crate::domain::time::{Edge, bound_date, parse_bound};
use crate::error::{Code, Error};

/// The values a filter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// A 64-bit integer.
    Integer,
    /// A string of a bounded number of characters, compared exactly.
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
    /// An e-mail field, compared without case and spaces (spec, "Customer").
    Email,
    /// A phone number, compared by its last ten characters (spec, "Customer").
    Phone,
    /// Words to search for; those shorter than 3 characters are dropped (spec, "Conventions" 6).
    Search,
    /// A date or instant, a bound of a range.
    Bound(Edge),
}

/// How a record's column is compared with a filter's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compare {
    /// Both are equal.
    Equal,
    /// The column is the value or later.
    AtLeast,
    /// The column is the value or earlier.
    AtMost,
    /// The column's text contains each of the value's words.
    Contains,
}

/// A filter of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filter {
    /// Its name on the wire.
    pub name: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// The column that it is compared with.
    pub column: &'static str,
    /// How it is compared.
    pub compare: Compare,
    /// Whether the column holds days, and not instants.
    days: bool,
}

/// Longest value of a text filter that sets no bound of its own, in characters.
const LONGEST: usize = 200;

/// An integer.
pub(crate) const fn integer(name: &'static str) -> Filter {
    Filter::new(name, Takes::Integer)
}

/// A string compared exactly.
pub(crate) const fn exact(name: &'static str) -> Filter {
    sized(name, 1, LONGEST)
}

/// A string of `shortest` to `longest` characters, compared exactly.
pub(crate) const fn sized(name: &'static str, shortest: usize, longest: usize) -> Filter {
    Filter::new(name, Takes::Text { shortest, longest })
}

/// A complete fiscal folio.
pub(crate) const fn uuid(name: &'static str) -> Filter {
    Filter::new(name, Takes::Uuid)
}

/// `true` or `false`.
pub(crate) const fn boolean(name: &'static str) -> Filter {
    Filter::new(name, Takes::Boolean)
}

/// One of `words`.
pub(crate) const fn choice(name: &'static str, words: &'static [&'static str]) -> Filter {
    Filter::new(name, Takes::Choice(words))
}

/// An e-mail field, compared in its normal form, which `column` holds.
pub(crate) const fn email(name: &'static str, column: &'static str) -> Filter {
    Filter { column, ..Filter::new(name, Takes::Email) }
}

/// A phone number, compared in its normal form, which `column` holds.
pub(crate) const fn phone(name: &'static str, column: &'static str) -> Filter {
    Filter { column, ..Filter::new(name, Takes::Phone) }
}

/// Words to search for in the folded text of `column`.
pub(crate) const fn search(name: &'static str, column: &'static str) -> Filter {
    Filter { column, compare: Compare::Contains, ..Filter::new(name, Takes::Search) }
}

/// The earliest instant of `column`.
pub(crate) const fn from(name: &'static str, column: &'static str) -> Filter {
    Filter { column, compare: Compare::AtLeast, ..Filter::new(name, Takes::Bound(Edge::From)) }
}

/// The latest instant of `column`.
pub(crate) const fn until(name: &'static str, column: &'static str) -> Filter {
    Filter { column, compare: Compare::AtMost, ..Filter::new(name, Takes::Bound(Edge::Until)) }
}

/// The earliest day of `column`.
pub(crate) const fn from_day(name: &'static str, column: &'static str) -> Filter {
    Filter { days: true, ..from(name, column) }
}

/// The latest day of `column`.
pub(crate) const fn until_day(name: &'static str, column: &'static str) -> Filter {
    Filter { days: true, ..until(name, column) }
}

impl Filter {
    const fn new(name: &'static str, takes: Takes) -> Self {
        Self { name, takes, column: name, compare: Compare::Equal, days: false }
    }

    /// Parses a value; the error names the filter. The caller has refused empty and repeated ones.
    pub(crate) fn read(&self, given: &str) -> Result<Value<'static>, Error> {
        let invalid = |text: Cow<'static, str>| Error::field(Code::FiltroInvalido, self.name, text);
        Ok(match self.takes {
            Takes::Integer => Value::Integer(parse_integer(given).ok_or_else(|| invalid("debe ser un entero".into()))?),
            Takes::Text { shortest, longest } => {
                if !(shortest..=longest).contains(&given.chars().count()) {
                    return Err(invalid(format!("debe tener de {shortest} a {longest} caracteres").into()));
                }
                owned(given.to_owned())
            }
            Takes::Uuid => {
                let uuid = parse_uuid(given);
                owned(uuid.ok_or_else(|| invalid("debe ser un folio fiscal de 36 caracteres".into()))?.to_string())
            }
            Takes::Boolean => match given {
                "true" => Value::Boolean(true),
                "false" => Value::Boolean(false),
                _ => return Err(invalid("debe ser true o false".into())),
            },
            Takes::Choice(words) => match words.iter().find(|word| **word == given) {
                Some(word) => Value::Text(Cow::Borrowed(word)),
                None => return Err(invalid(format!("debe ser uno de: {}", words.join(", ")).into())),
            },
            Takes::Email => self.filled(text::normalise_email(given))?,
            Takes::Phone => self.filled(text::clean_phone(given))?,
            Takes::Search => match text::search_words(given) {
                words if words.is_empty() => {
                    let text = "necesita una palabra de al menos 3 caracteres";
                    return Err(Error::field(Code::BusquedaCorta, self.name, text));
                }
                words => Value::Texts(words),
            },
            Takes::Bound(edge) => {
                let bound = parse_bound(given, edge);
                let at = bound.ok_or_else(|| invalid("debe ser YYYY-MM-DD o YYYY-MM-DDTHH:MM:SSZ".into()))?;
                if self.days { Value::Date(bound_date(at, edge)) } else { Value::Instant(at) }
            }
        })
    }

    /// Refuses a value that is empty in its normal form.
    fn filled(&self, normal: String) -> Result<Value<'static>, Error> {
        if normal.is_empty() {
            Err(Error::field(Code::FiltroVacio, self.name, "el filtro está vacío"))
        } else {
            Ok(owned(normal))
        }
    }
}

fn owned(text: String) -> Value<'static> {
    Value::Text(Cow::Owned(text))
}
