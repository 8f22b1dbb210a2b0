//! The guides: texts in both languages, beside the reference.

use crate::openapi::Language;

/// A guide: its name in the URL and its texts.
pub(super) struct Guide {
    pub(super) name: &'static str,
    /// What it is about, in each language.
    pub(super) about: [&'static str; 2],
    /// Its Markdown, in English and Spanish.
    pub(super) texts: [&'static str; 2],
}

/// Guides that belong together.
pub(super) struct GuideGroup {
    /// In English and Spanish.
    pub(super) title: [&'static str; 2],
    pub(super) guides: &'static [Guide],
}

/// States guides by their names, with what they are about in each language. A name is stated once
/// for the URL and both files.
macro_rules! guides {
    ($($name:literal: $english:literal, $spanish:literal;)*) => {
        &[$(Guide {
            name: $name,
            about: [$english, $spanish],
            texts: [
                include_str!(concat!("../../docs/guides/", $name, ".md")),
                include_str!(concat!("../../docs/guides/", $name, ".es.md")),
            ],
        }),*]
    };
}

/// The guides in reading order.
pub(super) const GROUPS: &[GuideGroup] = &[
    GuideGroup {
        title: ["Start", "Empezar"],
        guides: guides![
            "first-request": "A key, a request and its answer", "Una llave, una petición y su respuesta";
            "pages": "Reading a list to its end", "Leer una lista hasta el final";
            "idempotency": "Repeating a write without doing it twice", "Repetir una escritura sin hacerla dos veces";
            "errors": "What each code means and what to do", "Qué significa cada código y qué hacer";
            "limits": "Requests a minute, a month and at once", "Peticiones por minuto, por mes y a la vez";
            "sandbox": "Stamping, errors and time, for trying", "Timbrado, errores y tiempo, de prueba";
        ],
    },
    GuideGroup {
        title: ["Build", "Integrar"],
        guides: guides![
            "invoicing": "A sale from the order to the stamped payment", "Una venta, del pedido al pago timbrado";
            "clients": "TypeScript, Python and PHP: repetitions, pages and verification", "TypeScript, Python y PHP: repeticiones, páginas y verificación";
            "webhooks": "Signed notices of what happens, and how to verify them", "Avisos firmados de lo que ocurre, y cómo verificarlos";
            "synchronising": "Keeping a copy current", "Mantener una copia al día";
            "office": "What the ERP's own screens do, over HTTP", "Lo que hacen las pantallas del ERP, por HTTP";
            "agents": "The operations as tools, over the Model Context Protocol", "Las operaciones como herramientas, por el Model Context Protocol";
        ],
    },
    GuideGroup {
        title: ["Look up", "Consultar"],
        guides: guides![
            "glossary": "The Spanish words of fields and records", "Las palabras de campos y registros";
            "quirks": "What is not as one would expect", "Lo que no es como se esperaría";
        ],
    },
];

/// The home page.
pub(super) const HOME: Guide = Guide {
    name: "home",
    about: ["", ""],
    texts: [include_str!("../../docs/guides/home.md"), include_str!("../../docs/guides/home.es.md")],
};

pub(super) fn all() -> impl Iterator<Item = &'static Guide> {
    GROUPS.iter().flat_map(|group| group.guides)
}

impl Guide {
    pub(super) fn text(&self, language: Language) -> &'static str {
        self.texts[language as usize]
    }

    /// The title: the first line.
    pub(super) fn title(&self, language: Language) -> &'static str {
        self.text(language).lines().next().unwrap_or_default().trim_start_matches("# ")
    }
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Options, Parser, Tag};

    use super::*;

    /// What must be the same in all languages of a guide: its kinds of blocks, its code and its
    /// numbers.
    fn facts(text: &str) -> (Vec<String>, Vec<String>) {
        let (mut blocks, mut said) = (Vec::new(), Vec::new());
        let mut in_code = false;
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    in_code = true;
                    blocks.push(format!("{kind:?}"));
                }
                Event::End(pulldown_cmark::TagEnd::CodeBlock) => in_code = false,
                Event::Start(Tag::Heading { level, .. }) => blocks.push(level.to_string()),
                Event::Start(Tag::Item | Tag::TableRow | Tag::Paragraph) => blocks.push("block".to_owned()),
                Event::Text(code) if in_code => said.push(code.to_string()),
                Event::Code(code) => said.push(code.to_string()),
                Event::Text(text) => {
                    let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
                    said.extend(numbers.map(str::to_owned));
                }
                _ => {}
            }
        }
        // The order of words differs between languages.
        said.sort_unstable();
        (blocks, said)
    }

    #[test]
    fn guides_say_the_same_in_both_languages() {
        for guide in all().chain([&HOME]) {
            let Guide { name, texts: [english, spanish], .. } = guide;
            assert_eq!(facts(english), facts(spanish), "{name}");
            assert_ne!(guide.title(Language::English), "", "{name}");
            assert!(spanish.lines().next() != english.lines().next() || *name == "webhooks", "{name}");
        }
    }
}
