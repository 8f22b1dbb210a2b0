//! Reads a document back from its XML: the inverse of `node`, with the same structs.
//!
//! Parts without a struct are skipped: namespaces, the signature, other complements.

use std::collections::HashMap;
use std::fmt::Display;

use chrono::{DateTime, TimeZone as _, Utc};
use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{self, DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::{Deserialize as _, forward_to_deserialize_any};

use super::element::{Element, NoXml};
use super::{Cfdi, Complemento};
use crate::domain::sat;

/// The XML contains no readable document.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoCfdi(String);

impl de::Error for NoCfdi {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

impl From<NoXml> for NoCfdi {
    fn from(error: NoXml) -> Self {
        Self(error.to_string())
    }
}

impl Cfdi {
    /// Reads the document in an XML of version 4.0, sealed or stamped. Amounts keep their written
    /// decimals.
    pub fn read(xml: &str) -> Result<Self, NoCfdi> {
        Self::of(&Element::read(xml)?)
    }

    /// The time of issue: the document's date is in the time zone of its place.
    pub(crate) fn issued(&self) -> DateTime<Utc> {
        let zone = sat::zone_at(Some(&self.lugar_expedicion));
        let at = zone.from_local_datetime(&self.fecha).earliest().map(|at| at.with_timezone(&Utc));
        at.unwrap_or_else(|| self.fecha.and_utc())
    }

    pub(super) fn of(root: &Element) -> Result<Self, NoCfdi> {
        if root.name() != "Comprobante" {
            return Err(de::Error::custom("the XML is no Comprobante"));
        }
        of(root)
    }
}

/// Deserializes a node's struct from its element.
pub(super) fn of<T: DeserializeOwned>(element: &Element) -> Result<T, NoCfdi> {
    T::deserialize(NodeContent::Elements(vec![element]))
}

/// The complements of a node that may hold only a stamp.
pub(super) fn complement<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Complemento>, D::Error> {
    let found = Complemento::deserialize(deserializer)?;
    Ok((found.pagos.is_some() || found.impuestos_locales.is_some()).then_some(found))
}

/// The content of an element under one name: an attribute, or one or more elements.
enum NodeContent<'a> {
    Text(&'a str),
    Elements(Vec<&'a Element>),
}

/// The content of an element, each name once.
fn fields(element: &Element) -> impl Iterator<Item = (&str, NodeContent<'_>)> {
    let attributes = element.attributes().map(|(name, value)| (name, NodeContent::Text(value)));
    let (mut children, mut places) = (Vec::<(&str, Vec<&Element>)>::new(), HashMap::new());
    for child in element.children() {
        let place = *places.entry(child.name()).or_insert(children.len());
        match children.get_mut(place) {
            Some((_, of_name)) => of_name.push(child),
            None => children.push((child.name(), vec![child])),
        }
    }
    attributes.chain(children.into_iter().map(|(name, elements)| (name, NodeContent::Elements(elements))))
}

impl<'a> NodeContent<'a> {
    /// The elements of a list: the children of a wrapping node, or the elements themselves.
    fn list(self) -> Result<Vec<&'a Element>, NoCfdi> {
        match self {
            Self::Elements(elements) => match elements.as_slice() {
                [around] if around.attributes().next().is_none() => Ok(around.children().iter().collect()),
                _ => Ok(elements),
            },
            Self::Text(_) => Err(de::Error::custom("an attribute where elements belong")),
        }
    }
}

impl IntoDeserializer<'_, NoCfdi> for NodeContent<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for NodeContent<'_> {
    type Error = NoCfdi;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NoCfdi> {
        match self {
            Self::Text(text) => visitor.visit_str(text),
            Self::Elements(elements) => match elements.as_slice() {
                [one] => visitor.visit_map(MapDeserializer::new(fields(one))),
                _ => Err(de::Error::custom("several elements where one belongs")),
            },
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NoCfdi> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NoCfdi> {
        let elements = self.list()?;
        visitor
            .visit_seq(SeqDeserializer::new(elements.into_iter().map(|element| NodeContent::Elements(vec![element]))))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NoCfdi> {
        match self {
            Self::Text(text) => StrDeserializer::new(text).deserialize_enum(name, variants, visitor),
            Self::Elements(_) => Err(de::Error::custom("an element where an attribute belongs")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NoCfdi> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct
        tuple tuple_struct map struct identifier
    }
}
