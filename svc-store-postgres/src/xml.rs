//! Tax documents as they are stored: deflated, since an XML takes a third of its bytes or less.

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib;

/// How hard deflating tries, from 0 to 10; 6 is zlib's default.
const LEVEL: u8 = 6;

pub(crate) fn deflated(text: &str) -> Vec<u8> {
    compress_to_vec_zlib(text.as_bytes(), LEVEL)
}

pub(crate) fn inflated_option(bytes: Option<&[u8]>) -> Result<Option<String>, sqlx::Error> {
    bytes.map(inflated).transpose()
}

pub(crate) fn inflated(bytes: &[u8]) -> Result<String, sqlx::Error> {
    let bytes = decompress_to_vec_zlib(bytes).map_err(|error| sqlx::Error::Decode(error.to_string().into()))?;
    String::from_utf8(bytes).map_err(|error| sqlx::Error::Decode(error.utf8_error().into()))
}
