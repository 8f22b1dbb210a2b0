//! Input made from samples.

use proptest::prelude::RngExt as _;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::Value;

/// Pieces that parsers of texts, numbers, URLs and JSON treat differently.
const PIECES: &[&str] = &[
    "\0",
    " ",
    "\t",
    "\r\n",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "/",
    "//",
    "..",
    "?",
    "&",
    "=",
    "%",
    "%00",
    "%ff",
    "%2f",
    "+",
    "#",
    "@",
    ":",
    ":443",
    ":0",
    ",",
    ";",
    "{",
    "}",
    "[",
    "]",
    "[::1]",
    "127.0.0.1",
    "0x7f.1",
    "localhost",
    ".local",
    "xn--",
    "http://",
    "https://",
    "null",
    "true",
    "false",
    "{}",
    "[]",
    "\"\"",
    "-",
    "-0",
    "0",
    "1e400",
    "1e-400",
    "1E+3",
    "0.1234567",
    "1.005",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "999999999999999999.999999",
    "2026-02-30",
    "2026-10-12",
    "0000-00-00",
    "9999-12-31T23:59:60Z",
    "2026-10-12T18:00:00Z",
    "+23:59",
    "XAXX010101000",
    "ñ",
    "Ñ&",
    "İ",
    "ß",
    "ﬁ",
    "\u{202e}",
    "\u{feff}",
    "\u{fffd}",
    "\u{1f468}\u{200d}\u{1f469}",
    "\u{10ffff}",
    "\u{0301}",
    "\u{a0}",
    "٣",
    "t=",
    "v1=",
    "clave",
    "cursor=",
    "limite=",
    "empresa",
];

/// Input no longer than this: longer is a matter of limits, which have their own tests.
const LONGEST: usize = 4_096;

pub(super) struct Mutator {
    random: TestRng,
    samples: Vec<Vec<u8>>,
    /// The names of fields that the samples have, if they are JSON.
    names: Vec<String>,
}

impl Mutator {
    pub(super) fn new(seed: u64, samples: &[Vec<u8>]) -> Self {
        let mut bytes = [7; 16];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let mut names = Vec::new();
        for sample in samples {
            if let Ok(value) = serde_json::from_slice(sample) {
                collect_names(&value, &mut names);
            }
        }
        let random = TestRng::from_seed(RngAlgorithm::XorShift, &bytes);
        Self { random, samples: samples.to_vec(), names }
    }

    /// The next input: a sample that was changed in a few places.
    pub(super) fn next(&mut self) -> Vec<u8> {
        let mut input = self.sample();
        if !self.names.is_empty()
            && self.below(2) == 0
            && let Ok(mut value) = serde_json::from_slice::<Value>(&input)
        {
            for _ in 0..=self.below(2) {
                self.edit_value(&mut value);
            }
            input = value.to_string().into_bytes();
            if self.below(2) == 0 {
                return input;
            }
        }
        for _ in 0..=self.below(4) {
            self.edit(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    fn below(&mut self, end: usize) -> usize {
        self.random.random_range(0..end.max(1))
    }

    fn sample(&mut self) -> Vec<u8> {
        let at = self.below(self.samples.len());
        self.samples[at].clone()
    }

    fn piece(&mut self) -> &'static str {
        PIECES[self.below(PIECES.len())]
    }

    /// A part of `length` bytes: where it begins and ends.
    fn part(&mut self, length: usize) -> (usize, usize) {
        let from = self.below(length + 1);
        (from, (from + self.below(12)).min(length))
    }

    fn edit(&mut self, input: &mut Vec<u8>) {
        let (from, to) = self.part(input.len());
        match self.below(8) {
            0 if from < input.len() => input[from] ^= 1 << self.below(8),
            1 => input.insert(from, self.random.random()),
            2 => {
                let piece = self.piece();
                input.splice(from..from, piece.bytes());
            }
            3 => {
                let piece = self.piece();
                input.splice(from..to, piece.bytes());
            }
            4 => drop(input.drain(from..to)),
            5 => {
                let repeated = input[from..to].repeat(1 + self.below(40));
                input.splice(from..to, repeated);
            }
            6 => {
                let other = self.sample();
                let (begin, _) = self.part(other.len());
                input.splice(from.., other[begin..].iter().copied());
            }
            _ => self.edit_number(input),
        }
    }

    /// Puts a piece in the place of the digits after some place.
    fn edit_number(&mut self, input: &mut Vec<u8>) {
        let (after, _) = self.part(input.len());
        let Some(from) = input[after..].iter().position(u8::is_ascii_digit).map(|at| after + at) else { return };
        let digits = input[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let piece = self.piece();
        input.splice(from..from + digits, piece.bytes());
    }

    /// Changes one value within a JSON value.
    fn edit_value(&mut self, value: &mut Value) {
        let at = self.below(count(value));
        let other = self.sample();
        let other = serde_json::from_slice(&other).unwrap_or_default();
        let kind = self.below(6);
        let name = self.below(self.names.len());
        let name = self.names[name].clone();
        let leaf = match self.below(4) {
            0 => Value::Null,
            1 => Value::from(self.random.random::<i64>()),
            2 => Value::from(self.piece().repeat(1 + self.below(300))),
            _ => serde_json::from_str(self.piece()).unwrap_or(Value::Bool(true)),
        };
        let node = nth(value, &mut { at }).expect("as many as were counted");
        match (kind, node) {
            (1, node) => *node = Value::Array(vec![node.take()]),
            (2, node) => *node = other,
            (3, Value::Object(fields)) => drop(fields.insert(name, leaf)),
            (4, Value::Object(fields)) => drop(fields.remove(&name)),
            (5, Value::Array(items)) => items.extend(items.first().cloned().into_iter().cycle().take(30)),
            (_, node) => *node = leaf,
        }
    }
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

/// How many values there are in a value, with itself.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Object(fields) => fields.values().map(count).sum(),
        Value::Array(items) => items.iter().map(count).sum(),
        _ => 0,
    }
}

/// The value before which there are so many.
fn nth<'v>(value: &'v mut Value, before: &mut usize) -> Option<&'v mut Value> {
    if *before == 0 {
        return Some(value);
    }
    *before -= 1;
    match value {
        Value::Object(fields) => fields.values_mut().find_map(|value| nth(value, before)),
        Value::Array(items) => items.iter_mut().find_map(|value| nth(value, before)),
        _ => None,
    }
}
