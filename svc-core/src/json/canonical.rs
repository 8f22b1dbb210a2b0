//! The canonical form of a body: two bodies that mean the same have the same one (contract §4).

use super::cursor::{Cursor, JsonKind};
use super::escape::{Piece, Pieces};
use super::members::Members;

/// Bytes per piece: a digest handles few large pieces better than many small ones.
const PIECE: usize = 4096;

/// Writes values in canonical form: keys sorted, no white space, numbers by value. It passes pieces
/// on instead of building the whole text.
pub(super) struct Sink<'a> {
    piece: Vec<u8>,
    hand_on: &'a mut dyn FnMut(&[u8]),
}

impl<'a> Sink<'a> {
    pub(super) fn new(hand_on: &'a mut dyn FnMut(&[u8])) -> Self {
        Self { piece: Vec::with_capacity(PIECE), hand_on }
    }

    /// Passes the last piece on.
    pub(super) fn finish(mut self) {
        self.flush();
    }

    fn flush(&mut self) {
        (self.hand_on)(&self.piece);
        self.piece.clear();
    }

    fn push(&mut self, bytes: &[u8]) {
        if self.piece.len() + bytes.len() > PIECE {
            self.flush();
        }
        if bytes.len() > PIECE {
            (self.hand_on)(bytes);
        } else {
            self.piece.extend_from_slice(bytes);
        }
    }

    /// Writes the value at the cursor.
    pub(super) fn value(&mut self, cursor: &mut Cursor<'_>) {
        match cursor.kind() {
            JsonKind::Null | JsonKind::Bool => self.push(cursor.literal().as_bytes()),
            JsonKind::Number => self.number(cursor.literal()),
            JsonKind::String => {
                self.push(b"\"");
                for piece in Pieces::of(cursor.literal()) {
                    match piece {
                        Ok(Piece::Plain(plain)) => self.text(plain),
                        Ok(Piece::Escaped(character)) => self.character(character),
                        // Parsing has refused unpaired surrogates.
                        Err(_) => {}
                    }
                }
                self.push(b"\"");
            }
            JsonKind::Array => {
                cursor.enter();
                self.push(b"[");
                while cursor.has_more() {
                    self.value(cursor);
                    self.push(b",");
                }
                cursor.leave();
                self.push(b"]");
            }
            JsonKind::Object => self.object(cursor),
        }
    }

    /// Writes text in the form of Rust's `Debug`. Stored fingerprints depend on this form, so it
    /// must not change.
    fn text(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let plain = rest.as_bytes().iter().position(|byte| !is_plain(*byte)).unwrap_or(rest.len());
            let (run, odd) = rest.split_at(plain);
            self.push(run.as_bytes());
            let mut characters = odd.chars();
            if let Some(character) = characters.next() {
                self.character(character);
            }
            rest = characters.as_str();
        }
    }

    fn character(&mut self, character: char) {
        if character == '\'' {
            return self.push(b"'");
        }
        for escaped in character.escape_debug() {
            self.push(escaped.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    fn object(&mut self, cursor: &mut Cursor<'_>) {
        cursor.enter();
        let mut members = Members::new(cursor.text());
        // Parsing has checked the number of members.
        while cursor.has_more() && members.push_key(cursor).is_ok() {
            cursor.skip();
        }
        cursor.leave();
        self.push(b"{");
        for (key, mut value) in members.sorted() {
            self.push(b"\"");
            self.text(&String::from_utf8_lossy(key));
            self.push(b"\":");
            self.value(&mut value);
            self.push(b",");
        }
        self.push(b"}");
    }

    /// Writes a number by value: sign, digits without outer zeros, power of ten. So `1160`,
    /// `1160.00` and `1.16e3` are the same.
    fn number(&mut self, literal: &str) {
        let (sign, unsigned) = literal.strip_prefix('-').map_or(("", literal), |rest| ("-", rest));
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let (mut whole, mut fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        let decimals = fraction.len();
        let mut zeros = 0;
        if fraction.is_empty() {
            let significant = whole.trim_end_matches('0');
            zeros = whole.len() - significant.len();
            whole = significant;
        } else if whole.is_empty() {
            fraction = fraction.trim_start_matches('0');
        }
        if whole.is_empty() && fraction.is_empty() {
            return self.push(b"0");
        }
        // A number with an exponent beyond i64 is compared by its literal.
        let Ok(exponent) = exponent.parse::<i64>() else { return self.push(literal.as_bytes()) };
        for part in [sign, whole, fraction, "e"] {
            self.push(part.as_bytes());
        }
        match i128::from(exponent) + zeros as i128 - decimals as i128 {
            0 => self.push(b"0"),
            power => self.push(power.to_string().as_bytes()),
        }
    }
}

/// Whether Rust's `Debug` writes the byte unescaped.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')
}
