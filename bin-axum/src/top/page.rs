//! The page `/top`: charts of views, in one answer, since the operators' address gives one a
//! connection.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

const STYLE: &str = include_str!("page/top.css");
const SCRIPT: &str = include_str!("page/top.js");

/// A page and its content policy: it may run what is part of it, and reach this server only.
pub(crate) struct ChartPage {
    pub(crate) html: String,
    pub(crate) policy: String,
}

/// The page, made once.
pub(crate) fn page() -> &'static ChartPage {
    static PAGE: LazyLock<ChartPage> = LazyLock::new(|| ChartPage {
        html: include_str!("page/top.html").replacen("{style}", STYLE, 1).replacen("{script}", SCRIPT, 1),
        policy: format!(
            "default-src 'none'; script-src {}; style-src {}; img-src data:; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            hash(SCRIPT),
            hash(STYLE)
        ),
    });
    &PAGE
}

/// The source in a content policy that allows this text within the page.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_text_of_the_page_has_its_spanish() {
        let (_, rest) = SCRIPT.split_once("const SPANISH = {").unwrap();
        let (table, rest) = rest.split_once("\n};").unwrap();
        let translated = table.lines().flat_map(|line| line.split("\", \""));
        let translated = translated.filter_map(|pair| pair.split_once("\": \""));
        let translated: BTreeSet<_> = translated.map(|(text, _)| text.trim_start_matches([' ', '"'])).collect();
        let used: BTreeSet<_> = rest.split("local(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(used.len() > 40 && used.is_subset(&translated), "{:?}", used.difference(&translated));
    }

    #[test]
    fn the_page_is_whole_and_loads_nothing() {
        let ChartPage { html, policy } = page();
        assert!(
            html.contains(&format!("<style>{STYLE}</style>")) && html.contains(&format!("<script>{SCRIPT}</script>"))
        );
        assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
        // The namespace of SVG is a name and not loaded.
        let addresses = html.replace("http://www.w3.org/2000/svg", "");
        assert!(!addresses.contains("http://") && !addresses.contains("https://") && !addresses.contains("url("));
    }
}
