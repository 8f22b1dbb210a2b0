//! Writing records by the columns that `record!` declares.

use sqlx::postgres::PgArguments;
use sqlx::{Arguments as _, Postgres, QueryBuilder};
use svc_core::domain::time::Timestamp;
use svc_core::record::computed::computed;
use svc_core::record::{ImportSpec, Kind, Stored, ToValue as _, Value};
use svc_core::store::StoreError;

use crate::error::store_error;
use crate::transaction::PostgresTx;
use crate::value::{PostgresRow, push};

impl PostgresTx {
    /// Inserts a record under the next clave of its table, which is its folio too; returns the
    /// clave. `more` are columns that its data does not have.
    pub(crate) async fn insert_stored<T: Stored + Sync>(
        &mut self,
        data: &T,
        more: &[(&'static str, Value<'_>, Kind)],
    ) -> Result<i64, StoreError> {
        let inserted = self.insert_stored_unless(data, more, "").await?;
        inserted.ok_or_else(|| StoreError::Other("an inserted record has no clave".into()))
    }

    /// The same, but for a conflict as `conflict` says (`ON CONFLICT … DO NOTHING`): `None`.
    pub(crate) async fn insert_stored_unless<T: Stored + Sync>(
        &mut self,
        data: &T,
        more: &[(&'static str, Value<'_>, Kind)],
        conflict: &'static str,
    ) -> Result<Option<i64>, StoreError> {
        let mut arguments = PgArguments::default();
        arguments.add(self.empresa).and_then(|()| arguments.add(T::TABLE)).map_err(StoreError::Other)?;
        let mut sql = QueryBuilder::with_arguments(
            "WITH numero AS (
                 INSERT INTO contadores AS c (empresa, serie, valor)
                 VALUES ($1, $2, 1)
                 ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + excluded.valor
                 RETURNING serie, valor
             )
             INSERT INTO ",
            arguments,
        );
        sql.push(T::TABLE).push(" (empresa, clave, folio");
        let columns = columns(data);
        for (name, ..) in columns.iter().chain(more) {
            sql.push(", ").push(name);
        }
        sql.push(") SELECT $1, valor, valor::text");
        for (_, value, kind) in columns.iter().chain(more) {
            push(sql.push(", "), value, *kind);
        }
        sql.push(" FROM numero").push(conflict).push(" RETURNING clave");
        sql.build_query_scalar().fetch_optional(self.connection()).await.map_err(store_error)
    }

    /// Updates all data of a record.
    pub(crate) async fn update_stored<T: Stored + Sync>(
        &mut self,
        clave: i64,
        data: &T,
        modificado: Timestamp,
    ) -> Result<(), StoreError> {
        let mut sql: QueryBuilder<Postgres> = QueryBuilder::new("UPDATE ");
        sql.push(T::TABLE).push(" SET modificado = ");
        push(&mut sql, &modificado.to_value(), Kind::Instant);
        for (name, value, kind) in columns(data) {
            push(sql.push(", ").push(name).push(" = "), &value, kind);
        }
        sql.push(" WHERE empresa = ").push_bind(self.empresa).push(" AND clave = ").push_bind(clave);
        self.run(sql.build()).await
    }

    /// Locks a record of `table` until the end, if it exists.
    pub(crate) async fn lock_row(&mut self, table: &'static str, clave: i64) -> Result<(), StoreError> {
        let mut sql: QueryBuilder<Postgres> = QueryBuilder::new("SELECT FROM ");
        sql.push(table).push(" WHERE empresa = ").push_bind(self.empresa).push(" AND clave = ").push_bind(clave);
        self.run(sql.push(" FOR NO KEY UPDATE").build()).await
    }

    /// Updates all columns of a record that can be imported.
    pub(crate) async fn update_imported(
        &mut self,
        ImportSpec { table, columns }: &'static ImportSpec,
        clave: i64,
        values: &[Value<'_>],
    ) -> Result<(), StoreError> {
        let mut sql: QueryBuilder<Postgres> = QueryBuilder::new("UPDATE ");
        sql.push(*table).push(" SET ");
        let computed = computed(table, columns).map(|computed| (computed.column, computed.value(columns, values)));
        let own = columns.iter().copied().zip(values.iter().cloned());
        for (at, (column, value)) in own.chain(computed).enumerate() {
            sql.push(if at == 0 { "" } else { ", " }).push(column).push(" = ");
            match value {
                Value::Null => {
                    sql.push("NULL");
                }
                // Only a null needs a kind.
                value => push(&mut sql, &value, Kind::Text),
            }
        }
        sql.push(" WHERE empresa = ").push_bind(self.empresa).push(" AND clave = ").push_bind(clave);
        // Imports change any columns.
        self.run(sql.build().persistent(false)).await
    }

    /// The data of a record, locked until the end.
    pub(crate) async fn lock_stored<T: Stored>(&mut self, clave: i64) -> Result<Option<T>, StoreError> {
        self.lock_stored_where(clave, "true").await
    }

    /// The same if `condition` holds.
    pub(crate) async fn lock_stored_where<T: Stored>(
        &mut self,
        clave: i64,
        condition: &'static str,
    ) -> Result<Option<T>, StoreError> {
        let mut sql: QueryBuilder<Postgres> = QueryBuilder::new("SELECT ");
        sql.push(T::COLUMNS.join(", ")).push(" FROM ").push(T::TABLE);
        sql.push(" WHERE empresa = ").push_bind(self.empresa).push(" AND clave = ").push_bind(clave);
        sql.push(" AND ").push(condition).push(" FOR NO KEY UPDATE");
        let row = sql.build().fetch_optional(self.connection()).await.map_err(store_error)?;
        Ok(row.map(|row| T::read(&PostgresRow(&row))).transpose()?)
    }
}

/// Columns and values of a record, the computed ones last.
fn columns<T: Stored>(data: &T) -> Vec<(&'static str, Value<'_>, Kind)> {
    let values = data.values();
    let computed: Vec<_> = computed(T::TABLE, T::COLUMNS)
        .map(|computed| (computed.column, computed.value(T::COLUMNS, &values), Kind::Text))
        .collect();
    let own = T::COLUMNS.iter().zip(values).zip(T::KINDS).map(|((name, value), kind)| (*name, value, *kind));
    own.chain(computed).collect()
}
