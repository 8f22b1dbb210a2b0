//! The arguments of the back-office commands.

use std::path::PathBuf;

use chrono::{DateTime, TimeDelta, Utc};
use clap::{Args, Subcommand, ValueEnum};
use rust_decimal::Decimal;
use svc_core::domain::company::{CompanyId, LimitMode, Plan};
use svc_core::operations::import::Existing;
use svc_core::settings::StamperSettings;
use svc_core::store::{CompanyChange, LetterheadChange};

use super::span::time_span;

#[derive(Debug, Subcommand)]
pub(crate) enum CompanyCommand {
    /// Create a company with its head office, main warehouse, units, price list and owner.
    #[command(mut_arg("name", |name| name.required(true)))]
    Create {
        #[command(flatten)]
        settings: CompanyArgs,
        /// Make it a test company, for trying: its documents are stamped by the sandbox and by
        /// nobody else. It stays one.
        #[arg(long)]
        test: bool,
    },
    /// Print the companies, one a line.
    List,
    /// Change a company's settings; omitted ones stay.
    Edit {
        /// The company's number.
        #[arg(long)]
        company: CompanyId,
        #[command(flatten)]
        settings: CompanyArgs,
    },
    /// Set the logo of a company's printed documents, or remove it. Transparent parts become white,
    /// a white border is cut off, and a large logo is made smaller.
    Logo {
        /// The company's number.
        #[arg(long)]
        company: CompanyId,
        /// A PNG, or an SVG without text and images, of up to 2 MiB.
        #[arg(required_unless_present = "remove", conflicts_with = "remove")]
        file: Option<PathBuf>,
        /// Remove it.
        #[arg(long)]
        remove: bool,
    },
    /// Copy a company with all its records into a new test company, without keys, webhooks,
    /// certificates and users' e-mails.
    Fork {
        /// The company's number.
        #[arg(long)]
        company: CompanyId,
        /// The new company's name.
        #[arg(long)]
        name: String,
    },
    /// Print a test company's time, or move its clock forward; servers see it within 5 seconds.
    Clock {
        /// The company's number.
        #[arg(long)]
        company: CompanyId,
        /// Forward by that much: a number and s, m, h or d.
        #[arg(long, value_name = "TIME", value_parser = time_span, conflicts_with = "to")]
        forward: Option<TimeDelta>,
        /// Forward to that time, YYYY-MM-DD or RFC 3339.
        #[arg(long, value_name = "TIME", value_parser = instant)]
        to: Option<DateTime<Utc>>,
    },
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
    /// Whether it may sell more than its stock.
    #[arg(long, value_enum)]
    below_stock: Option<BelowStockArg>,
    /// Whether its stamped documents go to the customer by e-mail, with XML and PDF.
    #[arg(long, value_enum)]
    send_documents: Option<Switch>,
    /// The owner's e-mail, told of disabled webhooks, certificates near their end, and documents
    /// that wait; empty for none.
    #[arg(long)]
    email: Option<String>,
    /// Its tax id.
    #[arg(long)]
    rfc: Option<String>,
    /// Its tax regime, a key of the SAT's catalogue.
    #[arg(long)]
    regimen: Option<i64>,
    /// Its fiscal postal code.
    #[arg(long)]
    cp: Option<String>,
    #[command(flatten)]
    letterhead: LetterheadArgs,
}

/// What a company's printed documents bear besides; an empty text removes it.
#[derive(Debug, Args)]
struct LetterheadArgs {
    /// The colour of its printed documents.
    #[arg(long, value_name = "#RRGGBB")]
    color: Option<String>,
    /// Its address on printed documents, of up to five lines.
    #[arg(long)]
    address: Option<String>,
    /// Its telephone number on printed documents.
    #[arg(long)]
    phone: Option<String>,
    /// The e-mail address on printed documents.
    #[arg(long, value_name = "EMAIL")]
    contact_email: Option<String>,
    /// Its website on printed documents.
    #[arg(long)]
    web: Option<String>,
}

/// What becomes of a line whose clave is taken.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ExistingArg {
    Refuse,
    Skip,
}

impl From<ExistingArg> for Existing {
    fn from(arg: ExistingArg) -> Self {
        match arg {
            ExistingArg::Refuse => Self::Refused,
            ExistingArg::Skip => Self::Skipped,
        }
    }
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
pub(crate) enum BelowStockArg {
    Allow,
    Refuse,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
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
            vender_sin_existencia: args.below_stock.map(|below| matches!(below, BelowStockArg::Allow)),
            enviar_documentos: on(args.send_documents),
            correo: args.email,
            rfc: args.rfc,
            regimen: args.regimen,
            cp: args.cp,
            letterhead: LetterheadChange {
                color: args.letterhead.color,
                direccion: args.letterhead.address,
                telefono: args.letterhead.phone,
                correo: args.letterhead.contact_email,
                web: args.letterhead.web,
            },
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Create a user.
    Create {
        /// The company's number.
        #[arg(long)]
        company: CompanyId,
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
    /// Print a company's users, one a line.
    List {
        /// The company's number.
        #[arg(long)]
        company: CompanyId,
    },
    /// Change a user; omitted fields stay.
    Edit {
        /// The company's number.
        #[arg(long)]
        company: CompanyId,
        /// The user's clave.
        #[arg(long)]
        user: i64,
        /// Their name.
        #[arg(long)]
        name: Option<String>,
        /// Their e-mail; an empty one is none.
        #[arg(long)]
        email: Option<String>,
    },
    /// End a user's access; their keys stop working.
    Disable {
        /// The company's number.
        #[arg(long)]
        company: CompanyId,
        /// The user's clave.
        #[arg(long)]
        user: i64,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Create an API key; the secret is shown once.
    Create {
        /// The company's number.
        #[arg(long)]
        company: CompanyId,
        /// The user who owns it; the company's first by default.
        #[arg(long)]
        user: Option<i64>,
        /// Its scopes, separated by commas, or all.
        #[arg(long, default_value = "all")]
        scopes: String,
        /// When it stops working, YYYY-MM-DD or RFC 3339.
        #[arg(long, value_parser = instant)]
        expires: Option<DateTime<Utc>>,
        /// Do not accept the current terms of use.
        #[arg(long)]
        no_terms: bool,
    },
    /// Print a company's keys, one a line, revoked ones too.
    List {
        /// The company's number.
        #[arg(long)]
        company: CompanyId,
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
        company: CompanyId,
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
    /// Print a company's certificates, one a line.
    List {
        /// The company's number.
        #[arg(long)]
        company: CompanyId,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum SecretsCommand {
    /// Seal every secret of every company under `SVC_SECRETS_KEY`, including those under the keys
    /// of `SVC_SECRETS_KEY_OLD`, which can be removed once nothing is left pending. Servers that
    /// have both keys may run meanwhile; it can be repeated.
    Rotate {
        /// Also seal secrets that were stored without a key. Use it only if nobody else could write
        /// to the database: a planted secret would be sealed like any other.
        #[arg(long)]
        accept_plain: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ActionArgs {
    /// Print every action, with the JSON Schema of its input.
    #[arg(long, conflicts_with_all = ["company", "action", "input"])]
    pub(crate) list: bool,
    /// The company's number.
    #[arg(long, required_unless_present = "list")]
    pub(crate) company: Option<CompanyId>,
    /// Do everything and undo it: print what the action would answer and the events that it would
    /// emit.
    #[arg(long)]
    pub(crate) rehearse: bool,
    /// The API's public address, which prefixes the links in notices; by default the one at which
    /// it was last served.
    #[arg(long, env = "SVC_BASE_URL")]
    pub(crate) base_url: Option<String>,
    /// The provider that an action asks to cancel a document.
    #[command(flatten)]
    pub(crate) stamper: StamperSettings,
    /// The action's name.
    #[arg(required_unless_present = "list")]
    pub(crate) action: Option<String>,
    /// Its input, a JSON object, or - for standard input.
    #[arg(value_name = "JSON", required_unless_present = "list")]
    pub(crate) input: Option<String>,
}

/// A date is its first instant, UTC.
fn instant(text: &str) -> Result<DateTime<Utc>, String> {
    let date = || text.parse::<chrono::NaiveDate>().ok()?.and_hms_opt(0, 0, 0).map(|at| at.and_utc());
    date().or_else(|| text.parse().ok()).ok_or_else(|| "must be YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ".to_owned())
}
