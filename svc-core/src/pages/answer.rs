//! Answers of pages: compressed if the client accepts it, and without a body if the client has the
//! page already.

use std::io::{Read as _, Write as _};
use std::sync::OnceLock;

use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use sha2::{Digest as _, Sha256};

/// How long clients may use pages without asking whether they changed: they change with the
/// server's version.
const KEPT: HeaderValue = HeaderValue::from_static("public, max-age=300");
/// For pages that show a key.
const NOT_KEPT: HeaderValue = HeaderValue::from_static("no-store");

/// The content policy: pages may load from and reach this server only. The viewer inserts styles
/// into the page.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
    font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

pub(super) const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// The body of an answer, in both encodings.
pub(super) struct Page {
    content: HeaderValue,
    plain: OnceLock<Bytes>,
    gzip: Option<Bytes>,
    /// The entity tag of this version, without quotes.
    tag: String,
    /// Whether anybody may keep it.
    is_public: bool,
}

impl Page {
    pub(super) fn new(content: HeaderValue, body: impl Into<Bytes>) -> Self {
        let plain = body.into();
        let packed = packed(&plain).filter(|packed| packed.len() < plain.len());
        Self { content, tag: tag(&plain), gzip: packed, plain: plain.into(), is_public: true }
    }

    /// A page that is stored compressed.
    pub(super) fn stored(content: HeaderValue, gzip: &'static [u8]) -> Self {
        let gzip = Bytes::from_static(gzip);
        Self { content, tag: tag(&gzip), gzip: Some(gzip), plain: OnceLock::new(), is_public: true }
    }

    /// The page for one reader alone.
    pub(super) fn private(self) -> Self {
        Self { is_public: false, ..self }
    }

    fn plain(&self) -> Bytes {
        let unpack = || {
            let mut plain = Vec::new();
            let gzip = self.gzip.as_deref().unwrap_or_default();
            // The bytes are part of the binary, so they are whole.
            let _ = GzDecoder::new(gzip).read_to_end(&mut plain);
            plain.into()
        };
        self.plain.get_or_init(unpack).clone()
    }

    pub(super) fn answer(&self, request: &HeaderMap) -> Response<Bytes> {
        let gzip = self.gzip.as_ref().filter(|_| takes_gzip(request));
        let tag = format!("\"{}{}\"", self.tag, if gzip.is_some() { "-gzip" } else { "" });
        let mut answer = Response::new(Bytes::new());
        let headers = answer.headers_mut();
        headers.insert(CACHE_CONTROL, if self.is_public { KEPT } else { NOT_KEPT });
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if self.is_public {
            headers.extend(HeaderValue::from_str(&tag).ok().map(|value| (ETAG, value)));
            if has(request, &tag) {
                *answer.status_mut() = StatusCode::NOT_MODIFIED;
                return answer;
            }
        }
        headers.insert(CONTENT_TYPE, self.content.clone());
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if self.content == HTML {
            headers.insert(CONTENT_SECURITY_POLICY, POLICY);
        }
        if gzip.is_some() {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        *answer.body_mut() = gzip.cloned().unwrap_or_else(|| self.plain());
        answer
    }
}

/// A short answer in plain text.
pub(super) fn refuse(status: StatusCode, text: &'static str) -> Response<Bytes> {
    let mut answer = Response::new(text.into());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, TEXT);
    answer
}

fn packed(plain: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

fn tag(body: &[u8]) -> String {
    hex::encode(&Sha256::digest(body)[..12])
}

/// Whether the client takes gzip: it names it, or everything, and does not refuse it.
fn takes_gzip(request: &HeaderMap) -> bool {
    let said = request.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let codings = said.flat_map(|list| list.split(',')).map(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let refused = parts.any(|part| part.strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0_f32)));
        (name, !refused)
    });
    let codings: Vec<_> = codings.collect();
    let of = |name: &str| codings.iter().find(|(coding, _)| coding == name).map(|(_, taken)| *taken);
    of("gzip").or_else(|| of("*")).unwrap_or(false)
}

/// Whether the client says that it has the version of that tag.
fn has(request: &HeaderMap, tag: &str) -> bool {
    let said = request.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = said.flat_map(|list| list.split(',')).map(str::trim);
    tags.any(|other| other == "*" || other.strip_prefix("W/").unwrap_or(other) == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(http::HeaderName, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn gzip_goes_to_those_who_take_it() {
        for (said, taken) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("*", true),
            ("gzip;q=0, *", false),
            ("gzip; q=0", false),
            ("br", false),
            ("", false),
        ] {
            assert_eq!(takes_gzip(&headers(&[(ACCEPT_ENCODING, said)])), taken, "{said}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }

    #[test]
    fn a_page_is_sent_once_to_a_client_that_keeps_it() {
        let text = "a page ".repeat(100);
        let page = Page::new(HTML, text.clone());
        let first = page.answer(&HeaderMap::new());
        assert_eq!(first.body(), text.as_bytes());
        let packed = page.answer(&headers(&[(ACCEPT_ENCODING, "gzip")]));
        assert!(packed.headers()[CONTENT_ENCODING] == "gzip" && packed.body().len() < 100);
        assert_ne!(first.headers()[ETAG], packed.headers()[ETAG]);
        let again = |tag: &HeaderValue| {
            let asked = HeaderMap::from_iter([(IF_NONE_MATCH, tag.clone())]);
            page.answer(&asked)
        };
        let same = again(&first.headers()[ETAG]);
        assert_eq!((same.status(), same.body().len()), (StatusCode::NOT_MODIFIED, 0));
        assert_eq!(same.headers()[ETAG], first.headers()[ETAG]);
        assert_eq!(again(&HeaderValue::from_static("\"other\"")).status(), StatusCode::OK);
        let weak = format!("\"other\", W/{}", first.headers()[ETAG].to_str().unwrap());
        assert_eq!(again(&HeaderValue::from_str(&weak).unwrap()).status(), StatusCode::NOT_MODIFIED);
        let private = Page::new(HTML, text).private().answer(&headers(&[(IF_NONE_MATCH, "*")]));
        assert!(private.headers().get(ETAG).is_none() && private.headers()[CACHE_CONTROL] == "no-store");
    }

    #[test]
    fn what_is_stored_compressed_is_unpacked_for_others() {
        let packed: &'static [u8] = Vec::leak(packed(b"text").unwrap().to_vec());
        let page = Page::stored(HTML, packed);
        assert_eq!(page.answer(&HeaderMap::new()).body(), &b"text"[..]);
        assert_eq!(page.answer(&headers(&[(ACCEPT_ENCODING, "gzip")])).body(), packed);
    }
}
