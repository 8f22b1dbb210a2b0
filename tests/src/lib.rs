//! The harness of the project's own tests: the kit that hosts test with, and checks of Svc's own
//! promises.

#![allow(clippy::missing_panics_doc, reason = "a harness that cannot go on panics: that is how a test fails")]

pub mod authority;
pub mod books;
pub mod certificate;
pub mod cpu;
mod endpoints;
pub mod imports;
pub mod layers;
pub mod mail;
pub mod notices;
pub mod releases;
pub mod statements;
pub mod store_suite;

pub use endpoints::{Endpoint, endpoints};
pub use svc_test_kit::*;

/// The median of at least one measurement.
pub fn median<T: PartialOrd>(measured: impl IntoIterator<Item = T>) -> T {
    let mut measured: Vec<T> = measured.into_iter().collect();
    measured.sort_by(|one, other| one.partial_cmp(other).expect("figures"));
    measured.swap_remove(measured.len() / 2)
}
