//! The rules, without I/O and without async: each is a pure function or a type that cannot hold a wrong value.

pub mod accounting;
pub mod certificate;
pub mod cfdi;
pub mod clock;
pub mod customer;
pub mod deposit;
pub mod event;
pub mod interaction;
pub mod invoice;
pub mod line;
pub mod money;
pub mod payment;
pub mod product;
pub mod quantity;
pub mod rfc;
pub mod sale;
pub mod sat;
pub mod scope;
pub mod stock;
pub mod text;
pub mod time;
pub mod webhook;
pub mod words;
