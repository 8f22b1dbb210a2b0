//! Reads that give a file.

use std::future::Future;

use bytes::Bytes;

use super::Spec;
use crate::error::Error;
use crate::store::Reader;

/// A read that gives a file: over HTTP bytes of the content type of its spec, where other
/// operations answer JSON. Its errors are answered as all others are. The type is its own input.
pub trait Download: Send + Sync {
    /// Its specification.
    const SPEC: Spec;

    /// The file.
    fn read(&self, reader: &dyn Reader) -> impl Future<Output = Result<Bytes, Error>> + Send;
}
