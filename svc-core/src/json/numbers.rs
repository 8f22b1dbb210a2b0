//! The numbers of a text as literals, for programs that hold numbers as floats.

use serde_json::value::RawValue;

use super::cursor::{Cursor, JsonKind};
use super::{canonical, check};

/// The greatest depth of a value with replaced numbers. `serde_json` reads at most 127 levels.
const DEPTH: usize = 120;

/// The numbers of a value: where each begins, and its literal.
struct Numbers<'t> {
    cursor: Cursor<'t>,
    /// Where the value ends.
    end: usize,
}

impl<'t> Numbers<'t> {
    fn of(value: Cursor<'t>) -> Self {
        let mut end = value;
        end.skip();
        Self { cursor: value, end: end.position() }
    }
}

impl<'t> Iterator for Numbers<'t> {
    type Item = (usize, &'t str);

    fn next(&mut self) -> Option<Self::Item> {
        let cursor = &mut self.cursor;
        while cursor.position() < self.end {
            if !cursor.has_more() {
                // A closing bracket takes one byte, as an opening one does.
                cursor.enter();
                continue;
            }
            match cursor.kind() {
                JsonKind::Array | JsonKind::Object => cursor.enter(),
                JsonKind::Number => return Some((cursor.position(), cursor.literal())),
                JsonKind::Null | JsonKind::Bool | JsonKind::String => {
                    cursor.literal();
                }
            }
        }
        None
    }
}

/// Whether every number of the JSON `text` passes; false if the text is not JSON.
pub(crate) fn all_numbers(text: &str, passes: impl Fn(&str) -> bool) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
        && Numbers::of(Cursor::new(text)).all(|(_, literal)| passes(literal))
}

/// Copies the JSON `text` with other numbers in the value that `path`, a list of keys, leads to:
/// `number` returns what replaces a literal. A value with a repeated key is replaced by what
/// `refusal` returns for the Spanish text of the fault. `None` if nothing was replaced.
pub(crate) fn with_numbers(
    text: &str,
    path: &[&str],
    number: impl Fn(&str) -> Option<String>,
    refusal: impl Fn(&str) -> String,
) -> Option<String> {
    serde_json::from_str::<&RawValue>(text).ok()?;
    let (mut copy, mut copied) = (String::new(), 0);
    let mut replace = |at: usize, length: usize, replacement: String| {
        copy.push_str(&text[copied..at]);
        copy.push_str(&replacement);
        copied = at + length;
    };
    let mut values = Vec::new();
    find(&mut Cursor::new(text), path, &mut values);
    for mut value in values {
        // Moves past white space.
        value.kind();
        let (mut checked, mut nodes) = (value, usize::MAX);
        if let Err(fault) = check(&mut checked, DEPTH, &mut nodes) {
            let start = value.position();
            replace(start, Numbers::of(value).end - start, refusal(&fault));
            continue;
        }
        for (at, literal) in Numbers::of(value) {
            if let Some(replacement) = number(literal) {
                replace(at, literal.len(), replacement);
            }
        }
    }
    if copied == 0 {
        return None;
    }
    copy.push_str(&text[copied..]);
    Some(copy)
}

/// Adds the positions of the values that `path` leads to, of all members with such a key, and moves
/// past the value at the cursor.
fn find<'t>(cursor: &mut Cursor<'t>, path: &[&str], found: &mut Vec<Cursor<'t>>) {
    match path {
        [] => {
            found.push(*cursor);
            cursor.skip();
        }
        [name, rest @ ..] if cursor.kind() == JsonKind::Object => {
            cursor.enter();
            while cursor.has_more() {
                if cursor.string().is_ok_and(|key| key == *name) {
                    find(cursor, rest, found);
                } else {
                    cursor.skip();
                }
            }
            cursor.leave();
        }
        _ => cursor.skip(),
    }
}

/// Whether two literals are the same number.
pub(crate) fn is_same_number(one: &str, other: &str) -> bool {
    canonical_number(one) == canonical_number(other)
}

fn canonical_number(literal: &str) -> Vec<u8> {
    let mut form = Vec::new();
    let mut hand_on = |piece: &[u8]| form.extend_from_slice(piece);
    let mut sink = canonical::Sink::new(&mut hand_on);
    sink.value(&mut Cursor::new(literal));
    sink.finish();
    form
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_on_the_path_are_replaced_and_no_others() {
        let marked = |text: &str| {
            with_numbers(text, &["p", "a"], |number| Some(format!("<{number}>")), |fault| format!("!{fault}!"))
        };
        for (text, expected) in [
            (
                r#"{"id":1,"p":{"m":2,"a":{"x":1.50,"y":[ -2e3 ,{"z":[]},"3",null]}},"n":4}"#,
                Some(r#"{"id":1,"p":{"m":2,"a":{"x":<1.50>,"y":[ <-2e3> ,{"z":[]},"3",null]}},"n":4}"#),
            ),
            ("{\"p\":{\"\\u0061\" : { \"x\" : 1 } } }\n", Some("{\"p\":{\"\\u0061\" : { \"x\" : <1> } } }\n")),
            (r#"{"p":{"a":1,"a":2}}"#, Some(r#"{"p":{"a":<1>,"a":<2>}}"#)),
            (
                r#"{"p":{"a": {"x":1,"y":{"k":1,"k":2}},"b":3}}"#,
                Some(r#"{"p":{"a": !la clave k está repetida!,"b":3}}"#),
            ),
            (r#"{"a":1,"p":[{"a":1}]}"#, None),
            (r#"{"p":{"a":{"x":"1"}}}"#, None),
            (r#"{"p":{"a":1}"#, None),
            ("[]", None),
            ("", None),
        ] {
            assert_eq!(marked(text).as_deref(), expected, "{text}");
        }
        let deep = format!(r#"{{"p":{{"a":{}{}}}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert!(marked(&deep).unwrap().contains("demasiados"));
    }

    #[test]
    fn all_numbers_of_a_text_are_tested() {
        let short = |literal: &str| literal.len() < 3;
        assert!(all_numbers(r#"{"a":[1,22,"333"],"4444":{}}"#, short));
        assert!(!all_numbers(r#"{"a":[1,22,{"b":333}]}"#, short));
        assert!(!all_numbers("{", short));
    }

    #[test]
    fn numbers_are_the_same_however_they_are_written() {
        assert!(is_same_number("1160.00", "1.16e3") && is_same_number("-0", "0.0"));
        assert!(!is_same_number("12345678901.123456", "12345678901.123455"));
    }
}
