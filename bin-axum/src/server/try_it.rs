//! The demo's development proxy. The API refuses browsers, so the reference's requests go through
//! here, without what a browser adds. It is off by default and serves only pages of this machine.

use axum::Router;
use axum::extract::Request;
use axum::http::header::{COOKIE, HOST, HeaderMap, HeaderValue, ORIGIN, REFERER};
use axum::http::{HeaderName, StatusCode, Uri};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use svc_core::Api;
use tower::ServiceExt as _;
use url::form_urlencoded;

const PATH: &str = "/docs/api";

/// The headers in which a browser names the origin of a request.
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The proxy to `api`, whose public address is `base_url`. A request's address below it is the rest
/// of the path, or in the parameter `scalar_url`, where the reference's viewer puts the whole
/// address.
pub(super) fn routes(api: Api, base_url: &str) -> Router {
    let base_url = base_url.to_owned();
    let proxied = api.map_request(move |request: Request| aimed(&base_url, request));
    let below = format!("{PATH}/{{*rest}}");
    Router::new().route_service(PATH, proxied.clone()).route_service(&below, proxied).layer(from_fn(forward))
}

/// The request to the API. One whose address is not below the API's names no resource.
fn aimed(base_url: &str, mut request: Request) -> Request {
    let base = base_url.parse::<Uri>().unwrap_or_default();
    let base = base.path().trim_end_matches('/');
    let uri = request.uri();
    let whole = uri.path_and_query().map_or("", |path| path.as_str());
    let rest = whole.strip_prefix(PATH).filter(|rest| rest.starts_with('/')).map(str::to_owned);
    let asked = || {
        let query = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
        let url = query.into_iter().find(|(name, _)| name == "scalar_url")?.1;
        url.strip_prefix(base_url).filter(|rest| rest.starts_with('/')).map(str::to_owned)
    };
    let target = rest.or_else(asked).and_then(|rest| format!("{base}{rest}").parse::<Uri>().ok());
    *request.uri_mut() = target.unwrap_or_else(|| Uri::from_static("/-"));
    request
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
    fn a_request_goes_to_the_address_that_the_viewer_names() {
        for (asked, target) in [
            (
                "?scalar_url=http%3A%2F%2F127.0.0.1%3A8080%2Fapi%2Fv1%2Fclientes%3Flimite%3D3",
                "/api/v1/clientes?limite=3",
            ),
            ("?x=1&scalar_url=http://127.0.0.1:8080/api/v1/ventas", "/api/v1/ventas"),
            ("/clientes?limite=3", "/api/v1/clientes?limite=3"),
            ("?scalar_url=https://evil.example/api/v1/clientes", "/-"),
            ("?scalar_url=http://127.0.0.1:8080/api/v1@evil.example", "/-"),
            ("", "/-"),
        ] {
            let request = Request::builder().uri(format!("{PATH}{asked}")).body(axum::body::Body::empty()).unwrap();
            let aimed = aimed("http://127.0.0.1:8080/api/v1", request);
            assert_eq!(aimed.uri().to_string(), target, "{asked}");
        }
    }

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
