//! `svc`: the API as a long-running server, and its command line.
//!
//! Results go to stdout as one JSON line, prose and logs to stderr; the exit code is 0, or 1 with one line on stderr.

mod cli;
mod commands;
mod database;
mod demo;
mod failure;
mod server;
mod usage;
mod workers;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use tracing_subscriber::EnvFilter;

use crate::cli::{Cli, LogFormat};

#[tokio::main]
async fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    start_log(cli.log_format);
    match commands::run(cli).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("svc: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Help and version go to stdout; a wrong command line is one line on stderr like any other failure.
fn refuse(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // A reader that went away has seen what it wanted.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        eprintln!("svc: a command is missing: svc --help lists them");
        return ExitCode::FAILURE;
    }
    let text = error.to_string();
    let said: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    eprintln!("svc: {}", said.join(" ").trim_start_matches("error: "));
    ExitCode::FAILURE
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
