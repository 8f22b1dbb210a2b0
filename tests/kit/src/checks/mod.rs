//! What every list, write and table of a host must do. A fault fails the test that asks.

mod lists;
mod tables;
mod writes;

pub use lists::lists;
pub use tables::tables;
pub use writes::{Write, write};
