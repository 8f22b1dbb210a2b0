//! Values as columns hold them, and how the fields of records become values and are made of them.

use std::borrow::Cow;
use std::io::Write as _;

use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;
use serde::Serialize;
use uuid::Uuid;

use crate::domain::event::EventId;
use crate::domain::line::VatRate;
use crate::domain::money::Money;
use crate::domain::quantity::{Balance, Quantity, Rate};
use crate::domain::tax::TaxRate;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::Word;
use crate::json::{Digits, Text};

/// A value of a column.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// No value.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A 64-bit integer.
    Integer(i64),
    /// An exact number.
    Decimal(Decimal),
    /// Text.
    Text(Cow<'a, str>),
    /// A list of texts.
    Texts(Vec<String>),
    /// A day.
    Date(NaiveDate),
    /// An instant.
    Instant(DateTime<Utc>),
    /// A UUID.
    Uuid(Uuid),
}

/// What kind of [`Value`] a column holds where it is not null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// [`Value::Boolean`].
    Boolean,
    /// [`Value::Integer`], of whatever width in the database.
    Integer,
    /// [`Value::Decimal`].
    Decimal,
    /// [`Value::Text`].
    Text,
    /// [`Value::Texts`].
    Texts,
    /// [`Value::Date`].
    Date,
    /// [`Value::Instant`].
    Instant,
    /// [`Value::Uuid`].
    Uuid,
}

/// Why a row is no record: a column is missing, or holds what its field cannot.
#[derive(Debug, thiserror::Error)]
#[error("column {at}: {cause}")]
pub struct RowError {
    /// The column's place, from 0.
    pub at: usize,
    /// What is wrong with it.
    #[source]
    pub cause: Box<dyn std::error::Error + Send + Sync>,
}

/// A row as a store gives it: its columns are those of [`crate::record::Record::COLUMNS`], in that order.
pub trait Row {
    /// The value of the column at `at`, from 0, which is of that kind or null.
    fn value(&self, at: usize, kind: Kind) -> Result<Value<'_>, RowError>;
}

/// A row in memory.
impl Row for &[Value<'_>] {
    fn value(&self, at: usize, _: Kind) -> Result<Value<'_>, RowError> {
        self.get(at).map(Value::borrowed).ok_or_else(|| RowError { at, cause: "the row has no such column".into() })
    }
}

impl Value<'_> {
    /// The same value, which borrows its text from this one.
    pub(crate) fn borrowed(&self) -> Value<'_> {
        match self {
            Value::Text(text) => Value::Text(Cow::Borrowed(text)),
            Value::Null => Value::Null,
            Value::Boolean(value) => Value::Boolean(*value),
            Value::Integer(value) => Value::Integer(*value),
            Value::Decimal(value) => Value::Decimal(*value),
            Value::Texts(value) => Value::Texts(value.clone()),
            Value::Date(value) => Value::Date(*value),
            Value::Instant(value) => Value::Instant(*value),
            Value::Uuid(value) => Value::Uuid(*value),
        }
    }
}

/// A text that may be absent, as a value of its own.
pub(crate) fn owned(text: Option<String>) -> Value<'static> {
    text.map_or(Value::Null, |text| Value::Text(Cow::Owned(text)))
}

/// The type of a field, made of a column's value.
pub trait FromValue: Sized {
    /// The kind of its column.
    const KIND: Kind;

    /// What a list shows of it: itself, but of a text the one that the row holds.
    type Shown<'r>: Serialize;

    /// What is shown of `value`; `None` where the type has no such value, as most have no null.
    fn shown(value: Value<'_>) -> Option<Self::Shown<'_>>;

    /// The field that is shown so.
    fn of(shown: Self::Shown<'_>) -> Self;

    /// What is shown of the column at `at`.
    fn show<R: Row + ?Sized>(row: &R, at: usize) -> Result<Self::Shown<'_>, RowError> {
        let value = row.value(at, Self::KIND)?;
        Self::shown(value).ok_or_else(|| RowError { at, cause: "the field has no such value".into() })
    }

    /// The field of the column at `at`.
    fn read<R: Row + ?Sized>(row: &R, at: usize) -> Result<Self, RowError> {
        Self::show(row, at).map(Self::of)
    }

    /// Writes what is shown as JSON, as its `Serialize` does.
    fn write(shown: &Self::Shown<'_>, json: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(json, shown)
    }
}

/// The type of a field that can be written to a column.
pub trait ToValue {
    /// Its value in the column.
    fn to_value(&self) -> Value<'_>;
}

impl<T: FromValue> FromValue for Option<T> {
    const KIND: Kind = T::KIND;
    type Shown<'r> = Option<T::Shown<'r>>;

    fn shown(value: Value<'_>) -> Option<Self::Shown<'_>> {
        match value {
            Value::Null => Some(None),
            value => T::shown(value).map(Some),
        }
    }

    fn of(shown: Self::Shown<'_>) -> Self {
        shown.map(T::of)
    }

    fn write(shown: &Self::Shown<'_>, json: &mut Vec<u8>) -> serde_json::Result<()> {
        match shown {
            Some(shown) => T::write(shown, json)?,
            None => json.extend_from_slice(b"null"),
        }
        Ok(())
    }
}

impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, T::to_value)
    }
}

/// A word of a closed set is a text, kept to the set by the column's constraint.
impl<W: Word> FromValue for W {
    const KIND: Kind = Kind::Text;
    type Shown<'r> = Self;

    fn shown(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Text(text) => <W as Word>::of(&text),
            _ => None,
        }
    }

    fn of(shown: Self) -> Self {
        shown
    }
}

impl<W: Word> ToValue for W {
    fn to_value(&self) -> Value<'_> {
        Value::Text(Cow::Borrowed(self.word()))
    }
}

impl<W: Word> FromValue for Vec<W> {
    const KIND: Kind = Kind::Texts;
    type Shown<'r> = Self;

    fn shown(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Texts(texts) => texts.iter().map(|text| <W as Word>::of(text)).collect(),
            _ => None,
        }
    }

    fn of(shown: Self) -> Self {
        shown
    }
}

/// Types whose column holds one variant of [`Value`]: how the type is made of what the variant holds, and the other way round; and
/// how it is formatted as JSON, where `Serialize` takes longer.
macro_rules! columns {
    ($($type:ty as $kind:ident: $from:expr, $to:expr $(, $json:literal)?;)*) => {$(
        impl FromValue for $type {
            const KIND: Kind = Kind::$kind;
            type Shown<'r> = Self;

            fn shown(value: Value<'_>) -> Option<Self> {
                match value {
                    Value::$kind(value) => Some($from(value)),
                    _ => None,
                }
            }

            fn of(shown: Self) -> Self {
                shown
            }

            $(fn write(shown: &Self, json: &mut Vec<u8>) -> serde_json::Result<()> {
                write!(json, $json, shown).map_err(serde_json::Error::io)
            })?
        }

        impl ToValue for $type {
            fn to_value(&self) -> Value<'_> {
                Value::$kind($to(self))
            }
        }
    )*};
}

columns! {
    bool as Boolean: |value| value, |value: &bool| *value;
    i64 as Integer: |value| value, |value: &i64| *value;
    Money as Decimal: Money::new, |amount: &Money| amount.get(), "\"{}\"";
    Quantity as Decimal: Quantity::new, |quantity: &Quantity| quantity.get(), "{}";
    Rate as Decimal: Rate::new, |rate: &Rate| rate.get();
    TaxRate as Decimal: TaxRate::new, |rate: &TaxRate| rate.get();
    Balance as Decimal: Balance::new, |amount: &Balance| amount.get();
    Date as Date: Date, |date: &Date| date.0;
    Timestamp as Instant: Timestamp::new, |at: &Timestamp| at.get();
    EventId as Uuid: EventId, |id: &EventId| id.0;
}

impl FromValue for String {
    const KIND: Kind = Kind::Text;
    type Shown<'r> = Cow<'r, str>;

    fn shown(value: Value<'_>) -> Option<Cow<'_, str>> {
        match value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    fn of(shown: Cow<'_, str>) -> Self {
        shown.into_owned()
    }

    fn write(shown: &Cow<'_, str>, json: &mut Vec<u8>) -> serde_json::Result<()> {
        // Most texts have nothing to escape, which is seen sooner of the whole than byte by byte.
        let escape = |byte| u8::from(matches!(byte, 0..b' ' | b'"' | b'\\'));
        if shown.bytes().fold(0, |any, byte| any | escape(byte)) > 0 {
            return serde_json::to_writer(json, shown);
        }
        json.push(b'"');
        json.extend_from_slice(shown.as_bytes());
        json.push(b'"');
        Ok(())
    }
}

impl ToValue for String {
    fn to_value(&self) -> Value<'_> {
        Value::Text(Cow::Borrowed(self))
    }
}

impl<const MAX: usize> ToValue for Text<MAX> {
    fn to_value(&self) -> Value<'_> {
        Value::Text(Cow::Borrowed(self))
    }
}

impl<const COUNT: usize> ToValue for Digits<COUNT> {
    fn to_value(&self) -> Value<'_> {
        Value::Text(Cow::Borrowed(self))
    }
}

impl FromValue for VatRate {
    const KIND: Kind = Kind::Text;
    type Shown<'r> = Self;

    fn shown(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Text(text) => Self::parse(&text),
            _ => None,
        }
    }

    fn of(shown: Self) -> Self {
        shown
    }
}

impl ToValue for VatRate {
    fn to_value(&self) -> Value<'_> {
        Value::Text(Cow::Owned(self.to_string()))
    }
}
