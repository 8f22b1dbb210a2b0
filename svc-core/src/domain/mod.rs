//! The rules, without I/O and without async: each is a pure function or a type that cannot hold a wrong value.

pub mod cfdi;
pub mod clock;
pub mod customer;
pub mod event;
pub mod interaction;
pub mod line;
pub mod money;
pub mod product;
pub mod quantity;
pub mod rfc;
pub mod sat;
pub mod scope;
pub mod stock;
pub mod text;
pub mod time;
pub mod words;
