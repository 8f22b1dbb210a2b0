//! The pages of guides: their list, one of them, and the home page.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::guide_list::{GROUPS, Guide, HOME, all};
use super::html::{Site, link};
use super::markdown::{contents_list, framed, rendered};
use crate::error::Code;
use crate::openapi::{meaning, remedy};

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

/// A table of every error that an operation may answer, those of a host last.
fn errors(site: Site<'_>) -> String {
    let language = site.language;
    let heads = language.say("| Status | Code | When | What to do |", "| Estatus | Código | Cuándo | Qué hacer |");
    let mut table = format!("{heads}\n|---|---|---|---|\n");
    let registry = site.registry;
    let answered: HashSet<Code> = registry.entries().iter().flat_map(|entry| registry.errors(entry)).collect();
    let ours = Code::ALL.iter().copied().filter(|code| answered.contains(code));
    for code in ours.chain(registry.own_codes()) {
        let (when, remedy) = (meaning(code, language), remedy(code, language));
        let _ = writeln!(table, "| {} | `{}` | {when} | {remedy} |", code.status(), code.codigo());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::Language;
    use crate::operation::Registry;

    #[test]
    fn the_table_of_errors_has_those_that_an_operation_may_answer() {
        let registry = Registry::default();
        let table = errors(Site::of(Language::English, &registry, "/api/v1"));
        assert!(table.contains("| `rfc_duplicado` |") && !table.contains("| `referencia_invalida` |"));
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
