//! How connections are opened and what limits they have.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection, PgPool};

/// How the database is used: [`Settings::default`], and then the fields that differ.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// Connections at the most.
    pub max_connections: u32,
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

/// A connection idle for longer than this is pinged before it is used.
const IDLE: Duration = Duration::from_secs(1);

/// How long that ping may take.
const PING: Duration = Duration::from_millis(500);

impl Settings {
    pub(crate) fn pool(&self, options: PgConnectOptions) -> PgPool {
        PgPoolOptions::new()
            .max_connections(self.max_connections)
            .acquire_timeout(self.acquire_timeout)
            .idle_timeout(self.idle_timeout)
            .max_lifetime(self.max_lifetime)
            // A ping at every acquire would cost a round trip a request; only a connection that may have died is pinged.
            .test_before_acquire(false)
            .before_acquire(|connection, metadata| {
                Box::pin(async move {
                    if metadata.idle_for < IDLE {
                        return Ok(true);
                    }
                    // An error closes it at once; an orderly close would wait for a dead peer.
                    let pong = tokio::time::timeout(PING, connection.ping()).await;
                    pong.map_err(|late| sqlx::Error::Io(late.into()))?.map(|()| true)
                })
            })
            .connect_lazy_with(self.session(options))
    }

    /// The options of a session.
    fn session(&self, options: PgConnectOptions) -> PgConnectOptions {
        let options = options.application_name("svc").statement_cache_capacity(STATEMENTS);
        match self.pooler {
            Pooler::None => options.options(self.parameters()),
            // A pooler refuses session parameters that it does not track.
            Pooler::Transaction => options.extra_float_digits(None),
        }
    }

    /// What begins a transaction behind a pooler: in one message, so that it costs no more than BEGIN.
    pub(crate) fn begin(&self) -> String {
        let settings = self.parameters().map(|(name, value)| format!("; SET LOCAL {name} = '{value}'"));
        format!("BEGIN{}", settings.concat())
    }

    fn parameters(&self) -> [(&'static str, String); 4] {
        let millis = |timeout: Duration| timeout.as_millis().to_string();
        [
            ("lock_timeout", millis(self.lock_timeout)),
            ("statement_timeout", millis(self.statement_timeout)),
            ("idle_in_transaction_session_timeout", millis(self.statement_timeout)),
            ("TimeZone", "UTC".to_owned()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_behind_a_pooler_sets_its_time_outs() {
        let settings = Settings { lock_timeout: Duration::from_millis(1500), ..Settings::default() };
        assert_eq!(
            settings.begin(),
            "BEGIN; SET LOCAL lock_timeout = '1500'; SET LOCAL statement_timeout = '30000'; \
             SET LOCAL idle_in_transaction_session_timeout = '30000'; SET LOCAL TimeZone = 'UTC'"
        );
    }
}
