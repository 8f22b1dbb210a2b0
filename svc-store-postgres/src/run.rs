//! Running statements: one method for each number of rows.

use std::future::Future;

use sqlx::postgres::PgExecutor;
use sqlx::{Execute, Executor as _, Postgres};
use svc_core::store::StoreError;

use crate::error::store_error;
use crate::parameter::FromColumn;
use crate::row::{FromRow, ReadColumn};

/// Something that runs statements: a transaction, or a [`Single`](crate::database::Single).
pub(crate) trait Run: Send {
    fn executor(&mut self) -> impl PgExecutor<'_> + Send;

    /// Runs a statement and ignores its rows.
    fn run<'q>(&mut self, sql: impl Execute<'q, Postgres> + 'q) -> impl Future<Output = Result<(), StoreError>> + Send {
        async move { self.changed(sql).await.map(|_| ()) }
    }

    /// Returns the number of rows that were written.
    fn changed<'q>(
        &mut self,
        sql: impl Execute<'q, Postgres> + 'q,
    ) -> impl Future<Output = Result<u64, StoreError>> + Send {
        async move { self.executor().execute(sql).await.map(|done| done.rows_affected()).map_err(store_error) }
    }

    /// Returns whether one row was written.
    fn changed_one<'q>(
        &mut self,
        sql: impl Execute<'q, Postgres> + 'q,
    ) -> impl Future<Output = Result<bool, StoreError>> + Send {
        async move { Ok(self.changed(sql).await? == 1) }
    }

    /// Reads the only row.
    fn one<'q, T: FromRow>(
        &mut self,
        sql: impl Execute<'q, Postgres> + 'q,
    ) -> impl Future<Output = Result<T, StoreError>> + Send {
        async move { self.executor().fetch_one(sql).await.and_then(|row| T::from_row(&row)).map_err(store_error) }
    }

    /// Reads the row, if there is one.
    fn optional<'q, T: FromRow>(
        &mut self,
        sql: impl Execute<'q, Postgres> + 'q,
    ) -> impl Future<Output = Result<Option<T>, StoreError>> + Send {
        async move {
            let row = self.executor().fetch_optional(sql).await.map_err(store_error)?;
            row.map(|row| T::from_row(&row)).transpose().map_err(store_error)
        }
    }

    /// Reads all rows.
    fn many<'q, T: FromRow>(
        &mut self,
        sql: impl Execute<'q, Postgres> + 'q,
    ) -> impl Future<Output = Result<Vec<T>, StoreError>> + Send {
        async move {
            let rows = self.executor().fetch_all(sql).await.map_err(store_error)?;
            rows.iter().map(T::from_row).collect::<Result<_, _>>().map_err(store_error)
        }
    }

    /// Reads the only column of the only row.
    fn value<'q, T: for<'r> FromColumn<'r, How>, How>(
        &mut self,
        sql: impl Execute<'q, Postgres> + 'q,
    ) -> impl Future<Output = Result<T, StoreError>> + Send {
        async move { self.executor().fetch_one(sql).await.and_then(|row| row.read_only()).map_err(store_error) }
    }

    /// Reads the only column of the row, if there is one.
    fn optional_value<'q, T: for<'r> FromColumn<'r, How>, How>(
        &mut self,
        sql: impl Execute<'q, Postgres> + 'q,
    ) -> impl Future<Output = Result<Option<T>, StoreError>> + Send {
        async move {
            let row = self.executor().fetch_optional(sql).await.map_err(store_error)?;
            row.map(|row| row.read_only()).transpose().map_err(store_error)
        }
    }

    /// Reads the only column of all rows.
    fn values<'q, T: for<'r> FromColumn<'r, How>, How>(
        &mut self,
        sql: impl Execute<'q, Postgres> + 'q,
    ) -> impl Future<Output = Result<Vec<T>, StoreError>> + Send {
        async move {
            let rows = self.executor().fetch_all(sql).await.map_err(store_error)?;
            rows.iter().map(ReadColumn::read_only).collect::<Result<_, _>>().map_err(store_error)
        }
    }
}
