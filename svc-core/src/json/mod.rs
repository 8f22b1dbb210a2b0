//! JSON bodies: exact numbers, no repeated keys, and a field name in every fault.
//!
//! [`Json`] is the syntax tree: numbers keep their literal text (money is never a float) and a key given twice
//! is an error. [`Json::read`] converts it into a typed input through serde, with [`Fault`] as serde's error type, so that
//! an input is an ordinary `#[derive(Deserialize)]` struct with the wire's field names.
//! [`Text`] and [`Patch`] are the field types that carry the contract's rules for strings, absence and `null`.

mod de;
mod fault;
mod fields;
mod patch;

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use serde::de::{DeserializeOwned, Deserializer as _, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

pub use fault::Fault;
pub use fields::{Digits, Exact, Many, Text, Within};
pub use patch::{Patch, Sent};

/// The greatest depth of nested objects and arrays in a body; the API's own need three.
const DEPTH: usize = 16;

/// A JSON value that remembers its number literals.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it was written.
    Number(Box<str>),
    /// A string, unescaped.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object; keys are distinct and in the order they were written.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses a body: UTF-8, one JSON object, no key twice at any depth. The error says what is wrong, in Spanish.
    pub fn parse_object(body: &[u8]) -> Result<Self, Cow<'static, str>> {
        let text = std::str::from_utf8(body).map_err(|_| "el cuerpo no es UTF-8")?;
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| match error.line() {
            0 => Cow::from("el cuerpo no es JSON"),
            line => Cow::from(format!("el cuerpo no es JSON válido: línea {line}, columna {}", error.column())),
        })?;
        if !raw.get().starts_with('{') {
            return Err("el cuerpo debe ser un objeto JSON".into());
        }
        Self::from_raw(raw, DEPTH)
    }

    fn from_raw(raw: &RawValue, depth: usize) -> Result<Self, Cow<'static, str>> {
        let text = raw.get();
        let syntax = |_| Cow::from("el cuerpo no es JSON válido");
        let deeper = || depth.checked_sub(1).ok_or("el cuerpo anida demasiados objetos");
        Ok(match text.as_bytes().first() {
            Some(b'n') => Self::Null,
            Some(b't') => Self::Bool(true),
            Some(b'f') => Self::Bool(false),
            Some(b'"') => Self::String(serde_json::from_str(text).map_err(syntax)?),
            Some(b'[') => {
                let depth = deeper()?;
                let items: Vec<&RawValue> = serde_json::from_str(text).map_err(syntax)?;
                Self::Array(items.into_iter().map(|item| Self::from_raw(item, depth)).collect::<Result<_, _>>()?)
            }
            Some(b'{') => {
                let depth = deeper()?;
                let members = serde_json::Deserializer::from_str(text).deserialize_map(Members).map_err(syntax)?;
                let mut seen = std::collections::HashSet::with_capacity(members.len());
                if let Some((twice, _)) = members.iter().find(|(key, _)| !seen.insert(key.as_str())) {
                    return Err(format!("la clave {} está repetida", brief(twice)).into());
                }
                let members = members.into_iter().map(|(key, value)| Ok((key, Self::from_raw(value, depth)?)));
                Self::Object(members.collect::<Result<_, Cow<'static, str>>>()?)
            }
            _ => Self::Number(text.into()),
        })
    }

    /// Reads the value as a `T`; the fault names the field.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        T::deserialize(self)
    }

    /// Puts integers before the members of an object. A member of the same name that it has already is then one too many.
    pub(crate) fn insert_first(&mut self, integers: Vec<(&'static str, i64)>) {
        if let Self::Object(members) = self {
            let member = |(name, number): (&str, i64)| (name.to_owned(), Self::Number(number.to_string().into()));
            members.splice(0..0, integers.into_iter().map(member));
        }
    }

    /// Takes the member `key`, which may be absent or `null`, out of an object: the member, read as a `T`, and the object
    /// without it.
    pub(crate) fn take_optional<T: DeserializeOwned>(&self, key: &'static str) -> Result<(Option<T>, Self), Fault> {
        let Self::Object(members) = self else { return Err(Fault::custom("debe ser un objeto")) };
        let taken = match members.iter().find(|(name, _)| name == key) {
            Some((_, value)) => value.read::<Option<T>>().map_err(|fault| fault.within(key))?,
            None => None,
        };
        let rest = members.iter().filter(|(name, _)| name != key).cloned().collect();
        Ok((taken, Self::Object(rest)))
    }

    /// The canonical text of the value: keys sorted, no white space, numbers by value. Two bodies that say the same
    /// have the same canonical text; it is what an Idempotency-Key's fingerprint covers (contract §4).
    pub fn canonical(&self) -> String {
        let mut text = String::new();
        self.write_canonical(&mut text);
        text
    }

    fn write_canonical(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(literal) => out.push_str(&canonical_number(literal)),
            Self::String(text) => {
                // Debug escapes quotes, backslashes and control characters: unambiguous, which is all that is needed.
                let _ = write!(out, "{text:?}");
            }
            Self::Array(items) => {
                out.push('[');
                for item in items {
                    item.write_canonical(out);
                    out.push(',');
                }
                out.push(']');
            }
            Self::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                members.sort_by(|(a, _), (b, _)| a.cmp(b));
                out.push('{');
                for (key, value) in members {
                    let _ = write!(out, "{key:?}:");
                    value.write_canonical(out);
                    out.push(',');
                }
                out.push('}');
            }
        }
    }
}

/// A client's text, without control characters and cut to 60 characters, for use in a message.
pub(crate) fn brief(text: &str) -> String {
    const MOST: usize = 60;
    let mut brief: String = text.chars().filter(|c| !c.is_control()).take(MOST).collect();
    if text.chars().nth(MOST).is_some() {
        brief.push('…');
    }
    brief
}

/// `1160`, `1160.00` and `1.16e3` are one number: sign, digits without outer zeros, power of ten.
fn canonical_number(literal: &str) -> String {
    let (sign, unsigned) = literal.strip_prefix('-').map_or(("", literal), |rest| ("-", rest));
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return "0".to_owned();
    }
    // A number with an exponent beyond i64 is compared by its literal.
    let Ok(exponent) = exponent.parse::<i64>() else { return literal.to_owned() };
    let exponent = i128::from(exponent) - fraction.len() as i128 + (digits.len() - significant.len()) as i128;
    format!("{sign}{significant}e{exponent}")
}

/// Collects an object's members as they come, repeated keys included.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_object_is_refused() {
        for body in [
            &b"\xff"[..],
            b"",
            b"[]",
            b"1",
            b"null",
            b"{",
            b"{}x",
            b"{'a':1}",
            br#"{"a":1,"a":2}"#,
            br#"{"a":{"b":1,"b":1}}"#,
            br#"{"a":"\ud800"}"#,
            b"\xef\xbb\xbf{}",
            br#"{"a":01}"#,
            br#"{"a":NaN}"#,
        ] {
            assert!(Json::parse_object(body).is_err(), "{}", String::from_utf8_lossy(body));
        }
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert!(Json::parse_object(deep.as_bytes()).is_err());
    }

    #[test]
    fn the_canonical_text_sees_meaning_not_spelling() {
        let canonical = |body: &str| Json::parse_object(body.as_bytes()).unwrap().canonical();
        assert_eq!(canonical(r#"{"a":1160.00,"b":"\u0041"}"#), canonical(r#" { "b" : "A", "a" : 1.16e3 } "#));
        assert_eq!(canonical(r#"{"a":-0.0}"#), canonical(r#"{"a":0}"#));
        assert_ne!(canonical(r#"{"a":"1"}"#), canonical(r#"{"a":1}"#));
        assert_ne!(canonical(r#"{"a":[1,2]}"#), canonical(r#"{"a":[12]}"#));
        assert_ne!(canonical(r#"{"a":100}"#), canonical(r#"{"a":10}"#));
        assert_ne!(canonical(r#"{"a":null}"#), canonical("{}"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_parsed_or_refused(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(json) = Json::parse_object(&body) {
                json.canonical();
            }
        }
    }
}
