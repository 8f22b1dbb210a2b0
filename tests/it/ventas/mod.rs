//! `/ventas`.

mod create;
mod invoice;
mod list;
pub(crate) mod shop;
mod taxes;
