//! Reads that return a file.

use std::future::Future;

use bytes::Bytes;

use super::Spec;
use crate::error::Error;
use crate::store::Reader;

/// A read that returns a file: over HTTP, bytes of the content type in its spec, where other
/// operations answer JSON. Its errors are answered like all others. The type is its own input.
pub trait Download: Send + Sync {
    /// Its specification.
    const SPEC: Spec;

    /// Returns the file.
    fn read(&self, reader: &dyn Reader) -> impl Future<Output = Result<Bytes, Error>> + Send;
}
