//! Normalizes text for attributes.

use unicode_normalization::UnicodeNormalization as _;

/// Normalizes `text` for an attribute of at most `max` characters; `None` if the result is empty.
///
/// The pipe, which separates attributes in the signed text, is forbidden and becomes a slash.
/// Characters that XML cannot hold are dropped, white space is collapsed as an XML parser would,
/// and letters are composed (NFC).
pub(super) fn attribute(text: Option<&str>, max: usize) -> Option<String> {
    let blank = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    let words: Vec<&str> = text?.split(blank).filter(|word| !word.is_empty()).collect();
    let clean: String = words.join(" ").replace('|', "/").nfc().take(max).collect();
    let clean = clean.trim_end();
    (!clean.is_empty()).then(|| clean.to_owned())
}

/// A name in the authority's spelling: [`attribute`] in capitals.
pub(super) fn name(text: Option<&str>) -> Option<String> {
    attribute(Some(&text?.to_uppercase()), 300)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_hold_no_pipe_no_control_and_no_edge() {
        for (text, expected) in [
            (" Tubo  de\tcobre\u{0} \" ", Some("Tubo de cobre \"")),
            ("a|b", Some("a/b")),
            ("ñandú & Cía", Some("ñandú & Cía")),
            ("ñ234567890 234567890", Some("ñ234567890 234567")),
            ("E\u{301}l", Some("Él")),
            ("1234567890123456 8", Some("1234567890123456")),
            ("\u{1}\u{ffff} ", None),
            ("", None),
        ] {
            assert_eq!(attribute(Some(text), 17).as_deref(), expected, "{text:?}");
        }
        assert_eq!(attribute(None, 10), None);
        assert_eq!(name(Some("Grupo  Ñandú")).as_deref(), Some("GRUPO ÑANDÚ"));
    }
}
