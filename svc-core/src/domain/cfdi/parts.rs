//! Parts of a document that a host gives: complements within the seal and an addenda outside it.

use std::collections::HashSet;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;

use super::element::{Element, INSTANCE};

/// Prefixes that documents use themselves.
const RESERVED: [&str; 8] = ["cfdi", "tfd", "pago20", "implocal", "xsi", "xml", "xmlns", "catCFDI"];

/// Beginnings of namespaces whose nodes this service or the provider writes.
const OWN: [&str; 5] = [
    "http://www.sat.gob.mx/cfd/4",
    "http://www.sat.gob.mx/Pagos",
    "http://www.sat.gob.mx/implocal",
    "http://www.sat.gob.mx/TimbreFiscalDigital",
    "http://www.w3.org/",
];

/// The names of complements that this service or the provider writes.
const OWN_NODES: [&str; 3] = ["Pagos", "ImpuestosLocales", "TimbreFiscalDigital"];

/// The longest text of all parts of a document, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// The deepest nesting of a part.
const DEEPEST: usize = 15;

/// The most complements of a document.
const MAX_COMPLEMENTS: usize = 10;

/// A complement of the tax authority's that a host writes itself. It stands in the document's node
/// of complements and is sealed with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComplementNode {
    /// The prefix of its namespace, as the authority prescribes it: `donat`. The document declares
    /// it.
    pub prefix: String,
    /// Its namespace: `http://www.sat.gob.mx/donat`.
    pub namespace: String,
    /// The address of its schema, for the document's `xsi:schemaLocation`.
    pub schema: String,
    /// Its node, with that prefix and without declarations: `<donat:Donatarias version="1.1" …/>`.
    pub xml: String,
    /// Its part of the cadena original: the values in the order of the authority's transformation
    /// of this complement, each as it stands in the node, without entities. An absent attribute has
    /// none.
    pub cadena: Vec<String>,
}

/// What a host adds to a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DocumentParts {
    /// Complements, in this order, after the document's own.
    pub complements: Vec<ComplementNode>,
    /// What the node `cfdi:Addenda` contains: one or more elements that declare their namespaces.
    /// It is added after the stamp, outside the seal.
    pub addenda: Option<String>,
}

/// Why parts cannot be added to a document; the text is Spanish, for the registry's
/// `error_mensaje`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{part}: {fault}")]
pub struct PartFault {
    /// The complement by its prefix, or `addenda`.
    part: String,
    fault: &'static str,
}

impl DocumentParts {
    /// Checks that the parts are well-formed and declare their namespaces, and that they are at
    /// most ten complements and 1 MiB of text.
    pub fn check(&self) -> Result<(), PartFault> {
        let of = |part: &str| {
            let part = part.chars().filter(|c| !c.is_control()).take(40).collect();
            move |fault| PartFault { part, fault }
        };
        let texts = self.complements.iter().map(|complement| complement.xml.len());
        if texts.sum::<usize>() + self.addenda.as_ref().map_or(0, String::len) > MAX_BYTES {
            return Err(of("complementos y addenda")("pasan de 1 MiB"));
        }
        if self.complements.len() > MAX_COMPLEMENTS {
            return Err(of("complementos")("son más de 10"));
        }
        let (mut prefixes, mut namespaces) = (HashSet::new(), HashSet::new());
        for complement in &self.complements {
            complement.check().map_err(of(&complement.prefix))?;
            if !prefixes.insert(&complement.prefix) || !namespaces.insert(&complement.namespace) {
                return Err(of(&complement.prefix)("está dos veces"));
            }
        }
        match &self.addenda {
            Some(addenda) => check_fragment(addenda, None).map_err(of("addenda")),
            None => Ok(()),
        }
    }
}

impl ComplementNode {
    fn check(&self) -> Result<(), &'static str> {
        if !is_name(&self.prefix) || RESERVED.contains(&self.prefix.as_str()) {
            return Err("el prefijo no es válido, o es del propio comprobante");
        }
        let is_address = |text: &str| {
            !text.is_empty()
                && !text.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '<' | '&'))
        };
        if !is_address(&self.namespace) || !is_address(&self.schema) {
            return Err("el espacio de nombres y su esquema son direcciones sin espacios");
        }
        if OWN.iter().any(|own| self.namespace.starts_with(own)) {
            return Err("el espacio de nombres es de nodos que escribe el propio servicio");
        }
        if self.cadena.is_empty() {
            return Err("no dice su parte de la cadena original");
        }
        if self.cadena.iter().any(|value| value.contains('|') || value.trim().is_empty()) {
            return Err("un valor de su cadena original está vacío o tiene el carácter |");
        }
        check_fragment(&self.xml, Some((&self.prefix, &self.namespace)))
    }
}

/// Whether it is an XML name without a colon.
fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// Whether it is an XML name with at most one prefix.
fn is_qualified_name(text: &str) -> bool {
    text.split_once(':').map_or_else(|| is_name(text), |(prefix, name)| is_name(prefix) && is_name(name))
}

/// Checks elements that stand in a document: well-formed, with known namespaces, and, if `root` is
/// given, one of that prefix and namespace.
fn check_fragment(xml: &str, root: Option<(&str, &str)>) -> Result<(), &'static str> {
    const GARBLED: &str = "el XML está mal formado";
    let forbidden = |c: char| (c < ' ' && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}');
    if xml.contains(forbidden) {
        return Err("tiene un carácter que XML no admite");
    }
    let declared = root.map(|(prefix, namespace)| format!(" xmlns:{prefix}=\"{namespace}\"")).unwrap_or_default();
    let wrapped = format!("<w xmlns:xsi=\"{INSTANCE}\"{declared}>{xml}</w>");
    let mut reader = NsReader::from_str(&wrapped);
    reader.config_mut().check_comments = true;
    let (mut depth, mut roots, mut ended) = (0_usize, 0, false);
    loop {
        match reader.read_event().map_err(|_| GARBLED)? {
            Event::Eof if ended && roots > 0 => return Ok(()),
            Event::Eof => return Err(GARBLED),
            _ if ended => return Err(GARBLED),
            Event::Start(_) if depth == 0 => depth = 1,
            ref event @ (Event::Start(ref start) | Event::Empty(ref start)) => {
                let (namespace, _) = reader.resolver().resolve_element(start.name());
                check_element(&reader, &namespace, start)?;
                if depth == 1 {
                    roots += 1;
                    check_root(start, &namespace, roots, root)?;
                }
                if depth > DEEPEST {
                    return Err("está anidado a demasiada profundidad");
                }
                depth += usize::from(matches!(event, Event::Start(_)));
            }
            Event::End(_) => {
                depth -= 1;
                ended = depth == 0;
            }
            Event::Text(text) => {
                let text: &str = &text;
                if (depth == 1 && !text.trim().is_empty()) || text.contains("]]>") {
                    return Err("tiene texto fuera de un elemento, o un ]]> en él");
                }
            }
            Event::GeneralRef(entity) if depth > 1 => {
                let known = ["amp", "lt", "gt", "quot", "apos"].contains(&&*entity);
                if !known && !entity.resolve_char_ref().is_ok_and(|c| c.is_some_and(|c| !forbidden(c))) {
                    return Err(GARBLED);
                }
            }
            Event::CData(_) if depth > 1 => {}
            Event::Comment(_) => {}
            _ => return Err("no puede tener declaraciones, instrucciones ni DOCTYPE"),
        }
    }
}

fn check_root(
    start: &BytesStart<'_>,
    namespace: &ResolveResult<'_>,
    roots: usize,
    root: Option<(&str, &str)>,
) -> Result<(), &'static str> {
    let Some((prefix, expected)) = root else { return Ok(()) };
    let (name, bound) = (start.name(), matches!(namespace, ResolveResult::Bound(found) if found.as_ref() == expected));
    let own = name.prefix().is_some_and(|own| own.as_ref() == prefix);
    if roots != 1 || !bound || !own {
        return Err("debe ser un solo nodo, con su prefijo y en su espacio de nombres");
    }
    if OWN_NODES.contains(&name.local_name().as_ref()) {
        return Err("su nodo se llama como uno del propio servicio");
    }
    Ok(())
}

/// Checks the name and the attributes of an element.
fn check_element<R>(
    reader: &NsReader<R>,
    namespace: &ResolveResult<'_>,
    start: &BytesStart<'_>,
) -> Result<(), &'static str> {
    const GARBLED: &str = "un atributo o el nombre de un elemento está mal escrito";
    const UNKNOWN: &str = "usa un prefijo que no declara, o uno del propio comprobante";
    let name = start.name();
    let own = |prefix: &str| matches!(prefix, "cfdi" | "tfd");
    if !is_qualified_name(name.as_ref()) {
        return Err(GARBLED);
    }
    if matches!(namespace, ResolveResult::Unknown(_)) || name.prefix().is_some_and(|prefix| own(prefix.as_ref())) {
        return Err(UNKNOWN);
    }
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|_| GARBLED)?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|_| GARBLED)?;
        let forbidden = |c: char| (c < ' ' && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}');
        if !is_qualified_name(attribute.key.as_ref()) || attribute.value.contains('<') || value.contains(forbidden) {
            return Err(GARBLED);
        }
        let (found, _) = reader.resolver().resolve_attribute(attribute.key);
        let declares = attribute.key.as_namespace_binding().is_some();
        if !declares && matches!(found, ResolveResult::Unknown(_)) {
            return Err(UNKNOWN);
        }
    }
    Ok(())
}

/// The complements that neither this service nor the provider wrote.
pub(super) fn others(root: &Element) -> impl Iterator<Item = &Element> {
    root.each(&["Complemento"]).flat_map(Element::children).filter(|node| !OWN_NODES.contains(&node.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn donation(xml: &str) -> ComplementNode {
        ComplementNode {
            prefix: "donat".to_owned(),
            namespace: "http://www.sat.gob.mx/donat".to_owned(),
            schema: "http://www.sat.gob.mx/sitio_internet/cfd/donat/donat11.xsd".to_owned(),
            xml: xml.to_owned(),
            cadena: vec!["1.1".to_owned()],
        }
    }

    fn fault(complements: Vec<ComplementNode>, addenda: Option<&str>) -> Option<String> {
        let parts = DocumentParts { complements, addenda: addenda.map(str::to_owned) };
        parts.check().err().map(|fault| fault.to_string())
    }

    #[test]
    fn whole_nodes_are_taken() {
        for xml in [
            "<donat:Donatarias version=\"1.1\"/>",
            " <donat:Donatarias a='Á &amp; &lt;&#233;' xsi:x=\"1\" xmlns:xsi=\"urn:x\"><donat:x>texto &gt;</donat:x></donat:Donatarias>\n",
            "<!-- uno --><donat:a><b xmlns=\"urn:b\"><![CDATA[<x>]]></b></donat:a>",
        ] {
            assert_eq!(fault(vec![donation(xml)], None), None, "{xml}");
        }
        for addenda in ["<a/><b/>", "<x:a xmlns:x=\"urn:x\" x:b=\"1\">texto</x:a>", "\n<a>\n</a>\n"] {
            assert_eq!(fault(Vec::new(), Some(addenda)), None, "{addenda}");
        }
    }

    #[test]
    fn what_would_break_the_document_is_refused() {
        for xml in [
            "",
            "texto",
            "<donat:a>",
            "<donat:a></donat:b>",
            "</w><w><donat:a/>",
            "<donat:a/></w>",
            "<donat:a/><donat:b/>",
            "<donat:a/>texto",
            "<otro:a/>",
            "<a/>",
            "<donat:a otro:b=\"1\"/>",
            "<donat:a b=\"1\" b=\"2\"/>",
            "<donat:a b=\"<\"/>",
            "<donat:a b=1/>",
            "<donat:a b=\"&nbsp;\"/>",
            "<donat:a>&nbsp;</donat:a>",
            "<donat:a>&#0;</donat:a>",
            "<donat:a b=\"&#1;\"/>",
            "<donat:a>\u{1}</donat:a>",
            "<donat:a>]]></donat:a>",
            "<donat:1a/>",
            "<donat:a><cfdi:Complemento xmlns:cfdi=\"urn:x\"/></donat:a>",
            "<?xml version=\"1.0\"?><donat:a/>",
            "<!DOCTYPE a><donat:a/>",
            "<?x y?><donat:a/>",
            "<donat:a><!-- a -- b --></donat:a>",
            "<donat:Pagos/>",
            "<donat:a xmlns:donat=\"urn:otro\"/>",
        ] {
            assert!(fault(vec![donation(xml)], None).is_some(), "{xml}");
        }
        for addenda in ["", "texto", "<a>", "</cfdi:Addenda><cfdi:Addenda>", "<x:a/>", "<a/>&amp;"] {
            assert!(fault(Vec::new(), Some(addenda)).is_some(), "{addenda}");
        }
        let deep = format!("<donat:a>{}{}</donat:a>", "<b>".repeat(20), "</b>".repeat(20));
        assert!(fault(vec![donation(&deep)], None).unwrap().contains("profundidad"));
        assert!(fault(vec![donation(&"x".repeat(MAX_BYTES + 1))], None).unwrap().contains("1 MiB"));
    }

    #[test]
    fn a_complement_says_prefix_namespace_and_cadena_of_its_own() {
        let good = || donation("<donat:a/>");
        for (wrong, text) in [
            (ComplementNode { prefix: "cfdi".to_owned(), ..good() }, "prefijo"),
            (ComplementNode { prefix: "a b".to_owned(), ..good() }, "prefijo"),
            (ComplementNode { namespace: "http://www.sat.gob.mx/Pagos20".to_owned(), ..good() }, "servicio"),
            (ComplementNode { namespace: "a b".to_owned(), ..good() }, "direcciones"),
            (ComplementNode { schema: String::new(), ..good() }, "direcciones"),
            (ComplementNode { cadena: Vec::new(), ..good() }, "cadena original"),
            (ComplementNode { cadena: vec!["a|b".to_owned()], ..good() }, "cadena original"),
            (ComplementNode { cadena: vec![" ".to_owned()], ..good() }, "cadena original"),
        ] {
            let found = fault(vec![wrong], None).unwrap();
            assert!(found.contains(text), "{found}");
        }
        assert!(fault(vec![good(), good()], None).unwrap().contains("dos veces"));
    }
}
