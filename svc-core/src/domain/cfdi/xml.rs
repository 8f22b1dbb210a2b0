//! A document's XML: CFDI 4.0 with its complements, namespaces and prefixes as the authority
//! prescribes them.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};

use super::element::INSTANCE;
use super::node::Node;
use super::parts::ComplementNode;

/// A namespace with its prefix and the address of its schema.
#[derive(Clone, Copy)]
struct Namespace<'a> {
    prefix: &'a str,
    uri: &'a str,
    schema: &'a str,
}

/// The namespace of the document itself.
const CFDI: Namespace<'static> = Namespace {
    prefix: "cfdi",
    uri: "http://www.sat.gob.mx/cfd/4",
    schema: "http://www.sat.gob.mx/sitio_internet/cfd/4/cfdv40.xsd",
};

/// The namespaces of complements, by the name of the complement's first node.
const COMPLEMENTS: [(&str, Namespace<'static>); 2] = [
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
const STAMP: Namespace<'static> = Namespace {
    prefix: "tfd",
    uri: "http://www.sat.gob.mx/TimbreFiscalDigital",
    schema: "http://www.sat.gob.mx/sitio_internet/cfd/TimbreFiscalDigital/TimbreFiscalDigitalv11.xsd",
};

/// The node that holds complements.
const COMPLEMENT: &str = "Complemento";

/// The node that holds what is neither sealed nor stamped.
const ADDENDA: &str = "Addenda";

/// Writes the document in UTF-8, on one line after the declaration, with a host's complements after
/// its own. The first node declares all namespaces, those of complements too, since providers
/// refuse them elsewhere.
pub(super) fn write(document: &Node, others: &[ComplementNode]) -> io::Result<String> {
    let complements = document.children().filter(|child| child.name == COMPLEMENT).flat_map(Node::children);
    let mut namespaces = vec![CFDI];
    for namespace in complements.filter_map(complement) {
        namespaces.push(*namespace);
    }
    for ComplementNode { prefix, namespace: uri, schema, .. } in others {
        namespaces.push(Namespace { prefix, uri, schema });
    }
    let mut writer = Writer::new(Vec::new());
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    node(&mut writer, document, &CFDI, &declarations(&namespaces))?;
    let document = text(writer)?;
    if others.is_empty() {
        return Ok(document);
    }
    with_complement_text(&document, &others.iter().map(|other| other.xml.trim()).collect::<String>())
}

/// Adds what the node `Addenda` contains to a stamped document and changes nothing else.
pub(super) fn with_addenda(document: &str, addenda: &str) -> io::Result<String> {
    let end =
        document.rfind(&format!("</{}:Comprobante>", CFDI.prefix)).ok_or_else(|| io::Error::other("no document"))?;
    let node = format!("<{0}:{ADDENDA}>{addenda}</{0}:{ADDENDA}>", CFDI.prefix);
    Ok([&document[..end], &node, &document[end..]].concat())
}

/// Adds a stamp to the document's node of complements, which is created if missing.
pub(super) fn with_stamp(document: &str, stamp: &Node) -> io::Result<String> {
    let mut writer = Writer::new(Vec::new());
    node(&mut writer, stamp, &STAMP, &declarations(&[STAMP]))?;
    with_complement_text(document, &text(writer)?)
}

/// Adds a complement as text, exactly as received, after all others.
pub(super) fn with_complement_text(document: &str, added: &str) -> io::Result<String> {
    let [complement, root] = [COMPLEMENT, "Comprobante"].map(|name| format!("</{}:{name}>", CFDI.prefix));
    let (end, added) = if let Some(end) = document.rfind(&complement) {
        (end, added.to_owned())
    } else {
        let end = document.rfind(&root).ok_or_else(|| io::Error::other("no document"))?;
        (end, format!("<{0}:{COMPLEMENT}>{added}</{0}:{COMPLEMENT}>", CFDI.prefix))
    };
    Ok([&document[..end], &added, &document[end..]].concat())
}

fn text(writer: Writer<Vec<u8>>) -> io::Result<String> {
    String::from_utf8(writer.into_inner()).map_err(io::Error::other)
}

/// The attributes that declare namespaces.
fn declarations(namespaces: &[Namespace<'_>]) -> Vec<(String, String)> {
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

fn complement(node: &Node) -> Option<&'static Namespace<'static>> {
    COMPLEMENTS.iter().find(|(name, _)| *name == node.name).map(|(_, namespace)| namespace)
}

/// Writes a node of `namespace`, or of its own if it is a complement.
fn node(
    writer: &mut Writer<Vec<u8>>,
    from: &Node,
    namespace: &'static Namespace<'static>,
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
