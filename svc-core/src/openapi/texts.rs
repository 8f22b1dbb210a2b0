//! The texts that people read, from the files in `texts/`.
//!
//! - `en.md`, `es.md`: a section per operation (`## GET /clientes`), per tag (`## clientes`) and
//!   per event (`## venta.creada`). In an operation's section, an item ``- `name`: text`` describes
//!   a query parameter, or with `{name}` a parameter of the path. A Spanish heading continues with
//!   the operation's summary, whose English is in its specification.
//! - `errors.md`: what to do about each error, in both languages.
//! - `fields.md`: what types and fields mean, in both languages.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

use super::language::Language;
use crate::error::Code;

const ENGLISH: &str = include_str!("texts/en.md");
const SPANISH: &str = include_str!("texts/es.md");

/// Texts in both languages, English first.
type TextTable = LazyLock<HashMap<&'static str, [&'static str; 2]>>;

static REMEDIES: TextTable = LazyLock::new(|| include_str!("texts/errors.md").lines().filter_map(row).collect());
static FIELDS: TextTable = LazyLock::new(|| include_str!("texts/fields.md").lines().filter_map(row).collect());

/// Splits a table's row into its key and texts.
fn row(line: &str) -> Option<(&str, [&str; 2])> {
    let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
    let key = cells.next()?.trim_end_matches('`');
    Some((key, [cells.next()?, cells.next()?]))
}

/// What a client does about an error; empty if the error never reaches one.
pub fn remedy(code: Code, language: Language) -> &'static str {
    let both = REMEDIES.get(code.codigo()).copied().unwrap_or_default();
    language.say(both[0], both[1])
}

/// The codes in the table of errors.
#[cfg(test)]
pub(super) fn remedied() -> impl Iterator<Item = &'static str> {
    REMEDIES.keys().copied()
}

/// The rows of the table of fields.
#[cfg(test)]
pub(super) fn fields() -> impl Iterator<Item = (&'static str, [&'static str; 2])> {
    FIELDS.iter().map(|(key, texts)| (*key, *texts))
}

/// The key of a field's row: `Type.field` if it has one of its own, else `field`.
pub(super) fn field_key(type_name: &str, field: &str) -> Option<&'static str> {
    let own = FIELDS.get_key_value(format!("{type_name}.{field}").as_str());
    own.or_else(|| FIELDS.get_key_value(field)).map(|(key, _)| *key)
}

/// The texts of one language.
pub(super) struct Texts {
    language: Language,
    sections: HashMap<&'static str, &'static str>,
    summaries: HashMap<&'static str, &'static str>,
}

impl Texts {
    pub(super) fn of(language: Language) -> Self {
        let (mut sections, mut summaries) = (HashMap::new(), HashMap::new());
        let all = language.say(ENGLISH, SPANISH).split("\n## ").skip(1);
        for (heading, text) in all.filter_map(|section| section.split_once('\n')) {
            let (title, summary) = heading.split_once(": ").unwrap_or((heading, ""));
            sections.insert(title.trim(), text.trim());
            summaries.insert(title.trim(), summary.trim());
        }
        Self { language, sections, summaries }
    }

    /// The summary in the heading of that section, or an empty text.
    pub(super) fn summary(&self, title: &str) -> &'static str {
        self.summaries.get(title).copied().unwrap_or_default()
    }

    /// The section without its items about parameters, or an empty text.
    pub(super) fn section(&self, title: &str) -> String {
        let lines = self.sections.get(title).copied().unwrap_or_default().lines();
        lines.filter(|line| parameter(line).is_none()).collect::<Vec<_>>().join("\n").trim().to_owned()
    }

    /// The item about a parameter in that section.
    pub(super) fn parameter(&self, title: &str, name: &str) -> Option<&'static str> {
        let mut said = self.sections.get(title)?.lines().filter_map(parameter);
        said.find(|(other, _)| *other == name).map(|(_, text)| text)
    }

    /// Describes the schema of a type and of its fields: their documentation in the code is for
    /// readers of Rust.
    pub(super) fn describe(&self, type_name: &str, schema: &mut Value) {
        self.set_description(FIELDS.get_key_value(type_name).map(|(key, _)| *key), schema);
        for (field, schema) in schema["properties"].as_object_mut().into_iter().flatten() {
            self.set_description(field_key(type_name, field), schema);
        }
    }

    fn set_description(&self, key: Option<&str>, schema: &mut Value) {
        let Some(schema) = schema.as_object_mut() else { return };
        match key.and_then(|key| FIELDS.get(key)) {
            Some([english, spanish]) => {
                schema.insert("description".to_owned(), self.language.say(english, spanish).into());
            }
            None => drop(schema.shift_remove("description")),
        }
    }

    #[cfg(test)]
    pub(super) fn titles(&self) -> impl Iterator<Item = &'static str> {
        self.sections.keys().copied()
    }

    /// The parameters that have an item in that section.
    #[cfg(test)]
    pub(super) fn parameters(&self, title: &str) -> Vec<&'static str> {
        let lines = self.sections.get(title).copied().unwrap_or_default().lines();
        lines.filter_map(parameter).map(|(name, _)| name).collect()
    }
}

/// Splits an item into the parameter's name and its text.
fn parameter(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("- `")?.split_once("`: ")
}
