use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection, PgPool};

/// How the database is used.
#[derive(Debug, Clone)]
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
    /// How long a connection may be unused before it is closed; `None` for ever.
    pub idle_timeout: Option<Duration>,
    /// How old a connection may become before it is closed; `None` for ever. With neither, nothing runs between requests.
    pub max_lifetime: Option<Duration>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_connections: 20,
            acquire_timeout: Duration::from_secs(10),
            lock_timeout: Duration::from_secs(5),
            statement_timeout: Duration::from_secs(30),
            idle_timeout: Some(Duration::from_mins(10)),
            max_lifetime: Some(Duration::from_mins(30)),
        }
    }
}

/// Statements kept prepared on each connection. A list's statement depends on which filters it has, so there are many.
const STATEMENTS: usize = 500;

/// A connection unused for longer than this is asked for a sign of life before it is used.
const IDLE: Duration = Duration::from_secs(1);

/// How long that sign may take.
const PING: Duration = Duration::from_millis(500);

impl Settings {
    pub(crate) fn pool(&self, options: PgConnectOptions) -> PgPool {
        let millis = |timeout: Duration| timeout.as_millis().to_string();
        let options = options.application_name("svc").statement_cache_capacity(STATEMENTS).options([
            ("lock_timeout", millis(self.lock_timeout)),
            ("statement_timeout", millis(self.statement_timeout)),
            ("idle_in_transaction_session_timeout", millis(self.statement_timeout)),
            ("TimeZone", "UTC".to_owned()),
        ]);
        PgPoolOptions::new()
            .max_connections(self.max_connections)
            .acquire_timeout(self.acquire_timeout)
            .idle_timeout(self.idle_timeout)
            .max_lifetime(self.max_lifetime)
            // A ping at every acquire would cost a round trip a request; only a connection that may have died is asked.
            .test_before_acquire(false)
            .before_acquire(|connection, metadata| {
                Box::pin(async move {
                    if metadata.idle_for < IDLE {
                        return Ok(true);
                    }
                    // As an error it is closed without the courtesies that a dead peer would keep us waiting for.
                    let pong = tokio::time::timeout(PING, connection.ping()).await;
                    pong.map_err(|late| sqlx::Error::Io(late.into()))?.map(|()| true)
                })
            })
            .connect_lazy_with(options)
    }
}
