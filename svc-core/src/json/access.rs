//! Variants of enumerations, and keys of maps.

use std::borrow::Cow;

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, VariantAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::Fault;
use super::cursor::Cursor;
use super::fault::is_not;
use super::number::integer;

/// A word of an enumeration.
pub(super) struct WordAccess<'a>(pub(super) &'a str);

impl<'de> EnumAccess<'de> for WordAccess<'_> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Fault> {
        Ok((seed.deserialize(self.0.into_deserializer())?, self))
    }
}

impl<'de> VariantAccess<'de> for WordAccess<'_> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, Fault> {
        Err(is_not("un objeto"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Fault> {
        Err(is_not("un objeto"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, Fault> {
        Err(is_not("un objeto"))
    }
}

/// A variant with fields: an object with its name as the only key.
pub(super) struct VariantObject<'a, 'de> {
    pub(super) cursor: &'a mut Cursor<'de>,
    pub(super) key: Cow<'de, str>,
}

impl<'de> EnumAccess<'de> for VariantObject<'_, 'de> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Fault> {
        Ok((seed.deserialize((&*self.key).into_deserializer())?, self))
    }
}

impl<'de> VariantAccess<'de> for VariantObject<'_, 'de> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Err(is_not("una palabra"))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fault> {
        seed.deserialize(self.cursor).map_err(|fault| fault.within(&self.key))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        self.cursor.deserialize_tuple(len, visitor).map_err(|fault| fault.within(&self.key))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Fault> {
        self.cursor.deserialize_map(visitor).map_err(|fault| fault.within(&self.key))
    }
}

/// The key of a member: a field's name, or the key of a map, which may be an integer.
pub(super) struct MapKey<'a>(pub(super) &'a str);

/// Deserializes integers. Only the canonical spelling is read, so that different keys are different
/// integers. A macro, so that the body that differs in the type's range alone stands once.
macro_rules! integers {
    ($($method:ident: $type:ty,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            if self.0.parse::<i128>().is_ok_and(|number| number.to_string() == self.0) {
                integer(self.0, [<$type>::MIN.into(), <$type>::MAX.into()], visitor)
            } else {
                Err(is_not("un entero"))
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for MapKey<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_str(self.0)
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

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_enum(WordAccess(self.0))
    }

    forward_to_deserialize_any! {
        bool i128 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}
