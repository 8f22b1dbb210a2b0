//! Answers are compressed for clients that take zstd or gzip.

use http::header::ACCEPT_ENCODING;
use http::{HeaderValue, Request};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate, SizeAbove};

/// A smaller answer fits into one packet.
const MIN_SIZE: u64 = 1_024;

/// Content that is compressed in itself.
const COMPRESSED: [&str; 2] = ["application/pdf", "application/zip"];

/// Compresses as fast as possible: a page of 30 records shrinks to a third.
pub(super) fn compression() -> CompressionLayer<impl Predicate> {
    let [pdf, zip] = COMPRESSED.map(NotForContentType::const_new);
    let predicate = DefaultPredicate::new().and(SizeAbove::new(MIN_SIZE)).and(pdf).and(zip);
    CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(predicate)
}

/// Removes `identity;q=0` and `*;q=0` from Accept-Encoding. A client that takes none of the
/// server's codings then gets the answer uncompressed, as RFC 9110 allows (section 12.5.3): a 406
/// would hide what a write has done.
pub(super) async fn no_refusal<B>(mut request: Request<B>) -> Request<B> {
    let values: Vec<&str> =
        request.headers().get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok()).collect();
    if values.iter().any(|value| value.contains('=')) {
        let accepted: Vec<&str> =
            values.iter().flat_map(|value| value.split(',')).map(str::trim).filter(|one| !is_refused(one)).collect();
        let accepted = HeaderValue::from_str(&accepted.join(", "));
        request.headers_mut().remove(ACCEPT_ENCODING);
        if let Some(accepted) = accepted.ok().filter(|accepted| !accepted.is_empty()) {
            request.headers_mut().insert(ACCEPT_ENCODING, accepted);
        }
    }
    request
}

/// Whether an entry is `identity` or `*` with weight zero.
fn is_refused(coding: &str) -> bool {
    let name = coding.split(';').next().unwrap_or_default().trim();
    if name != "*" && !name.eq_ignore_ascii_case("identity") {
        return false;
    }
    let weight = coding.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("q").then(|| value.trim())
    });
    weight.and_then(|weight| weight.parse::<f32>().ok()) == Some(0.0)
}
