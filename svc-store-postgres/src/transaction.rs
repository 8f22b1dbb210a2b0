//! A transaction of one company.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::postgres::PgExecutor;
use sqlx::{Execute, Postgres};
use svc_core::store::{StoreError, Tx};

use crate::error::store_error;
use crate::events::{Unwritten, with_events};
use crate::pool::{Connection, Statements};
use crate::replica::Replica;
use crate::run::Run;
use crate::sql::sql;
use crate::statistics::analyze;

pub(crate) struct PostgresTx {
    pub(crate) tx: Connection,
    pub(crate) empresa: i64,
    /// It learns of the commit, so that the company then reads from the primary.
    pub(crate) replica: Option<Arc<Replica>>,
    pub(crate) unwritten: Unwritten,
    /// Whether an entry of a closed month is dated the first open day instead of being refused.
    pub(crate) postpones_entries: bool,
    /// The first movement of stock that it wrote.
    pub(crate) first_movement: Option<i64>,
    /// How many rows an import has copied into each table.
    copied: BTreeMap<&'static str, usize>,
}

impl PostgresTx {
    pub(crate) fn new(tx: Connection, empresa: i64, replica: Option<Arc<Replica>>) -> Self {
        Self {
            tx,
            empresa,
            replica,
            unwritten: Unwritten::default(),
            postpones_entries: false,
            first_movement: None,
            copied: BTreeMap::new(),
        }
    }

    pub(crate) fn connection(&mut self) -> Statements<'_> {
        self.tx.statements()
    }

    /// Takes `count` numbers of a counter, which stays locked until the end; returns the first.
    pub(crate) async fn next(&mut self, serie: &str, count: usize) -> Result<i64, StoreError> {
        let count = count as i64;
        let last: i64 = self
            .value(sql!(
                "INSERT INTO contadores AS c (empresa, serie, valor)
                 VALUES (:empresa, :serie, :numeros)
                 ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + excluded.valor
                 RETURNING valor",
                empresa: self.empresa,
                serie,
                numeros: count,
            ))
            .await?;
        Ok(last - count + 1)
    }

    /// [`Run::run`], for callers that do not import the trait.
    pub(crate) async fn run<'q>(&mut self, sql: impl Execute<'q, Postgres> + 'q) -> Result<(), StoreError> {
        Run::run(self, sql).await
    }

    pub(crate) async fn write_events(&mut self) -> Result<(), StoreError> {
        if self.unwritten.is_empty() {
            return Ok(());
        }
        let events = std::mem::take(&mut self.unwritten);
        self.run(with_events!("SELECT :empresa::bigint", empresa: self.empresa; events)).await
    }

    /// An import has copied rows into a table.
    pub(crate) fn has_copied(&mut self, table: &'static str, rows: usize) {
        *self.copied.entry(table).or_default() += rows;
    }

    /// Advances a counter past `clave`, which an imported record has.
    pub(crate) async fn move_series(&mut self, serie: &str, clave: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "INSERT INTO contadores AS c (empresa, serie, valor)
             VALUES (:empresa, :serie, :clave)
             ON CONFLICT (empresa, serie) DO UPDATE SET valor = greatest(c.valor, excluded.valor)",
            empresa: self.empresa,
            serie,
            clave,
        ))
        .await
    }
}

impl Run for PostgresTx {
    fn executor(&mut self) -> impl PgExecutor<'_> + Send {
        self.connection()
    }
}

#[async_trait]
impl Tx for PostgresTx {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    async fn now(&mut self) -> Result<DateTime<Utc>, StoreError> {
        self.value(sql!("SELECT now()")).await
    }

    async fn commit(mut self: Box<Self>) -> Result<(), StoreError> {
        if self.tx.is_aborted() {
            self.rollback().await?;
            return Err(StoreError::Other("a statement of the transaction failed, and its error was ignored".into()));
        }
        self.write_events().await?;
        self.tx.commit().await.map_err(store_error)?;
        if let Some(replica) = &self.replica {
            replica.written(self.empresa);
        }
        for (table, rows) in std::mem::take(&mut self.copied) {
            analyze(&mut *self, table, rows as u64).await;
        }
        Ok(())
    }

    async fn rollback(mut self: Box<Self>) -> Result<(), StoreError> {
        self.tx.rollback().await.map_err(store_error)
    }
}
