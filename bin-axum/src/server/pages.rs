//! `/docs`: the reference, a viewer of the interface's description, and guides beside it. Nothing comes from elsewhere: the viewer is
//! in the binary, and the pages' policy lets nothing else be loaded.

use std::fmt::Write as _;

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use pulldown_cmark::{Options, Parser, html};
use svc_core::{Code, Language, remedy};

use super::description::KEPT;

const VIEWER: &[u8] = include_bytes!("pages/scalar.js.gz");
const START: &str = include_str!("pages/start.js");
const STYLE: &str = include_str!("pages/style.css");

/// What the pages may load and reach: this server. The viewer puts styles into the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
    font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The guides, in the order in which they are read: their names in the URL and their texts.
const GUIDES: &[(&str, &str)] = &[
    ("first-request", include_str!("../../docs/guides/first-request.md")),
    ("pages", include_str!("../../docs/guides/pages.md")),
    ("idempotency", include_str!("../../docs/guides/idempotency.md")),
    ("errors", include_str!("../../docs/guides/errors.md")),
    ("limits", include_str!("../../docs/guides/limits.md")),
    ("webhooks", include_str!("../../docs/guides/webhooks.md")),
    ("synchronising", include_str!("../../docs/guides/synchronising.md")),
    ("invoicing", include_str!("../../docs/guides/invoicing.md")),
    ("sandbox", include_str!("../../docs/guides/sandbox.md")),
    ("agents", include_str!("../../docs/guides/agents.md")),
    ("glossary", include_str!("../../docs/guides/glossary.md")),
    ("quirks", include_str!("../../docs/guides/quirks.md")),
];

/// What guides show of files that tests run, and what is made of the code.
const SHOWN: &[(&str, &str)] = &[
    ("{{verify.rs}}", include_str!("../../../examples/receive_webhooks.rs")),
    ("{{verify.py}}", include_str!("../../../examples/webhooks/verify.py")),
    ("{{verify.mjs}}", include_str!("../../../examples/webhooks/verify.mjs")),
    ("{{verify.php}}", include_str!("../../../examples/webhooks/verify.php")),
    ("{{verify.go}}", include_str!("../../../examples/webhooks/verify.go")),
];

/// The routes of the pages; with `try_it` the reference sends requests, through the development proxy.
pub(super) fn routes(try_it: bool) -> Router {
    Router::new()
        .route("/docs", get(async move || page(&reference(try_it))))
        .route("/docs/guides", get(async || page(&guides())))
        .route("/docs/guides/{name}", get(async |Path(name): Path<String>| guide(&name)))
        .route("/docs/start.js", get(async || asset("text/javascript; charset=utf-8", None, START.as_bytes())))
        .route("/docs/style.css", get(async || asset("text/css; charset=utf-8", None, STYLE.as_bytes())))
        .route("/docs/scalar.js", get(async || asset("text/javascript; charset=utf-8", Some("gzip"), VIEWER)))
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

/// A page with that title and that body.
fn html_page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"/docs/style.css\">\n</head>\n{body}\n</html>\n"
    )
}

const NAVIGATION: &str = "<nav class=\"site\" aria-label=\"Site\"><a href=\"/docs\">Reference</a>\
    <a href=\"/docs?lang=es\" lang=\"es\">Referencia en español</a><a href=\"/docs/guides\">Guides</a>\
    <a href=\"/openapi.json\">OpenAPI</a></nav>";

fn reference(try_it: bool) -> String {
    let try_it = if try_it { "yes" } else { "no" };
    let body = format!(
        "<body data-try-it=\"{try_it}\">\n{NAVIGATION}\n<div id=\"reference\"></div>\n\
         <script src=\"/docs/scalar.js\"></script>\n<script src=\"/docs/start.js\"></script>\n</body>"
    );
    html_page("API reference", &body)
}

/// The title of a guide: its first line.
fn title(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_start_matches("# ")
}

fn guides() -> String {
    let mut list = String::new();
    for (name, text) in GUIDES {
        let _ = writeln!(list, "<li><a href=\"/docs/guides/{name}\">{}</a></li>", title(text));
    }
    html_page(
        "Guides",
        &format!("<body>\n{NAVIGATION}\n<main class=\"guide\">\n<h1>Guides</h1>\n<ol>\n{list}</ol>\n</main>\n</body>"),
    )
}

fn guide(name: &str) -> Response {
    let Some((_, text)) = GUIDES.iter().find(|(other, _)| *other == name) else {
        return (StatusCode::NOT_FOUND, "no such guide\n").into_response();
    };
    let mut shown = text.replace("{{errors}}", &errors());
    for (mark, file) in SHOWN {
        shown = shown.replace(mark, file.trim_end());
    }
    let mut body = String::new();
    html::push_html(&mut body, Parser::new_ext(&shown, Options::ENABLE_TABLES));
    page(&html_page(title(text), &format!("<body>\n{NAVIGATION}\n<main class=\"guide\">\n{body}</main>\n</body>")))
}

/// Every error that clients meet, as a table.
fn errors() -> String {
    let mut table = "| Status | Code | When | What to do |\n|---|---|---|---|\n".to_owned();
    for code in Code::ALL {
        let remedy = remedy(*code, Language::English);
        if !remedy.is_empty() {
            let _ = writeln!(table, "| {} | `{}` | {} | {remedy} |", code.status(), code.codigo(), code.meaning());
        }
    }
    table
}
