//! Ways to embed the API, and to hear of what happens in it; each example is one file beside this one.

/// The README's Rust, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
