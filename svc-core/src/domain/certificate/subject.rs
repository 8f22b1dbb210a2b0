//! The taxpayer of a certificate.

use x509_cert::attr::AttributeTypeAndValue;
use x509_cert::der::asn1::Any;
use x509_cert::der::oid::ObjectIdentifier;
use x509_cert::der::{Tag, Tagged as _};
use x509_cert::name::Name;

use crate::domain::rfc::Rfc;

/// `x500UniqueIdentifier`, where the SAT writes the taxpayer's RFC, and after a slash the
/// representative's.
const UNIQUE_IDENTIFIER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.45");

/// The RFC of the taxpayer. A subject without `x500UniqueIdentifier` may name it anywhere.
pub(super) fn rfc(subject: &Name) -> Option<Rfc> {
    let text_of = |attribute: &AttributeTypeAndValue| text(&attribute.value);
    if let Some(identifier) = subject.iter().find(|attribute| attribute.oid == UNIQUE_IDENTIFIER) {
        return text_of(identifier).split('/').next().and_then(|first| Rfc::parse(first).ok());
    }
    subject
        .iter()
        .find_map(|attribute| text_of(attribute).split([' ', '/', ',']).find_map(|word| Rfc::parse(word).ok()))
}

/// The text of an attribute of any string type.
fn text(value: &Any) -> String {
    let bytes = value.value();
    match value.tag() {
        // The first byte of a bit string is the number of unused bits in the last (X.690).
        Tag::BitString => latin(bytes.get(1..).unwrap_or_default()),
        Tag::BmpString => {
            let units = bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
            char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
        _ => latin(bytes),
    }
}

/// Decodes UTF-8, or else Latin-1, which a `TeletexString` usually contains.
fn latin(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| bytes.iter().copied().map(char::from).collect(), str::to_owned)
}
