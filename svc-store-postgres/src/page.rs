//! The shape that every list's statement has.

use sqlx::postgres::PgRow;
use sqlx::{Execute as _, Postgres, QueryBuilder, Row};
use svc_core::operation::Query;
use svc_core::store::StoreError;

use crate::error::store_error;
use crate::reader::PostgresReader;

/// A list's statement: `SELECT … WHERE empresa = … [AND filter …] [AND clave > …] ORDER BY clave LIMIT …`.
pub(crate) struct Page {
    builder: QueryBuilder<Postgres>,
    /// The list's table or alias with its dot.
    prefix: &'static str,
    /// Whether an index of its filters leads, not the order of claves.
    range_leads: bool,
    /// Whether it is under a record.
    under: bool,
}

impl Page {
    /// Begins with `select` (columns and FROM) for one company, which is `$1`; `prefix` qualifies `empresa` and `clave`.
    pub(crate) fn new(select: &'static str, prefix: &'static str, empresa: i64) -> Self {
        let mut builder = QueryBuilder::new(select);
        builder.push(" WHERE ").push(prefix).push("empresa = ").push_bind(empresa);
        Self { builder, prefix, range_leads: false, under: false }
    }

    /// The same for records under another: a statement that yields a row of nulls when there are none, and no row when the
    /// record that they are under is not there. `record` selects that one, `FROM table WHERE …`; its clave is `$2`. What it
    /// is matched by is for the caller to add. The first column of `select` is the clave.
    pub(crate) fn under(
        record: &'static str,
        clave: i64,
        select: &'static str,
        prefix: &'static str,
        empresa: i64,
    ) -> Self {
        let mut builder = QueryBuilder::new("SELECT hijos.* FROM (");
        builder.push(record).push(" AND empresa = ").push_bind(empresa).push(" AND clave = ").push_bind(clave);
        builder.push(") padre LEFT JOIN LATERAL (").push(select);
        builder.push(" WHERE ").push(prefix).push("empresa = $1");
        Self { builder, prefix, range_leads: false, under: true }
    }

    /// A condition without a value.
    pub(crate) fn only(&mut self, condition: &'static str) {
        self.builder.push(" AND ").push(condition);
    }

    /// A condition of three parts: SQL, a value, SQL.
    pub(crate) fn with<'t, T>(&mut self, before: &'static str, value: T, after: &'static str)
    where
        T: 't + sqlx::Encode<'t, Postgres> + sqlx::Type<Postgres>,
    {
        self.builder.push(" AND ").push(before).push_bind(value).push(after);
    }

    /// `column = value`, and the like.
    pub(crate) fn compare<'t, T>(&mut self, before: &'static str, value: T)
    where
        T: 't + sqlx::Encode<'t, Postgres> + sqlx::Type<Postgres>,
    {
        self.with(before, value, "");
    }

    /// The statement, for a condition of more parts; what it has so far ends in AND.
    pub(crate) fn and(&mut self) -> &mut QueryBuilder<Postgres> {
        self.builder.push(" AND ")
    }

    /// Says that a filter is a bounded span of time. The database takes claves and times to be independent; since they
    /// are not, walking the claves until enough lie in the span may read all that is older. So the span is collected.
    pub(crate) fn range_leads(&mut self) {
        self.range_leads = true;
    }

    /// Runs it for the records after the cursor, one more than the page holds.
    pub(crate) async fn fetch<F, P, T>(
        mut self,
        reader: &PostgresReader<'_>,
        query: &Query<F, P>,
        read: fn(&PgRow) -> Result<T, sqlx::Error>,
    ) -> Result<Vec<T>, StoreError> {
        if let Some(after) = query.after {
            self.builder.push(" AND ").push(self.prefix).push("clave > ").push_bind(after);
        }
        self.builder.push(" ORDER BY ").push(self.prefix).push("clave");
        if self.range_leads {
            // No index has this order.
            self.builder.push(" + 0");
        }
        self.builder.push(" LIMIT ").push_bind(i64::from(query.limit) + 1);
        if self.under {
            self.builder.push(") hijos ON true");
        }
        let mut statement = self.builder.build();
        let arguments = statement.take_arguments().map_err(StoreError::Other)?.unwrap_or_default();
        let rows = reader.rows(statement.sql(), arguments, self.under).await?;
        if self.under {
            return read_under(&rows, read);
        }
        rows.iter().map(read).collect::<Result<_, _>>().map_err(store_error)
    }
}

/// The records of a page under another. A join is free to mix its rows up, so they are put in order again.
fn read_under<T>(rows: &[PgRow], read: fn(&PgRow) -> Result<T, sqlx::Error>) -> Result<Vec<T>, StoreError> {
    if rows.is_empty() {
        return Err(StoreError::NoRecord);
    }
    let mut records = Vec::with_capacity(rows.len());
    for row in rows {
        let clave: Option<i64> = row.try_get(0).map_err(store_error)?;
        if let Some(clave) = clave {
            records.push((clave, read(row).map_err(store_error)?));
        }
    }
    records.sort_by_key(|(clave, _)| *clave);
    Ok(records.into_iter().map(|(_, record)| record).collect())
}
