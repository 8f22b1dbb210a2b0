//! Whether the database is there.

use std::fmt;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _, Row as _};

use crate::schema::{MIGRATOR, OpenError};

/// Asks the database for a sign of life, over a connection of its own: a pool that is busy is no database that is away.
pub struct Probe {
    options: PgConnectOptions,
    connection: Option<PgConnection>,
    /// Whether the schema was seen to be up to date; it does not grow older.
    current: bool,
}

impl Probe {
    pub(crate) fn new(options: PgConnectOptions) -> Self {
        Self { options, connection: None, current: false }
    }

    /// Asks, until there is an answer: how long that may take is for the caller to say, and a probe that is given up can be
    /// asked again. A schema that is older than this program is an error.
    pub async fn ask(&mut self) -> Result<(), OpenError> {
        // One that is held may have died since, with a server that is back by now.
        if let Some(held) = self.connection.take()
            && self.answers(held).await.is_ok()
        {
            return Ok(());
        }
        let fresh = self.options.connect().await?;
        self.answers(fresh).await
    }

    /// A connection is kept once it has answered.
    async fn answers(&mut self, mut connection: PgConnection) -> Result<(), OpenError> {
        if self.current {
            connection.ping().await?;
        } else {
            let latest = "SELECT coalesce(max(version), 0) AS version FROM _sqlx_migrations WHERE success";
            let done: i64 = sqlx::raw_sql(latest).fetch_one(&mut connection).await?.try_get("version")?;
            if MIGRATOR.iter().any(|migration| migration.version > done) {
                return Err(OpenError::Outdated);
            }
            self.current = true;
        }
        self.connection = Some(connection);
        Ok(())
    }
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probe").field("connected", &self.connection.is_some()).finish_non_exhaustive()
    }
}
