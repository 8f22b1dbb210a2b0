//! The cadena original: the text that an issuer signs (Anexo 20 of the Resolución Miscelánea
//! Fiscal, and the authority's `cadenaoriginal_4_0.xslt`, against which tests hold it).

use super::node::{Node, Part};
use super::parts::ComplementNode;

/// The attributes that are not signed: the signature, the certificate (its number is), and a
/// stamp's signature.
const LEFT_OUT: [&str; 3] = ["Sello", "Certificado", "SelloSAT"];

/// Builds the cadena original of a document: its attributes in the order of its nodes, each after a
/// pipe, between two double pipes.
pub(super) fn of(document: &Node) -> String {
    with_complements(document, &[])
}

/// Builds the cadena original of a document with a host's complements, which stand at its end.
pub(super) fn with_complements(document: &Node, others: &[ComplementNode]) -> String {
    let mut cadena = String::from("|");
    append(document, &mut cadena);
    for value in others.iter().flat_map(|other| &other.cadena) {
        cadena.push('|');
        append_collapsed(value, &mut cadena);
    }
    cadena.push_str("||");
    cadena
}

fn append(node: &Node, cadena: &mut String) {
    for part in &node.parts {
        match part {
            Part::Attribute(name, _) if LEFT_OUT.contains(name) => {}
            Part::Attribute(_, value) => {
                cadena.push('|');
                append_collapsed(value, cadena);
            }
            Part::Child(node) => append(node, cadena),
        }
    }
}

/// `normalize-space` of `XPath`: trims and collapses XML's white space and no other.
fn append_collapsed(value: &str, cadena: &mut String) {
    let words = value.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty());
    for (place, word) in words.enumerate() {
        if place > 0 {
            cadena.push(' ');
        }
        cadena.push_str(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_follow_each_other_in_the_order_of_the_nodes() {
        let attribute = |name, value: &str| Part::Attribute(name, value.to_owned());
        let child =
            Node { name: "Emisor", parts: vec![attribute("Rfc", "A&B"), attribute("Nombre", " Á\t \n\"B\u{a0} ")] };
        let parts = vec![
            attribute("Version", "4.0"),
            attribute("Sello", "x"),
            attribute("Certificado", "y"),
            Part::Child(child),
            attribute("Total", "1.00"),
        ];
        assert_eq!(of(&Node { name: "Comprobante", parts }), "||4.0|A&B|Á \"B\u{a0}|1.00||");
    }
}
