//! How connections are opened and what limits they have.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;

/// How the database is used: [`Settings::default`], and then the fields that differ.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// The most connections for requests. A company gets another one while it holds fewer than are
    /// free, so that none holds more than half of them.
    pub max_connections: u32,
    /// The most connections for look-ups of keys, the merging of usage and the readiness check;
    /// with 0 they use those for requests.
    pub service_connections: u32,
    /// The most connections for background work; with 0 it uses those for requests.
    pub background_connections: u32,
    /// How long a request waits for a connection.
    pub acquire_timeout: Duration,
    /// How long a statement waits for a lock; after that the Idempotency-Key's holder is reported
    /// as still in progress (5 s by the contract, §4).
    pub lock_timeout: Duration,
    /// How long a statement may take.
    pub statement_timeout: Duration,
    /// How long a search for words may take, which many of a company's could keep the database busy
    /// with.
    pub search_timeout: Duration,
    /// How long a migration waits for a lock before it gives up and retries later. Requests for the
    /// same table queue behind it for that time.
    pub migration_lock_timeout: Duration,
    /// How long a migration keeps retrying: for its locks, and for another process that migrates.
    /// Its own duration is not limited.
    pub migration_patience: Duration,
    /// How long a connection may be unused before it is closed; `None` for ever.
    pub idle_timeout: Option<Duration>,
    /// How old a connection may become before it is closed; `None` for ever. With neither, nothing
    /// runs between requests.
    pub max_lifetime: Option<Duration>,
    /// Whether there is a pooler before the database.
    pub pooler: Pooler,
    /// Hosts that only a private network leads to: they count as verified in
    /// [`PostgresStore::unverified_hosts`](crate::PostgresStore::unverified_hosts).
    pub private_hosts: Vec<String>,
}

/// The kind of pooler at the address of the database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pooler {
    /// No pooler, or one in session mode, which keeps a connection for a client's whole session.
    /// Statements stay prepared, and a single one costs one round trip.
    #[default]
    None,
    /// A pooler that assigns a connection for one transaction (PgBouncer's
    /// `pool_mode = transaction`, and the like). No state remains on a connection: every statement
    /// runs in a transaction and is parsed again, and each transaction sets the time-outs. That
    /// costs one more round trip per statement in a transaction, and three more for a single
    /// statement.
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
            search_timeout: Duration::from_secs(3),
            migration_lock_timeout: Duration::from_secs(1),
            migration_patience: Duration::from_mins(30),
            idle_timeout: Some(Duration::from_mins(10)),
            max_lifetime: Some(Duration::from_mins(30)),
            pooler: Pooler::None,
            private_hosts: Vec::new(),
        }
    }
}

/// Statements kept prepared on each connection: more than there are whose text is always the same,
/// and the few others that a connection keeps.
const STATEMENTS: usize = 500;

/// How often a running statement checks that its client is still connected, so that abandoned work
/// ends soon.
pub(crate) const CLIENT_CHECK: Duration = Duration::from_millis(500);

/// When the server drops a silent connection and its locks: seconds, a count, and milliseconds.
/// They have no effect over a Unix socket.
const KEEPALIVE: [(&str, u32); 4] =
    [("keepalives_idle", 10), ("keepalives_interval", 5), ("keepalives_count", 2), ("user_timeout", 20_000)];

/// How long the server waits for the next statement of a transaction; then it releases the locks of
/// a client that vanished. An import that waits for its body sends one every four seconds.
pub(crate) const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(10);

/// The time limit of the service's own statements.
const SERVICE_TIMEOUT: Duration = Duration::from_secs(2);

fn client_check() -> (&'static str, String) {
    ("client_connection_check_interval", CLIENT_CHECK.as_millis().to_string())
}

/// How long background work waits for a lock: a company that keeps its rows locked must not delay
/// the others.
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

    /// The SQL that begins a transaction. Behind a pooler it also sets what the session cannot
    /// hold, in one message, so that it costs no more than BEGIN.
    pub(crate) fn begin(&self) -> String {
        if !self.is_pooled() {
            return "BEGIN".to_owned();
        }
        let parameters = self.parameters().into_iter().chain([client_check()]);
        let settings = parameters.map(|(name, value)| format!("; SET LOCAL {name} = '{value}'"));
        format!("BEGIN{}", settings.collect::<String>())
    }

    /// The settings that let the server notice a lost client, while it works and when no packet
    /// arrives. Each is a separate statement, since some servers refuse one or the other.
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

    /// Planner settings: every statement finds its rows by an index that begins with the company. A
    /// plan cached while a table was small would otherwise scan it for the connection's lifetime;
    /// no statement is worth JIT compilation.
    fn parameters(&self) -> [(&'static str, String); 6] {
        let millis = |timeout: Duration| timeout.as_millis().to_string();
        [
            ("lock_timeout", millis(self.lock_timeout)),
            ("statement_timeout", millis(self.statement_timeout)),
            ("idle_in_transaction_session_timeout", millis(IDLE_IN_TRANSACTION)),
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
