//! The records of the demo company: a small distributor of hardware, electrical and plumbing goods.
//!
//! Everything here is a pure function of a seed and of the day it is made on: the same pair gives the same records on
//! any machine, so a demo can be described in documentation and repeated in a bug report. The records have the shape
//! of the import's lines. All names, addresses and numbers are random; mail domains are reserved ones.

mod catalog;
mod companies;
mod contact;
mod customers;
mod dice;
mod families;
mod names;
mod places;
mod products;
mod record;
mod rfc;
#[cfg(test)]
mod tests;
mod year;

pub(crate) use catalog::{brands, categories, units};
pub(crate) use customers::customers;
pub(crate) use dice::days_before;
pub(crate) use products::products;
pub(crate) use record::Record;
pub(crate) use year::year;
