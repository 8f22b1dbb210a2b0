//! Reads PEM files, into which some programs convert the authority's DER files.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The DER in a file: the base64 between the first lines `-----BEGIN label-----` and
/// `-----END label-----`, with any line breaks. A file without these lines is returned unchanged;
/// invalid base64 is `None`.
pub(super) fn der<'a>(file: &'a [u8], label: &str) -> Option<Cow<'a, [u8]>> {
    let Some(text) = std::str::from_utf8(file).ok().and_then(|text| between(text, label)) else {
        return Some(Cow::Borrowed(file));
    };
    let digits: String = text.split_ascii_whitespace().collect();
    STANDARD.decode(digits).ok().map(Cow::Owned)
}

fn between<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("-----BEGIN {label}-----"))?;
    rest.split_once(&format!("-----END {label}-----")).map(|(text, _)| text)
}
