//! The texts that people read, from the files in `texts/`.
//!
//! - `en.md`, `es.md`: a section per operation (`## GET /clientes`), per tag (`## clientes`) and
//!   per event (`## venta.creada`). In an operation's section, an item ``- `name`: text`` describes
//!   a query parameter, or with `{name}` a parameter of the path. An operation's heading continues
//!   with its summary.
//! - `errors.md`: when each error occurs, and what to do about it in both languages. In Spanish,
//!   the error's own text says when.
//! - `fields.md`: what types and fields mean, in both languages.
//! - `office.md`: the summaries and fields of operations that only have a name, in both languages.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

use super::language::Language;
use crate::error::Code;
use crate::operation::Entry;

const ENGLISH: &str = include_str!("texts/en.md");
const SPANISH: &str = include_str!("texts/es.md");

/// The rows of a table by their keys.
type TextTable<const CELLS: usize> = LazyLock<HashMap<&'static str, [&'static str; CELLS]>>;

/// When an error occurs, and what to do about it in English and Spanish.
static ERRORS: TextTable<3> = LazyLock::new(|| rows(include_str!("texts/errors.md")).collect());
/// Summaries and fields in English and Spanish.
static FIELDS: TextTable<2> = LazyLock::new(|| FIELD_FILES.into_iter().flat_map(rows).collect());
const FIELD_FILES: [&str; 2] = [include_str!("texts/fields.md"), include_str!("texts/office.md")];

/// Types whose fields share the texts of other types.
const SHARED: [(&str, &[&str]); 5] = [
    ("ReviseCustomer", &["CustomerTerms", "EditCustomer"]),
    ("CaptureSale", &["CreateSale"]),
    ("CaptureSale.renglones", &["LineBody"]),
    ("SubstituteInvoice.cambios.renglones", &["LineBody"]),
    ("LineBody.impuestos_locales", &["LocalTax"]),
];

/// The keys and cells of a file's tables.
pub(super) fn rows<const CELLS: usize>(
    file: &'static str,
) -> impl Iterator<Item = (&'static str, [&'static str; CELLS])> {
    file.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
        let key = cells.next()?.trim_end_matches('`');
        let mut row = [""; CELLS];
        for cell in &mut row {
            *cell = cells.next()?;
        }
        Some((key, row))
    })
}

/// When an error occurs.
pub fn meaning(code: Code, language: Language) -> &'static str {
    if let Code::Own(own) = code {
        return language.say(own.meaning(), code.mensaje());
    }
    ERRORS.get(code.codigo()).map_or("", |[english, ..]| language.say(english, code.mensaje()))
}

/// What a client does about an error; empty for an error of a host's own.
pub fn remedy(code: Code, language: Language) -> &'static str {
    ERRORS.get(code.codigo()).map_or("", |[_, english, spanish]| language.say(english, spanish))
}

/// The codes in the table of errors.
#[cfg(test)]
pub(super) fn remedied() -> impl Iterator<Item = &'static str> {
    ERRORS.keys().copied()
}

/// The rows about summaries and fields, as the files have them.
#[cfg(test)]
pub(super) fn fields() -> impl Iterator<Item = (&'static str, [&'static str; 2])> {
    FIELD_FILES.into_iter().flat_map(rows)
}

/// The key of a field's row: `Type.field` for the first of `types` that has one, else `field`.
pub(super) fn field_key<T: AsRef<str>>(types: &[T], field: &str) -> Option<&'static str> {
    let own = types.iter().find_map(|name| FIELDS.get_key_value(format!("{}.{field}", name.as_ref()).as_str()));
    own.or_else(|| FIELDS.get_key_value(field)).map(|(key, _)| *key)
}

/// Passes every field of an operation's input to `see`, with the key of its row: those of nested
/// objects too, whose keys begin with the field that contains them.
pub(super) fn each_field(
    entry: &Entry,
    schema: &mut Value,
    see: &mut dyn FnMut(Option<&'static str>, &str, &mut Value),
) {
    let types: Vec<String> = entry.type_names().map(str::to_owned).collect();
    each_member(&types, schema, see);
}

fn each_member(types: &[String], schema: &mut Value, see: &mut dyn FnMut(Option<&'static str>, &str, &mut Value)) {
    let shared = types.iter().flat_map(|name| SHARED.iter().filter(move |(other, _)| other == name));
    let shared = shared.flat_map(|(_, others)| others.iter().map(|other| (*other).to_owned()));
    let types: Vec<String> = types.iter().cloned().chain(shared).collect();
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (field, schema) in fields.into_iter().flatten() {
        see(field_key(&types, field), field, schema);
        let within: Vec<String> = types.iter().map(|name| format!("{name}.{field}")).collect();
        if let Some(items) = schema.get_mut("items").filter(|items| items["properties"].is_object()) {
            items.as_object_mut().and_then(|items| items.shift_remove("description"));
            each_member(&within, items, see);
        } else if schema["properties"].is_object() {
            each_member(&within, schema, see);
        }
    }
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

    /// The summary of the operation with that title, or an empty text.
    pub(super) fn summary(&self, title: &str) -> &'static str {
        let named = || FIELDS.get(title).map_or("", |[english, spanish]| self.language.say(english, spanish));
        self.summaries.get(title).copied().unwrap_or_else(named)
    }

    /// The summary of an operation. If a host says nothing of its own, it is the first sentence of
    /// the type's documentation.
    pub(super) fn summary_of(&self, entry: &Entry) -> String {
        let said = match entry.spec.texts {
            Some(texts) => self.language.say(texts.summary[0], texts.summary[1]),
            None => self.summary(&entry.title()),
        };
        if said.is_empty() { first_sentence(&entry.documentation()) } else { said.to_owned() }
    }

    /// The description of an operation beyond its summary. If a host says nothing of its own, it is
    /// the type's documentation.
    pub(super) fn section_of(&self, entry: &Entry) -> String {
        let said = match entry.spec.texts {
            Some(texts) => self.language.say(texts.description[0], texts.description[1]).to_owned(),
            None => self.section(&entry.title()),
        };
        if said.is_empty() { entry.documentation() } else { said }
    }

    /// Describes the fields of an operation's input.
    pub(super) fn describe_input(&self, entry: &Entry, schema: &mut Value) {
        each_field(entry, schema, &mut |key, _, field| self.set_description(key, field));
    }

    /// Describes the fields of a body of those types.
    pub(super) fn describe_fields(&self, types: &[String], schema: &mut Value) {
        each_member(types, schema, &mut |key, _, field| self.set_description(key, field));
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
            self.set_description(field_key(&[type_name], field), schema);
        }
        // An answer of one of several forms: its fields are those of any.
        for form in schema.get_mut("anyOf").and_then(Value::as_array_mut).into_iter().flatten() {
            for (field, schema) in form["properties"].as_object_mut().into_iter().flatten() {
                self.set_description(field_key(&[type_name], field), schema);
            }
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

/// The first sentence of a type's documentation, in one line and without its full stop.
fn first_sentence(documentation: &str) -> String {
    let paragraph = documentation.split("\n\n").next().unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    line.split(". ").next().unwrap_or_default().trim_end_matches('.').to_owned()
}

/// Splits an item into the parameter's name and its text.
fn parameter(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("- `")?.split_once("`: ")
}
