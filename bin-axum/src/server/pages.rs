//! `/docs`: the API reference, rendered by a viewer, and guides beside it. Nothing comes from
//! elsewhere: the viewer is part of the binary, and the pages' policy forbids loading anything
//! else.

use std::fmt::Write as _;

use axum::Router;
use axum::extract::{Path, RawQuery};
use axum::http::StatusCode;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use pulldown_cmark::{Options, Parser, html};
use svc_core::{Code, Language, meaning, remedy};

use super::description::KEPT;

const VIEWER: &[u8] = include_bytes!("pages/scalar.js.gz");
const START: &str = include_str!("pages/start.js");
const STYLE: &str = include_str!("pages/style.css");

/// The content policy: pages may load from and reach this server only. The viewer inserts styles
/// into the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
    font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The guides by their names in the URL, each in the languages of [`Language::ALL`]. A name is stated
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
    ("{{verify.rs}}", include_str!("../../../examples/receive_webhooks.rs")),
    ("{{verify.py}}", include_str!("../../../examples/webhooks/verify.py")),
    ("{{verify.mjs}}", include_str!("../../../examples/webhooks/verify.mjs")),
    ("{{verify.php}}", include_str!("../../../examples/webhooks/verify.php")),
    ("{{verify.go}}", include_str!("../../../examples/webhooks/verify.go")),
];

/// The references: their paths, documents and titles.
const REFERENCES: [Reference; 2] = [
    Reference { path: "/docs", document: "/openapi.json", titles: ["API reference", "Referencia de la API"] },
    Reference {
        path: "/docs/office",
        document: "/office/openapi.json",
        titles: ["Office reference", "Referencia de la oficina"],
    },
];

/// A page that shows a description.
#[derive(Clone, Copy)]
struct Reference {
    path: &'static str,
    document: &'static str,
    /// In each language.
    titles: [&'static str; 2],
}

/// The routes of the pages. With `try_it` the API's reference can send requests, through the
/// development proxy. There is one of the office if the server `has_office`.
pub(super) fn routes(try_it: bool, has_office: bool) -> Router {
    let site = move |query| Site { language: language(query), has_office };
    let [api, office] = REFERENCES;
    let shown = get(async move |RawQuery(query): RawQuery| page(&office.page(site(query), false)));
    let office = if has_office { Router::new().route(office.path, shown) } else { Router::new() };
    office
        .route(api.path, get(async move |RawQuery(query): RawQuery| page(&api.page(site(query), try_it))))
        .route("/docs/guides", get(async move |RawQuery(query): RawQuery| page(&guides(site(query)))))
        .route(
            "/docs/guides/{name}",
            get(async move |Path(name): Path<String>, RawQuery(query): RawQuery| guide(&name, site(query))),
        )
        .route("/docs/start.js", get(async || asset("text/javascript; charset=utf-8", None, START.as_bytes())))
        .route("/docs/style.css", get(async || asset("text/css; charset=utf-8", None, STYLE.as_bytes())))
        .route("/docs/scalar.js", get(async || asset("text/javascript; charset=utf-8", Some("gzip"), VIEWER)))
}

/// The language of a page: `lang` in its query, English if it is missing or unknown.
fn language(query: Option<String>) -> Language {
    let query = query.unwrap_or_default();
    let mut asked = query.split('&').filter_map(|pair| Language::parse(pair.strip_prefix("lang=")?));
    asked.next().unwrap_or_default()
}

fn asset(content: &'static str, encoding: Option<&'static str>, bytes: &'static [u8]) -> Response {
    let mut response =
        ([(CONTENT_TYPE, content), (CACHE_CONTROL, KEPT), (X_CONTENT_TYPE_OPTIONS, "nosniff")], bytes).into_response();
    if let Some(encoding) = encoding {
        response.headers_mut().insert(CONTENT_ENCODING, axum::http::HeaderValue::from_static(encoding));
    }
    response
}

fn page(text: &str) -> Response {
    ([(CONTENT_SECURITY_POLICY, POLICY), (CACHE_CONTROL, KEPT)], Html(text.to_owned())).into_response()
}

/// What all pages of an answer share.
#[derive(Clone, Copy)]
struct Site {
    language: Language,
    /// Whether the office is served.
    has_office: bool,
}

/// A page at `path` with this title, content and attributes of its body.
fn html_page(site: Site, path: &str, title: &str, attributes: &str, content: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"{code}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"/docs/style.css\">\n</head>\n\
         <body{attributes}>\n{navigation}\n{content}\n</body>\n</html>\n",
        code = site.language.code(),
        navigation = navigation(site, path),
    )
}

/// A link to `path` in that language.
fn link(language: Language, path: &str) -> String {
    let query = if language == Language::default() { String::new() } else { format!("?lang={}", language.code()) };
    format!("{path}{query}")
}

/// The head of every page; `path` is the page's own, for the link to the other language.
fn navigation(Site { language, has_office }: Site, path: &str) -> String {
    let current = |to: &str| if to == path { " aria-current=\"page\"" } else { "" };
    let mut links = String::new();
    for (to, english, spanish) in [
        ("/docs", "Reference", "Referencia"),
        ("/docs/office", "Office", "Oficina"),
        ("/docs/guides", "Guides", "Guías"),
        ("/openapi.json", "OpenAPI", "OpenAPI"),
    ] {
        if to == "/docs/office" && !has_office {
            continue;
        }
        let said = language.say(english, spanish);
        let _ = write!(links, "<a href=\"{}\"{}>{said}</a>", link(language, to), current(to));
    }
    for other in Language::ALL.into_iter().filter(|other| *other != language) {
        let (code, said) = (other.code(), other.say("English", "Español"));
        let _ = write!(links, "<a href=\"{}\" lang=\"{code}\" hreflang=\"{code}\">{said}</a>", link(other, path));
    }
    format!("<nav class=\"site\" aria-label=\"{}\">{links}</nav>", language.say("Site", "Sitio"))
}

impl Reference {
    fn page(self, site: Site, try_it: bool) -> String {
        let language = site.language;
        let try_it = if try_it { "yes" } else { "no" };
        let attributes = format!(" data-try-it=\"{try_it}\" data-document=\"{}\"", link(language, self.document));
        let content = "<div id=\"reference\"></div>\n\
            <script src=\"/docs/scalar.js\"></script>\n<script src=\"/docs/start.js\"></script>";
        html_page(site, self.path, self.titles[language as usize], &attributes, content)
    }
}

/// The title of a guide: its first line.
fn title(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_start_matches("# ")
}

fn guides(site: Site) -> String {
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

fn guide(name: &str, site: Site) -> Response {
    let language = site.language;
    let Some((name, texts)) = GUIDES.iter().find(|(other, _)| *other == name) else {
        return (StatusCode::NOT_FOUND, "no such guide\n").into_response();
    };
    let text = texts[language as usize];
    let mut shown = text.replace("{{errors}}", &errors(language));
    for (mark, file) in SHOWN {
        shown = shown.replace(mark, file.trim_end());
    }
    let mut body = String::new();
    html::push_html(&mut body, Parser::new_ext(&shown, Options::ENABLE_TABLES));
    // Code wider than the screen can be scrolled with the keyboard.
    let body = body.replace("<pre>", "<pre tabindex=\"0\">");
    let content = format!("<main class=\"guide\">\n{body}</main>");
    page(&html_page(site, &format!("/docs/guides/{name}"), title(text), "", &content))
}

/// A table of every public error.
fn errors(language: Language) -> String {
    let heads = language.say("| Status | Code | When | What to do |", "| Estatus | Código | Cuándo | Qué hacer |");
    let mut table = format!("{heads}\n|---|---|---|---|\n");
    for code in Code::ALL {
        let remedy = remedy(*code, language);
        if !remedy.is_empty() {
            let when = meaning(*code, language);
            let _ = writeln!(table, "| {} | `{}` | {when} | {remedy} |", code.status(), code.codigo());
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Tag};

    use super::*;

    #[test]
    fn the_viewer_is_the_file_that_its_notice_names() {
        use sha2::{Digest as _, Sha256};
        let hash = Sha256::digest(VIEWER).iter().fold(String::new(), |hash, byte| hash + &format!("{byte:02x}"));
        assert!(include_str!("pages/README.md").contains(&hash), "{hash} is not in pages/README.md");
    }

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
            let list = guides(Site { language, has_office: false });
            for (name, texts) in GUIDES {
                let to = link(language, &format!("/docs/guides/{name}"));
                assert!(list.contains(&format!("<a href=\"{to}\">{}</a>", title(texts[language as usize]))), "{to}");
            }
        }
        let at = |language, has_office, path| navigation(Site { language, has_office }, path);
        assert!(at(Language::English, false, "/docs/guides/pages").contains("href=\"/docs/guides/pages?lang=es\""));
        assert!(at(Language::Spanish, false, "/docs").contains("href=\"/docs\" lang=\"en\""));
        assert!(!at(Language::English, false, "/docs").contains("/docs/office"));
        assert!(at(Language::Spanish, true, "/docs").contains("href=\"/docs/office?lang=es\""));
    }
}
