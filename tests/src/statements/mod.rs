//! Checks that each statement the store can send names one company, whose rows alone it locks and
//! writes.
//!
//! A statement is either a literal of the store's source, or assembled from pieces of literals.
//! Literals are checked as they stand ([`source()`]); assembled statements are checked when they
//! are sent ([`watch()`]), and each piece must have been part of one that was checked
//! ([`Source::unseen`]).

mod classify;
mod scope;
mod source;
mod watch;

pub use classify::{Classification, classify};
pub use source::{Source, source};
pub use watch::{Watch, watch};
