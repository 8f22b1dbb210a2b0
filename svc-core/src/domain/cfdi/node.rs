//! A document as nodes with attributes, from which both its XML and its cadena original are
//! written.
//!
//! A node comes from a struct, in the order of its fields. The cadena original needs that order, in
//! which a sum may follow the nodes that it adds up; XML accepts it, since attributes have no order
//! and precede children. So neither form has its own list of fields.
//!
//! - A text field is an attribute. A struct field is a child with the field's name.
//! - The structs of a list are children with the struct's name: within a node with the field's
//!   name, or without one if the two names are equal.

use std::fmt::Display;

use serde::ser::{Impossible, SerializeSeq, SerializeStruct, Serializer};
use serde::{Serialize, ser};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) name: &'static str,
    pub(super) parts: Vec<Part>,
}

/// A part of a node.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    Attribute(&'static str, String),
    Child(Node),
}

impl Node {
    /// Builds the document's node; fails for a type that has none of these forms.
    pub(super) fn of(document: &impl Serialize) -> Result<Self, NoNode> {
        match document.serialize(NodeSerializer)? {
            NodeValue::Node(node) => Ok(node),
            NodeValue::Text(_) | NodeValue::List(_) => Err(NoNode("a document that is no struct".to_owned())),
        }
    }

    pub(super) fn attributes(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.parts.iter().filter_map(|part| match part {
            Part::Attribute(name, value) => Some((*name, value.as_str())),
            Part::Child(_) => None,
        })
    }

    /// The nodes within it.
    pub(super) fn children(&self) -> impl Iterator<Item = &Self> {
        self.parts.iter().filter_map(|part| match part {
            Part::Child(node) => Some(node),
            Part::Attribute(..) => None,
        })
    }
}

/// The type has no node form: a mistake in the document's types, not in its data.
#[derive(Debug, thiserror::Error)]
#[error("no XML can be made of {0}")]
pub(super) struct NoNode(String);

impl ser::Error for NoNode {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// What a field holds.
enum NodeValue {
    Text(String),
    Node(Node),
    List(Vec<Node>),
}

struct NodeSerializer;

/// Rejects the forms that no field has. A macro, so that the body that they share stands once.
macro_rules! none {
    ($($method:ident($($kind:ty),*)),* $(,)?) => {$(
        fn $method(self, $(_: $kind),*) -> Result<NodeValue, NoNode> {
            Err(NoNode(stringify!($method).to_owned()))
        }
    )*};
}

impl Serializer for NodeSerializer {
    type Ok = NodeValue;
    type Error = NoNode;
    type SerializeSeq = Nodes;
    type SerializeStruct = StructNode;
    type SerializeTuple = Impossible<NodeValue, NoNode>;
    type SerializeTupleStruct = Impossible<NodeValue, NoNode>;
    type SerializeTupleVariant = Impossible<NodeValue, NoNode>;
    type SerializeMap = Impossible<NodeValue, NoNode>;
    type SerializeStructVariant = Impossible<NodeValue, NoNode>;

    none!(
        serialize_bool(bool),
        serialize_i8(i8),
        serialize_i16(i16),
        serialize_i32(i32),
        serialize_u8(u8),
        serialize_u16(u16),
        serialize_u32(u32),
        serialize_f32(f32),
        serialize_f64(f64),
        serialize_char(char),
        serialize_bytes(&[u8]),
        serialize_none(),
        serialize_unit(),
        serialize_unit_struct(&'static str),
    );

    fn serialize_str(self, value: &str) -> Result<NodeValue, NoNode> {
        self.collect_str(value)
    }

    fn serialize_i64(self, value: i64) -> Result<NodeValue, NoNode> {
        self.collect_str(&value)
    }

    fn serialize_u64(self, value: u64) -> Result<NodeValue, NoNode> {
        self.collect_str(&value)
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<NodeValue, NoNode> {
        Ok(NodeValue::Text(value.to_string()))
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<NodeValue, NoNode> {
        self.serialize_str(variant)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<NodeValue, NoNode> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<NodeValue, NoNode> {
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Nodes, NoNode> {
        Ok(Nodes(Vec::with_capacity(length.unwrap_or_default())))
    }

    fn serialize_struct(self, name: &'static str, length: usize) -> Result<StructNode, NoNode> {
        Ok(StructNode(Node { name, parts: Vec::with_capacity(length) }))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<NodeValue, NoNode> {
        Err(NoNode(name.to_owned()))
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, NoNode> {
        Err(NoNode("a tuple".to_owned()))
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, NoNode> {
        Err(NoNode(name.to_owned()))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, NoNode> {
        Err(NoNode(name.to_owned()))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, NoNode> {
        Err(NoNode("a map".to_owned()))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, NoNode> {
        Err(NoNode(name.to_owned()))
    }
}

/// A list being serialized.
struct Nodes(Vec<Node>);

impl SerializeSeq for Nodes {
    type Ok = NodeValue;
    type Error = NoNode;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NoNode> {
        self.0.push(Node::of(&value)?);
        Ok(())
    }

    fn end(self) -> Result<NodeValue, NoNode> {
        Ok(NodeValue::List(self.0))
    }
}

/// A struct being serialized.
struct StructNode(Node);

impl SerializeStruct for StructNode {
    type Ok = NodeValue;
    type Error = NoNode;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), NoNode> {
        let parts = &mut self.0.parts;
        match value.serialize(NodeSerializer)? {
            NodeValue::Text(value) => parts.push(Part::Attribute(name, value)),
            NodeValue::Node(node) => parts.push(Part::Child(Node { name, ..node })),
            NodeValue::List(nodes) if nodes.iter().all(|node| node.name == name) => {
                parts.extend(nodes.into_iter().map(Part::Child));
            }
            NodeValue::List(nodes) => {
                parts.push(Part::Child(Node { name, parts: nodes.into_iter().map(Part::Child).collect() }));
            }
        }
        Ok(())
    }

    fn end(self) -> Result<NodeValue, NoNode> {
        Ok(NodeValue::Node(self.0))
    }
}
