//! The guides: pages of text in both languages, beside the reference.

use std::fmt::Write as _;

use pulldown_cmark::{Options, Parser, html};

use super::html::{Site, html_page, link};
use crate::error::Code;
use crate::openapi::{meaning, remedy};

/// The guides by their names in the URL, each in both languages. A name is stated
/// once for the URL and both files.
macro_rules! guides {
    ($($name:literal),* $(,)?) => {
        &[$(($name, [
            include_str!(concat!("../../docs/guides/", $name, ".md")),
            include_str!(concat!("../../docs/guides/", $name, ".es.md")),
        ])),*]
    };
}

/// The guides in reading order.
const GUIDES: &[(&str, [&str; 2])] = guides![
    "first-request",
    "pages",
    "idempotency",
    "errors",
    "limits",
    "webhooks",
    "synchronising",
    "invoicing",
    "sandbox",
    "office",
    "agents",
    "glossary",
    "quirks",
];

/// The parts of guides that come from tested files or from the code.
const SHOWN: &[(&str, &str)] = &[
    ("{{verify.rs}}", include_str!("../../docs/verifiers/receive_webhooks.rs")),
    ("{{verify.py}}", include_str!("../../docs/verifiers/verify.py")),
    ("{{verify.mjs}}", include_str!("../../docs/verifiers/verify.mjs")),
    ("{{verify.php}}", include_str!("../../docs/verifiers/verify.php")),
    ("{{verify.go}}", include_str!("../../docs/verifiers/verify.go")),
];

/// The title of a guide: its first line.
fn title(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_start_matches("# ")
}

/// The list of guides.
pub(super) fn guides(site: Site<'_>) -> String {
    let language = site.language;
    let mut list = String::new();
    for (name, texts) in GUIDES {
        let to = link(language, &format!("/docs/guides/{name}"));
        let _ = writeln!(list, "<li><a href=\"{to}\">{}</a></li>", title(texts[language as usize]));
    }
    let said = language.say("Guides", "Guías");
    let content = format!("<main class=\"guide\">\n<h1>{said}</h1>\n<ol>\n{list}</ol>\n</main>");
    html_page(site, "/docs/guides", said, "", &content)
}

/// The guide of that name.
pub(super) fn guide(name: &str, site: Site<'_>) -> Option<String> {
    let language = site.language;
    let (name, texts) = GUIDES.iter().find(|(other, _)| *other == name)?;
    let text = texts[language as usize];
    let mut shown = text.replace("{{errors}}", &errors(site));
    for (mark, file) in SHOWN {
        shown = shown.replace(mark, file.trim_end());
    }
    let mut body = String::new();
    html::push_html(&mut body, Parser::new_ext(&shown, Options::ENABLE_TABLES));
    // Code wider than the screen can be scrolled with the keyboard.
    let body = body.replace("<pre>", "<pre tabindex=\"0\">");
    let content = format!("<main class=\"guide\">\n{body}</main>");
    Some(html_page(site, &format!("/docs/guides/{name}"), title(text), "", &content))
}

/// A table of every public error, those of a host last.
fn errors(site: Site<'_>) -> String {
    let language = site.language;
    let heads = language.say("| Status | Code | When | What to do |", "| Estatus | Código | Cuándo | Qué hacer |");
    let mut table = format!("{heads}\n|---|---|---|---|\n");
    let own = site.registry.own_codes();
    for code in Code::ALL.iter().copied().chain(own) {
        let remedy = remedy(code, language);
        if !remedy.is_empty() || matches!(code, Code::Own(_)) {
            let when = meaning(code, language);
            let _ = writeln!(table, "| {} | `{}` | {when} | {remedy} |", code.status(), code.codigo());
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Tag};

    use super::*;
    use crate::openapi::Language;
    use crate::operation::Registry;

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
        for (name, [english, spanish]) in GUIDES {
            assert_eq!(facts(english), facts(spanish), "{name}");
            assert_ne!(title(english), "", "{name}");
            assert!(spanish.lines().next() != english.lines().next() || *name == "webhooks", "{name}");
        }
    }

    #[test]
    fn every_guide_is_listed_and_links_to_itself_in_the_other_language() {
        for language in Language::ALL {
            let registry = Registry::default();
            let list = guides(Site::of(language, &registry));
            for (name, texts) in GUIDES {
                let to = link(language, &format!("/docs/guides/{name}"));
                assert!(list.contains(&format!("<a href=\"{to}\">{}</a>", title(texts[language as usize]))), "{to}");
            }
        }
    }
}
