//! Ways to embed the API and to receive its webhooks; each example is one file beside this one.

/// The README's Rust, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
