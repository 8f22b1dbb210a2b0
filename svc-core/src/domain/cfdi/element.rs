//! Reads a document's XML.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// The deepest nesting accepted; the standard has nine levels.
const DEEPEST: usize = 20;

/// The longest text accepted, in bytes, and the most elements. A global invoice has up to 2,000
/// lines of some ten elements each.
const MAX_BYTES: usize = 16 * 1024 * 1024;
const MAX_ELEMENTS: usize = 100_000;

/// The most attributes of an element; the standard has up to 30.
const MAX_ATTRIBUTES: usize = 100;

/// The namespace of `xsi:schemaLocation`.
pub(super) const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// Why no document can be read in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoXml {
    #[error("no document can be read in the XML")]
    Garbled,
    #[error("the XML is larger than any document")]
    TooLarge,
}

/// An element without its namespace, which these documents never need to tell nodes apart.
#[derive(Debug, Default)]
pub(super) struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Self>,
}

impl Element {
    /// Parses a document and returns its root.
    pub(super) fn read(xml: &str) -> Result<Self, NoXml> {
        if xml.len() > MAX_BYTES {
            return Err(NoXml::TooLarge);
        }
        let mut reader = Reader::from_str(xml);
        // The open elements, below a sentinel that receives the root.
        let (mut open, mut elements) = (vec![Self::default()], 0);
        loop {
            let event = reader.read_event().map_err(|_| NoXml::Garbled)?;
            if let Event::Start(start) | Event::Empty(start) = &event {
                elements += 1;
                if elements > MAX_ELEMENTS || open.len() > DEEPEST {
                    return Err(NoXml::TooLarge);
                }
                open.push(Self::begin(start)?);
            }
            match event {
                Event::End(_) | Event::Empty(_) => {
                    let element = open.pop().ok_or(NoXml::Garbled)?;
                    open.last_mut().ok_or(NoXml::Garbled)?.children.push(element);
                }
                Event::Eof => break,
                // Text between elements, comments and the declaration carry no data; entities of a
                // DTD stay undefined.
                _ => {}
            }
        }
        match (open.pop(), open.is_empty()) {
            (Some(Self { children, .. }), true) if children.len() == 1 => {
                children.into_iter().next().ok_or(NoXml::Garbled)
            }
            _ => Err(NoXml::Garbled),
        }
    }

    fn begin(start: &BytesStart<'_>) -> Result<Self, NoXml> {
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            if attributes.len() == MAX_ATTRIBUTES {
                return Err(NoXml::TooLarge);
            }
            let attribute = attribute.map_err(|_| NoXml::Garbled)?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|_| NoXml::Garbled)?;
            attributes.push((attribute.key.as_ref().to_owned(), value.into_owned()));
        }
        Ok(Self { name: start.local_name().as_ref().to_owned(), attributes, children: Vec::new() })
    }

    /// The element's name, without prefix.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// A required attribute's value; empty if it is missing.
    pub(super) fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    pub(super) fn children(&self) -> &[Self] {
        &self.children
    }

    /// The attributes, as names and values.
    pub(super) fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attributes.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The child elements of that name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The first element at the end of a path.
    pub(super) fn at(&self, way: &[&str]) -> Option<&Self> {
        way.iter().try_fold(self, |element, name| element.children.iter().find(|child| child.name == *name))
    }

    /// The elements at the end of a path; every step before the last must be a single element.
    pub(super) fn each(&self, way: &[&str]) -> impl Iterator<Item = &Self> {
        let (last, path) = way.split_last().unwrap_or((&"", &[]));
        self.at(path).into_iter().flat_map(|parent| &parent.children).filter(move |child| child.name == *last)
    }
}
