//! What people read: the files in `texts/`.
//!
//! - `en.md`, `es.md`: a section for each operation (`## GET /clientes`) and each of their groups (`## clientes`). In the section
//!   of an operation, an item ``- `name`: text`` speaks of a query parameter, one
//!   of `{name}` of a parameter of the path.
//! - `errors.md`: a table of what to do about each error, in both languages.
//! - `fields.es.json`: the Spanish of what the code's documentation says of fields and records in English.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::language::Language;
use crate::error::Code;

const ENGLISH: &str = include_str!("texts/en.md");
const SPANISH: &str = include_str!("texts/es.md");
const ERRORS: &str = include_str!("texts/errors.md");
const FIELDS: &str = include_str!("texts/fields.es.json");

/// What to do about each error.
static REMEDIES: LazyLock<HashMap<&str, [&str; 2]>> = LazyLock::new(|| ERRORS.lines().filter_map(remedies).collect());

/// The cells of a row of the table of errors.
fn remedies(line: &str) -> Option<(&str, [&str; 2])> {
    let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
    let code = cells.next()?.trim_end_matches('`');
    Some((code, [cells.next()?, cells.next()?]))
}

/// What a client does about an error; empty for those that never reach one.
pub fn remedy(code: Code, language: Language) -> &'static str {
    let both = REMEDIES.get(code.codigo()).copied().unwrap_or_default();
    language.say(both[0], both[1])
}

/// The codes that the table of errors speaks of.
#[cfg(test)]
pub(super) fn remedied() -> impl Iterator<Item = &'static str> {
    REMEDIES.keys().copied()
}

/// The texts in one language.
pub(super) struct Texts {
    sections: HashMap<&'static str, &'static str>,
    spanish: Map<String, Value>,
}

impl Texts {
    /// The texts in that language.
    pub(super) fn of(language: Language) -> Self {
        let sections = language.say(ENGLISH, SPANISH).split("\n## ").skip(1);
        let sections = sections.filter_map(|section| section.split_once('\n'));
        let spanish = serde_json::from_str(FIELDS).unwrap_or_default();
        Self { sections: sections.map(|(title, text)| (title.trim(), text.trim())).collect(), spanish }
    }

    /// The section of that title, without what it says of parameters; empty without one.
    pub(super) fn section(&self, title: &str) -> String {
        let lines = self.sections.get(title).copied().unwrap_or_default().lines();
        lines.filter(|line| parameter(line).is_none()).collect::<Vec<_>>().join("\n").trim().to_owned()
    }

    /// What the section of that title says of a parameter.
    pub(super) fn parameter(&self, title: &str, name: &str) -> Option<&'static str> {
        let mut said = self.sections.get(title)?.lines().filter_map(parameter);
        said.find(|(other, _)| *other == name).map(|(_, text)| text)
    }

    /// The Spanish of an English text of the code's documentation; the text itself where there is none.
    pub(super) fn spanish<'a>(&'a self, english: &'a str) -> &'a str {
        self.spanish.get(english).and_then(Value::as_str).unwrap_or(english)
    }

    /// Puts the descriptions of schemas into Spanish.
    pub(super) fn translate(&self, schemas: &mut Value) {
        match schemas {
            Value::Object(members) => {
                for (name, value) in members {
                    match value {
                        Value::String(text) if name == "description" => *text = self.spanish(text).to_owned(),
                        _ => self.translate(value),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.translate(item)),
            _ => {}
        }
    }

    /// The titles of all sections.
    #[cfg(test)]
    pub(super) fn titles(&self) -> impl Iterator<Item = &'static str> {
        self.sections.keys().copied()
    }

    /// The English texts that have a Spanish one.
    #[cfg(test)]
    pub(super) fn translated(&self) -> impl Iterator<Item = &str> {
        self.spanish.keys().map(String::as_str)
    }

    /// The parameters that a section speaks of.
    #[cfg(test)]
    pub(super) fn parameters(&self, title: &str) -> Vec<&'static str> {
        let lines = self.sections.get(title).copied().unwrap_or_default().lines();
        lines.filter_map(parameter).map(|(name, _)| name).collect()
    }
}

/// The name and the text of an item that speaks of a parameter.
fn parameter(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("- `")?.split_once("`: ")
}
