//! The readiness check.

use std::fmt;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _};

use crate::schema::{History, MIGRATOR, OpenError};

/// Checks that the database answers, over a connection of its own: a busy pool does not mean that the database is down.
pub struct Probe {
    options: PgConnectOptions,
    connection: Option<PgConnection>,
    /// Whether the schema was found to be up to date; migrations are never undone.
    current: bool,
}

impl Probe {
    pub(crate) fn new(options: PgConnectOptions) -> Self {
        Self { options, connection: None, current: false }
    }

    /// Waits for an answer. The caller sets the time limit; a check that is cancelled can be repeated. A schema that lacks a
    /// migration of this program is an error; one that has more is none.
    pub async fn check(&mut self) -> Result<(), OpenError> {
        // The kept connection may have died in a restart that is over by now.
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
            let history = History::read(&mut connection).await?;
            if !history.has_all(&MIGRATOR) {
                return Err(OpenError::Outdated);
            }
            history.log_newer(&MIGRATOR);
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
