//! The office over HTTP: actions, import, export, batches.

mod actions;
mod batch;
mod export;
mod import;
mod order;
