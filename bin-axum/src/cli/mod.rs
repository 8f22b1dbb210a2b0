//! The command line: every setting is a flag and an environment variable.

mod listen;
mod office;
mod settings;

use std::path::PathBuf;

use bin_common::{MailArgs, SecretsArgs, StamperArgs, WebhookArgs};
use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use listen::ListenArgs;
pub(crate) use office::{ActionArgs, CertificateCommand, CompanyCommand, KeyCommand, UserCommand};
pub(crate) use settings::{DatabaseArgs, ProcessArgs, ServiceArgs};

/// A whole ERP/CRM HTTP API: server and command line.
#[derive(Debug, Parser)]
#[command(name = "svc", version, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
    /// The form of the log, on stderr.
    #[arg(long, env = "SVC_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text, global = true)]
    pub(crate) log_format: LogFormat,
    #[command(flatten)]
    pub(crate) secrets: SecretsArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve a lifelike demo company from a private PostgreSQL.
    Demo {
        #[command(flatten)]
        service: ServiceArgs,
        #[command(flatten)]
        process: ProcessArgs,
    },
    /// Serve the API.
    Serve {
        #[command(flatten)]
        service: ServiceArgs,
        #[command(flatten)]
        stamper: StamperArgs,
        #[command(flatten)]
        mail: MailArgs,
        #[command(flatten)]
        process: ProcessArgs,
        /// Do not run the timers (stamping, delivery, clean-up).
        #[arg(long, env = "SVC_NO_WORKERS")]
        no_workers: bool,
        /// Do not bring the schema up to date first.
        #[arg(long, env = "SVC_NO_MIGRATE")]
        no_migrate: bool,
    },
    /// Bring the database's schema up to date.
    Migrate,
    /// Make or change a company.
    #[command(subcommand)]
    Company(CompanyCommand),
    /// Make or disable a person of the ERP.
    #[command(subcommand)]
    User(UserCommand),
    /// Make, accept terms for or revoke an API key.
    #[command(subcommand)]
    Key(KeyCommand),
    /// Load the certificate that a company signs its invoices with.
    #[command(subcommand)]
    Certificate(CertificateCommand),
    /// Load records from NDJSON, one a line, all or nothing.
    Import {
        /// The company's number.
        #[arg(long)]
        company: i64,
        /// What the records are: a list's path without the slash.
        resource: String,
        /// The file, or - for standard input.
        file: PathBuf,
    },
    /// Do a back-office action; --list describes them all.
    Do(ActionArgs),
    /// Have stamped all that is due, once.
    Stamp {
        #[command(flatten)]
        stamper: StamperArgs,
        /// The API's public address: links in notices begin with it.
        #[arg(long, env = "SVC_BASE_URL", default_value = LOCAL)]
        base_url: String,
    },
    /// Deliver webhooks' notices that are due, once.
    Deliver {
        #[command(flatten)]
        webhooks: WebhookArgs,
        #[command(flatten)]
        mail: MailArgs,
        /// The API's public address: links in notices begin with it.
        #[arg(long, env = "SVC_BASE_URL", default_value = LOCAL)]
        base_url: String,
    },
    /// Receive webhooks' notices for development: registers a webhook, checks what comes and prints it, until Ctrl-C.
    Listen(ListenArgs),
    /// Ask a running service whether it is alive.
    Healthcheck(ServiceArgs),
}

impl Command {
    /// Whether it is a server.
    pub(crate) fn serves(&self) -> bool {
        matches!(self, Self::Demo { .. } | Self::Serve { .. })
    }
}

/// The API's address when nobody gives another.
const LOCAL: &str = "http://127.0.0.1:8080/api/v1";
