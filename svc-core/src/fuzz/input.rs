//! Strategies for input: samples with a few changes.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;

/// Pieces that parsers of texts, numbers, URLs and JSON treat specially.
const PIECES: &str = "\0 \" \\ \\u0000 \\ud800 / // .. ? & = % %00 %ff %2f + # @ : :443 :0 , ; { } [ ] [::1] 127.0.0.1 \
    0x7f.1 localhost .local xn-- http:// https:// null true false {} [] \"\" - -0 0 1e400 1e-400 1E+3 0.1234567 1.005 \
    9223372036854775807 9223372036854775808 -9223372036854775808 999999999999999999.999999 2026-02-30 2026-10-12 \
    0000-00-00 9999-12-31T23:59:60Z 2026-10-12T18:00:00Z +23:59 XAXX010101000 ñ Ñ& İ ß ﬁ \u{202e} \u{feff} \u{fffd} \
    \u{1f468}\u{200d}\u{1f469} \u{10ffff} \u{0301} ٣ t= v1= clave cursor= limite= empresa";

/// Longer input is a matter of limits, which have their own tests.
const MAX_LENGTH: usize = 4_096;

/// A change at the place that `Index` selects.
#[derive(Debug, Clone)]
enum Mutation {
    /// Replaces so many bytes.
    Replace(Index, usize, Vec<u8>),
    /// Replaces the next digits.
    Number(Index, &'static str),
    /// Repeats a few bytes.
    Repeat(Index, usize, usize),
    /// Replaces the rest by the end of another sample.
    Join(Index, Vec<u8>, Index),
}

impl Mutation {
    fn apply(&self, input: &mut Vec<u8>) {
        let place = |at: &Index| at.index(input.len() + 1);
        match self {
            Self::Replace(at, length, bytes) => {
                let from = place(at);
                input.splice(from..(from + length).min(input.len()), bytes.iter().copied());
            }
            Self::Number(after, text) => {
                let after = place(after);
                let Some(from) = input[after..].iter().position(u8::is_ascii_digit).map(|at| after + at) else {
                    return;
                };
                let digits = input[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                input.splice(from..from + digits, text.bytes());
            }
            Self::Repeat(at, length, times) => {
                let from = place(at);
                let part = from..(from + length).min(input.len());
                let repeated = input[part.clone()].repeat(*times);
                input.splice(part, repeated);
            }
            Self::Join(at, other, begin) => {
                input.truncate(place(at));
                input.extend_from_slice(&other[begin.index(other.len() + 1)..]);
            }
        }
    }
}

/// A change of one value within a JSON value.
#[derive(Debug, Clone)]
enum ValueEdit {
    Replace(Value),
    Wrap,
    Insert(String, Value),
    Remove(Index),
    Repeat,
}

impl ValueEdit {
    fn apply(&self, value: &mut Value) {
        match (self, value) {
            (Self::Wrap, value) => *value = Value::Array(vec![value.take()]),
            (Self::Insert(name, leaf), Value::Object(fields)) => drop(fields.insert(name.clone(), leaf.clone())),
            (Self::Remove(at), Value::Object(fields)) => {
                let name = fields.keys().nth(at.index(fields.len().max(1))).cloned();
                drop(name.and_then(|name| fields.shift_remove(&name)));
            }
            (Self::Repeat, Value::Array(items)) => items.extend(items.first().cloned().into_iter().cycle().take(30)),
            (Self::Replace(other) | Self::Insert(_, other), value) => *value = other.clone(),
            _ => {}
        }
    }
}

/// Samples with a few changed bytes each. Half of those that are JSON are first changed as values.
pub(super) fn changed(samples: &[Vec<u8>]) -> BoxedStrategy<Vec<u8>> {
    let values: Vec<Value> = samples.iter().filter_map(|sample| serde_json::from_slice(sample).ok()).collect();
    let bytes = (select(samples.to_vec()), vec(edit(samples), 1..=5));
    let bytes = bytes.prop_map(|(sample, edits)| edited(sample, &edits)).boxed();
    let mut names = Vec::new();
    for value in &values {
        collect_names(value, &mut names);
    }
    if names.is_empty() {
        return bytes;
    }
    let edits = vec((any::<Index>(), value_edit(&values, names)), 1..=2);
    let more = prop_oneof![Just(Vec::new()), vec(edit(samples), 1..=5)];
    let values = (select(values), edits, more).prop_map(|(mut value, edits, more)| {
        for (at, edit) in edits {
            let places = pointers(&value);
            value.pointer_mut(&places[at.index(places.len())]).into_iter().for_each(|value| edit.apply(value));
        }
        edited(value.to_string().into_bytes(), &more)
    });
    prop_oneof![bytes, values].boxed()
}

fn edited(mut input: Vec<u8>, edits: &[Mutation]) -> Vec<u8> {
    for edit in edits {
        edit.apply(&mut input);
    }
    input.truncate(MAX_LENGTH);
    input
}

fn piece() -> impl Strategy<Value = &'static str> {
    let pieces: Vec<_> = PIECES.split(' ').chain([" ", "\t", "\r\n", "\u{a0}"]).collect();
    select(pieces)
}

fn edit(samples: &[Vec<u8>]) -> impl Strategy<Value = Mutation> + use<> {
    let bytes = prop_oneof![
        2 => piece().prop_map(|piece| piece.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..=1),
    ];
    prop_oneof![
        5 => (any::<Index>(), prop_oneof![Just(0), Just(1), 0..12_usize], bytes)
            .prop_map(|(at, length, bytes)| Mutation::Replace(at, length, bytes)),
        1 => (any::<Index>(), piece()).prop_map(|(after, text)| Mutation::Number(after, text)),
        1 => (any::<Index>(), 1..12_usize, 2..=40_usize)
            .prop_map(|(at, length, times)| Mutation::Repeat(at, length, times)),
        1 => (any::<Index>(), select(samples.to_vec()), any::<Index>())
            .prop_map(|(at, other, begin)| Mutation::Join(at, other, begin)),
    ]
}

fn value_edit(values: &[Value], names: Vec<String>) -> impl Strategy<Value = ValueEdit> + use<> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        (piece(), 1..=300_usize).prop_map(|(piece, times)| piece.repeat(times).into()),
        piece().prop_map(|piece| serde_json::from_str(piece).unwrap_or(Value::Bool(true))),
    ]
    .boxed();
    prop_oneof![
        2 => leaf.clone().prop_map(ValueEdit::Replace),
        1 => select(values.to_vec()).prop_map(ValueEdit::Replace),
        1 => Just(ValueEdit::Wrap),
        1 => (select(names), leaf).prop_map(|(name, leaf)| ValueEdit::Insert(name, leaf)),
        1 => any::<Index>().prop_map(ValueEdit::Remove),
        1 => Just(ValueEdit::Repeat),
    ]
}

fn collect_names(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            names.push(name.clone());
            collect_names(value, names);
        }),
        Value::Array(items) => items.iter().for_each(|item| collect_names(item, names)),
        _ => {}
    }
}

/// The JSON pointers of a value and of everything in it.
fn pointers(value: &Value) -> Vec<String> {
    let within = |step: String, value: &Value| {
        pointers(value).into_iter().map(|rest| format!("/{step}{rest}")).collect::<Vec<_>>()
    };
    let mut all = vec![String::new()];
    match value {
        Value::Object(fields) => all.extend(fields.iter().flat_map(|(name, value)| within(name.clone(), value))),
        Value::Array(items) => all.extend(items.iter().enumerate().flat_map(|(at, item)| within(at.to_string(), item))),
        _ => {}
    }
    all
}
