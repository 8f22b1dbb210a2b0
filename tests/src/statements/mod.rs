//! Checks of the statements that the store can send: each names one company, whose rows alone it
//! locks and writes.
//!
//! A statement is either a literal of the store's source, or put together from pieces that are. The
//! former are checked as they stand there ([`source()`]); the latter when they are sent
//! ([`watch()`]), and each piece must have been part of one that was checked ([`Source::unseen`]).

mod classify;
mod scope;
mod source;
mod watch;

pub use classify::{Classification, classify};
pub use source::{Source, source};
pub use watch::{Watch, watch};
