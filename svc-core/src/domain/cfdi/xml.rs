//! A document's XML: CFDI 4.0 with its complements, namespaces and prefixes as the authority
//! prescribes them.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};

use super::node::Node;

/// A namespace with its prefix and the address of its schema.
struct Namespace {
    prefix: &'static str,
    uri: &'static str,
    schema: &'static str,
}

/// The namespace of the document itself.
const CFDI: Namespace = Namespace {
    prefix: "cfdi",
    uri: "http://www.sat.gob.mx/cfd/4",
    schema: "http://www.sat.gob.mx/sitio_internet/cfd/4/cfdv40.xsd",
};

/// The namespaces of complements, by the name of the complement's first node.
const COMPLEMENTS: [(&str, Namespace); 2] = [
    (
        "Pagos",
        Namespace {
            prefix: "pago20",
            uri: "http://www.sat.gob.mx/Pagos20",
            schema: "http://www.sat.gob.mx/sitio_internet/cfd/Pagos/Pagos20.xsd",
        },
    ),
    (
        "ImpuestosLocales",
        Namespace {
            prefix: "implocal",
            uri: "http://www.sat.gob.mx/implocal",
            schema: "http://www.sat.gob.mx/sitio_internet/cfd/implocal/implocal.xsd",
        },
    ),
];

/// The namespace of the stamp, which declares it itself.
const STAMP: Namespace = Namespace {
    prefix: "tfd",
    uri: "http://www.sat.gob.mx/TimbreFiscalDigital",
    schema: "http://www.sat.gob.mx/sitio_internet/cfd/TimbreFiscalDigital/TimbreFiscalDigitalv11.xsd",
};

const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// The node that holds complements.
const COMPLEMENT: &str = "Complemento";

/// Writes the document in UTF-8, on one line after the declaration. The first node declares all
/// namespaces, those of complements too, since providers refuse them elsewhere.
pub(super) fn write(document: &Node) -> io::Result<String> {
    let complements = document.children().filter(|child| child.name == COMPLEMENT).flat_map(Node::children);
    let namespaces: Vec<&Namespace> = [&CFDI].into_iter().chain(complements.filter_map(complement)).collect();
    let mut writer = Writer::new(Vec::new());
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    node(&mut writer, document, &CFDI, &declarations(&namespaces))?;
    text(writer)
}

/// Adds a stamp to the document's node of complements, which is created if missing.
pub(super) fn with_stamp(document: &str, stamp: &Node) -> io::Result<String> {
    let mut writer = Writer::new(Vec::new());
    node(&mut writer, stamp, &STAMP, &declarations(&[&STAMP]))?;
    with_stamp_text(document, &text(writer)?)
}

/// Adds a stamp as text, exactly as received.
pub(super) fn with_stamp_text(document: &str, stamp: &str) -> io::Result<String> {
    let [complement, root] = [COMPLEMENT, "Comprobante"].map(|name| format!("</{}:{name}>", CFDI.prefix));
    let (end, stamp) = if let Some(end) = document.rfind(&complement) {
        (end, stamp.to_owned())
    } else {
        let end = document.rfind(&root).ok_or_else(|| io::Error::other("no document"))?;
        (end, format!("<{0}:{COMPLEMENT}>{stamp}</{0}:{COMPLEMENT}>", CFDI.prefix))
    };
    Ok([&document[..end], &stamp, &document[end..]].concat())
}

fn text(writer: Writer<Vec<u8>>) -> io::Result<String> {
    String::from_utf8(writer.into_inner()).map_err(io::Error::other)
}

/// The attributes that declare namespaces.
fn declarations(namespaces: &[&Namespace]) -> Vec<(String, String)> {
    let mut locations = Vec::with_capacity(namespaces.len());
    let mut declared = Vec::with_capacity(namespaces.len() + 2);
    for namespace in namespaces {
        declared.push((format!("xmlns:{}", namespace.prefix), namespace.uri.to_owned()));
        locations.push(format!("{} {}", namespace.uri, namespace.schema));
    }
    declared.push(("xmlns:xsi".to_owned(), INSTANCE.to_owned()));
    declared.push(("xsi:schemaLocation".to_owned(), locations.join(" ")));
    declared
}

fn complement(node: &Node) -> Option<&'static Namespace> {
    COMPLEMENTS.iter().find(|(name, _)| *name == node.name).map(|(_, namespace)| namespace)
}

/// Writes a node of `namespace`, or of its own if it is a complement.
fn node(
    writer: &mut Writer<Vec<u8>>,
    from: &Node,
    namespace: &'static Namespace,
    declared: &[(String, String)],
) -> io::Result<()> {
    let namespace = complement(from).unwrap_or(namespace);
    let name = format!("{}:{}", namespace.prefix, from.name);
    let mut start = BytesStart::new(&name);
    for (name, value) in declared {
        start.push_attribute((name.as_str(), value.as_str()));
    }
    for attribute in from.attributes() {
        start.push_attribute(attribute);
    }
    if from.children().next().is_none() {
        return writer.write_event(Event::Empty(start));
    }
    writer.write_event(Event::Start(start))?;
    for child in from.children() {
        node(writer, child, namespace, &[])?;
    }
    writer.write_event(Event::End(BytesEnd::new(&name)))
}
