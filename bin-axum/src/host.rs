//! [`Host`]: `svc` with a host's own parts.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches as _;
use svc_core::ContextBuilder;
use svc_store_postgres::Migrator;
use tokio::runtime::Runtime;

use crate::cli::Cli;
use crate::commands;
use crate::failure::Failure;
use crate::parts::Parts;
use crate::telemetry::Telemetry;

/// The process of a server or of one command: `svc` itself, or a host's own binary with its parts.
///
/// Results go to stdout as one JSON line, prose and logs to stderr; the exit code is 0, or 1 with
/// one line on stderr (and one for an internal cause), or 2 with clap's explanation of a wrong
/// command line.
#[derive(Debug)]
pub struct Host {
    name: &'static str,
    parts: Parts,
}

impl Default for Host {
    fn default() -> Self {
        Self::named("svc")
    }
}

impl Host {
    /// A host whose binary is called `name`, in its help and before what it says on stderr.
    pub fn named(name: &'static str) -> Self {
        Self { name, parts: Parts::default() }
    }

    /// Adds operations, lists and hooks: those that `part` adds to the builder of a context. Where
    /// they collide with others, every command that needs them ends with an error that names both.
    #[must_use]
    pub fn part(mut self, part: impl Fn(ContextBuilder) -> ContextBuilder + Send + Sync + 'static) -> Self {
        self.parts.add(part);
        self
    }

    /// Adds tables: wherever the API's schema is brought up to date, these migrations run after it,
    /// as [`PostgresStore::migrate_own`](svc_store_postgres::PostgresStore::migrate_own) says.
    #[must_use]
    pub fn migrations(
        mut self,
        name: impl Into<String>,
        migrations: impl Fn() -> Migrator + Send + Sync + 'static,
    ) -> Self {
        self.parts.add_tables(name.into(), migrations);
        self
    }

    /// Runs the command that the process was started with, to its end.
    pub fn run(self) -> ExitCode {
        self.run_with(std::env::args_os())
    }

    /// Runs the command of these arguments, the program's name first, to its end.
    pub fn run_with(self, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
        let Self { name, parts } = self;
        let parsed = Cli::command_of(name).try_get_matches_from(arguments);
        let parsed = parsed.and_then(|matches| Cli::from_arg_matches(&matches));
        let cli = parsed.unwrap_or_else(|error| error.exit());
        let outcome = match commands::described(name, &cli.command) {
            Some(outcome) => outcome,
            None => Runtime::new().map_err(Failure::io("no threads")).and_then(|runtime| run(runtime, cli, &parts)),
        };
        match outcome {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => {
                eprintln!("{name}: {failure}");
                if let Some(cause) = failure.cause() {
                    eprintln!("{name}: cause: {cause}");
                }
                ExitCode::FAILURE
            }
        }
    }
}

fn run(runtime: Runtime, cli: Cli, parts: &Parts) -> Result<(), Failure> {
    let telemetry = Telemetry::start(cli.log_format, cli.command.serves().then_some(&runtime))?;
    let outcome = runtime.block_on(commands::run(cli, parts));
    telemetry.finish();
    // The remaining tasks are useless, and may take long, such as looking up a name.
    runtime.shutdown_background();
    outcome
}
