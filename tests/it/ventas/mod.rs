//! `/ventas`.

mod create;
mod invoice;
mod list;
mod shop;
