use std::future::Future;

use bytes::Bytes;

use super::Spec;
use crate::error::Error;
use crate::store::Reader;

/// A read that returns a file instead of JSON; its errors are JSON like all others. The type's
/// fields are its input.
pub trait Download: Send + Sync {
    /// How it is reached, and the file's content type.
    const SPEC: Spec;

    /// Reads the file.
    fn read(&self, reader: &dyn Reader) -> impl Future<Output = Result<File, Error>> + Send;
}

/// What a read gives of a file.
pub enum File {
    /// The file.
    Whole(Bytes),
    /// What makes the file, which may compute for milliseconds.
    Unmade(Box<dyn FnOnce() -> Result<Bytes, Error> + Send>),
}
