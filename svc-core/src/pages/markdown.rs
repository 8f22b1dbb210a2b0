//! Texts in Markdown as pages.

use std::fmt::Write as _;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::highlight::highlighted;
use super::html::{Content, Site, escaped, html_page, sidebar};
use crate::openapi::Language;

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
pub(super) fn contents_list(language: Language, headings: &[HeadingOfPage]) -> String {
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
