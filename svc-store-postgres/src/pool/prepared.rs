//! Which statements stay prepared on a connection.
//!
//! The server keeps a prepared statement and its plan in memory, tens of kilobytes each. A
//! statement whose text is always the same stays prepared. One whose text varies with a request,
//! such as a list's with its filters, is sent with `persistent(false)`, and only a few of these
//! stay.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

use sqlx::postgres::{PgArguments, PgStatement};
use sqlx::{Execute, Postgres, SqlStr};

/// The most varying statements that stay prepared on a connection.
const MAX_SHAPES: usize = 100;

/// The varying statements that stay prepared on a connection, by a hash of their text.
#[derive(Debug, Default)]
pub(super) struct Shapes(HashSet<u64>);

impl Shapes {
    /// Whether a varying statement stays prepared: the first ones of a connection do, until it is
    /// closed.
    fn keep(&mut self, sql: &str) -> bool {
        let shape = BuildHasherDefault::<DefaultHasher>::new().hash_one(sql);
        self.0.contains(&shape) || self.0.len() < MAX_SHAPES && self.0.insert(shape)
    }
}

/// A statement as sent.
pub(super) struct Sent {
    sql: SqlStr,
    arguments: Option<PgArguments>,
    stays: bool,
}

impl Sent {
    /// Without `shapes` nothing stays prepared: behind a pooler the connection goes to another
    /// client afterwards.
    pub(super) fn new<'q>(
        mut query: impl Execute<'q, Postgres>,
        shapes: Option<&mut Shapes>,
    ) -> Result<Self, sqlx::Error> {
        let (arguments, varies) = (query.take_arguments().map_err(sqlx::Error::Encode)?, !query.persistent());
        let sql = query.sql();
        let stays = shapes.is_some_and(|shapes| !varies || shapes.keep(sql.as_str()));
        Ok(Self { sql, arguments, stays })
    }
}

impl Execute<'_, Postgres> for Sent {
    fn sql(self) -> SqlStr {
        self.sql
    }

    fn statement(&self) -> Option<&PgStatement> {
        None
    }

    fn take_arguments(&mut self) -> Result<Option<PgArguments>, sqlx::error::BoxDynError> {
        Ok(self.arguments.take())
    }

    fn persistent(&self) -> bool {
        self.stays
    }
}
