//! `/productos`

mod create;
mod edit;
mod list;
mod search;
