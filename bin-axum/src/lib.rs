//! `svc` as a library: the server and its command line, with a host's own operations in all of it.
//!
//! ```no_run
//! # use svc_core::ContextBuilder;
//! # fn with_parcels(context: ContextBuilder) -> ContextBuilder { context }
//! fn main() -> std::process::ExitCode {
//!     bin_axum::Host::named("paqueteria").part(with_parcels).run()
//! }
//! ```
//!
//! That binary has every command of `svc`, with the host's operations among the paths of `serve`,
//! the actions of `do`, the tools of `mcp` and what `openapi` describes.

mod admin;
mod api_client;
mod cli;
mod commands;
mod connections;
mod database;
mod demo;
mod failure;
mod host;
mod mcp;
mod metric_names;
mod open_files;
mod output;
mod parts;
mod progress;
mod secrets;
mod server;
mod serving;
mod shutdown;
mod telemetry;
mod top;

pub use host::Host;
