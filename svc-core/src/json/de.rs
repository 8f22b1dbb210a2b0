//! The serde deserializer of a [`Json`]. It reads the text once, from front to back.
//!
//! Its rules go beyond plain serde:
//! - An optional field counts as absent if it is `null` or a blank string (contract §1).
//! - Faults of Rust's own types get their Spanish text here, since serde's visitors describe them
//!   in English. A field type with its own visitor calls `deserialize_any`, `deserialize_str` or
//!   `deserialize_bytes`, and its `expecting` is Spanish.
//! - `deserialize_bytes` passes a number's literal text, without exponent, as bytes and a string as
//!   a string. So decimals are exact, and a field that takes only numbers can refuse strings.
//!
//! What serde buffers before it knows the type (`flatten`, internally tagged and untagged enums)
//! follows serde's own rules and has its English words. There, `null` is absent and a blank string
//! is a string.

use std::borrow::Cow;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use super::access::{MapKey, VariantObject, WordAccess};
use super::cursor::{Cursor, JsonKind};
use super::fault::is_not;
use super::number::{integer, plain};
use super::raw::RAW_OBJECT;
use super::{Fault, Json};
use crate::error::Code;

impl<'de> Deserializer<'de> for &'de Json {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let mut cursor = self.cursor();
        cursor.enter();
        let first = self.first.iter();
        visitor.visit_map(ObjectAccess { cursor: &mut cursor, first, left_out: &self.left_out, value: None })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> Cursor<'de> {
    /// A string; parsing has refused unpaired surrogates.
    pub(super) fn text_value(&mut self) -> Cow<'de, str> {
        self.string().unwrap_or_default()
    }

    /// The fault of a value that is not `expected`; for `null` and a blank string, that of a
    /// missing field (contract §1).
    fn is_not(&mut self, expected: &str) -> Fault {
        if self.is_empty() { Fault::new(Code::DatoRequerido, "", "es obligatorio") } else { is_not(expected) }
    }

    /// Visits the next value if it has that kind.
    fn only<V: Visitor<'de>>(&mut self, kind: JsonKind, expected: &str, visitor: V) -> Result<V::Value, Fault> {
        if self.kind() == kind { self.deserialize_any(visitor) } else { Err(self.is_not(expected)) }
    }
}

/// A number that a float can express.
fn finite(literal: &str) -> Option<f64> {
    literal.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Deserializes integers. A number outside the type's range is a fault like any other. A macro, so
/// that the body that differs in the type's range alone stands once.
macro_rules! integers {
    ($($method:ident: $type:ty,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            if self.kind() != JsonKind::Number {
                return Err(self.is_not("un entero"));
            }
            integer(&plain(self.literal()), [<$type>::MIN.into(), <$type>::MAX.into()], visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut Cursor<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.kind() {
            JsonKind::Null => {
                self.skip();
                visitor.visit_unit()
            }
            JsonKind::Bool => visitor.visit_bool(self.literal() == "true"),
            JsonKind::Number => {
                let literal = self.literal();
                let plain = plain(literal);
                if let Ok(integer) = plain.parse::<i64>() {
                    visitor.visit_i64(integer)
                } else if let Ok(integer) = plain.parse::<u64>() {
                    visitor.visit_u64(integer)
                } else if let Some(number) = finite(literal) {
                    visitor.visit_f64(number)
                } else {
                    Err(Fault::invalid_type(Unexpected::Other(literal), &visitor))
                }
            }
            JsonKind::String => match self.text_value() {
                Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
                Cow::Owned(text) => visitor.visit_string(text),
            },
            JsonKind::Array => {
                self.enter();
                let value = visitor.visit_seq(Items { cursor: self, index: 0 })?;
                self.leave();
                Ok(value)
            }
            JsonKind::Object => {
                self.enter();
                let fields = ObjectAccess { cursor: self, first: [].iter(), left_out: &[], value: None };
                let value = visitor.visit_map(fields)?;
                self.leave();
                Ok(value)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.is_empty() {
            self.skip();
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.kind() {
            JsonKind::Number => visitor.visit_bytes(plain(self.literal()).as_bytes()),
            JsonKind::String if self.is_empty() => Err(Fault::invalid_length(0, &visitor)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if self.is_empty() {
            return Err(self.is_not(""));
        }
        match self.kind() {
            JsonKind::String => visitor.visit_enum(WordAccess(self.text_value().trim())),
            JsonKind::Object => {
                self.enter();
                if !self.has_more() {
                    return Err(Fault::unknown_variant("", variants));
                }
                let key = self.text_value();
                let value = visitor.visit_enum(VariantObject { cursor: self, key })?;
                if self.has_more() {
                    return Err(Fault::custom("debe tener un solo campo"));
                }
                self.leave();
                Ok(value)
            }
            _ => Err(Fault::unknown_variant("", variants)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Fault> {
        if name != RAW_OBJECT {
            return visitor.visit_newtype_struct(self);
        }
        if self.kind() != JsonKind::Object {
            return Err(self.is_not("un objeto"));
        }
        let start = self.position();
        self.skip();
        visitor.visit_borrowed_str(&self.text()[start..self.position()])
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.skip();
        visitor.visit_unit()
    }

    integers! {
        deserialize_i8: i8,
        deserialize_i16: i16,
        deserialize_i32: i32,
        deserialize_i64: i64,
        deserialize_u8: u8,
        deserialize_u16: u16,
        deserialize_u32: u32,
        deserialize_u64: u64,
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.kind() {
            JsonKind::Number => {
                finite(self.literal()).map_or_else(|| Err(is_not("un número")), |n| visitor.visit_f64(n))
            }
            _ => Err(self.is_not("un número")),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let is_too_large = |literal: &str| literal.parse::<f32>().is_ok_and(f32::is_infinite);
        if self.kind() == JsonKind::Number && is_too_large(Cursor::at(self.text(), self.position()).literal()) {
            return Err(is_not("un número"));
        }
        self.deserialize_f64(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.only(JsonKind::Bool, "true o false", visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.only(JsonKind::String, "un texto", visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.only(JsonKind::Array, "una lista", visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        let has_length = |list: &str| {
            let mut items = Cursor::new(list);
            items.enter();
            let mut count = 0;
            while items.has_more() {
                items.skip();
                count += 1;
            }
            count == len
        };
        let mut ahead = *self;
        let start = ahead.position();
        ahead.skip();
        if self.kind() == JsonKind::Array && has_length(&self.text()[start..ahead.position()]) {
            self.deserialize_any(visitor)
        } else {
            Err(self.is_not(&format!("una lista de {len} elementos")))
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.only(JsonKind::Object, "un objeto", visitor)
    }

    /// Only an object: derived visitors would also accept an array of the fields.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        i128 u128 char str byte_buf unit unit_struct identifier
    }
}

struct Items<'a, 'de> {
    cursor: &'a mut Cursor<'de>,
    index: usize,
}

impl<'de> SeqAccess<'de> for Items<'_, 'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        if !self.cursor.has_more() {
            return Ok(None);
        }
        let item = seed.deserialize(&mut *self.cursor).map_err(|fault| fault.within(&format!("[{}]", self.index)))?;
        self.index += 1;
        Ok(Some(item))
    }
}

struct ObjectAccess<'a, 'de> {
    cursor: &'a mut Cursor<'de>,
    first: std::slice::Iter<'de, (&'static str, String)>,
    left_out: &'a [&'static str],
    /// The key of the next value, and the value itself if the cursor is not at it.
    value: Option<(Cow<'de, str>, Option<&'de str>)>,
}

impl<'de> MapAccess<'de> for ObjectAccess<'_, 'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        self.value = None;
        if let Some((key, literal)) = self.first.next() {
            self.value = Some((Cow::Borrowed(*key), Some(literal.as_str())));
        }
        while self.value.is_none() && self.cursor.has_more() {
            let key = self.cursor.text_value();
            if self.left_out.contains(&&*key) {
                self.cursor.skip();
            } else {
                self.value = Some((key, None));
            }
        }
        self.value.as_ref().map(|(key, _)| seed.deserialize(MapKey(key))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let Some((key, literal)) = self.value.take() else { return Err(Fault::custom("value before key")) };
        let value = match literal {
            Some(literal) => seed.deserialize(&mut Cursor::new(literal)),
            None => seed.deserialize(&mut *self.cursor),
        };
        value.map_err(|fault| fault.within(&key))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Of<T> {
        v: T,
    }

    fn read<T: DeserializeOwned>(body: &str) -> Result<T, String> {
        let read = Json::parse_object(body.as_bytes()).expect("an object").read::<Of<T>>();
        read.map(|of| of.v).map_err(|fault| format!("{:?} {fault}", fault.code()))
    }

    #[derive(Debug, Deserialize, PartialEq)]
    enum Paid {
        Cash,
        Card { digits: i64 },
        Voucher(String),
        Mixed(i64, i64),
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(tag = "kind")]
    enum Tagged {
        One { n: i64, note: Option<String> },
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Flat {
        a: i64,
        #[serde(flatten)]
        rest: Rest,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Rest {
        note: Option<String>,
        count: Option<i64>,
    }

    #[test]
    fn numbers_of_every_kind_are_read() {
        assert_eq!(read(r#"{"v":1.5}"#), Ok(1.5_f64));
        assert_eq!(read(r#"{"v":15e-1}"#), Ok(1.5_f32));
        assert_eq!(read(r#"{"v":9300000000000000000}"#), Ok(9_300_000_000_000_000_000_u64));
        assert_eq!(read::<f64>(r#"{"v":1e400}"#), Err("DatoInvalido v: debe ser un número".into()));
        assert_eq!(read::<f32>(r#"{"v":1e300}"#), Err("DatoInvalido v: debe ser un número".into()));
        assert_eq!(read::<f64>(r#"{"v":"1"}"#), Err("DatoInvalido v: debe ser un número".into()));
        assert_eq!(read::<f64>(r#"{"v":null}"#), Err("DatoRequerido v: es obligatorio".into()));
        let range = "DatoInvalido v: debe ser un entero de 0 a 255".to_owned();
        assert_eq!(read::<u8>(r#"{"v":9300000000000000000}"#), Err(range));
        assert_eq!(read(r#"{"v":{"a":[1.5,null,""]}}"#), Ok(json!({"a": [1.5, null, ""]})));
    }

    #[test]
    fn a_tuple_has_its_elements_and_no_more() {
        assert_eq!(read(r#"{"v":[1,2]}"#), Ok((1, 2)));
        for body in [r#"{"v":[1,2,3]}"#, r#"{"v":[1,2,{"z":9}]}"#, r#"{"v":[1]}"#, r#"{"v":[]}"#, r#"{"v":"x"}"#] {
            assert_eq!(read::<[i64; 2]>(body), Err("DatoInvalido v: debe ser una lista de 2 elementos".into()));
            assert!(read::<(i64, i64)>(body).is_err());
        }
    }

    #[test]
    fn variants_are_words_or_objects_of_one_key() {
        assert_eq!(read(r#"{"v":"Cash"}"#), Ok(Paid::Cash));
        assert_eq!(read(r#"{"v":{"Card":{"digits":7}}}"#), Ok(Paid::Card { digits: 7 }));
        assert_eq!(read(r#"{"v":{"Voucher":"A"}}"#), Ok(Paid::Voucher("A".into())));
        assert_eq!(read(r#"{"v":{"Mixed":[1,2]}}"#), Ok(Paid::Mixed(1, 2)));
        let known = "DatoInvalido v: debe ser uno de: Cash, Card, Voucher, Mixed";
        for (body, fault) in [
            (r#"{"v":{"Card":{"digits":"x"}}}"#, "DatoInvalido v.Card.digits: debe ser un entero"),
            (r#"{"v":{"Card":{"digits":1},"Cash":1}}"#, "DatoInvalido v: debe tener un solo campo"),
            (r#"{"v":"Card"}"#, "DatoInvalido v: debe ser un objeto"),
            (r#"{"v":{"Cash":{}}}"#, "DatoInvalido v: debe ser una palabra"),
            (r#"{"v":{"Other":1}}"#, known),
            (r#"{"v":{}}"#, known),
            (r#"{"v":7}"#, known),
            (r#"{"v":""}"#, "DatoRequerido v: es obligatorio"),
        ] {
            assert_eq!(read::<Paid>(body), Err(fault.to_owned()), "{body}");
        }
    }

    #[test]
    fn keys_of_maps_may_be_integers_and_words() {
        assert_eq!(read(r#"{"v":{"7":1}}"#), Ok(BTreeMap::from([(7_u32, 1)])));
        for (key, fault) in [
            ("x", "DatoInvalido v: debe ser un entero"),
            ("01", "DatoInvalido v: debe ser un entero"),
            ("+1", "DatoInvalido v: debe ser un entero"),
            ("300", "DatoInvalido v: debe ser un entero de 0 a 255"),
        ] {
            assert_eq!(read::<BTreeMap<u8, i64>>(&format!(r#"{{"v":{{"{key}":1}}}}"#)), Err(fault.to_owned()));
        }
        assert_eq!(read(r#"{"v":{"a":1}}"#), Ok(BTreeMap::from([("a".to_owned(), 1)])));
    }

    #[test]
    fn null_is_absent_in_what_serde_buffers() {
        let rest = |note: Option<&str>| Flat { a: 1, rest: Rest { note: note.map(str::to_owned), count: None } };
        assert_eq!(read(r#"{"v":{"a":1,"note":null,"count":null}}"#), Ok(rest(None)));
        assert_eq!(read(r#"{"v":{"a":1,"note":"x"}}"#), Ok(rest(Some("x"))));
        let tagged = Ok(Tagged::One { n: 1, note: None });
        assert_eq!(read(r#"{"v":{"kind":"One","n":1,"note":null}}"#), tagged);
        assert_eq!(read::<Value>(r#"{"v":null}"#), Ok(Value::Null));
        assert_eq!(read::<Vec<i64>>(r#"{"v":null}"#), Err("DatoRequerido v: es obligatorio".into()));
    }
}
