//! `svc`: the API as a long-running server, and its command line.
//!
//! Results go to stdout as one JSON line, prose and logs to stderr; the exit code is 0, or 1 with
//! one line on stderr, or 2 with clap's explanation of a wrong command line.

mod admin;
mod api_client;
mod cli;
mod commands;
mod connections;
mod database;
mod demo;
mod failure;
mod mcp;
mod metric_names;
mod open_files;
mod output;
mod secrets;
mod server;
mod serving;
mod shutdown;
mod telemetry;

use std::process::ExitCode;

use clap::Parser;
use tokio::runtime::Runtime;

use crate::cli::Cli;
use crate::failure::Failure;
use crate::telemetry::Telemetry;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match Runtime::new().map_err(Failure::io("no threads")).and_then(|runtime| run(runtime, cli)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("svc: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(runtime: Runtime, cli: Cli) -> Result<(), Failure> {
    let telemetry = Telemetry::start(cli.log_format, cli.command.serves().then_some(&runtime))?;
    let outcome = runtime.block_on(commands::run(cli));
    telemetry.finish();
    // The remaining tasks are useless, and may take long, such as looking up a name.
    runtime.shutdown_background();
    outcome
}
