//! The values of columns, and their conversion to and from the fields of records.

use std::borrow::Cow;
use std::io::Write as _;
use std::ops::Deref;

use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;
use serde::Serialize;
use uuid::Uuid;

use crate::domain::event::EventId;
use crate::domain::line::VatRate;
use crate::domain::line_details::{CustomsNumber, PropertyAccount};
use crate::domain::money::Money;
use crate::domain::quantity::{Balance, Quantity, Rate};
use crate::domain::sat::SatKey;
use crate::domain::tax::{LocalTaxes, TaxRate};
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::Word;
use crate::json::{Digits, Exact, Text};

/// The value of a column.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// SQL's null.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A 64-bit integer.
    Integer(i64),
    /// An exact decimal number.
    Decimal(Decimal),
    /// Text.
    Text(Cow<'a, str>),
    /// An array of texts.
    Texts(Vec<String>),
    /// A date without a time.
    Date(NaiveDate),
    /// An instant, in UTC.
    Instant(DateTime<Utc>),
    /// A UUID.
    Uuid(Uuid),
}

/// The variant of [`Value`] that a column holds when it is not null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// [`Value::Boolean`].
    Boolean,
    /// [`Value::Integer`]; the column may be narrower.
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

/// Why a row cannot be read: a column is missing, or its value does not fit the field.
#[derive(Debug, thiserror::Error)]
#[error("column {at}: {cause}")]
pub struct RowError {
    /// The column's index, from 0.
    pub at: usize,
    /// The store's error, or what the field cannot hold.
    #[source]
    pub cause: Box<dyn std::error::Error + Send + Sync>,
}

/// A row that a store returns, with the columns of [`crate::record::Record::COLUMNS`] in their
/// order.
pub trait Row {
    /// Reads the column at index `at`, which holds a value of that kind or null.
    fn value(&self, at: usize, kind: Kind) -> Result<Value<'_>, RowError>;
}

/// A row in memory, for tests and computed records.
impl Row for &[Value<'_>] {
    fn value(&self, at: usize, _: Kind) -> Result<Value<'_>, RowError> {
        self.get(at).map(Value::borrowed).ok_or_else(|| RowError { at, cause: "the row has no such column".into() })
    }
}

impl Value<'_> {
    /// Copies the value; text is borrowed from this one.
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

/// An optional text as a value that owns it.
pub(crate) fn owned(text: Option<String>) -> Value<'static> {
    text.map_or(Value::Null, |text| Value::Text(Cow::Owned(text)))
}

/// The type of a field that can be read from a column.
pub trait FromValue: Sized {
    /// The kind of the column's values.
    const KIND: Kind;

    /// What a list writes: the type itself, or for texts the text borrowed from the row.
    type Shown<'r>: Serialize;

    /// Converts a column's value; `None` if the type does not have it, as most do not have null.
    fn shown(value: Value<'_>) -> Option<Self::Shown<'_>>;

    /// Converts what a list writes to the field's own value.
    fn of(shown: Self::Shown<'_>) -> Self;

    /// Reads what a list writes of the column at `at`.
    fn show<R: Row + ?Sized>(row: &R, at: usize) -> Result<Self::Shown<'_>, RowError> {
        let value = row.value(at, Self::KIND)?;
        Self::shown(value).ok_or_else(|| RowError { at, cause: "the field has no such value".into() })
    }

    /// Reads the field from the column at `at`.
    fn read<R: Row + ?Sized>(row: &R, at: usize) -> Result<Self, RowError> {
        Self::show(row, at).map(Self::of)
    }

    /// Writes the same JSON as `Serialize`, which may be slower.
    fn write(shown: &Self::Shown<'_>, json: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(json, shown)
    }
}

/// The type of a field that can be written to a column.
pub trait ToValue {
    /// The value to store; most texts are borrowed.
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

/// A word is stored as text; the column's constraint keeps it within the set.
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

impl FromValue for Vec<String> {
    const KIND: Kind = Kind::Texts;
    type Shown<'r> = Self;

    fn shown(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Texts(texts) => Some(texts),
            _ => None,
        }
    }

    fn of(shown: Self) -> Self {
        shown
    }
}

/// Types that one variant of [`Value`] stores: conversions from and to its content, and the JSON if
/// `Serialize` is slower.
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
        // Most texts need no escapes; a check of the whole text is faster than one per byte.
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

impl<const COUNT: usize> ToValue for Exact<COUNT> {
    fn to_value(&self) -> Value<'_> {
        Value::Text(Cow::Borrowed(self))
    }
}

impl<T: Deref<Target = str>, C> ToValue for SatKey<T, C> {
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

impl ToValue for CustomsNumber {
    fn to_value(&self) -> Value<'_> {
        Value::Text(Cow::Borrowed(self.as_str()))
    }
}

impl ToValue for PropertyAccount {
    fn to_value(&self) -> Value<'_> {
        Value::Text(Cow::Borrowed(self.as_str()))
    }
}

/// A list of a few is stored as its JSON.
impl FromValue for LocalTaxes {
    const KIND: Kind = Kind::Text;
    type Shown<'r> = Self;

    fn shown(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Text(text) => serde_json::from_str(&text).ok(),
            _ => None,
        }
    }

    fn of(shown: Self) -> Self {
        shown
    }
}

impl ToValue for LocalTaxes {
    fn to_value(&self) -> Value<'_> {
        // Words, texts and decimals are always JSON.
        serde_json::to_string(self).map_or(Value::Null, |text| Value::Text(Cow::Owned(text)))
    }
}
