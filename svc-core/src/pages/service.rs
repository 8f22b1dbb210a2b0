//! [`Pages`]: the pages as one tower service.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{self, Poll};

use bytes::Bytes;
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use serde_json::Value;

use super::guides::{guide, guides};
use super::html::{LOGO, Site, html_page, link};
use crate::context::Context;
use crate::domain::company::CompanyId;
use crate::openapi::Language;
use crate::operation::JSON;

const VIEWER: &[u8] = include_bytes!("assets/scalar.js.gz");
const START: &str = include_str!("assets/start.js");
const STYLE: &str = include_str!("assets/style.css");

/// Whose turn it is to compute for clients without a key.
const NO_COMPANY: CompanyId = CompanyId(0);

/// How long clients may cache pages: they change with the server's version.
const KEPT: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// The content policy: pages may load from and reach this server only. The viewer inserts styles
/// into the page.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
    font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// A page that shows a description.
struct ReferencePage {
    path: &'static str,
    /// The description's path.
    document: &'static str,
    /// In each language.
    titles: [&'static str; 2],
}

const API: ReferencePage =
    ReferencePage { path: "/docs", document: "/openapi.json", titles: ["API reference", "Referencia de la API"] };
const OFFICE: ReferencePage = ReferencePage {
    path: "/docs/office",
    document: "/office/openapi.json",
    titles: ["Office reference", "Referencia de la oficina"],
};

/// The pages. Mount it at the root of a server beside the API: [`Pages::has`] says which paths are its
/// own. It is cheap to clone.
#[derive(Clone)]
pub struct Pages {
    context: Context,
    has_office: bool,
    sends_requests: bool,
    logo: Option<(HeaderValue, Bytes)>,
    api: Documents,
    office: Documents,
}

/// A description in each language. It is built on first use: most servers never need it, and it takes
/// a moment.
type Documents = Arc<[OnceLock<Bytes>; 2]>;

impl Pages {
    /// The pages of the API of `context`, with its own operations and the title of its registry.
    pub fn new(context: &Context) -> Self {
        let (api, office) = Default::default();
        Self { context: context.clone(), has_office: false, sends_requests: false, logo: None, api, office }
    }

    /// Adds the reference and the description of the office, if it is served.
    #[must_use]
    pub fn office(mut self, has_office: bool) -> Self {
        self.has_office = has_office;
        self
    }

    /// Adds a logo before the links of every page: an image of that content type.
    ///
    /// # Panics
    /// If the content type has characters that no header can hold.
    #[must_use]
    pub fn logo(mut self, content_type: &'static str, image: impl Into<Bytes>) -> Self {
        self.logo = Some((HeaderValue::from_static(content_type), image.into()));
        self
    }

    /// Lets the reference send requests, to `/docs/api`. The API refuses browsers, so a server that
    /// switches it on has a proxy there, for development.
    #[must_use]
    pub fn sends_requests(mut self, sends: bool) -> Self {
        self.sends_requests = sends;
        self
    }

    /// Whether a path is one of the pages.
    pub fn has(&self, path: &str) -> bool {
        let of_office = path == OFFICE.path || path == OFFICE.document;
        match path {
            LOGO => self.logo.is_some(),
            _ if of_office => self.has_office,
            "/docs" | "/openapi.json" | "/docs/start.js" | "/docs/style.css" | "/docs/scalar.js" => true,
            _ => path == "/docs/guides" || path.starts_with("/docs/guides/"),
        }
    }

    /// Answers a request.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<Bytes> {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut refusal = answer(StatusCode::METHOD_NOT_ALLOWED, TEXT, Bytes::new());
            refusal.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return refusal;
        }
        let uri = request.uri();
        self.page(uri.path(), uri.query().unwrap_or_default()).await
    }

    async fn page(&self, path: &str, query: &str) -> Response<Bytes> {
        if !self.has(path) {
            return refuse(StatusCode::NOT_FOUND, "no such page\n");
        }
        let registry = self.context.registry();
        let site =
            Site { has_office: self.has_office, has_logo: self.logo.is_some(), ..Site::of(language(query), registry) };
        match (path, &self.logo) {
            (LOGO, Some((content, image))) => asset(content.clone(), image.clone()),
            ("/docs", _) => shown(API.page(site, self.sends_requests)),
            ("/docs/office", _) => shown(OFFICE.page(site, false)),
            ("/openapi.json", _) => {
                self.document(&self.api, query, |context, language| {
                    context.registry().openapi(language, context.base_url())
                })
                .await
            }
            ("/office/openapi.json", _) => {
                self.document(&self.office, query, |context, language| {
                    context.registry().office_openapi(language, context.base_url())
                })
                .await
            }
            ("/docs/guides", _) => shown(guides(site)),
            ("/docs/start.js", _) => script(START.as_bytes()),
            ("/docs/style.css", _) => {
                asset(HeaderValue::from_static("text/css; charset=utf-8"), Bytes::from_static(STYLE.as_bytes()))
            }
            ("/docs/scalar.js", _) => with(script(VIEWER), CONTENT_ENCODING, HeaderValue::from_static("gzip")),
            _ => {
                let name = path.strip_prefix("/docs/guides/").unwrap_or_default();
                guide(name, site).map_or_else(|| refuse(StatusCode::NOT_FOUND, "no such guide\n"), shown)
            }
        }
    }

    /// A description, in the language that the query requests.
    async fn document(
        &self,
        documents: &Documents,
        query: &str,
        make: fn(&Context, Language) -> Value,
    ) -> Response<Bytes> {
        let Some(language) = described_language(query) else {
            return refuse(StatusCode::BAD_REQUEST, "lang is en or es\n");
        };
        let (documents, context) = (Arc::clone(documents), self.context.clone());
        let once = move || {
            let document = || Bytes::from(make(&context, language).to_string());
            documents[language as usize].get_or_init(document).clone()
        };
        match self.context.compute().run(NO_COMPANY, once).await {
            Ok(document) => with(answer(StatusCode::OK, HeaderValue::from_static(JSON), document), CACHE_CONTROL, KEPT),
            Err(error) => self.context.refusal(error),
        }
    }
}

impl ReferencePage {
    fn page(&self, site: Site<'_>, sends_requests: bool) -> String {
        let language = site.language;
        let try_it = if sends_requests { "yes" } else { "no" };
        let attributes = format!(" data-try-it=\"{try_it}\" data-document=\"{}\"", link(language, self.document));
        let content = "<div id=\"reference\"></div>\n\
            <script src=\"/docs/scalar.js\"></script>\n<script src=\"/docs/start.js\"></script>";
        html_page(site, self.path, self.titles[language as usize], &attributes, content)
    }
}

/// The language of a page: `lang` in its query, English if it is missing or unknown.
fn language(query: &str) -> Language {
    let mut asked = query.split('&').filter_map(|pair| Language::parse(pair.strip_prefix("lang=")?));
    asked.next().unwrap_or_default()
}

/// The language of a description, English by default; `None` if the query says anything else.
fn described_language(query: &str) -> Option<Language> {
    match query {
        "" => Some(Language::English),
        query => Language::parse(query.strip_prefix("lang=")?),
    }
}

fn answer(status: StatusCode, content: HeaderValue, body: impl Into<Bytes>) -> Response<Bytes> {
    let mut answer = Response::new(body.into());
    *answer.status_mut() = status;
    with(answer, CONTENT_TYPE, content)
}

fn with(mut answer: Response<Bytes>, name: HeaderName, value: HeaderValue) -> Response<Bytes> {
    answer.headers_mut().insert(name, value);
    answer
}

fn refuse(status: StatusCode, text: &'static str) -> Response<Bytes> {
    answer(status, TEXT, text)
}

fn shown(page: String) -> Response<Bytes> {
    with(with(answer(StatusCode::OK, HTML, page), CONTENT_SECURITY_POLICY, POLICY), CACHE_CONTROL, KEPT)
}

fn asset(content: HeaderValue, bytes: Bytes) -> Response<Bytes> {
    let answer = with(answer(StatusCode::OK, content, bytes), CACHE_CONTROL, KEPT);
    with(answer, X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"))
}

fn script(bytes: &'static [u8]) -> Response<Bytes> {
    asset(HeaderValue::from_static("text/javascript; charset=utf-8"), Bytes::from_static(bytes))
}

impl<B: Send + 'static> tower::Service<Request<B>> for Pages {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let pages = self.clone();
        // The body is of no use, and need not be `Sync`.
        let request = request.map(drop);
        Box::pin(async move { Ok(pages.handle(request).await.map(Full::new)) })
    }
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("context", &self.context).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_viewer_is_the_file_that_its_notice_names() {
        use sha2::{Digest as _, Sha256};
        let hash = hex::encode(Sha256::digest(VIEWER));
        assert!(include_str!("assets/README.md").contains(&hash), "{hash} is not in assets/README.md");
    }
}
