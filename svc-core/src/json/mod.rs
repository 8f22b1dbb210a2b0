//! JSON bodies: exact numbers, no repeated keys, and faults that name the field.
//!
//! [`Json`] is the validated text of a body. Numbers keep their literal text, because money must
//! not become a float, and a repeated key is an error. No tree is built, since a body of small
//! values would need many times its size. [`Json::read`] converts the text into a typed input
//! through serde, with [`Fault`] as the error type, so an input is an ordinary
//! `#[derive(Deserialize)]` struct with the wire's field names. [`Text`] and [`Patch`] implement
//! the contract's rules for strings, absence and `null`.
//!
//! `serde_json` checks the syntax, and this module reads the values with its own cursor. The
//! visitors of `serde_json` get numbers as floats and refuse the whole body for `1e400`. Reading
//! each value as a `RawValue` takes 1.2 to 2.7 times as long for most bodies, because every level
//! scans nested values again.

mod access;
mod canonical;
mod cursor;
mod de;
mod escape;
mod fault;
mod fields;
mod members;
mod number;
#[cfg(feature = "mcp")]
mod numbers;
mod patch;
mod raw;

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use serde::de::{Deserialize, DeserializeOwned};
use serde_json::value::RawValue;

use self::cursor::{Cursor, JsonKind};
use self::escape::Pieces;
use self::members::Members;

pub use fault::Fault;
pub use fields::{Digits, Exact, Many, Text, Within};
#[cfg(feature = "mcp")]
pub(crate) use numbers::{all_numbers, is_same_number, with_numbers};
pub use patch::{Patch, Sent};
pub(crate) use raw::{RawObject, resolved};

/// The greatest depth of a body; the API's own bodies need three levels. The canonical form scans a
/// value once per object around it.
const DEPTH: usize = 6;

/// The largest number of values and keys in a body; the API's own bodies have a few thousand. It
/// limits the time that a body keeps a thread busy.
const NODES: usize = 50_000;

/// The Spanish text of a syntax error without a position.
const SYNTAX: &str = "el cuerpo no es JSON válido";

/// A JSON object whose numbers keep their literal text.
#[derive(Clone)]
pub struct Json {
    /// A valid object in UTF-8.
    body: Bytes,
    /// Members that come before those of the body: keys and literals.
    first: Vec<(&'static str, String)>,
    /// Keys of the body's members that are skipped.
    left_out: Vec<&'static str>,
}

impl Json {
    /// Parses a body: one JSON object in UTF-8 without repeated keys, with at most 50,000 values
    /// and keys, 1,000 keys per object and 6 levels. The error is a Spanish text.
    pub fn parse_object(body: &[u8]) -> Result<Self, Cow<'static, str>> {
        Self::parse(Bytes::copy_from_slice(body))
    }

    /// Like [`Json::parse_object`], but keeps `body` instead of copying it.
    pub fn parse(body: Bytes) -> Result<Self, Cow<'static, str>> {
        Self::parse_within(body, DEPTH)
    }

    /// Like [`Json::parse`], for a body whose members hold bodies themselves: `above` is the number
    /// of levels above those.
    pub(crate) fn parse_around(body: Bytes, above: usize) -> Result<Self, Cow<'static, str>> {
        Self::parse_within(body, DEPTH + above)
    }

    fn parse_within(body: Bytes, depth: usize) -> Result<Self, Cow<'static, str>> {
        let text = std::str::from_utf8(&body).map_err(|_| "el cuerpo no es UTF-8")?;
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| match error.line() {
            0 => Cow::from("el cuerpo no es JSON"),
            line => Cow::from(format!("el cuerpo no es JSON válido: línea {line}, columna {}", error.column())),
        })?;
        if !raw.get().starts_with('{') {
            return Err("el cuerpo debe ser un objeto JSON".into());
        }
        let mut nodes = NODES;
        check(&mut Cursor::new(text), depth, &mut nodes)?;
        Ok(Self { body, first: Vec::new(), left_out: Vec::new() })
    }

    /// An object of integers.
    pub(crate) fn of_integers(integers: Vec<(&'static str, i64)>) -> Self {
        let mut object = Self::default();
        object.insert_first(integers);
        object
    }

    fn cursor(&self) -> Cursor<'_> {
        // The body was valid UTF-8 when it was parsed.
        Cursor::new(std::str::from_utf8(&self.body).unwrap_or_default())
    }

    /// Deserializes the object; the fault names the field.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        T::deserialize(self)
    }

    /// Inserts integers before the members of the body. A member with the same name is then a
    /// repeated one.
    pub(crate) fn insert_first(&mut self, integers: Vec<(&'static str, i64)>) {
        self.first.splice(0..0, integers.into_iter().map(|(name, number)| (name, number.to_string())));
    }

    /// Reads the member `key` as a `T`, `None` if it is absent or `null`, and returns the object
    /// without it.
    pub(crate) fn take_optional<T: DeserializeOwned>(&self, key: &'static str) -> Result<(Option<T>, Self), Fault> {
        let (mut cursor, mut taken) = (self.cursor(), None);
        cursor.enter();
        while cursor.has_more() {
            if cursor.string().is_ok_and(|name| name == key) {
                taken = Option::deserialize(&mut cursor).map_err(|fault: Fault| fault.within(key))?;
                break;
            }
            cursor.skip();
        }
        let mut rest = self.clone();
        rest.left_out.push(key);
        Ok((taken, rest))
    }

    /// Splits the object into one with the members `names` and one with the others. The members
    /// `names` have scalar values, if they are valid.
    pub(crate) fn split(&self, names: &[&'static str]) -> (Self, Self) {
        let (mut cursor, mut taken, mut rest) = (self.cursor(), Self::default(), self.clone());
        cursor.enter();
        while cursor.has_more() {
            let key = cursor.text_value();
            let Some(name) = names.iter().find(|name| **name == key) else {
                cursor.skip();
                continue;
            };
            let literal = match cursor.kind() {
                JsonKind::Array => "[]",
                JsonKind::Object => "{}",
                JsonKind::Null | JsonKind::Bool | JsonKind::Number | JsonKind::String => "",
            };
            let literal = if literal.is_empty() {
                cursor.literal()
            } else {
                cursor.skip();
                literal
            };
            taken.first.push((name, literal.to_owned()));
            rest.left_out.push(name);
        }
        (taken, rest)
    }

    /// Passes the canonical form to `sink` in pieces: keys sorted, no white space, numbers by
    /// value. Bodies that mean the same have the same form, and fingerprints of an Idempotency-Key
    /// are made of it (contract §4).
    pub fn canonical(&self, mut sink: impl FnMut(&[u8])) {
        let mut sink = canonical::Sink::new(&mut sink);
        sink.value(&mut self.cursor());
        sink.finish();
    }
}

impl Default for Json {
    /// An object without members.
    fn default() -> Self {
        Self { body: Bytes::from_static(b"{}"), first: Vec::new(), left_out: Vec::new() }
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Json").field("bytes", &self.body.len()).finish_non_exhaustive()
    }
}

/// Checks what the syntax allows and the API does not: sizes, unpaired surrogates, repeated keys.
/// `depth` and `nodes` are what remains of the limits.
fn check(cursor: &mut Cursor<'_>, depth: usize, nodes: &mut usize) -> Result<(), Cow<'static, str>> {
    let count = |nodes: &mut usize| {
        *nodes = nodes.checked_sub(1).ok_or_else(|| format!("el cuerpo tiene más de {NODES} valores y claves"))?;
        Ok::<(), Cow<'static, str>>(())
    };
    count(nodes)?;
    let deeper = || depth.checked_sub(1).ok_or("el cuerpo anida demasiados objetos");
    match cursor.kind() {
        JsonKind::Null | JsonKind::Bool | JsonKind::Number => {
            cursor.literal();
        }
        JsonKind::String => {
            if Pieces::of(cursor.literal()).any(|piece| piece.is_err()) {
                return Err(SYNTAX.into());
            }
        }
        JsonKind::Array => {
            let depth = deeper()?;
            cursor.enter();
            while cursor.has_more() {
                check(cursor, depth, nodes)?;
            }
            cursor.leave();
        }
        JsonKind::Object => {
            let depth = deeper()?;
            cursor.enter();
            let mut members = Members::new(cursor.text());
            while cursor.has_more() {
                count(nodes)?;
                members.push_key(cursor)?;
                check(cursor, depth, nodes)?;
            }
            cursor.leave();
            members.are_distinct()?;
        }
    }
    Ok(())
}

/// A client's text for use in a message: without control characters, at most 60 characters.
pub(crate) fn brief(text: &str) -> String {
    const MAX: usize = 60;
    let mut brief: String = text.chars().filter(|c| !c.is_control()).take(MAX).collect();
    if text.chars().nth(MAX).is_some() {
        brief.push('…');
    }
    brief
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_object_is_refused() {
        for body in [
            &b"\xff"[..],
            b"",
            b"[]",
            b"1",
            b"null",
            b"{",
            b"{}x",
            b"{'a':1}",
            br#"{"a":1,"a":2}"#,
            br#"{"a":{"b":1,"b":1}}"#,
            br#"{"a":"\ud800"}"#,
            b"\xef\xbb\xbf{}",
            br#"{"a":01}"#,
            br#"{"a":NaN}"#,
        ] {
            assert!(Json::parse_object(body).is_err(), "{}", String::from_utf8_lossy(body));
        }
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert!(Json::parse_object(deep.as_bytes()).is_err());
    }

    #[test]
    fn the_canonical_text_sees_meaning_not_spelling() {
        let canonical = |body: &str| {
            let mut text = Vec::new();
            Json::parse_object(body.as_bytes()).unwrap().canonical(|piece| text.extend_from_slice(piece));
            text
        };
        assert_eq!(canonical(r#"{"a":1160.00,"b":"\u0041"}"#), canonical(r#" { "b" : "A", "a" : 1.16e3 } "#));
        // Byte by byte, because fingerprints are stored.
        assert_eq!(
            canonical(r#"{"b":["a\"\n'ñ/\u0301\u0000",true,null],"a":-1160.00,"á\t":{}}"#),
            "{\"a\":-116e1,\"b\":[\"a\\\"\\n'ñ/\\u{301}\\0\",true,null,],\"á\\t\":{},}".as_bytes()
        );
        assert_eq!(canonical(r#"{"a":-0.0}"#), canonical(r#"{"a":0}"#));
        assert_ne!(canonical(r#"{"a":"1"}"#), canonical(r#"{"a":1}"#));
        assert_ne!(canonical(r#"{"a":[1,2]}"#), canonical(r#"{"a":[12]}"#));
        assert_ne!(canonical(r#"{"a":100}"#), canonical(r#"{"a":10}"#));
        assert_ne!(canonical(r#"{"a":null}"#), canonical("{}"));
        assert_ne!(canonical(r#"{"a":"1,\"b\":2"}"#), canonical(r#"{"a":"1","b":2}"#));
        assert_eq!(canonical(r#"{"a\u0062":{"z":[{}],"y":1},"aa":2}"#), canonical(r#"{"aa":2,"ab":{"y":1,"z":[{}]}}"#));
        for same in
            [&["1160", "1160.00", "1.16e3", "0.116E4", "11600e-1"][..], &["0.05", "5e-2", "0.0500"], &["-0.0", "0e9"]]
        {
            let all: Vec<_> = same.iter().map(|number| canonical(&format!(r#"{{"a":{number}}}"#))).collect();
            assert!(all.iter().all(|number| number == &all[0]), "{all:?}");
        }
        for [a, b] in
            [["10", "1"], ["0.5", "0.05"], ["1.05", "15"], ["-1", "1"], ["101", "11"], ["1e99999999999999999999", "1"]]
        {
            assert_ne!(canonical(&format!(r#"{{"a":{a}}}"#)), canonical(&format!(r#"{{"a":{b}}}"#)), "{a} {b}");
        }
    }

    #[test]
    fn what_no_operation_needs_is_refused_in_words() {
        let refused = |body: String| Json::parse_object(body.as_bytes()).unwrap_err().into_owned();
        let list = |items: usize| format!(r#"{{"a":[{}]}}"#, vec!["1"; items].join(","));
        // The object, its key and the list take three nodes.
        assert!(Json::parse_object(list(NODES - 3).as_bytes()).is_ok());
        assert_eq!(refused(list(NODES - 2)), "el cuerpo tiene más de 50000 valores y claves");
        let object =
            |keys: usize| format!("{{{}}}", (0..keys).map(|n| format!(r#""k{n}":1"#)).collect::<Vec<_>>().join(","));
        assert!(Json::parse_object(object(1_000).as_bytes()).is_ok());
        assert_eq!(refused(object(1_001)), "un objeto tiene más de 1000 claves");
        let deep = |levels: usize| format!(r#"{{"a":{}1{}}}"#, "[".repeat(levels - 1), "]".repeat(levels - 1));
        assert!(Json::parse_object(deep(DEPTH).as_bytes()).is_ok());
        assert_eq!(refused(deep(DEPTH + 1)), "el cuerpo anida demasiados objetos");
        assert_eq!(refused(r#"{"b":1,"\u0061":1,"a":2}"#.to_owned()), "la clave a está repetida");
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Loose {
        #[serde(default)]
        a: Vec<i64>,
        b: Option<String>,
    }

    proptest! {
        #[test]
        fn spelling_does_not_matter(a: Vec<i64>, b: Option<String>, space in "[ \t\r\n]{0,3}") {
            let numbers = a.iter().map(|n| format!("{space}{n}{space}")).collect::<Vec<_>>().join(",");
            let text = serde_json::to_string(&b).unwrap();
            let other = r#"{"x":[{"}":"]\\\""}],"y":null}"#;
            let body = format!(r#"{space}{{"o":{other}{space},"a":[{numbers}]{space},"b"{space}:{space}{text}}}{space}"#);
            let json = Json::parse_object(body.as_bytes()).unwrap();
            let b = b.filter(|text| !text.trim().is_empty());
            prop_assert_eq!(json.read::<Loose>().unwrap(), Loose { a, b });
            let plain: String = serde_json::from_str::<serde_json::Value>(&body).unwrap().to_string();
            let (mut one, mut two) = (Vec::new(), Vec::new());
            json.canonical(|piece| one.extend_from_slice(piece));
            Json::parse_object(plain.as_bytes()).unwrap().canonical(|piece| two.extend_from_slice(piece));
            prop_assert_eq!(one, two);
        }

        #[test]
        fn any_bytes_are_parsed_or_refused(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(json) = Json::parse_object(&body) {
                json.canonical(|_| {});
            }
        }
    }
}
