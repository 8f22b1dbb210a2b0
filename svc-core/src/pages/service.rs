//! [`Pages`]: the pages as one tower service.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{self, Poll};

use bytes::Bytes;
use http::header::{ALLOW, HOST, LOCATION};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;

use super::answer::{HTML, Page, refuse};
use super::guides::{guide, guides, home};
use super::home::{data_page, events_page};
use super::html::{Content, LOGO, ReaderKey, Site, html_page, link};
use crate::context::Context;
use crate::domain::company::CompanyId;
use crate::openapi::Language;
use crate::operation::JSON;
use crate::service::ClientAddress;

const VIEWER: &[u8] = include_bytes!("assets/scalar.js.gz");
const STYLE: &str = include_str!("assets/style.css");

/// The scripts by their paths.
const SCRIPTS: &[(&str, &str)] = &[
    ("/docs/theme.js", include_str!("assets/theme.js")),
    ("/docs/docs.js", include_str!("assets/docs.js")),
    ("/docs/data.js", include_str!("assets/data.js")),
    ("/docs/reference.js", include_str!("assets/reference.js")),
];

/// The company number of jobs for clients without a key; no company has it.
const NO_COMPANY: CompanyId = CompanyId(0);

/// A page that shows a description.
struct ReferencePage {
    path: &'static str,
    /// The description's path.
    document: &'static str,
    /// In English and Spanish.
    titles: [&'static str; 2],
}

const API: ReferencePage = ReferencePage {
    path: "/docs/reference",
    document: "/openapi.json",
    titles: ["API reference", "Referencia de la API"],
};
const OFFICE: ReferencePage = ReferencePage {
    path: "/docs/office",
    document: "/office/openapi.json",
    titles: ["Office reference", "Referencia de la oficina"],
};

/// The pages. Mount it at the root of a server beside the API: [`Pages::has`] says which paths are
/// its own. It is cheap to clone.
#[derive(Clone)]
pub struct Pages {
    context: Context,
    has_office: bool,
    sends_requests: bool,
    logo: Option<(HeaderValue, Bytes)>,
    key: Option<ReaderKey>,
    made: Made,
}

/// The pages that were requested, by path and language. They are made on first use: most servers
/// never need most of them, and a description takes a moment.
type Made = Arc<Mutex<HashMap<(String, Language), Arc<Page>>>>;

impl Pages {
    /// The pages of the API of `context`, with its own operations and the title of its registry.
    pub fn new(context: &Context) -> Self {
        Self {
            context: context.clone(),
            has_office: false,
            sends_requests: false,
            logo: None,
            key: None,
            made: Made::default(),
        }
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
    /// switches it on has a proxy there, for development: it takes the request's address from the
    /// path, or from `scalar_url` in the query.
    #[must_use]
    pub fn sends_requests(mut self, sends: bool) -> Self {
        self.sends_requests = sends;
        self
    }

    /// Fills a key into the quickstart and the reference, for readers on this machine alone: for
    /// requests that come from its own addresses ([`ClientAddress`]) and name it as their host. It
    /// is meant for a demo.
    #[must_use]
    pub fn key_for_this_machine(mut self, key_id: impl Into<String>, secret: impl Into<String>) -> Self {
        self.key = Some(ReaderKey { key_id: key_id.into(), secret: secret.into() });
        self
    }

    /// Whether a path is one of the pages.
    pub fn has(&self, path: &str) -> bool {
        let of_office = path == OFFICE.path || path == OFFICE.document;
        match path {
            LOGO => self.logo.is_some(),
            _ if of_office => self.has_office,
            "/" | "/docs" | "/docs/" | "/docs/events" | "/docs/data" | "/docs/style.css" | "/docs/scalar.js" => true,
            _ if path == API.path || path == API.document => true,
            _ if SCRIPTS.iter().any(|(script, _)| *script == path) => true,
            _ => path == "/docs/guides" || path.starts_with("/docs/guides/"),
        }
    }

    /// Answers a GET or HEAD of one of the pages. Other methods get 405, other paths 404.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<Bytes> {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut refusal = refuse(StatusCode::METHOD_NOT_ALLOWED, "");
            refusal.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return refusal;
        }
        let uri = request.uri();
        let (path, query) = (uri.path(), uri.query().unwrap_or_default());
        if !self.has(path) {
            return refuse(StatusCode::NOT_FOUND, "no such page\n");
        }
        if path == "/" || path == "/docs/" {
            return moved(language(query));
        }
        let is_description = path == API.document || path == OFFICE.document;
        let language = if is_description { described_language(query) } else { Some(language(query)) };
        let Some(language) = language else { return refuse(StatusCode::BAD_REQUEST, "lang is en or es\n") };
        let key = self.key.as_ref().filter(|_| shows_key(path) && is_local(&request));
        match self.page(path, language, key).await {
            Ok(Some(page)) => page.answer(request.headers()),
            Ok(None) => refuse(StatusCode::NOT_FOUND, "no such guide\n"),
            Err(error) => self.context.refusal(error),
        }
    }

    /// The page at a path that is one of the pages, with the key if there is one; `None` if there
    /// is no such guide.
    async fn page(
        &self,
        path: &str,
        language: Language,
        key: Option<&ReaderKey>,
    ) -> Result<Option<Arc<Page>>, crate::error::Error> {
        // Assets have no language.
        let is_asset = path.rsplit_once('.').is_some_and(|(_, kind)| kind != "json");
        let place = (path.to_owned(), if is_asset { Language::default() } else { language });
        let kept = || self.made.lock().unwrap_or_else(PoisonError::into_inner).get(&place).cloned();
        if key.is_none()
            && let Some(page) = kept()
        {
            return Ok(Some(page));
        }
        let (pages, asked, reader) = (self.clone(), path.to_owned(), key.cloned());
        let make = move || pages.make(&asked, language, reader.as_ref());
        let Some(page) = self.context.compute().run(NO_COMPANY, make).await? else { return Ok(None) };
        if key.is_some() {
            return Ok(Some(Arc::new(page.private())));
        }
        let page = Arc::new(page);
        self.made.lock().unwrap_or_else(PoisonError::into_inner).insert(place, Arc::clone(&page));
        Ok(Some(page))
    }

    fn make(&self, path: &str, language: Language, key: Option<&ReaderKey>) -> Option<Page> {
        let (registry, base_url) = (self.context.registry(), self.context.base_url());
        let site = Site {
            has_office: self.has_office,
            sends_requests: self.sends_requests,
            has_logo: self.logo.is_some(),
            key,
            ..Site::of(language, registry, base_url)
        };
        let html = |page: String| Some(Page::new(HTML, page));
        match path {
            "/docs" => html(home(site)),
            "/docs/guides" => html(guides(site)),
            "/docs/events" => html(events_page(site, &registry.openapi(language, base_url))),
            "/docs/data" => html(data_page(site)),
            "/docs/style.css" => Some(Page::new(HeaderValue::from_static("text/css; charset=utf-8"), STYLE)),
            "/docs/scalar.js" => Some(Page::stored(SCRIPT, VIEWER)),
            _ if path == API.path => html(API.page(site)),
            _ if path == OFFICE.path => html(OFFICE.page(Site { sends_requests: false, ..site })),
            _ if path == API.document => Some(described(&registry.openapi(language, base_url))),
            _ if path == OFFICE.document => Some(described(&registry.office_openapi(language, base_url))),
            LOGO => self.logo.clone().map(|(content, image)| Page::new(content, image)),
            _ => match SCRIPTS.iter().find(|(script, _)| *script == path) {
                Some((_, text)) => Some(Page::new(SCRIPT, *text)),
                None => html(guide(path.strip_prefix("/docs/guides/")?, site)?),
            },
        }
    }
}

const SCRIPT: HeaderValue = HeaderValue::from_static("text/javascript; charset=utf-8");

impl ReferencePage {
    fn page(&self, site: Site<'_>) -> String {
        let language = site.language;
        let try_it = if site.sends_requests { "yes" } else { "no" };
        let attributes = format!(
            " class=\"reference\" data-try-it=\"{try_it}\" data-document=\"{}\"",
            link(language, self.document)
        );
        let title = self.titles[language as usize];
        // The viewer has a `main` of its own.
        let body = "<div id=\"content\"><div id=\"reference\"></div></div>";
        let scripts = &["/docs/scalar.js", "/docs/reference.js"];
        html_page(site, &Content { path: self.path, title, attributes: &attributes, body, scripts })
    }
}

fn described(description: &serde_json::Value) -> Page {
    Page::new(HeaderValue::from_static(JSON), description.to_string())
}

/// Whether a page shows the reader's key.
fn shows_key(path: &str) -> bool {
    matches!(path, "/docs" | "/docs/data") || path == API.path
}

/// Whether a request comes from this machine and names it as its host: neither another machine nor
/// another site's page in a browser of this one can ask so.
fn is_local<B>(request: &Request<B>) -> bool {
    let address = request.extensions().get::<ClientAddress>();
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    address.is_some_and(|address| address.0.is_loopback()) && matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

/// Leads to the home page.
fn moved(language: Language) -> Response<Bytes> {
    let mut answer = refuse(StatusCode::FOUND, "");
    let home = HeaderValue::from_str(&link(language, "/docs"));
    answer.headers_mut().extend(home.ok().map(|home| (LOCATION, home)));
    answer
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

    #[test]
    fn only_this_machine_s_own_readers_see_the_key() {
        for (address, host, local) in [
            (Some("127.0.0.1"), "127.0.0.1:8080", true),
            (Some("::1"), "localhost:8080", true),
            (Some("127.0.0.1"), "evil.example", false),
            (Some("10.0.0.7"), "localhost:8080", false),
            (None, "localhost:8080", false),
        ] {
            let mut request = Request::builder().header(HOST, host).body(()).unwrap();
            if let Some(address) = address {
                request.extensions_mut().insert(ClientAddress(address.parse().unwrap()));
            }
            assert_eq!(is_local(&request), local, "{address:?} {host}");
        }
    }
}
