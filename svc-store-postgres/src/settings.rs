//! How connections are opened and what limits they have.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;

/// How the database is used: [`Settings::default`], and then the fields that differ.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// Connections for requests at the most. A company gets another one while it holds fewer than are free, so that none holds
    /// more than half of them.
    pub max_connections: u32,
    /// Connections at the most for look-ups of keys, the merging of usage and the readiness check; with 0 they use those for
    /// requests.
    pub service_connections: u32,
    /// Connections at the most for background work; with 0 it uses those for requests.
    pub background_connections: u32,
    /// How long a request waits for a connection.
    pub acquire_timeout: Duration,
    /// How long a statement waits for a lock; past it the Idempotency-Key's holder is reported as still at work (5 s by
    /// the contract, §4).
    pub lock_timeout: Duration,
    /// How long a statement may take.
    pub statement_timeout: Duration,
    /// How long a migration waits for a lock before it gives way, and tries again later. Whoever wants the table meanwhile waits
    /// behind it for as long.
    pub migration_lock_timeout: Duration,
    /// How long migrating goes on waiting: for the locks of one migration, and for another process that migrates. How long
    /// a migration may take is not limited.
    pub migration_patience: Duration,
    /// How long a connection may be unused before it is closed; `None` for ever.
    pub idle_timeout: Option<Duration>,
    /// How old a connection may become before it is closed; `None` for ever. With neither, nothing runs between requests.
    pub max_lifetime: Option<Duration>,
    /// Whether there is a pooler before the database.
    pub pooler: Pooler,
}

/// The kind of pooler at the address of the database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pooler {
    /// Nothing, or a pooler that leaves a connection to a client for as long as it is there (session mode). Statements are
    /// kept prepared, and one that stands alone costs one round trip.
    #[default]
    None,
    /// A pooler that gives a connection to a client for one transaction (PgBouncer's `pool_mode = transaction`, and the
    /// like). Nothing stays on a connection: every statement runs in a transaction and is parsed anew, and time-outs
    /// are set by the transaction. That takes a round trip more in a transaction for each statement, and three more for
    /// one that stands alone.
    Transaction,
}

impl FromStr for Pooler {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "none" => Ok(Self::None),
            "transaction" => Ok(Self::Transaction),
            _ => Err("must be none or transaction"),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_connections: 20,
            service_connections: 3,
            background_connections: 4,
            acquire_timeout: Duration::from_secs(10),
            lock_timeout: Duration::from_secs(5),
            statement_timeout: Duration::from_secs(30),
            migration_lock_timeout: Duration::from_secs(1),
            migration_patience: Duration::from_mins(30),
            idle_timeout: Some(Duration::from_mins(10)),
            max_lifetime: Some(Duration::from_mins(30)),
            pooler: Pooler::None,
        }
    }
}

/// Statements kept prepared on each connection. A list's statement depends on which filters it has, so there are many.
const STATEMENTS: usize = 500;

/// How often a running statement looks whether its client is still there, so that what was given up ends soon.
pub(crate) const CLIENT_CHECK: Duration = Duration::from_millis(500);

/// When the server gives up a connection from which nothing arrives, and with it its locks: seconds, a count, and milliseconds. They mean
/// nothing over a socket of its machine.
const KEEPALIVE: [(&str, u32); 4] =
    [("keepalives_idle", 10), ("keepalives_interval", 5), ("keepalives_count", 2), ("user_timeout", 20_000)];

/// How long the server waits for the next statement of a transaction: what a client that vanished without a word holds locked is free then.
const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(10);

/// How long a statement of the service's own may take.
const SERVICE_TIMEOUT: Duration = Duration::from_secs(2);

fn client_check() -> (&'static str, String) {
    ("client_connection_check_interval", CLIENT_CHECK.as_millis().to_string())
}

/// How long background work waits for a lock at the most: a company that keeps its rows locked must not hold up the work of others.
const BACKGROUND_LOCK_TIMEOUT: Duration = Duration::from_secs(1);

impl Settings {
    /// Whether the database is reached through a pooler that keeps no sessions.
    pub(crate) fn is_pooled(&self) -> bool {
        self.pooler == Pooler::Transaction
    }

    /// The options of a session.
    pub(crate) fn session(&self, options: PgConnectOptions) -> PgConnectOptions {
        let options = options.application_name("svc").statement_cache_capacity(STATEMENTS);
        match self.pooler {
            Pooler::None => options.options(self.parameters()),
            // A pooler refuses session parameters that it does not track.
            Pooler::Transaction => options.extra_float_digits(None),
        }
    }

    /// What begins a transaction. Behind a pooler it sets what the session cannot hold, in one message, so that it costs no more
    /// than BEGIN.
    pub(crate) fn begin(&self) -> String {
        if !self.is_pooled() {
            return "BEGIN".to_owned();
        }
        let parameters = self.parameters().into_iter().chain([client_check()]);
        let settings = parameters.map(|(name, value)| format!("; SET LOCAL {name} = '{value}'"));
        format!("BEGIN{}", settings.collect::<String>())
    }

    /// What makes the server notice that this side is gone: while it works, and where no packet arrives any more. Each is for a statement
    /// of its own, since some servers cannot do the one or the other, and refuse it.
    pub(crate) fn client_checks(&self) -> Vec<String> {
        if self.is_pooled() {
            return Vec::new();
        }
        let (name, value) = client_check();
        let keepalive = KEEPALIVE.map(|(name, value)| format!("set_config('tcp_{name}', '{value}', false)"));
        vec![format!("SET {name} = '{value}'"), format!("SELECT {}", keepalive.join(", "))]
    }

    /// These settings for the service's own short statements.
    pub(crate) fn for_service(&self) -> Self {
        Self {
            max_connections: self.service_connections,
            acquire_timeout: self.acquire_timeout.min(SERVICE_TIMEOUT),
            lock_timeout: self.lock_timeout.min(SERVICE_TIMEOUT / 2),
            statement_timeout: self.statement_timeout.min(SERVICE_TIMEOUT),
            ..self.clone()
        }
    }

    /// These settings for background work.
    pub(crate) fn for_background(&self) -> Self {
        Self {
            max_connections: self.background_connections,
            lock_timeout: self.lock_timeout.min(BACKGROUND_LOCK_TIMEOUT),
            ..self.clone()
        }
    }

    /// Every statement finds its rows by an index that begins with the company. A plan that was made while a table was empty or small, and
    /// kept, would read all of it for as long as the connection lives; none is worth compiling.
    fn parameters(&self) -> [(&'static str, String); 6] {
        let millis = |timeout: Duration| timeout.as_millis().to_string();
        [
            ("lock_timeout", millis(self.lock_timeout)),
            ("statement_timeout", millis(self.statement_timeout)),
            ("idle_in_transaction_session_timeout", millis(self.statement_timeout.min(IDLE_IN_TRANSACTION))),
            ("TimeZone", "UTC".to_owned()),
            ("enable_seqscan", "off".to_owned()),
            ("jit", "off".to_owned()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_behind_a_pooler_sets_its_time_outs() {
        let mut settings = Settings { lock_timeout: Duration::from_millis(1500), ..Settings::default() };
        assert_eq!(settings.begin(), "BEGIN");
        settings.pooler = Pooler::Transaction;
        assert_eq!(
            settings.begin(),
            "BEGIN; SET LOCAL lock_timeout = '1500'; SET LOCAL statement_timeout = '30000'; \
             SET LOCAL idle_in_transaction_session_timeout = '10000'; SET LOCAL TimeZone = 'UTC'; \
             SET LOCAL enable_seqscan = 'off'; SET LOCAL jit = 'off'; \
             SET LOCAL client_connection_check_interval = '500'"
        );
    }
}
