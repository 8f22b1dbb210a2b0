//! Bulk imports.

use std::collections::HashMap;
use std::hash::Hash;

use async_trait::async_trait;
use chrono::DateTime;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Decode, Encode, Postgres, Row as _, SqlSafeStr, Type};
use svc_core::domain::words::OpportunityStatus;
use svc_core::record::Value;
use svc_core::record::computed::computed;
use svc_core::record::{ListSpec, Query};
use svc_core::store::{
    Batch, BatchError, EachRow, ImportTx, ImportedReceivable, ImportedSale, Naming, Parents, Series, StoreError,
};

use crate::copy::Copy;
use crate::error::store_error;
use crate::page::PageQuery;
use crate::row::{FromRow as _, ReadColumn as _, from_row};
use crate::sale::folio_series;
use crate::sources;
use crate::sql::sql;
use crate::transaction::PostgresTx;
use crate::value::PostgresRow;

from_row!(ImportedSale { cliente, tipo });
from_row!(ImportedReceivable { cliente, venta, moneda, tipo_cambio });

#[async_trait]
impl ImportTx for PostgresTx {
    async fn write_batch(&mut self, batch: &mut dyn Batch) -> Result<(), BatchError> {
        let (mut good, mut bad) = (0, batch.count());
        self.control("SAVEPOINT lote").await?;
        let mut conflict = match batch.write(self, bad).await {
            Ok(()) => return Ok(self.control("RELEASE SAVEPOINT lote").await?),
            Err(StoreError::Conflict(conflict)) => conflict,
            Err(other) => return Err(other.into()),
        };
        // The record at fault is the last one of the shortest beginning that is refused too.
        while bad - good > 1 {
            let middle = usize::midpoint(good, bad);
            self.control("ROLLBACK TO SAVEPOINT lote").await?;
            match batch.write(self, middle).await {
                Ok(()) => good = middle,
                Err(StoreError::Conflict(found)) => (bad, conflict) = (middle, found),
                Err(other) => return Err(other.into()),
            }
        }
        Err(BatchError::Record { at: bad - 1, conflict })
    }

    async fn missing_parents(&mut self, parents: Parents, claves: &[i64]) -> Result<Vec<i64>, StoreError> {
        let statement = match parents {
            Parents::Products => {
                "SELECT c FROM unnest($2::bigint[]) c WHERE NOT EXISTS (SELECT FROM productos WHERE empresa = $1 AND clave = c)"
            }
            Parents::Categories => {
                "SELECT c FROM unnest($2::bigint[]) c WHERE NOT EXISTS (SELECT FROM categorias WHERE empresa = $1 AND clave = c)"
            }
        };
        sqlx::query_scalar(statement)
            .persistent(false)
            .bind(self.empresa)
            .bind(claves)
            .fetch_all(self.connection())
            .await
            .map_err(store_error)
    }

    async fn set_parents(&mut self, parents: Parents, children: &[(i64, i64)]) -> Result<(), StoreError> {
        let statement = match parents {
            Parents::Products => {
                "UPDATE productos p SET clave_padre = h.padre FROM unnest($2::bigint[], $3::bigint[]) AS h (clave, padre)
                 WHERE p.empresa = $1 AND p.clave = h.clave"
            }
            Parents::Categories => {
                "UPDATE categorias c SET padre = h.padre FROM unnest($2::bigint[], $3::bigint[]) AS h (clave, padre)
                 WHERE c.empresa = $1 AND c.clave = h.clave"
            }
        };
        let (claves, parents): (Vec<i64>, Vec<i64>) = children.iter().copied().unzip();
        self.run(sqlx::query(statement).persistent(false).bind(self.empresa).bind(claves).bind(parents)).await
    }

    async fn claves(&mut self, table: &str, given: &[Option<i64>]) -> Result<Vec<i64>, StoreError> {
        // Row by row: one that brings none gets the clave after the greatest so far, so that where
        // a batch ends makes no difference.
        let mut last = self.next(table, 0).await? - 1;
        let claves = given
            .iter()
            .map(|given| {
                let clave = given.unwrap_or(last.saturating_add(1));
                last = last.max(clave);
                clave
            })
            .collect();
        self.move_series(table, last).await?;
        Ok(claves)
    }

    async fn advance(&mut self, series: Series<'_>, last: i64) -> Result<(), StoreError> {
        match series {
            Series::Deposits => self.move_series("depositos", last).await,
            Series::Folios { tipo, serie } => self.move_series(&folio_series(tipo, serie), last).await,
        }
    }

    async fn insert_records(
        &mut self,
        table: &'static str,
        columns: &'static [&'static str],
        values: &[Value<'_>],
    ) -> Result<(), StoreError> {
        let computed: Vec<_> = computed(table, columns).collect();
        let mut copy = Copy::default();
        for record in values.chunks(columns.len()) {
            copy.value(self.empresa);
            for value in record {
                copy.column(value);
            }
            for computed in &computed {
                copy.column(&computed.value(columns, record));
            }
            copy.end();
        }
        let names = columns.iter().copied().chain(computed.iter().map(|computed| computed.column));
        let names = names.collect::<Vec<_>>().join(", ");
        copy.send(self.connection(), format!("COPY {table} (empresa, {names}) FROM STDIN")).await
    }

    async fn lock_record(
        &mut self,
        list: &'static ListSpec,
        clave: i64,
        each: EachRow<'_>,
    ) -> Result<bool, StoreError> {
        let lock =
            AssertSqlSafe(format!("SELECT FROM {} WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE", list.table));
        self.run(sqlx::query(lock).bind(self.empresa).bind(clave)).await?;
        // Separate statements, so that it sees what the previous holder of the lock has written.
        let query = Query::new(list, clave.checked_sub(1), 1, DateTime::UNIX_EPOCH);
        let mut sql = PageQuery::of(sources::of(list.table), list, &query, self.empresa).into_sql();
        let row = sql.build().fetch_optional(self.connection()).await.map_err(store_error)?;
        // The next record, where this one is not there.
        let Some(row) = row.filter(|row| row.try_get("clave").is_ok_and(|found: i64| found == clave)) else {
            return Ok(false);
        };
        each(&PostgresRow(&row))?;
        Ok(true)
    }

    async fn update_record(
        &mut self,
        table: &'static str,
        clave: i64,
        columns: &[&'static str],
        values: &[Value<'_>],
    ) -> Result<(), StoreError> {
        self.update_columns(table, clave, columns, values).await
    }

    async fn named(&mut self, naming: Naming, names: &[&str]) -> Result<HashMap<String, i64>, StoreError> {
        let statement = match naming {
            Naming::Brand => {
                "SELECT nombre AS llave, min(clave) AS clave
                 FROM marcas
                 WHERE empresa = $1 AND nombre = ANY ($2)
                 GROUP BY nombre"
            }
            Naming::Category => {
                "SELECT nombre AS llave, min(clave) AS clave
                 FROM categorias
                 WHERE empresa = $1 AND nombre = ANY ($2)
                 GROUP BY nombre"
            }
            Naming::Product => {
                "SELECT DISTINCT ON (sku) sku AS llave, clave
                 FROM productos
                 WHERE empresa = $1 AND sku = ANY ($2)
                 ORDER BY sku, (estatus = 'activo') DESC, clave DESC"
            }
            Naming::Warehouse => {
                "SELECT codigo AS llave, min(clave) AS clave
                 FROM almacenes
                 WHERE empresa = $1 AND codigo = ANY ($2)
                 GROUP BY codigo"
            }
        };
        self.found(statement, names, |row| row.read("clave")).await
    }

    async fn skus_of(&mut self, products: &[i64]) -> Result<HashMap<i64, String>, StoreError> {
        if products.is_empty() {
            return Ok(HashMap::new());
        }
        let statement = "SELECT clave AS llave, sku
             FROM productos
             WHERE empresa = $1 AND clave = ANY ($2) AND sku IS NOT NULL";
        self.found(statement, products, |row| row.read("sku")).await
    }

    async fn make_price_lists(&mut self, lists: &[(i64, Option<&str>)]) -> Result<(), StoreError> {
        let greatest = lists.iter().map(|(lista, _)| *lista).max().unwrap_or(0);
        self.run(sql!(
            "INSERT INTO listas_precios (empresa, clave, nombre)
             SELECT :empresa, lista, max(nombre)
             FROM unnest(:lista::bigint[], :nombre::text[]) AS l (lista, nombre)
             GROUP BY lista
             ON CONFLICT (empresa, clave) DO UPDATE
             SET nombre = coalesce(excluded.nombre, listas_precios.nombre)",
            empresa: self.empresa;
            for list in lists { lista: list.0, nombre: list.1 }
        ))
        .await?;
        self.move_series("listas_precios", greatest).await
    }

    async fn stage_kinds(&mut self, stages: &[i64]) -> Result<HashMap<i64, OpportunityStatus>, StoreError> {
        let statement = "SELECT clave AS llave, tipo
             FROM etapas_oportunidad
             WHERE empresa = $1 AND clave = ANY ($2)";
        self.found(statement, stages, |row| row.read("tipo")).await
    }

    async fn last_lines(&mut self, sales: &[i64]) -> Result<HashMap<i64, i64>, StoreError> {
        if sales.is_empty() {
            return Ok(HashMap::new());
        }
        let statement = "SELECT venta AS llave, max(renglon) AS renglon
             FROM ventas_renglones
             WHERE empresa = $1 AND venta = ANY ($2)
             GROUP BY venta";
        self.found(statement, sales, |row| row.read("renglon")).await
    }

    async fn imported_sales(&mut self, sales: &[i64]) -> Result<HashMap<i64, ImportedSale>, StoreError> {
        let statement = "SELECT clave AS llave, cliente, tipo
             FROM ventas
             WHERE empresa = $1 AND clave = ANY ($2)";
        self.found(statement, sales, ImportedSale::from_row).await
    }

    async fn imported_receivables(&mut self, cxc: &[i64]) -> Result<HashMap<i64, ImportedReceivable>, StoreError> {
        let statement = "SELECT clave AS llave, cliente, venta, moneda, tipo_cambio
             FROM cxc
             WHERE empresa = $1 AND clave = ANY ($2)";
        self.found(statement, cxc, ImportedReceivable::from_row).await
    }

    async fn invoice_sales(&mut self, invoices: &[(i64, i64, Option<&str>)]) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE ventas v SET factura = f.factura, uuid = f.uuid
             FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS f (venta, factura, uuid)
             WHERE v.empresa = $1 AND v.clave = f.venta AND v.factura IS NULL",
        )
        .persistent(false)
        .bind(self.empresa)
        .bind(invoices.iter().map(|(venta, ..)| *venta).collect::<Vec<_>>())
        .bind(invoices.iter().map(|(_, factura, _)| *factura).collect::<Vec<_>>())
        .bind(invoices.iter().map(|(.., uuid)| *uuid).collect::<Vec<_>>());
        self.run(query).await
    }
}

impl PostgresTx {
    /// What `statement` finds for the company (`$1`) and `keys` (`$2`). The column `llave` is the
    /// key. It is planned each time: the tables grow by what is imported, and a plan kept from
    /// their beginning would read all of it for each batch.
    async fn found<'q, K, V>(
        &mut self,
        statement: impl SqlSafeStr,
        keys: impl Encode<'q, Postgres> + Type<Postgres> + 'q,
        read: impl Fn(&PgRow) -> Result<V, sqlx::Error>,
    ) -> Result<HashMap<K, V>, StoreError>
    where
        K: for<'r> Decode<'r, Postgres> + Type<Postgres> + Eq + Hash,
    {
        let query = sqlx::query(statement).bind(self.empresa).bind(keys).persistent(false);
        let rows = query.fetch_all(self.connection()).await.map_err(store_error)?;
        rows.iter().map(|row| Ok((row.try_get("llave")?, read(row)?))).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn control(&mut self, statement: &'static str) -> Result<(), StoreError> {
        sqlx::query(statement).execute(self.connection()).await.map(|_| ()).map_err(store_error)
    }
}
