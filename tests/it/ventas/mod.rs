//! `/ventas`.

mod border;
mod create;
mod invoice;
mod list;
mod notified;
pub(crate) mod shop;
mod taxes;
