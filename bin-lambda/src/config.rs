//! The function's settings, by the names that the server gives them.

use clap::Parser;
use svc_core::secrets::{NoSecretsKey, SecretsKey};
use svc_core::store::LimitMode;
use svc_core::webhooks::{Networks, NoNetwork};
use svc_store_postgres::{OpenError, Pooler, PostgresStore, Settings};

/// The API as an AWS Lambda function.
#[derive(Parser)]
pub(crate) struct Config {
    /// PostgreSQL to use.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    database_url: String,
    /// What stands before it: none, or transaction for a pooler in transaction mode (PgBouncer and the like).
    #[arg(long, env = "SVC_POOLER", default_value = "none")]
    pooler: Pooler,
    /// A replica of the database, to read lists from; while it is away they come from the database itself.
    #[arg(long, env = "DATABASE_REPLICA_URL", hide_env_values = true, default_value = "", hide_default_value = true)]
    database_replica_url: String,
    /// The API's public address.
    #[arg(long, env = "SVC_BASE_URL")]
    pub(crate) base_url: String,
    /// Whether limits cut (enforced) or are only announced (notice).
    #[arg(long, env = "SVC_LIMITS", default_value = "enforced")]
    pub(crate) limits: LimitMode,
    /// Largest body of a request, in bytes.
    #[arg(long, env = "SVC_MAX_BODY", default_value_t = svc_core::DEFAULT_MAX_BODY)]
    pub(crate) max_body: usize,
    /// For development only: networks that webhooks may reach, with http and any port, several with commas between.
    #[arg(long, env = "SVC_WEBHOOK_ALLOW_NETS", default_value = "")]
    webhook_allow_nets: String,
    /// Further networks that webhooks may not reach, several with commas between.
    #[arg(long, env = "SVC_WEBHOOK_DENY_NETS", default_value = "")]
    webhook_deny_nets: String,
    /// Key that encrypts webhook secrets and certificate keys at rest, 64 hexadecimal digits.
    #[arg(long, env = "SVC_SECRETS_KEY", hide_env_values = true)]
    secrets_key: Option<String>,
    /// Requests that one instance answers at the same time; the platform sets it.
    #[arg(long, env = "AWS_LAMBDA_MAX_CONCURRENCY", default_value_t = 1)]
    concurrency: u32,
}

impl Config {
    /// The key that secrets are sealed with, if one is set. It is read here and not by clap, which shows a wrong value.
    pub(crate) fn secrets(&self) -> Result<Option<SecretsKey>, NoSecretsKey> {
        self.secrets_key.as_deref().filter(|given| !given.is_empty()).map(str::parse).transpose()
    }

    /// The networks that webhooks may or may not reach.
    pub(crate) fn networks(&self) -> Result<Networks, NoNetwork> {
        Networks::default().allow(&self.webhook_allow_nets)?.deny(&self.webhook_deny_nets)
    }

    /// A connection for each request that can be under way, and none to spare: there are many instances.
    fn database_settings(&self) -> Settings {
        Settings { max_connections: self.concurrency.max(1), pooler: self.pooler, ..Settings::default() }
    }

    /// The store; it connects when it is first asked.
    pub(crate) fn store(&self) -> Result<PostgresStore, OpenError> {
        let settings = self.database_settings();
        let store = PostgresStore::open(&self.database_url, &settings)?;
        match self.database_replica_url.as_str() {
            "" => Ok(store),
            replica => store.with_replica(replica, &settings),
        }
    }
}
