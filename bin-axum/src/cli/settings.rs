//! Settings that several commands share: the database, the API, and through whom the outside is reached.

use std::convert::Infallible;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use svc_core::store::LimitMode;
use svc_core::webhooks::Networks;
use svc_store_postgres::Pooler;

use crate::failure::Failure;
use crate::mail::Mail;

#[derive(Debug, Args)]
pub(crate) struct DatabaseArgs {
    /// PostgreSQL to use; without it a private one is run in the data directory.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, global = true)]
    database_url: Option<String>,
    /// Where the private PostgreSQL keeps its data.
    #[arg(long, env = "SVC_DATA_DIR", default_value = ".svc", global = true)]
    pub(crate) data_dir: PathBuf,
    /// Database connections at the most.
    #[arg(long, env = "SVC_MAX_CONNECTIONS", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000), global = true)]
    pub(crate) max_connections: u32,
    /// What stands before `DATABASE_URL`: none, or transaction for a pooler in transaction mode (PgBouncer and the like).
    #[arg(long, env = "SVC_POOLER", default_value = "none", global = true)]
    pub(crate) pooler: Pooler,
    /// The same database past the pooler: migrations are done there.
    #[arg(long, env = "DATABASE_DIRECT_URL", hide_env_values = true, global = true)]
    database_direct_url: Option<String>,
    /// A replica of the database, to read lists from; while it is away they come from the database itself.
    #[arg(long, env = "DATABASE_REPLICA_URL", hide_env_values = true, global = true)]
    database_replica_url: Option<String>,
}

impl DatabaseArgs {
    /// The database, unless it is a private one.
    pub(crate) fn url(&self) -> Option<&str> {
        given(self.database_url.as_ref())
    }

    /// The database past the pooler.
    pub(crate) fn direct_url(&self) -> Option<&str> {
        given(self.database_direct_url.as_ref())
    }

    /// The database's replica.
    pub(crate) fn replica_url(&self) -> Option<&str> {
        given(self.database_replica_url.as_ref())
    }

    /// Whether anything is said that has no meaning for a private database.
    pub(crate) fn is_about_an_address(&self) -> bool {
        self.pooler != Pooler::None || self.direct_url().is_some() || self.replica_url().is_some()
    }
}

/// An address that is given; an empty one is not.
fn given(url: Option<&String>) -> Option<&str> {
    url.map(String::as_str).filter(|url| !url.is_empty())
}

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
    /// Requests a minute that each key may make.
    #[arg(long, env = "SVC_RATE_PER_MINUTE", default_value_t = svc_core::DEFAULT_RATE_PER_MINUTE, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) rate_per_minute: u64,
    /// Requests that a company may have under way at the same time.
    #[arg(long, env = "SVC_IN_FLIGHT", default_value_t = svc_core::DEFAULT_IN_FLIGHT, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) in_flight: u32,
    /// Largest body of a request, in bytes.
    #[arg(long, env = "SVC_MAX_BODY", default_value_t = svc_core::DEFAULT_MAX_BODY)]
    pub(crate) max_body: usize,
    #[command(flatten)]
    pub(crate) webhooks: WebhookArgs,
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

impl WebhookArgs {
    /// The networks.
    pub(crate) fn networks(&self) -> Result<Networks, Failure> {
        let wrong = |name: &'static str| move |error| Failure::Other(format!("{name}: {error}"));
        let networks = Networks::default().allow(&self.allow).map_err(wrong("SVC_WEBHOOK_ALLOW_NETS"))?;
        networks.deny(&self.deny).map_err(wrong("SVC_WEBHOOK_DENY_NETS"))
    }
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

/// A value that is not shown.
#[derive(Clone)]
pub(super) struct Hidden(pub(super) String);

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
