//! Filters of lists: a name, the values it takes, a column, and how the two are compared.

use std::borrow::Cow;

use super::Value;
use crate::domain::event::{EventKinds, OwnEventKind};
use crate::domain::text::{self, parse_integer, parse_uuid};
use crate::domain::time::{Edge, bound_date, parse_bound};
use crate::error::{Code, Error};

/// The values that a filter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// A 64-bit integer.
    Integer,
    /// A text that is compared exactly.
    Text {
        /// The smallest number of characters.
        shortest: usize,
        /// The largest number of characters.
        longest: usize,
    },
    /// A complete fiscal folio of 36 characters, in any case.
    Uuid,
    /// `true` or `false`.
    Boolean,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// The name of a kind of events: one of these, or of a host's.
    EventKind(&'static [&'static str]),
    /// An e-mail field; case and surplus spaces are ignored (spec, "Customer").
    Email,
    /// A phone number, compared by its last ten characters (spec, "Customer").
    Phone,
    /// Words to search for; those shorter than 3 characters are dropped (spec, "Conventions" 6).
    Search,
    /// A date or instant: one end of a range.
    Bound(Edge),
}

/// How a record's column is compared with a filter's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compare {
    /// The column equals the value.
    Equal,
    /// The column is the value or later.
    AtLeast,
    /// The column is the value or earlier.
    AtMost,
    /// The column's text contains every word of the value.
    Contains,
}

/// A filter of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filter {
    /// The name of the query parameter.
    pub name: &'static str,
    /// The values it takes.
    pub takes: Takes,
    /// The column it is compared with.
    pub column: &'static str,
    /// How it is compared.
    pub compare: Compare,
    /// Whether the column holds days instead of instants.
    days: bool,
}

/// The largest number of characters in a text filter without a limit of its own, and in a search.
pub(crate) const LONGEST: usize = 200;

/// An integer that is compared exactly.
pub const fn integer(name: &'static str) -> Filter {
    Filter::new(name, Takes::Integer)
}

/// A text that is compared exactly.
pub const fn exact(name: &'static str) -> Filter {
    sized(name, 1, LONGEST)
}

/// A text of `shortest` to `longest` characters that is compared exactly.
pub const fn sized(name: &'static str, shortest: usize, longest: usize) -> Filter {
    Filter::new(name, Takes::Text { shortest, longest })
}

/// A complete fiscal folio.
pub const fn uuid(name: &'static str) -> Filter {
    Filter::new(name, Takes::Uuid)
}

/// `true` or `false`.
pub const fn boolean(name: &'static str) -> Filter {
    Filter::new(name, Takes::Boolean)
}

/// One of `words`.
pub const fn choice(name: &'static str, words: &'static [&'static str]) -> Filter {
    Filter::new(name, Takes::Choice(words))
}

/// The name of a kind of events: one of `words`, or of a host's.
pub(crate) const fn event_kind(name: &'static str, words: &'static [&'static str]) -> Filter {
    Filter::new(name, Takes::EventKind(words))
}

/// Any of several of these words of `column`. A list sets it by itself.
pub(crate) const fn any_of(name: &'static str, column: &'static str, words: &'static [&'static str]) -> Filter {
    Filter { column, ..choice(name, words) }
}

/// An e-mail field; `column` holds its comparable form.
pub const fn email(name: &'static str, column: &'static str) -> Filter {
    Filter { column, ..Filter::new(name, Takes::Email) }
}

/// A phone number; `column` holds its comparable form.
pub const fn phone(name: &'static str, column: &'static str) -> Filter {
    Filter { column, ..Filter::new(name, Takes::Phone) }
}

/// Words to search for in the folded text of `column`.
pub const fn search(name: &'static str, column: &'static str) -> Filter {
    Filter { column, compare: Compare::Contains, ..Filter::new(name, Takes::Search) }
}

/// The earliest instant of `column`.
pub const fn from(name: &'static str, column: &'static str) -> Filter {
    Filter { column, compare: Compare::AtLeast, ..Filter::new(name, Takes::Bound(Edge::From)) }
}

/// The latest instant of `column`.
pub const fn until(name: &'static str, column: &'static str) -> Filter {
    Filter { column, compare: Compare::AtMost, ..Filter::new(name, Takes::Bound(Edge::Until)) }
}

/// The earliest day of `column`.
pub const fn from_day(name: &'static str, column: &'static str) -> Filter {
    Filter { days: true, ..from(name, column) }
}

/// The latest day of `column`.
pub const fn until_day(name: &'static str, column: &'static str) -> Filter {
    Filter { days: true, ..until(name, column) }
}

impl Filter {
    const fn new(name: &'static str, takes: Takes) -> Self {
        Self { name, takes, column: name, compare: Compare::Equal, days: false }
    }

    /// Parses a value, which is neither empty nor repeated. The error names the filter.
    pub(crate) fn read(&self, given: &str, kinds: &EventKinds) -> Result<Value<'static>, Error> {
        let invalid = |text: Cow<'static, str>| Error::field(Code::FiltroInvalido, self.name, text);
        Ok(match self.takes {
            Takes::Integer => Value::Integer(parse_integer(given).ok_or_else(|| invalid("debe ser un entero".into()))?),
            Takes::Search if given.chars().count() > LONGEST => {
                return Err(invalid(format!("debe tener a lo más {LONGEST} caracteres").into()));
            }
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
            Takes::EventKind(ours) => {
                let words: Vec<_> = ours.iter().copied().chain(kinds.own().iter().map(OwnEventKind::word)).collect();
                match words.iter().find(|word| **word == given) {
                    Some(word) => Value::Text(Cow::Borrowed(word)),
                    None => return Err(invalid(format!("debe ser uno de: {}", words.join(", ")).into())),
                }
            }
            Takes::Email => self.filled(text::normalize_email(given))?,
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

    /// Refuses a value whose comparable form is empty.
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
