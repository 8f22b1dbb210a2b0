//! What all pages share: head, navigation and frame.

use std::fmt::Write as _;

use super::guide_list::GROUPS;
use crate::openapi::Language;
use crate::operation::Registry;

/// The path of a host's logo.
pub(super) const LOGO: &str = "/docs/logo";

/// Access to a company that the reader of this machine's pages may use.
#[derive(Clone)]
pub(super) struct ReaderKey {
    pub(super) key_id: String,
    pub(super) secret: String,
}

/// What all pages of an answer share.
#[derive(Clone, Copy)]
pub(super) struct Site<'r> {
    pub(super) language: Language,
    /// Whether the office is served.
    pub(super) has_office: bool,
    /// Whether pages may send requests, through the development proxy.
    pub(super) sends_requests: bool,
    /// The host's name, if it has one.
    pub(super) title: Option<&'r str>,
    /// Whether the host has a logo.
    pub(super) has_logo: bool,
    /// The API's public address.
    pub(super) base_url: &'r str,
    /// The reader's key, where it is known.
    pub(super) key: Option<&'r ReaderKey>,
    pub(super) registry: &'r Registry,
}

impl<'r> Site<'r> {
    /// A site without office, logo and key.
    pub(super) fn of(language: Language, registry: &'r Registry, base_url: &'r str) -> Self {
        let title = registry.title();
        Self {
            language,
            has_office: false,
            sends_requests: false,
            title,
            has_logo: false,
            base_url,
            key: None,
            registry,
        }
    }

    /// The name of what is documented.
    pub(super) fn name(self) -> &'r str {
        self.title.unwrap_or_else(|| self.language.say("Business operations API", "API de operaciones de negocio"))
    }

    /// The host's logo and name, which lead to the home page.
    fn brand(self) -> String {
        let logo = if self.has_logo { format!("<img src=\"{LOGO}\" alt=\"\" height=\"26\">") } else { String::new() };
        let home = link(self.language, "/docs");
        format!("<a class=\"brand\" href=\"{home}\">{logo}<span>{}</span></a>", escaped(self.name()))
    }
}

/// Escapes a text for HTML.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A page: where it is, what it is called, what is on it, and further attributes of its body.
pub(super) struct Content<'a> {
    pub(super) path: &'a str,
    pub(super) title: &'a str,
    pub(super) attributes: &'a str,
    pub(super) body: &'a str,
    /// Scripts besides those of every page.
    pub(super) scripts: &'a [&'a str],
}

pub(super) fn html_page(site: Site<'_>, content: &Content<'_>) -> String {
    let scripts = ["/docs/docs.js"].iter().chain(content.scripts).fold(String::new(), |mut all, path| {
        let _ = writeln!(all, "<script src=\"{path}\" defer></script>");
        all
    });
    let key = site.key.map_or_else(String::new, |key| {
        format!(" data-key-id=\"{}\" data-api-key=\"{}\"", escaped(&key.key_id), escaped(&key.secret))
    });
    format!(
        "<!doctype html>\n<html lang=\"{code}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} – {name}</title>\n\
         <link rel=\"icon\" href=\"{icon}\">\n<link rel=\"stylesheet\" href=\"/docs/style.css\">\n\
         <script src=\"/docs/theme.js\"></script>\n{scripts}</head>\n\
         <body data-base-url=\"{base}\"{key}{attributes}>\n<a class=\"skip\" href=\"#content\">{skip}</a>\n\
         {navigation}\n{body}\n</body>\n</html>\n",
        code = site.language.code(),
        title = escaped(content.title),
        name = escaped(site.name()),
        icon = if site.has_logo { LOGO } else { "data:," },
        base = escaped(site.base_url),
        attributes = content.attributes,
        skip = site.language.say("Skip to the content", "Ir al contenido"),
        navigation = navigation(site, content.path),
        body = content.body,
    )
}

/// A link to `path` in that language.
pub(super) fn link(language: Language, path: &str) -> String {
    let query = if language == Language::default() { String::new() } else { format!("?lang={}", language.code()) };
    match path.split_once('#') {
        Some((path, place)) => format!("{path}{query}#{place}"),
        None => format!("{path}{query}"),
    }
}

/// The head of every page; `path` is the page's own, for the link to the other language.
fn navigation(site: Site<'_>, path: &str) -> String {
    let Site { language, has_office, .. } = site;
    let guides = path.starts_with("/docs/guides");
    let mut links = String::new();
    for (to, english, spanish) in [
        ("/docs", "Home", "Inicio"),
        ("/docs/guides", "Guides", "Guías"),
        ("/docs/reference", "Reference", "Referencia"),
        ("/docs/office", "Office", "Oficina"),
        ("/docs/events", "Events", "Eventos"),
    ] {
        if to == "/docs/office" && !has_office {
            continue;
        }
        let here = to == path || to == "/docs/guides" && guides;
        let current = if here { " aria-current=\"page\"" } else { "" };
        let said = language.say(english, spanish);
        let _ = write!(links, "<a href=\"{}\"{current}>{said}</a>", link(language, to));
    }
    let mut others = String::new();
    for other in Language::ALL.into_iter().filter(|other| *other != language) {
        let (code, said) = (other.code(), other.say("English", "Español"));
        let _ = write!(others, "<a href=\"{}\" lang=\"{code}\" hreflang=\"{code}\">{said}</a>", link(other, path));
    }
    let theme = language.say("Light or dark", "Claro u oscuro");
    format!(
        "<header class=\"site\">{brand}<nav aria-label=\"{said}\">{links}</nav>\
         <div class=\"tools\">{others}<button type=\"button\" id=\"theme\" title=\"{theme}\" aria-label=\"{theme}\">\
         <span aria-hidden=\"true\">◐</span></button></div></header>",
        brand = site.brand(),
        said = language.say("Site", "Sitio"),
    )
}

/// The list of guides and references beside the content.
pub(super) fn sidebar(site: Site<'_>, path: &str) -> String {
    let language = site.language;
    let mut list = String::new();
    let item = |list: &mut String, to: &str, said: &str| {
        let current = if to == path { " aria-current=\"page\"" } else { "" };
        let _ = write!(list, "<li><a href=\"{}\"{current}>{said}</a></li>", link(language, to));
    };
    for group in GROUPS {
        let _ = write!(list, "<h2>{}</h2><ul>", group.title[language as usize]);
        for guide in group.guides {
            item(&mut list, &format!("/docs/guides/{}", guide.name), guide.title(language));
        }
        list.push_str("</ul>");
    }
    let _ = write!(list, "<h2>{}</h2><ul>", language.say("Reference", "Referencia"));
    for (to, english, spanish) in [
        ("/docs/reference", "Operations", "Operaciones"),
        ("/docs/office", "Office actions", "Acciones de la oficina"),
        ("/docs/events", "Events", "Eventos"),
        ("/docs/guides/errors", "Errors", "Errores"),
        ("/openapi.json", "OpenAPI", "OpenAPI"),
    ] {
        if to != "/docs/office" || site.has_office {
            item(&mut list, to, language.say(english, spanish));
        }
    }
    list.push_str("</ul>");
    let said = language.say("Contents", "Contenido");
    // On a phone the list is folded; the script opens it where there is room.
    format!("<nav class=\"side\" aria-label=\"{said}\"><details><summary>{said}</summary>{list}</details></nav>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn navigation_leads_to_what_is_served_and_to_the_other_language() {
        let registry = Registry::default();
        let base = "https://erp.example.com/api/v1";
        let at =
            |language, has_office, path| navigation(Site { has_office, ..Site::of(language, &registry, base) }, path);
        assert!(at(Language::English, false, "/docs/guides/pages").contains("href=\"/docs/guides/pages?lang=es\""));
        assert!(at(Language::Spanish, false, "/docs").contains("href=\"/docs\" lang=\"en\""));
        assert!(!at(Language::English, false, "/docs").contains("/docs/office"));
        assert!(at(Language::Spanish, true, "/docs").contains("href=\"/docs/office?lang=es\""));
        let hosts = registry.clone().titled("Uno & <dos>");
        let site = Site { has_logo: true, ..Site::of(Language::English, &hosts, base) };
        let content = Content { path: "/docs", title: "Guides", attributes: "", body: "", scripts: &[] };
        let page = html_page(site, &content);
        assert!(
            page.contains("<title>Guides – Uno &amp; &lt;dos&gt;</title>") && page.contains("src=\"/docs/logo\""),
            "{page}"
        );
        assert_eq!(link(Language::Spanish, "/docs/reference#tag/x"), "/docs/reference?lang=es#tag/x");
    }
}
