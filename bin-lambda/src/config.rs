//! The function's settings, by the names that the server gives them.

use clap::Parser;
use svc_core::settings::{ApiSettings, FontSettings, OutsideSettings, SecretsSettings, SettingError};
use svc_store_postgres::{OpenError, Pooler, PostgresStore, Settings};

/// The API as an AWS Lambda function.
#[derive(Parser)]
#[command(name = "bin-lambda", version)]
pub(crate) struct Config {
    /// PostgreSQL to use; end it with `?sslmode=verify-full` to verify a database on another
    /// machine.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    database_url: String,
    /// The pooler in front of it: none, or transaction for one in transaction mode (such as
    /// PgBouncer).
    #[arg(long, env = "SVC_POOLER", default_value = "none")]
    pooler: Pooler,
    /// A replica of the database, to read lists from; while it is unreachable, lists come from the
    /// database itself.
    #[arg(long, env = "DATABASE_REPLICA_URL", hide_env_values = true, default_value = "", hide_default_value = true)]
    database_replica_url: String,
    /// The API's public address.
    #[arg(long, env = "SVC_BASE_URL")]
    pub(crate) base_url: String,
    #[command(flatten)]
    pub(crate) api: ApiSettings,
    #[command(flatten)]
    pub(crate) secrets: SecretsSettings,
    #[command(flatten)]
    pub(crate) fonts: FontSettings,
    #[command(flatten)]
    pub(crate) outside: OutsideSettings,
    /// Requests that one instance answers at the same time; the platform sets it where it is more
    /// than one.
    #[arg(long, env = "AWS_LAMBDA_MAX_CONCURRENCY")]
    concurrency: Option<String>,
}

impl Config {
    /// Concurrent requests, read as the runtime does: anything but a number counts as one.
    pub(crate) fn concurrency(&self) -> u32 {
        self.concurrency.as_deref().and_then(|given| given.trim().parse().ok()).unwrap_or(1).max(1)
    }

    /// One connection per concurrent request and none to spare, since there are many instances.
    /// Between requests an instance is frozen, so nothing watches its connections; one that was
    /// unused for a while is tested first.
    fn database_settings(&self) -> Settings {
        let mut settings = Settings::default();
        settings.max_connections = self.concurrency();
        // An instance answers as many requests as it has connections, so they need no others beside
        // them.
        settings.service_connections = 0;
        settings.background_connections = 0;
        settings.idle_timeout = None;
        settings.max_lifetime = None;
        settings.pooler = self.pooler;
        settings
    }

    /// The store; it connects on first use.
    pub(crate) fn store(&self) -> Result<PostgresStore, OpenError> {
        let settings = self.database_settings();
        let store = PostgresStore::open(&self.database_url, &settings)?;
        match self.database_replica_url.as_str() {
            "" => Ok(store),
            replica => store.with_replica(replica, &settings),
        }
    }

    /// Whether webhooks may reach addresses that exist only in development.
    pub(crate) fn is_development(&self) -> Result<bool, SettingError> {
        Ok(self.outside.webhooks.networks()?.is_development())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(more: &[&str]) -> Config {
        let given = ["bin-lambda", "--database-url", "postgres://localhost/x", "--base-url", "https://a/b"];
        Config::parse_from(given.iter().chain(more))
    }

    #[test]
    fn the_pool_has_a_connection_per_concurrent_request() {
        for (given, connections) in [(&[][..], 1), (&["--concurrency", "8"], 8), (&["--concurrency", "no"], 1)] {
            let settings = config(given).database_settings();
            assert_eq!(
                (settings.max_connections, settings.idle_timeout, settings.max_lifetime),
                (connections, None, None)
            );
        }
    }
}
