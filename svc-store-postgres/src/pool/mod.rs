//! Connections to one database, kept for reuse and shared fairly among companies.
//!
//! sqlx's own pool knows no shares, pings after every use, and waits without limit for a cancelled
//! statement to end: a disconnected client would hold its connection for as long as a lock is
//! awaited.

mod bounded;
mod connection;
mod prepared;
mod shares;
mod statement;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Row as _};
use tokio::time::{Instant, sleep, timeout, timeout_at};

pub(crate) use self::bounded::is_late;
pub(crate) use self::connection::{Connection, Statements, unprepared};
use self::prepared::Shapes;
use self::shares::Shares;
pub(crate) use self::statement::Statement;
use crate::settings::Settings;

/// A connection idle for longer than this is pinged before it is used.
const IDLE: Duration = Duration::from_secs(1);

/// The time limit of that ping.
const PING: Duration = Duration::from_millis(500);

/// How long closing waits for the connections in use.
const CLOSE: Duration = Duration::from_secs(5);

/// The least time between two searches for expired idle connections.
const REAP: Duration = Duration::from_secs(30);

/// Connections to one database.
#[derive(Clone)]
pub(crate) struct Pool(Arc<Inner>);

struct Inner {
    options: PgConnectOptions,
    settings: Settings,
    /// The statements that begin a transaction.
    begin: Arc<str>,
    access: Access,
    shares: Arc<Shares>,
    /// The connection used last is at the end.
    idle: Mutex<Vec<Live>>,
    closed: AtomicBool,
    /// How many connections have returned after use.
    returned: AtomicU64,
    reaping: Once,
}

/// The purpose of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reading and writing: a read-only server is refused.
    Write,
    Read,
}

struct Live {
    connection: PgConnection,
    opened: Instant,
    used: Instant,
    /// The names of the statements prepared in SQL.
    prepared: Vec<&'static str>,
    /// The varying statements that stay prepared.
    shapes: Shapes,
}

impl Live {
    /// Waits for the end of what was sent on it, and rolls its transaction back if it is open.
    async fn reset(&mut self, is_open: bool) -> Result<(), sqlx::Error> {
        if is_open {
            sqlx::raw_sql("ROLLBACK").execute(&mut self.connection).await.map(|_| ())
        } else {
            self.connection.ping().await
        }
    }
}

/// The number of connections of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Connections {
    /// In use.
    pub used: u32,
    /// Open, but not in use.
    pub idle: u32,
    /// The maximum.
    pub max: u32,
}

impl Pool {
    /// A pool that connects on first use.
    pub(crate) fn new(options: PgConnectOptions, settings: &Settings, access: Access) -> Self {
        Self(Arc::new(Inner {
            options,
            settings: settings.clone(),
            begin: settings.begin().into(),
            access,
            shares: Shares::new(settings.max_connections),
            idle: Mutex::default(),
            closed: AtomicBool::new(false),
            returned: AtomicU64::new(0),
            reaping: Once::new(),
        }))
    }

    /// A connection for a company, or for the service itself.
    pub(crate) async fn acquire(&self, company: Option<i64>) -> Result<Connection, sqlx::Error> {
        let until = Instant::now() + self.0.settings.acquire_timeout;
        let taken = timeout_at(until, self.0.shares.take(company)).await;
        let place = taken.map_err(|_| sqlx::Error::PoolTimedOut)?;
        if self.0.closed.load(Ordering::Relaxed) {
            return Err(sqlx::Error::PoolClosed);
        }
        let opened = timeout_at(until, self.0.live()).await;
        let live = opened.map_err(|_| sqlx::Error::PoolTimedOut)??;
        self.reap_from_now_on();
        Ok(Connection::new(live, Arc::clone(&self.0), place))
    }

    pub(crate) fn options(&self) -> &PgConnectOptions {
        &self.0.options
    }

    /// How long a search may take.
    pub(crate) fn search_timeout(&self) -> Duration {
        self.0.settings.search_timeout
    }

    /// The number of connections.
    pub(crate) fn connections(&self) -> Connections {
        let max = self.0.settings.max_connections;
        let idle = u32::try_from(self.0.idle().len()).unwrap_or(u32::MAX);
        Connections { used: max.saturating_sub(self.0.shares.free()), idle, max }
    }

    /// How many connections have returned after use: a pool whose places are all taken, and to
    /// which none returns, is stuck.
    pub(crate) fn returned(&self) -> u64 {
        self.0.returned.load(Ordering::Relaxed)
    }

    /// Refuses further use, waits a few seconds for connections in use, and closes all of them.
    pub(crate) async fn close(&self) {
        self.0.closed.store(true, Ordering::Relaxed);
        let all = async {
            let mut places = Vec::new();
            for _ in 0..self.0.settings.max_connections {
                places.push(self.0.shares.take(None).await);
            }
            // Waiting and later requests find the pool closed.
        };
        if timeout(CLOSE, all).await.is_err() {
            tracing::warn!("connections are still in use; they are closed when their statements end");
        }
        let idle = std::mem::take(&mut *self.0.idle());
        let goodbyes = idle.into_iter().map(|live| live.connection.close());
        // If the goodbye does not arrive, the server notices by itself.
        let _ = timeout(PING, futures_util::future::join_all(goodbyes)).await;
    }

    /// Closes idle connections when they expire, starting with the first use.
    fn reap_from_now_on(&self) {
        let Some(idle_timeout) = self.0.settings.idle_timeout else { return };
        self.0.reaping.call_once(|| {
            let pool: Weak<Inner> = Arc::downgrade(&self.0);
            tokio::spawn(async move {
                while let Some(pool) = {
                    sleep(idle_timeout.min(REAP)).await;
                    pool.upgrade()
                } {
                    pool.reap();
                }
            });
        });
    }
}

impl Inner {
    /// An open connection: a recently used one, or a new one.
    async fn live(&self) -> Result<Live, sqlx::Error> {
        while let Some(mut live) = self.pop() {
            if live.used.elapsed() < IDLE || matches!(timeout(PING, live.connection.ping()).await, Ok(Ok(()))) {
                return Ok(live);
            }
        }
        self.connect().await
    }

    fn pop(&self) -> Option<Live> {
        let live = self.idle().pop()?;
        // Those below it have been idle for longer.
        if self.has_expired(&live) { None } else { Some(live) }
    }

    async fn connect(&self) -> Result<Live, sqlx::Error> {
        let mut connection = self.settings.session(self.options.clone()).connect().await?;
        if self.access == Access::Write {
            let shown = sqlx::raw_sql("SHOW transaction_read_only").fetch_one(&mut connection).await?;
            if shown.try_get::<&str, _>("transaction_read_only")? != "off" {
                return Err(sqlx::Error::Io(std::io::Error::other("the server takes no writes")));
            }
        }
        for statement in self.settings.client_checks() {
            let set = sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await;
            // A refusal is harmless: the server's platform cannot check.
            if let Err(error) = set
                && error.as_database_error().is_none()
            {
                return Err(error);
            }
        }
        let now = Instant::now();
        Ok(Live { connection, opened: now, used: now, prepared: Vec::new(), shapes: Shapes::default() })
    }

    /// Takes back a connection that is ready for its next use.
    fn give_back(&self, mut live: Live) {
        self.returned.fetch_add(1, Ordering::Relaxed);
        live.used = Instant::now();
        if !self.closed.load(Ordering::Relaxed) && !self.has_expired(&live) {
            self.idle().push(live);
        }
    }

    /// Closes the idle connections, since their server has failed.
    fn evict(&self) {
        self.idle().clear();
    }

    fn reap(&self) {
        self.idle().retain(|live| !self.has_expired(live));
    }

    fn has_expired(&self, live: &Live) -> bool {
        let older = |age: Duration, max: Option<Duration>| max.is_some_and(|max| age > max);
        older(live.opened.elapsed(), self.settings.max_lifetime)
            || older(live.used.elapsed(), self.settings.idle_timeout)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Live>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("connections", &self.connections()).finish_non_exhaustive()
    }
}
