//! The guides: pages of text in both languages, beside the reference.

use std::fmt::Write as _;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::highlight::highlighted;
use super::html::{Content, Site, escaped, html_page, link, sidebar};
use crate::error::Code;
use crate::openapi::{Language, meaning, remedy};

/// A guide: its name in the URL and its texts.
pub(super) struct Guide {
    pub(super) name: &'static str,
    /// What it is about, in each language.
    about: [&'static str; 2],
    /// In each language.
    texts: [&'static str; 2],
}

/// Guides that belong together.
pub(super) struct GuideGroup {
    /// In each language.
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
const HOME: Guide = Guide {
    name: "home",
    about: ["", ""],
    texts: [include_str!("../../docs/guides/home.md"), include_str!("../../docs/guides/home.es.md")],
};

fn all() -> impl Iterator<Item = &'static Guide> {
    GROUPS.iter().flat_map(|group| group.guides)
}

impl Guide {
    fn text(&self, language: Language) -> &'static str {
        self.texts[language as usize]
    }

    /// The title: the first line.
    pub(super) fn title(&self, language: Language) -> &'static str {
        self.text(language).lines().next().unwrap_or_default().trim_start_matches("# ")
    }
}

/// The parts of guides that come from tested files or from the code.
const SHOWN: &[(&str, &str)] = &[
    ("{{verify.rs}}", include_str!("../../docs/verifiers/receive_webhooks.rs")),
    ("{{verify.py}}", include_str!("../../docs/verifiers/verify.py")),
    ("{{verify.mjs}}", include_str!("../../docs/verifiers/verify.mjs")),
    ("{{verify.php}}", include_str!("../../docs/verifiers/verify.php")),
    ("{{verify.go}}", include_str!("../../docs/verifiers/verify.go")),
    ("{{first.ts}}", include_str!("../../docs/clients/first.ts")),
    ("{{first.py}}", include_str!("../../docs/clients/first.py")),
    ("{{first.php}}", include_str!("../../docs/clients/first.php")),
];

/// The list of guides.
pub(super) fn guides(site: Site<'_>) -> String {
    let language = site.language;
    let said = language.say("Guides", "Guías");
    let mut body = format!("<h1>{said}</h1>\n");
    for group in GROUPS {
        let _ = write!(body, "<h2>{}</h2>\n<ul class=\"cards\">", group.title[language as usize]);
        for guide in group.guides {
            let to = link(language, &format!("/docs/guides/{}", guide.name));
            let (title, about) = (guide.title(language), guide.about[language as usize]);
            let _ = write!(body, "<li><a href=\"{to}\"><strong>{title}</strong><span>{about}</span></a></li>");
        }
        body.push_str("</ul>\n");
    }
    framed(site, "/docs/guides", said, &body, "")
}

pub(super) fn guide(name: &str, site: Site<'_>) -> Option<String> {
    let language = site.language;
    let place = all().position(|guide| guide.name == name)?;
    let guide = all().nth(place)?;
    let mut shown = guide.text(language).replace("{{errors}}", &errors(site));
    for (mark, file) in SHOWN {
        shown = shown.replace(mark, file.trim_end());
    }
    let (mut body, contents) = rendered(&shown);
    let step = |guide: Option<&Guide>, rel: &str, said: &str| {
        guide.map_or_else(String::new, |guide| {
            let to = link(language, &format!("/docs/guides/{}", guide.name));
            format!("<a rel=\"{rel}\" href=\"{to}\"><span>{said}</span>{}</a>", guide.title(language))
        })
    };
    let before = place.checked_sub(1).and_then(|place| all().nth(place));
    let _ = write!(
        body,
        "<nav class=\"steps\" aria-label=\"{}\">{}{}</nav>",
        language.say("Other guides", "Otras guías"),
        step(before, "prev", language.say("Previous", "Anterior")),
        step(all().nth(place + 1), "next", language.say("Next", "Siguiente")),
    );
    let path = format!("/docs/guides/{name}");
    Some(framed(site, &path, guide.title(language), &body, &contents_list(language, &contents)))
}

/// The home page: what this is, a quickstart, and what leads on.
pub(super) fn home(site: Site<'_>) -> String {
    let language = site.language;
    let (key_id, secret) = site.key.map_or(("1_…", "svc_…"), |key| (&key.key_id, &key.secret));
    let key =
        format!("```sh\nexport BASE={}\nexport SVC_KEY_ID={key_id}\nexport SVC_API_KEY={secret}\n```", site.base_url);
    let text = HOME.text(language).replace("{{key}}", &key).replace("{{name}}", site.name());
    let (body, _) = rendered(&text);
    let body = body
        .replace("<p>{{start}}</p>", &super::home::start(site))
        .replace("<p>{{data}}</p>", &super::home::data(site))
        .replace("<p>{{operations}}</p>", &super::home::operations(site));
    framed(site, "/docs", HOME.title(language), &body, "").replacen("<main ", "<main data-home ", 1)
}

/// A page of text with the list of pages at its left and that of its headings at its right.
pub(super) fn framed(site: Site<'_>, path: &str, title: &str, body: &str, aside: &str) -> String {
    let list = sidebar(site, path);
    let body =
        format!("<div class=\"frame\">\n{list}\n<main class=\"guide\" id=\"content\">\n{body}</main>\n{aside}</div>");
    html_page(site, &Content { path, title, attributes: "", body: &body, scripts: &[] })
}

/// A heading of the second level: its place and its text.
type HeadingOfPage = (String, String);

/// The headings of a page, beside it where there is room.
fn contents_list(language: Language, headings: &[HeadingOfPage]) -> String {
    if headings.len() < 2 {
        return String::new();
    }
    let said = language.say("On this page", "En esta página");
    let mut list = format!("<nav class=\"toc\" aria-label=\"{said}\"><h2>{said}</h2><ul>");
    for (place, text) in headings {
        let _ = write!(list, "<li><a href=\"#{place}\">{}</a></li>", escaped(text));
    }
    list + "</ul></nav>"
}

/// Markdown as HTML, with places at headings and marked code; and its headings of the second level.
pub(super) fn rendered(text: &str) -> (String, Vec<HeadingOfPage>) {
    let mut headings = Vec::new();
    let mut events: Vec<Event<'_>> = Vec::new();
    let mut code: Option<(String, String)> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match (event, &mut code) {
            (Event::Start(Tag::CodeBlock(kind)), _) => {
                let info = if let CodeBlockKind::Fenced(info) = &kind { info.to_string() } else { String::new() };
                code = Some((info, String::new()));
            }
            (Event::Text(text), Some((_, block))) => block.push_str(&text),
            (Event::End(TagEnd::CodeBlock), Some((info, block))) => {
                events.push(Event::Html(code_block(info, block).into()));
                code = None;
            }
            (Event::End(TagEnd::Heading(level)), _) => {
                let start = events.iter().rposition(|event| matches!(event, Event::Start(Tag::Heading { .. })));
                let said: String = events.iter().skip(start.unwrap_or_default()).filter_map(said_of).collect();
                let place = slug(&said);
                if let Some(Event::Start(Tag::Heading { id, .. })) = start.and_then(|at| events.get_mut(at)) {
                    *id = Some(CowStr::from(place.clone()));
                }
                if level == HeadingLevel::H2 {
                    headings.push((place, said));
                }
                events.push(Event::End(TagEnd::Heading(level)));
            }
            // A wide table scrolls in a box of its own.
            (Event::Start(Tag::Table(columns)), _) => {
                events.push(Event::Html("<div class=\"table\" tabindex=\"0\">".into()));
                events.push(Event::Start(Tag::Table(columns)));
            }
            (Event::End(TagEnd::Table), _) => {
                events.push(Event::End(TagEnd::Table));
                events.push(Event::Html("</div>".into()));
            }
            (event, _) => events.push(event),
        }
    }
    let mut body = String::new();
    html::push_html(&mut body, events.into_iter());
    (body, headings)
}

fn said_of<'e>(event: &'e Event<'_>) -> Option<&'e str> {
    match event {
        Event::Text(text) | Event::Code(text) => Some(text),
        _ => None,
    }
}

/// A block of code, which can be scrolled with the keyboard. `json 201` is an answer of that
/// status.
fn code_block(info: &str, code: &str) -> String {
    let (language, status) = info.split_once(' ').unwrap_or((info, ""));
    let label = if status.is_empty() { String::new() } else { format!("<span class=\"status\">{status}</span>") };
    let marked = highlighted(language, code);
    format!(
        "<div class=\"code\" data-language=\"{language}\">{label}<pre tabindex=\"0\"><code>{marked}</code></pre></div>\n"
    )
}

/// A heading's text as its place in the URL.
fn slug(text: &str) -> String {
    let letters = text.chars().map(|letter| if letter.is_alphanumeric() || letter == '.' { letter } else { '-' });
    let slug: String = letters.flat_map(char::to_lowercase).collect();
    slug.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
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
    use super::*;
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
        for guide in all().chain([&HOME]) {
            let Guide { name, texts: [english, spanish], .. } = guide;
            assert_eq!(facts(english), facts(spanish), "{name}");
            assert_ne!(guide.title(Language::English), "", "{name}");
            assert!(spanish.lines().next() != english.lines().next() || *name == "webhooks", "{name}");
        }
    }

    #[test]
    fn every_guide_is_listed_and_links_to_itself_in_the_other_language() {
        for language in Language::ALL {
            let registry = Registry::default();
            let site = Site::of(language, &registry, "/api/v1");
            let list = guides(site);
            for one in all() {
                let to = link(language, &format!("/docs/guides/{}", one.name));
                assert!(list.contains(&format!("<a href=\"{to}\"><strong>{}</strong>", one.title(language))), "{to}");
                let page = guide(one.name, site).unwrap();
                assert!(
                    page.contains(&format!("<a href=\"{to}\" aria-current=\"page\">"))
                        && !page.contains("{{errors")
                        && SHOWN.iter().all(|(mark, _)| !page.contains(mark)),
                    "{to}"
                );
            }
        }
    }
}
