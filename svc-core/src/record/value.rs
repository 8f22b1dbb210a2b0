//! The values of the domain's types.

use std::borrow::Cow;
use std::io::Write as _;

use crate::domain::event::EventId;
use crate::domain::line::VatRate;
use crate::domain::money::Money;
use crate::domain::quantity::{Balance, Quantity, Rate};
use crate::domain::tax::TaxRate;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::Word;
use crate::json::{Digits, Text};
use crate::value::{FromValue, Kind, ToValue, Value};

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
