//! The command line: every setting is a flag and an environment variable.

use std::convert::Infallible;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use clap::{Args, Parser, Subcommand, ValueEnum};
use rust_decimal::Decimal;
use svc_core::secrets::SecretsKey;
use svc_core::store::{CompanyChange, LimitMode, Plan};
use svc_core::webhooks::Networks;

use crate::failure::Failure;
use crate::mail::Mail;

/// A whole ERP/CRM HTTP API: server and command line.
#[derive(Debug, Parser)]
#[command(name = "svc", version, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
    /// The form of the log, on stderr.
    #[arg(long, env = "SVC_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text, global = true)]
    pub(crate) log_format: LogFormat,
    /// Key that encrypts webhook secrets and certificate keys at rest, 64 hexadecimal digits; without it they are stored as they are.
    #[arg(long, env = "SVC_SECRETS_KEY", hide_env_values = true, global = true)]
    secrets_key: Option<Hidden>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// The key that secrets are sealed with, if one is set. It is read here and not by clap, which shows a wrong value.
    pub(crate) fn secrets(&self) -> Result<Option<SecretsKey>, Failure> {
        let given = self.secrets_key.as_ref().filter(|given| !given.0.is_empty());
        let wrong = |error| Failure::Other(format!("SVC_SECRETS_KEY: {error}"));
        given.map(|given| given.0.parse().map_err(wrong)).transpose()
    }
}

/// A value that is not shown.
#[derive(Clone)]
struct Hidden(String);

impl FromStr for Hidden {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden(..)")
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct DatabaseArgs {
    /// PostgreSQL to use; without it a private one is run in the data directory.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, global = true)]
    pub(crate) database_url: Option<String>,
    /// Where the private PostgreSQL keeps its data.
    #[arg(long, env = "SVC_DATA_DIR", default_value = ".svc", global = true)]
    pub(crate) data_dir: PathBuf,
    /// Database connections at the most.
    #[arg(long, env = "SVC_MAX_CONNECTIONS", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000), global = true)]
    pub(crate) max_connections: u32,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve a lifelike demo company from a private PostgreSQL.
    Demo(ServiceArgs),
    /// Serve the API.
    Serve {
        #[command(flatten)]
        service: ServiceArgs,
        #[command(flatten)]
        stamper: StamperArgs,
        #[command(flatten)]
        mail: MailArgs,
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
    /// Ask a running service whether it is alive.
    Healthcheck(ServiceArgs),
}

/// The API's address when nobody gives another.
const LOCAL: &str = "http://127.0.0.1:8080/api/v1";

#[derive(Debug, Args)]
pub(crate) struct StamperArgs {
    /// Who has invoices stamped: the URL of a provider, or sandbox, which plays one.
    #[arg(long, env = "SVC_STAMPER", default_value = "sandbox")]
    pub(crate) stamper: String,
    /// What the provider knows us by.
    #[arg(long, env = "SVC_STAMPER_TOKEN", hide_env_values = true)]
    stamper_token: Option<Hidden>,
    /// How long the provider may take to answer, in seconds.
    #[arg(long, env = "SVC_STAMPER_TIMEOUT", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) stamper_timeout: u64,
}

impl StamperArgs {
    /// The provider's token; empty when none is set.
    pub(crate) fn token(&self) -> &str {
        self.stamper_token.as_ref().map_or("", |token| &token.0)
    }
}

#[derive(Debug, Args)]
pub(crate) struct ActionArgs {
    /// Print every action, with the JSON Schema of its input.
    #[arg(long, conflicts_with_all = ["company", "action", "input"])]
    pub(crate) list: bool,
    /// The company's number.
    #[arg(long, required_unless_present = "list")]
    pub(crate) company: Option<i64>,
    /// The API's public address: links in notices begin with it.
    #[arg(long, env = "SVC_BASE_URL", default_value = LOCAL)]
    pub(crate) base_url: String,
    /// The action's name.
    #[arg(required_unless_present = "list")]
    pub(crate) action: Option<String>,
    /// Its input, a JSON object, or - for standard input.
    #[arg(value_name = "JSON", required_unless_present = "list")]
    pub(crate) input: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ServiceArgs {
    /// Address to listen on.
    #[arg(long, env = "SVC_LISTEN")]
    pub(crate) listen: Option<SocketAddr>,
    /// Port to listen on, on all addresses, when no address is given.
    #[arg(long, env = "PORT")]
    pub(crate) port: Option<u16>,
    /// The API's public address; by default `http://LISTEN/api/v1`.
    #[arg(long, env = "SVC_BASE_URL")]
    pub(crate) base_url: Option<String>,
    /// Whether limits cut (enforced) or are only announced (notice).
    #[arg(long, env = "SVC_LIMITS", default_value = "enforced")]
    pub(crate) limits: LimitMode,
    /// Largest body of a request, in bytes.
    #[arg(long, env = "SVC_MAX_BODY", default_value_t = svc_core::DEFAULT_MAX_BODY)]
    pub(crate) max_body: usize,
    #[command(flatten)]
    pub(crate) webhooks: WebhookArgs,
}

/// Where webhooks may lead, beyond the public internet and short of it.
#[derive(Debug, Args)]
pub(crate) struct WebhookArgs {
    /// For development only: networks that webhooks may reach, with http and any port, several with commas between.
    #[arg(long = "webhook-allow-nets", env = "SVC_WEBHOOK_ALLOW_NETS", default_value = "", hide_default_value = true)]
    allow: String,
    /// Further networks that webhooks may not reach, several with commas between.
    #[arg(long = "webhook-deny-nets", env = "SVC_WEBHOOK_DENY_NETS", default_value = "", hide_default_value = true)]
    deny: String,
}

/// Through whom e-mails are sent.
#[derive(Debug, Args)]
pub(crate) struct MailArgs {
    /// SMTP server to send e-mails through (`smtps://user:password@host`); without it they wait.
    #[arg(long, env = "SVC_SMTP_URL", hide_env_values = true)]
    smtp_url: Option<Hidden>,
    /// Who e-mails are from; by default the URL's user, else svc@ the server.
    #[arg(long, env = "SVC_SMTP_FROM")]
    smtp_from: Option<String>,
}

impl MailArgs {
    /// Who sends e-mails, if anyone does.
    pub(crate) fn mail(&self) -> Result<Option<Mail>, Failure> {
        let url = self.smtp_url.as_ref().map(|url| url.0.as_str()).filter(|url| !url.is_empty());
        url.map(|url| Mail::new(url, self.smtp_from.as_deref())).transpose()
    }
}

impl WebhookArgs {
    /// The networks.
    pub(crate) fn networks(&self) -> Result<Networks, Failure> {
        let wrong = |name: &'static str| move |error| Failure::Other(format!("{name}: {error}"));
        let networks = Networks::default().allow(&self.allow).map_err(wrong("SVC_WEBHOOK_ALLOW_NETS"))?;
        networks.deny(&self.deny).map_err(wrong("SVC_WEBHOOK_DENY_NETS"))
    }
}

impl ServiceArgs {
    /// Where to listen: the address given, else every address at the port given, else 127.0.0.1:8080.
    pub(crate) fn address(&self) -> SocketAddr {
        self.listen.unwrap_or(match self.port {
            Some(port) => ([0, 0, 0, 0], port).into(),
            None => ([127, 0, 0, 1], 8080).into(),
        })
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum CompanyCommand {
    /// Make a company with its head office, main warehouse, units, price list and owner.
    Create {
        #[command(flatten)]
        settings: CompanyArgs,
    },
    /// Change a company's settings; what is not given stays.
    Edit {
        /// The company's number.
        #[arg(long)]
        company: i64,
        #[command(flatten)]
        settings: CompanyArgs,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PlanArg {
    Pro,
    None,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum LimitsArg {
    Enforced,
    Notice,
    Inherit,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

#[derive(Debug, Args)]
pub(crate) struct CompanyArgs {
    /// Its name.
    #[arg(long)]
    name: Option<String>,
    /// Its plan; only pro has the API.
    #[arg(long, value_enum)]
    plan: Option<PlanArg>,
    /// Paid user licences.
    #[arg(long)]
    licences: Option<i32>,
    /// Whether its limits cut; inherit follows the service.
    #[arg(long, value_enum)]
    limits: Option<LimitsArg>,
    /// Whether it has the API.
    #[arg(long, value_enum)]
    api: Option<Switch>,
    /// Whether it operates in a franchise scheme.
    #[arg(long, value_enum)]
    franchise: Option<Switch>,
    /// Whether its plan includes invoicing.
    #[arg(long, value_enum)]
    invoicing: Option<Switch>,
    /// Least advance of a cash sale to be invoiced, percent.
    #[arg(long, value_name = "PERCENT")]
    min_advance: Option<Decimal>,
    /// Its tax id.
    #[arg(long)]
    rfc: Option<String>,
    /// Its tax regime, a key of the SAT's catalogue.
    #[arg(long)]
    regimen: Option<i64>,
    /// Its fiscal postal code.
    #[arg(long)]
    cp: Option<String>,
}

impl From<CompanyArgs> for CompanyChange {
    fn from(args: CompanyArgs) -> Self {
        let on = |switch: Option<Switch>| switch.map(|switch| matches!(switch, Switch::On));
        Self {
            nombre: args.name,
            plan: args.plan.map(|plan| match plan {
                PlanArg::Pro => Plan::Pro,
                PlanArg::None => Plan::None,
            }),
            licencias: args.licences,
            limites: args.limits.map(|limits| match limits {
                LimitsArg::Enforced => Some(LimitMode::Enforced),
                LimitsArg::Notice => Some(LimitMode::Notice),
                LimitsArg::Inherit => None,
            }),
            api: on(args.api),
            franquicia: on(args.franchise),
            facturacion: on(args.invoicing),
            anticipo_minimo: args.min_advance,
            rfc: args.rfc,
            regimen: args.regimen,
            cp: args.cp,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Make a user.
    Create {
        /// The company's number.
        #[arg(long)]
        company: i64,
        /// Their name.
        #[arg(long)]
        name: String,
        /// Their e-mail.
        #[arg(long)]
        email: Option<String>,
        /// Whether sales and contacts can be credited to them.
        #[arg(long)]
        salesperson: bool,
    },
    /// End a user's access; their keys stop working.
    Disable {
        /// The company's number.
        #[arg(long)]
        company: i64,
        /// The user's clave.
        #[arg(long)]
        user: i64,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Make an API key; the secret is shown once.
    Create {
        /// The company's number.
        #[arg(long)]
        company: i64,
        /// The user who owns it; the company's first by default.
        #[arg(long)]
        user: Option<i64>,
        /// What it may do: scopes separated by commas, or all.
        #[arg(long, default_value = "all")]
        scopes: String,
        /// When it stops working, YYYY-MM-DD or RFC 3339.
        #[arg(long, value_parser = instant)]
        expires: Option<DateTime<Utc>>,
        /// Do not accept the current terms of use.
        #[arg(long)]
        no_terms: bool,
    },
    /// Accept the current terms of use for a key.
    AcceptTerms {
        /// The key's public identifier.
        #[arg(long)]
        key_id: String,
    },
    /// Revoke a key.
    Revoke {
        /// The key's public identifier.
        #[arg(long)]
        key_id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum CertificateCommand {
    /// Check a certificate (CSD) with its key, and sign with it from now on.
    Load {
        /// The company's number.
        #[arg(long)]
        company: i64,
        /// The certificate, as the SAT hands it out.
        #[arg(long, value_name = "FILE")]
        cer: PathBuf,
        /// Its private key, as the SAT hands it out.
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
        /// The environment variable that holds the key's password.
        #[arg(long, value_name = "VARIABLE")]
        password_env: String,
    },
}

/// A date is its first instant, UTC.
fn instant(text: &str) -> Result<DateTime<Utc>, String> {
    let date = || text.parse::<chrono::NaiveDate>().ok()?.and_hms_opt(0, 0, 0).map(|at| at.and_utc());
    date().or_else(|| text.parse().ok()).ok_or_else(|| "must be YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ".to_owned())
}
