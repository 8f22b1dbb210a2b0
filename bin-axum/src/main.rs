//! `svc`: the API as a long-running server, and its command line.
//!
//! Results go to stdout as one JSON line, prose and logs to stderr; the exit code is 0, or 1 with one line on stderr.

mod cli;
mod commands;
mod database;
mod demo;
mod failure;
mod server;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;

use crate::cli::{Cli, LogFormat};

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    start_log(cli.log_format);
    match commands::run(cli).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("svc: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn start_log(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,sqlx=warn"));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().init(),
    }
}
