//! A position in the text of a valid JSON value. Nothing here checks syntax: `serde_json` has.

use std::borrow::Cow;

use super::escape::{Unpaired, is_blank, unescaped};

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

/// A position in a valid text. A method that reads a value expects one at the position and moves
/// past it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'de> {
    text: &'de str,
    at: usize,
}

impl<'de> Cursor<'de> {
    pub(super) fn new(text: &'de str) -> Self {
        Self::at(text, 0)
    }

    /// A cursor at a position that another one had.
    pub(super) fn at(text: &'de str, at: usize) -> Self {
        Self { text, at }
    }

    /// The text that it moves in.
    pub(super) fn text(&self) -> &'de str {
        self.text
    }

    /// Where it stands.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The first byte of what comes next: a value, a key, or the end of an array or object. Zero at
    /// the end of the text.
    fn peek(&mut self) -> u8 {
        // In a valid text separators say no more than white space.
        while let Some(b' ' | b'\t' | b'\r' | b'\n' | b',' | b':') = self.text.as_bytes().get(self.at) {
            self.at += 1;
        }
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// What the value at the position is.
    pub(super) fn kind(&mut self) -> Kind {
        match self.peek() {
            b'n' => Kind::Null,
            b't' | b'f' => Kind::Bool,
            b'"' => Kind::String,
            b'[' => Kind::Array,
            b'{' => Kind::Object,
            _ => Kind::Number,
        }
    }

    /// Enters an array or object.
    pub(super) fn enter(&mut self) {
        self.peek();
        self.at += 1;
    }

    /// Whether another item, or key, of the array or object comes.
    pub(super) fn has_more(&mut self) -> bool {
        !matches!(self.peek(), b']' | b'}' | 0)
    }

    /// Leaves the array or object, past what is left of it.
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

    /// A string or a key, unescaped.
    pub(super) fn string(&mut self) -> Result<Cow<'de, str>, Unpaired> {
        unescaped(self.literal())
    }

    /// Whether the value is null or a string of white space. It stays where it is.
    pub(super) fn is_empty(&mut self) -> bool {
        match self.kind() {
            Kind::Null => true,
            Kind::String => is_blank(Self::at(self.text, self.at).literal()),
            _ => false,
        }
    }

    /// Passes a value.
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

/// The length of the string literal that `text` begins with, quotes included.
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
