//! What all pages share: head and navigation.

use std::fmt::Write as _;

use crate::openapi::Language;
use crate::operation::Registry;

/// The path of a host's logo.
pub(super) const LOGO: &str = "/docs/logo";

/// What all pages of an answer share.
#[derive(Clone, Copy)]
pub(super) struct Site<'r> {
    pub(super) language: Language,
    /// Whether the office is served.
    pub(super) has_office: bool,
    /// The host's name, if it has one.
    pub(super) title: Option<&'r str>,
    /// Whether the host has a logo.
    pub(super) has_logo: bool,
    pub(super) registry: &'r Registry,
}

impl<'r> Site<'r> {
    /// A site without office and logo.
    pub(super) fn of(language: Language, registry: &'r Registry) -> Self {
        Self { language, has_office: false, title: registry.title(), has_logo: false, registry }
    }

    /// The host's logo and name, before the links.
    fn brand(self) -> String {
        let logo = if self.has_logo { format!("<img src=\"{LOGO}\" alt=\"\" height=\"24\">") } else { String::new() };
        let title = self.title.map_or_else(String::new, |title| format!("<strong>{}</strong>", escaped(title)));
        logo + &title
    }
}

/// A text that HTML takes for nothing else.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A page at `path` with this title, content and attributes of its body.
pub(super) fn html_page(site: Site<'_>, path: &str, title: &str, attributes: &str, content: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"{code}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}{of}</title>\n\
         <link rel=\"icon\" href=\"{icon}\">\n<link rel=\"stylesheet\" href=\"/docs/style.css\">\n</head>\n\
         <body{attributes}>\n{navigation}\n{content}\n</body>\n</html>\n",
        code = site.language.code(),
        of = site.title.map_or_else(String::new, |title| format!(" – {}", escaped(title))),
        icon = if site.has_logo { LOGO } else { "data:," },
        navigation = navigation(site, path),
    )
}

/// A link to `path` in that language.
pub(super) fn link(language: Language, path: &str) -> String {
    let query = if language == Language::default() { String::new() } else { format!("?lang={}", language.code()) };
    format!("{path}{query}")
}

/// The head of every page; `path` is the page's own, for the link to the other language.
fn navigation(site: Site<'_>, path: &str) -> String {
    let Site { language, has_office, .. } = site;
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
    let brand = site.brand();
    format!("<nav class=\"site\" aria-label=\"{}\">{brand}{links}</nav>", language.say("Site", "Sitio"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn navigation_leads_to_what_is_served_and_to_the_other_language() {
        let registry = Registry::default();
        let at = |language, has_office, path| navigation(Site { has_office, ..Site::of(language, &registry) }, path);
        assert!(at(Language::English, false, "/docs/guides/pages").contains("href=\"/docs/guides/pages?lang=es\""));
        assert!(at(Language::Spanish, false, "/docs").contains("href=\"/docs\" lang=\"en\""));
        assert!(!at(Language::English, false, "/docs").contains("/docs/office"));
        assert!(at(Language::Spanish, true, "/docs").contains("href=\"/docs/office?lang=es\""));
        let hosts = registry.clone().titled("Uno & <dos>");
        let page = html_page(Site { has_logo: true, ..Site::of(Language::English, &hosts) }, "/docs", "Guides", "", "");
        assert!(
            page.contains("<title>Guides – Uno &amp; &lt;dos&gt;</title>") && page.contains("src=\"/docs/logo\""),
            "{page}"
        );
    }
}
