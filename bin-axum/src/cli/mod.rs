//! The command line: every setting is a flag and an environment variable.

mod doctor;
mod listen;
mod mcp;
mod office;
mod settings;
mod span;
#[cfg(test)]
mod tests;
mod top;

use std::path::PathBuf;

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use svc_core::Language;
use svc_core::domain::company::CompanyId;
use svc_core::settings::{FontSettings, MailSettings, SecretsSettings, StamperSettings, WebhookSettings};

pub(crate) use doctor::DoctorArgs;
pub(crate) use listen::ListenArgs;
pub(crate) use mcp::McpArgs;
use office::ExistingArg;
pub(crate) use office::{ActionArgs, CertificateCommand, CompanyCommand, KeyCommand, SecretsCommand, UserCommand};
#[cfg(test)]
pub(crate) use settings::network;
pub(crate) use settings::{DEFAULT_BASE_URL, DatabaseArgs, ProcessArgs, ServeArgs, ServiceArgs, WaitArgs};
pub(crate) use top::TopArgs;

/// What the help and the manual page say after everything else.
const EXIT_STATUS: &str = "Exit status: 0 if the command did what it was asked for. 1 if it failed: one line on \
    stderr says why, and another one names an internal cause, if there is one. 1 also if `doctor` finds something \
    or `secrets rotate` leaves something. 2 if the command line is wrong.";

/// A whole ERP/CRM HTTP API: server and command line.
#[derive(Debug, Parser)]
#[command(name = "svc", version, max_term_width = 110, after_long_help = EXIT_STATUS)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
    /// The format of the log, on stderr.
    #[arg(long, env = "SVC_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text, global = true)]
    pub(crate) log_format: LogFormat,
    #[command(flatten)]
    pub(crate) secrets: SecretsSettings,
    #[command(flatten)]
    pub(crate) fonts: FontSettings,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// Engines that can distribute the tables.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Engine {
    Citus,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve a lifelike demo company from a private PostgreSQL.
    Demo {
        #[command(flatten)]
        service: ServiceArgs,
        #[command(flatten)]
        webhooks: WebhookSettings,
        #[command(flatten)]
        process: ProcessArgs,
        /// Show the data at /docs and let the reference send requests, through a proxy for
        /// development: the API itself refuses browsers.
        #[arg(long, env = "SVC_TRY_IT")]
        try_it: bool,
    },
    /// Serve the API.
    Serve(ServeArgs),
    /// Bring the database's schema up to date.
    Migrate {
        /// Distribute all tables by company over the workers of this engine, too: an extension that
        /// is in the database already.
        #[arg(long, value_enum)]
        distribute: Option<Engine>,
        #[command(flatten)]
        wait: WaitArgs,
    },
    /// Create, list or change companies.
    #[command(subcommand)]
    Company(CompanyCommand),
    /// Create, list, change or disable users of the ERP.
    #[command(subcommand)]
    User(UserCommand),
    /// Create or list API keys, accept terms for one, or revoke it.
    #[command(subcommand)]
    Key(KeyCommand),
    /// Load the certificate that a company signs its invoices with, or list them.
    #[command(subcommand)]
    Certificate(CertificateCommand),
    /// Seal the database's secrets under another key.
    #[command(subcommand)]
    Secrets(SecretsCommand),
    /// Show what a database that was restored from a backup would send once it is served:
    /// documents, cancellations, notices and e-mails that were under way.
    RestoreCheck {
        /// Make it a copy beside the original, which goes on: give it an installation id of its
        /// own, hold the documents and cancellations under way for good, discard notices and
        /// e-mails, pause all webhooks. Run it before a server is started on the copy.
        #[arg(long)]
        as_copy: bool,
    },
    /// Load records from NDJSON, one a line, all or nothing.
    Import {
        /// The company's number.
        #[arg(long)]
        company: CompanyId,
        /// The kind of records: a list's path without the slash.
        resource: String,
        /// What becomes of a line whose clave is taken: skip passes over it.
        #[arg(long, value_enum, default_value = "refuse")]
        existing: ExistingArg,
        /// The file, or - for standard input.
        file: PathBuf,
    },
    /// Print all records of a kind as NDJSON, as import takes them.
    Export {
        /// The company's number.
        #[arg(long)]
        company: CompanyId,
        /// The kind of records: a list's path without the slash.
        resource: String,
    },
    /// Run a back-office action; --list describes them all.
    Do(ActionArgs),
    /// Stamp everything that is due, once. Without a provider, owners get an e-mail about documents
    /// that wait for one, which deliver sends.
    Stamp {
        #[command(flatten)]
        stamper: StamperSettings,
        /// The API's public address, with which links in notices begin; by default the one at
        /// which it was last served.
        #[arg(long, env = "SVC_BASE_URL")]
        base_url: Option<String>,
    },
    /// Deliver the webhook notices that are due, once, then the e-mails.
    Deliver {
        #[command(flatten)]
        webhooks: WebhookSettings,
        #[command(flatten)]
        mail: MailSettings,
        /// The API's public address, with which links in notices begin; by default the one at
        /// which it was last served.
        #[arg(long, env = "SVC_BASE_URL")]
        base_url: Option<String>,
    },
    /// Remove what is only kept for a while, once: answers to Idempotency-Keys, events, deliveries,
    /// the log of requests.
    CleanUp,
    /// Receive webhook notices for development: registers a webhook, verifies its notices and
    /// prints them, until Ctrl-C.
    Listen(ListenArgs),
    /// Offer the API's operations as tools to agents, over the Model Context Protocol, under one
    /// key.
    Mcp(McpArgs),
    /// Print the description of the interface: an OpenAPI 3.1 document.
    Openapi {
        /// The language of its texts: en or es.
        #[arg(long, default_value = "en", value_parser = language)]
        lang: Language,
        /// The API's public address; a path alone means the server that gives the document.
        #[arg(long, default_value = "/api/v1")]
        base_url: String,
        /// Describe the office instead of the API.
        #[arg(long)]
        office: bool,
    },
    /// Say what is wrong with this installation: settings, database, secrets, provider,
    /// certificates, clock.
    Doctor(DoctorArgs),
    /// Print the last requests of a company, one JSON line each, the oldest first. They are kept
    /// for three days, without queries and bodies.
    Log {
        /// The company's number.
        #[arg(long)]
        company: CompanyId,
        /// How many.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        last: u32,
    },
    /// Print the completions of a shell, to be sourced by it.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual page, or write one for each command into a directory.
    Man {
        /// The directory.
        #[arg(long)]
        dir: Option<PathBuf>,
    },
    /// Show what a running server is doing: requests, companies, queues, stamping and webhooks. On
    /// a terminal it is drawn anew until q, Esc or Ctrl-C; elsewhere each reading is one JSON line.
    Top(TopArgs),
    /// Check that a running service is alive.
    Healthcheck {
        #[command(flatten)]
        service: ServiceArgs,
        // It makes no difference to the check, but a service's own flags may be given to it.
        #[command(flatten)]
        webhooks: WebhookSettings,
    },
}

impl Cli {
    /// The command line of a binary that is called `name`.
    pub(crate) fn command_of(name: &'static str) -> clap::Command {
        Self::command().name(name).bin_name(name)
    }
}

fn language(code: &str) -> Result<Language, String> {
    Language::parse(code).ok_or_else(|| "not en or es".to_owned())
}

impl Command {
    pub(crate) fn serves(&self) -> bool {
        matches!(self, Self::Demo { .. } | Self::Serve(_))
    }

    /// Whether it is a command that seals or opens stored secrets, except the one that changes
    /// their key.
    pub(crate) fn uses_secrets(&self) -> bool {
        let loads = matches!(self, Self::Certificate(CertificateCommand::Load { .. }));
        loads || matches!(self, Self::Do(_) | Self::Stamp { .. } | Self::Deliver { .. })
    }
}
