//! The serde deserializer of a [`Json`] tree.
//!
//! Rules for field types, beyond plain serde:
//! - an optional field is absent when it is `null` or a string of nothing but white space (contract §1);
//! - Rust's own types have their faults worded here: serde's visitors name them as Rust does, in English. A field type with a
//!   visitor of its own calls `deserialize_any`, `deserialize_str` or `deserialize_bytes`, and its `expecting` is Spanish.
//! - `deserialize_bytes` gives the literal text of a number as bytes, and a string as a string: so exact decimals are
//!   read, and a field that takes only numbers can refuse strings.

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::{Fault, Json};
use crate::error::Code;

impl Json {
    fn is_empty(&self) -> bool {
        match self {
            Json::Null => true,
            Json::String(text) => text.trim().is_empty(),
            _ => false,
        }
    }

    fn unexpected(&self) -> Unexpected<'_> {
        match self {
            Json::Null => Unexpected::Unit,
            Json::Bool(value) => Unexpected::Bool(*value),
            Json::Number(literal) => Unexpected::Other(literal),
            Json::String(text) => Unexpected::Str(text),
            Json::Array(_) => Unexpected::Seq,
            Json::Object(_) => Unexpected::Map,
        }
    }

    /// The fault of a value that is not `expected`; a field that is not optional does without `null`.
    fn is_not(&self, expected: &str) -> Fault {
        match self {
            Json::Null => Fault::new(Code::DatoRequerido, "", "es obligatorio"),
            _ => Fault::custom(format_args!("debe ser {expected}")),
        }
    }
}

/// Reads whole numbers as Rust's own types do; one that is out of its type's range is a fault like any other.
macro_rules! integers {
    ($($method:ident: $type:ty,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            let Json::Number(literal) = self else { return Err(self.is_not("un entero")) };
            let range = || self.is_not(&format!("un entero de {} a {}", <$type>::MIN, <$type>::MAX));
            match literal.parse::<i64>() {
                Ok(integer) => visitor.visit_i64(integer).map_err(|_: Fault| range()),
                Err(_) => Err(if literal.contains(['.', 'e', 'E']) { self.is_not("un entero") } else { range() }),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for &'de Json {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Json::Null => Err(self.is_not("")),
            Json::Bool(value) => visitor.visit_bool(*value),
            Json::Number(literal) => match literal.parse() {
                Ok(integer) => visitor.visit_i64(integer),
                Err(_) => Err(Fault::invalid_type(self.unexpected(), &visitor)),
            },
            Json::String(text) => visitor.visit_borrowed_str(text),
            Json::Array(items) => visitor.visit_seq(Items(items.iter().enumerate())),
            Json::Object(members) => visitor.visit_map(Fields { rest: members.iter(), value: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.is_empty() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Json::Number(literal) => visitor.visit_borrowed_bytes(literal.as_bytes()),
            Json::String(text) if text.trim().is_empty() => Err(Fault::invalid_length(0, &visitor)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self {
            _ if self.is_empty() => Err(Fault::new(Code::DatoRequerido, "", "es obligatorio")),
            Json::String(word) => visitor.visit_enum(Word(word.trim())),
            _ => Err(Fault::unknown_variant("", variants)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
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

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let Json::Bool(_) = self else { return Err(self.is_not("true o false")) };
        self.deserialize_any(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let Json::String(_) = self else { return Err(self.is_not("un texto")) };
        self.deserialize_any(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let Json::Array(_) = self else { return Err(self.is_not("una lista")) };
        self.deserialize_any(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let Json::Object(_) = self else { return Err(self.is_not("un objeto")) };
        self.deserialize_any(visitor)
    }

    /// A struct is an object; derived visitors would take a list of its fields too.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 char str byte_buf unit unit_struct tuple tuple_struct identifier
    }
}

struct Items<'de>(std::iter::Enumerate<std::slice::Iter<'de, Json>>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some((index, item)) = self.0.next() else { return Ok(None) };
        seed.deserialize(item).map(Some).map_err(|fault| fault.within(&format!("[{index}]")))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Fields<'de> {
    rest: std::slice::Iter<'de, (String, Json)>,
    value: Option<&'de (String, Json)>,
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        self.value = self.rest.next();
        self.value.map(|(key, _)| seed.deserialize(key.as_str().into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let Some((key, value)) = self.value.take() else { return Err(Fault::custom("value before key")) };
        seed.deserialize(value).map_err(|fault| fault.within(key))
    }
}

/// One word of an enumeration.
struct Word<'de>(&'de str);

impl<'de> EnumAccess<'de> for Word<'de> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Fault> {
        Ok((seed.deserialize(self.0.into_deserializer())?, self))
    }
}

impl<'de> VariantAccess<'de> for Word<'de> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, Fault> {
        Err(Fault::custom("debe ser una palabra"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Fault> {
        Err(Fault::custom("debe ser una palabra"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, Fault> {
        Err(Fault::custom("debe ser una palabra"))
    }
}
