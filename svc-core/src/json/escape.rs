//! Unescapes string literals. `serde_json` takes two to three times as long, and a body may consist
//! of escapes.

use std::borrow::Cow;

/// The pieces of a valid string literal: unescaped runs, and escapes. The last one is an error if
/// an escape is half of a surrogate pair, which `serde_json` does not check here.
pub(super) struct Pieces<'a>(&'a str);

pub(super) enum Piece<'a> {
    Plain(&'a str),
    Escaped(char),
}

/// Half of a surrogate pair.
#[derive(Debug)]
pub(super) struct Unpaired;

impl<'a> Pieces<'a> {
    /// The pieces of a literal, which includes its quotes.
    pub(super) fn of(literal: &'a str) -> Self {
        Self(literal.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default())
    }

    /// The character of an escape, and the escape's length.
    fn escape(text: &str) -> Option<(char, usize)> {
        Some(match text.as_bytes().get(1)? {
            b'n' => ('\n', 2),
            b't' => ('\t', 2),
            b'r' => ('\r', 2),
            b'b' => ('\u{8}', 2),
            b'f' => ('\u{c}', 2),
            b'u' => {
                let unit = |at: usize| u16::from_str_radix(text.get(at..at + 4)?, 16).ok();
                let first = unit(2)?;
                let pair = text.get(6..8) == Some("\\u");
                let second = if (0xd800..0xdc00).contains(&first) && pair { unit(8) } else { None };
                let length = if second.is_some() { 12 } else { 6 };
                (char::decode_utf16([first].into_iter().chain(second)).next()?.ok()?, length)
            }
            other => (char::from(*other), 2),
        })
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Result<Piece<'a>, Unpaired>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.0.as_bytes().iter().position(|byte| *byte == b'\\') {
            None if self.0.is_empty() => None,
            None => Some(Ok(Piece::Plain(std::mem::take(&mut self.0)))),
            Some(0) => {
                let escape = Self::escape(self.0);
                self.0 = escape.map_or("", |(_, length)| &self.0[length..]);
                Some(escape.map(|(character, _)| Piece::Escaped(character)).ok_or(Unpaired))
            }
            Some(plain) => {
                let (piece, rest) = self.0.split_at(plain);
                self.0 = rest;
                Some(Ok(Piece::Plain(piece)))
            }
        }
    }
}

/// The text of a literal; borrowed if it has no escapes.
pub(super) fn unescaped(literal: &str) -> Result<Cow<'_, str>, Unpaired> {
    let inner = Pieces::of(literal).0;
    if !inner.as_bytes().contains(&b'\\') {
        return Ok(Cow::Borrowed(inner));
    }
    let mut text = String::with_capacity(inner.len());
    for piece in Pieces(inner) {
        match piece? {
            Piece::Plain(plain) => text.push_str(plain),
            Piece::Escaped(character) => text.push(character),
        }
    }
    Ok(Cow::Owned(text))
}

/// Whether a literal contains only white space.
pub(super) fn is_blank(literal: &str) -> bool {
    Pieces::of(literal).all(|piece| match piece {
        Ok(Piece::Plain(plain)) => plain.trim().is_empty(),
        Ok(Piece::Escaped(character)) => character.is_whitespace(),
        Err(Unpaired) => false,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_says_what_serde_json_says(
            parts in proptest::collection::vec(r#"[a-zñ€😀]{0,3}|\\[nrtbf"/\\]|\\u[0-9a-fA-F]{4}|\\ud8[0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\u00[02]0"#, 0..8)
        ) {
            let literal = format!("\"{}\"", parts.concat());
            let expected: Option<String> = serde_json::from_str(&literal).ok();
            let text = unescaped(&literal).ok().map(Cow::into_owned);
            prop_assert_eq!(&text, &expected, "{}", literal);
            if let Some(expected) = expected {
                prop_assert_eq!(is_blank(&literal), expected.trim().is_empty());
            }
        }
    }
}
