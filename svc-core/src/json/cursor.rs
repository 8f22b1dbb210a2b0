//! A position in the text of a valid JSON value. Nothing here checks the syntax; `serde_json`
//! already has.

use std::borrow::Cow;

use super::escape::{Unpaired, is_blank, unescaped};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonKind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

/// A position in a valid text. Methods that read a value expect one at the position and move past
/// it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'de> {
    text: &'de str,
    at: usize,
}

impl<'de> Cursor<'de> {
    pub(super) fn new(text: &'de str) -> Self {
        Self::at(text, 0)
    }

    /// A cursor at the position of another one.
    pub(super) fn at(text: &'de str, at: usize) -> Self {
        Self { text, at }
    }

    pub(super) fn text(&self) -> &'de str {
        self.text
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The first byte of the next value, key or closing bracket; 0 at the end of the text.
    fn peek(&mut self) -> u8 {
        // In valid text, commas and colons carry no more information than white space.
        while let Some(b' ' | b'\t' | b'\r' | b'\n' | b',' | b':') = self.text.as_bytes().get(self.at) {
            self.at += 1;
        }
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// The kind of the next value.
    pub(super) fn kind(&mut self) -> JsonKind {
        match self.peek() {
            b'n' => JsonKind::Null,
            b't' | b'f' => JsonKind::Bool,
            b'"' => JsonKind::String,
            b'[' => JsonKind::Array,
            b'{' => JsonKind::Object,
            _ => JsonKind::Number,
        }
    }

    /// Enters an array or object.
    pub(super) fn enter(&mut self) {
        self.peek();
        self.at += 1;
    }

    /// Whether the array or object has another item.
    pub(super) fn has_more(&mut self) -> bool {
        !matches!(self.peek(), b']' | b'}' | 0)
    }

    /// Skips the rest of the array or object and leaves it.
    pub(super) fn leave(&mut self) {
        while self.has_more() {
            self.skip();
        }
        self.at += 1;
    }

    /// The literal text of a string, number, boolean or null.
    pub(super) fn literal(&mut self) -> &'de str {
        let first = self.peek();
        let rest = &self.text.as_bytes()[self.at..];
        let length = if first == b'"' {
            quoted(rest)
        } else {
            let ends = |byte: &u8| matches!(byte, b',' | b':' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n');
            rest.iter().position(ends).unwrap_or(rest.len())
        };
        let literal = &self.text[self.at..self.at + length];
        self.at += length;
        literal
    }

    /// The next string or key, unescaped.
    pub(super) fn string(&mut self) -> Result<Cow<'de, str>, Unpaired> {
        unescaped(self.literal())
    }

    /// Whether the next value is null or a blank string; does not move.
    pub(super) fn is_empty(&mut self) -> bool {
        match self.kind() {
            JsonKind::Null => true,
            JsonKind::String => is_blank(Self::at(self.text, self.at).literal()),
            _ => false,
        }
    }

    /// Moves past the next value and all that is in it.
    pub(super) fn skip(&mut self) {
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                b'[' | b'{' => {
                    depth += 1;
                    self.at += 1;
                }
                b']' | b'}' => {
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                }
                0 => return,
                _ => {
                    self.literal();
                }
            }
            if depth == 0 {
                return;
            }
        }
    }
}

/// The length of the string literal at the beginning of `text`, quotes included.
fn quoted(text: &[u8]) -> usize {
    let mut at = 1;
    loop {
        match text.get(at) {
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
            None => return text.len(),
        }
    }
}
