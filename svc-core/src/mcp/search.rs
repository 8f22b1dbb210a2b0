//! Finds operations by words in either language.

use serde_json::{Map, Value};

use crate::domain::text::fold;

/// The shortest word that is looked for by its beginning: shorter ones say nothing.
const SHORTEST: usize = 2;

/// The words by which an operation is found.
pub(super) struct Words {
    /// Its names and summaries, in both languages.
    title: String,
    /// Its descriptions and the names of its arguments.
    text: String,
}

impl Words {
    /// Those of an operation that both documents describe.
    pub(super) fn of(described: [&Value; 2], properties: &Map<String, Value>) -> Self {
        let of = |names: &[&str]| {
            let texts = described.iter().flat_map(|operation| names.iter().map(|name| operation[*name].as_str()));
            fold(&texts.flatten().collect::<Vec<_>>().join(" "))
        };
        let arguments = properties.keys().map(String::as_str).collect::<Vec<_>>().join(" ");
        Self { title: of(&["operationId", "summary"]), text: format!("{} {arguments}", of(&["description"])) }
    }

    /// How well it matches the words looked for; 0 if not at all.
    pub(super) fn score(&self, wanted: &[String]) -> usize {
        let score = |word: &String| {
            4 * usize::from(self.title.contains(word.as_str())) + usize::from(self.text.contains(word.as_str()))
        };
        wanted.iter().map(score).sum()
    }
}

/// The words of a query or of a name like `newCustomer`, without the endings of the plural.
pub(super) fn wanted(query: &str) -> Vec<String> {
    let mut apart = String::new();
    for letter in query.chars() {
        if letter.is_uppercase() && apart.ends_with(char::is_lowercase) {
            apart.push(' ');
        }
        apart.push(letter);
    }
    let query = fold(&apart);
    let words = query.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.len() >= SHORTEST);
    words.map(|word| word.strip_suffix("es").or_else(|| word.strip_suffix('s')).unwrap_or(word).to_owned()).collect()
}
