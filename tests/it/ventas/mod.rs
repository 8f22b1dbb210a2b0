//! `/ventas`.

mod create;
mod list;
