//! The demo's development proxy. The API refuses browsers, so the reference's requests go through
//! here, without what a browser adds. It is off by default and serves only pages of this machine.

use axum::Router;
use axum::extract::Request;
use axum::http::header::{COOKIE, HOST, HeaderMap, HeaderValue, ORIGIN, REFERER};
use axum::http::{HeaderName, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use svc_core::Api;

/// The headers in which a browser names the origin of a request.
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The proxy to `api`.
pub(super) fn routes(api: Api) -> Router {
    Router::new().nest_service("/docs/api", api).layer(from_fn(forward))
}

async fn forward(mut request: Request, next: Next) -> Response {
    if !is_from_here(request.headers()) {
        return (StatusCode::FORBIDDEN, "the proxy answers this machine's own pages only\n").into_response();
    }
    for name in [ORIGIN, REFERER, COOKIE] {
        request.headers_mut().remove(name);
    }
    next.run(request).await
}

/// Whether a request names this machine as its server and comes from no other site's page.
fn is_from_here(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let site = headers.get(SITE).is_none_or(|site| site == "same-origin" || site == "none");
    let own = |origin: &HeaderValue| origin.to_str().is_ok_and(|origin| origin == format!("http://{host}"));
    let origin = headers.get_all(ORIGIN).iter().all(own);
    matches!(name, "localhost" | "127.0.0.1" | "[::1]") && site && origin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_others_are_refused() {
        let here = "localhost:8080";
        for (host, site, origin, answered) in [
            (here, None, None, true),
            (here, Some("same-origin"), Some("http://localhost:8080"), true),
            (here, None, Some("http://localhost:8080"), true),
            (here, None, Some("https://evil.example"), false),
            (here, None, Some("http://localhost:9"), false),
            (here, None, Some("null"), false),
            (here, Some("cross-site"), None, false),
            (here, Some("same-origin"), Some("https://evil.example"), false),
            ("evil.example", None, None, false),
        ] {
            let named = [(HOST, Some(host)), (SITE, site), (ORIGIN, origin)];
            let headers = named.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::from_static(value?))));
            assert_eq!(is_from_here(&headers.collect()), answered, "{host} {site:?} {origin:?}");
        }
    }
}
