//! Bulk imports, and edits of records that can be imported.

use std::collections::HashMap;
use std::hash::Hash;

use async_trait::async_trait;
use chrono::DateTime;
use sqlx::postgres::PgRow;
use sqlx::{Postgres, QueryBuilder, Row as _};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{InvoiceKind, InvoiceStatus, OpportunityStatus};
use svc_core::record::computed::computed;
use svc_core::record::{ImportSpec, ListSpec, Query, Value};
use svc_core::store::{
    BatchError, EachRow, ImportBatch, ImportTx, ImportedReceivable, ImportedSale, NamedRecords, Naming, Parents,
    Series, StoreError,
};

use crate::copy::Copy;
use crate::error::store_error;
use crate::page::PageQuery;
use crate::parameter::FromColumn;
use crate::row::{FromRow as _, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sale::folio_series;
use crate::sources;
use crate::sql::{Sql, sql};
use crate::transaction::PostgresTx;
use crate::value::PostgresRow;

from_row!(ImportedSale { cliente, tipo, impuestos, ieps, total, desglose });
from_row!(NamedRecords { clave, claves });
from_row!(ImportedReceivable { cliente, venta, moneda, tipo_cambio });

/// Statements over many keys are planned each time: the tables grow during an import, and a plan
/// from its beginning would read a whole table for each batch.
#[async_trait]
impl ImportTx for PostgresTx {
    async fn write_batch(&mut self, batch: &mut dyn ImportBatch) -> Result<(), BatchError> {
        let (mut good, mut bad) = (0, batch.count());
        self.run(sql!("SAVEPOINT lote")).await?;
        let mut conflict = match batch.write(self, bad).await {
            Ok(()) => return Ok(self.run(sql!("RELEASE SAVEPOINT lote")).await?),
            Err(StoreError::Conflict(conflict)) => conflict,
            Err(other) => return Err(other.into()),
        };
        // Bisects for the shortest beginning of the batch that is refused: its last record is at
        // fault.
        while bad - good > 1 {
            let middle = usize::midpoint(good, bad);
            self.run(sql!("ROLLBACK TO SAVEPOINT lote")).await?;
            match batch.write(self, middle).await {
                Ok(()) => good = middle,
                Err(StoreError::Conflict(found)) => (bad, conflict) = (middle, found),
                Err(other) => return Err(other.into()),
            }
        }
        self.run(sql!("ROLLBACK TO SAVEPOINT lote")).await?;
        self.run(sql!("RELEASE SAVEPOINT lote")).await?;
        Err(BatchError::Record { at: bad - 1, conflict })
    }

    async fn missing_parents(&mut self, parents: Parents, claves: &[i64]) -> Result<Vec<i64>, StoreError> {
        let statement = match parents {
            Parents::Products => sql!(
                "SELECT c.clave
                 FROM unnest(:claves::bigint[]) AS c (clave)
                 WHERE NOT EXISTS (SELECT FROM productos p WHERE p.empresa = :empresa AND p.clave = c.clave)",
                empresa: self.empresa,
                claves,
            ),
            Parents::Categories => sql!(
                "SELECT c.clave
                 FROM unnest(:claves::bigint[]) AS c (clave)
                 WHERE NOT EXISTS (SELECT FROM categorias p WHERE p.empresa = :empresa AND p.clave = c.clave)",
                empresa: self.empresa,
                claves,
            ),
        };
        self.values(statement.planned_each_time()).await
    }

    async fn lineage(&mut self, parents: Parents, claves: &[i64]) -> Result<HashMap<i64, Option<i64>>, StoreError> {
        let (counter, statement) = match parents {
            Parents::Products => (
                "productos",
                sql!(
                    "WITH RECURSIVE arriba AS (
                         SELECT clave, clave_padre AS padre
                         FROM productos
                         WHERE empresa = :empresa AND clave = ANY (:claves)
                         UNION
                         SELECT p.clave, p.clave_padre
                         FROM productos p
                         JOIN arriba a ON p.clave = a.padre
                         WHERE p.empresa = :empresa
                     )
                     SELECT clave AS llave, padre FROM arriba",
                    empresa: self.empresa,
                    claves,
                ),
            ),
            Parents::Categories => (
                "categorias",
                sql!(
                    "WITH RECURSIVE arriba AS (
                         SELECT clave, padre_ref AS padre
                         FROM categorias
                         WHERE empresa = :empresa AND clave = ANY (:claves)
                         UNION
                         SELECT c.clave, c.padre_ref
                         FROM categorias c
                         JOIN arriba a ON c.clave = a.padre
                         WHERE c.empresa = :empresa
                     )
                     SELECT clave AS llave, padre FROM arriba",
                    empresa: self.empresa,
                    claves,
                ),
            ),
        };
        // Imports hold the counter too. It is locked before the read, which sees what others wrote.
        self.next(counter, 0).await?;
        self.found(statement, |row| row.read("padre")).await
    }

    async fn set_parents(&mut self, parents: Parents, children: &[(i64, i64)]) -> Result<(), StoreError> {
        let statement = match parents {
            Parents::Products => sql!(
                "UPDATE productos p
                 SET clave_padre = h.padre
                 FROM unnest(:clave::bigint[], :padre::bigint[]) AS h (clave, padre)
                 WHERE p.empresa = :empresa AND p.clave = h.clave",
                empresa: self.empresa;
                for child in children { clave: child.0, padre: child.1 }
            ),
            Parents::Categories => sql!(
                "UPDATE categorias c
                 SET padre = h.padre
                 FROM unnest(:clave::bigint[], :padre::bigint[]) AS h (clave, padre)
                 WHERE c.empresa = :empresa AND c.clave = h.clave",
                empresa: self.empresa;
                for child in children { clave: child.0, padre: child.1 }
            ),
        };
        self.run(statement.planned_each_time()).await
    }

    async fn taken_claves(&mut self, spec: &'static ImportSpec, claves: &[i64]) -> Result<Vec<i64>, StoreError> {
        // A transaction that assigns claves locks their counter first.
        self.next(spec.table, 0).await?;
        let mut sql: QueryBuilder<Postgres> = QueryBuilder::new("");
        sql.push("SELECT clave FROM ").push(spec.table).push(" WHERE empresa = ").push_bind(self.empresa);
        sql.push(" AND clave = ANY (").push_bind(claves).push(")");
        let rows = sql.build().persistent(false).fetch_all(self.connection()).await.map_err(store_error)?;
        rows.iter().map(|row| row.read("clave")).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn assign_claves(
        &mut self,
        spec: &'static ImportSpec,
        given: &[Option<i64>],
    ) -> Result<Vec<i64>, StoreError> {
        // Record by record, so that it makes no difference where a batch ends.
        let mut last = self.next(spec.table, 0).await? - 1;
        let claves = given
            .iter()
            .map(|given| {
                let clave = given.unwrap_or(last.saturating_add(1));
                last = last.max(clave);
                clave
            })
            .collect();
        self.move_series(spec.table, last).await?;
        Ok(claves)
    }

    async fn advance_series(&mut self, series: Series<'_>, last: i64) -> Result<(), StoreError> {
        match series {
            Series::Deposits => self.move_series("depositos", last).await,
            Series::Folios { tipo, serie } => self.move_series(&folio_series(tipo, serie), last).await,
        }
    }

    async fn insert_records(&mut self, spec: &'static ImportSpec, values: &[Value<'_>]) -> Result<(), StoreError> {
        let ImportSpec { table, columns } = spec;
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
        copy.send(self.connection(), format!("COPY {table} (empresa, {names}) FROM STDIN")).await?;
        self.has_copied(table, values.len() / columns.len());
        Ok(())
    }

    async fn lock_record(
        &mut self,
        list: &'static ListSpec,
        clave: i64,
        each: EachRow<'_>,
    ) -> Result<bool, StoreError> {
        self.lock_row(list.table, clave).await?;
        // A separate statement sees what the previous holder of the lock has written.
        let query = Query::new(list, clave.checked_sub(1), 1, DateTime::UNIX_EPOCH);
        let mut sql = PageQuery::of(sources::of(list.table), list, &query, self.empresa).into_sql();
        let row = sql.build().fetch_optional(self.connection()).await.map_err(store_error)?;
        // A page begins with the next record if this one is missing.
        let Some(row) = row.filter(|row| row.try_get("clave").is_ok_and(|found: i64| found == clave)) else {
            return Ok(false);
        };
        each(&PostgresRow(&row))?;
        Ok(true)
    }

    async fn update_record(
        &mut self,
        spec: &'static ImportSpec,
        clave: i64,
        values: &[Value<'_>],
    ) -> Result<(), StoreError> {
        self.update_imported(spec, clave, values).await
    }

    async fn named(&mut self, naming: Naming, names: &[&str]) -> Result<HashMap<String, NamedRecords>, StoreError> {
        let statement = match naming {
            Naming::Brand => sql!(
                "SELECT nombre AS llave, (array_agg(clave ORDER BY estatus = 'eliminado', clave))[1] AS clave,
                        array_agg(clave) AS claves
                 FROM marcas
                 WHERE empresa = :empresa AND nombre = ANY (:nombres)
                 GROUP BY nombre",
                empresa: self.empresa,
                nombres: names,
            ),
            Naming::Category => sql!(
                "SELECT nombre AS llave,
                        CASE WHEN count(*) = 1 THEN min(clave)
                             WHEN count(*) FILTER (WHERE estatus = 'activo') = 1
                             THEN min(clave) FILTER (WHERE estatus = 'activo') END AS clave,
                        array_agg(clave) AS claves
                 FROM categorias
                 WHERE empresa = :empresa AND nombre = ANY (:nombres)
                 GROUP BY nombre",
                empresa: self.empresa,
                nombres: names,
            ),
            Naming::Product => sql!(
                "SELECT DISTINCT ON (sku) sku AS llave, clave, ARRAY[clave] AS claves
                 FROM productos
                 WHERE empresa = :empresa AND sku = ANY (:skus)
                 ORDER BY sku, (estatus = 'activo') DESC, clave DESC",
                empresa: self.empresa,
                skus: names,
            ),
            Naming::Warehouse => sql!(
                "SELECT codigo AS llave, min(clave) AS clave, array_agg(clave) AS claves
                 FROM almacenes
                 WHERE empresa = :empresa AND codigo = ANY (:codigos)
                 GROUP BY codigo",
                empresa: self.empresa,
                codigos: names,
            ),
        };
        self.found(statement, NamedRecords::from_row).await
    }

    async fn skus_of(&mut self, products: &[i64]) -> Result<HashMap<i64, String>, StoreError> {
        if products.is_empty() {
            return Ok(HashMap::new());
        }
        let statement = sql!(
            "SELECT clave AS llave, sku
             FROM productos
             WHERE empresa = :empresa AND clave = ANY (:productos) AND sku IS NOT NULL",
            empresa: self.empresa,
            productos: products,
        );
        self.found(statement, |row| row.read("sku")).await
    }

    async fn make_price_lists(&mut self, lists: &[(i64, Option<&str>)], now: Timestamp) -> Result<(), StoreError> {
        let greatest = lists.iter().map(|(lista, _)| *lista).max().unwrap_or(0);
        self.run(sql!(
            "INSERT INTO listas_precios (empresa, clave, nombre)
             SELECT :empresa, lista, max(nombre)
             FROM unnest(:lista::bigint[], :nombre::text[]) AS d (lista, nombre)
             GROUP BY lista
             ORDER BY lista
             ON CONFLICT (empresa, clave) DO NOTHING",
            empresa: self.empresa;
            for list in lists { lista: list.0, nombre: list.1 }
        ))
        .await?;
        // A separate statement, which compares with the name that another transaction just gave.
        let renamed: Vec<i64> = self
            .values(sql!(
                "WITH dadas AS (
                     SELECT lista, max(nombre) AS nombre
                     FROM unnest(:lista::bigint[], :nombre::text[]) AS d (lista, nombre)
                     WHERE nombre IS NOT NULL
                     GROUP BY lista
                 )
                 UPDATE listas_precios l
                 SET nombre = d.nombre
                 FROM dadas d
                 WHERE l.empresa = :empresa AND l.clave = d.lista AND l.nombre IS DISTINCT FROM d.nombre
                 RETURNING l.clave",
                empresa: self.empresa;
                for list in lists { lista: list.0, nombre: list.1 }
            ))
            .await?;
        if !renamed.is_empty() {
            let statement = sql!(
                "WITH muestran AS MATERIALIZED (
                     SELECT clave
                     FROM precios
                     WHERE empresa = :empresa AND lista = ANY (:listas)
                     ORDER BY clave
                     FOR NO KEY UPDATE
                 )
                 UPDATE precios p
                 SET modificado = :ahora
                 FROM muestran m
                 WHERE p.empresa = :empresa AND p.clave = m.clave",
                empresa: self.empresa,
                listas: renamed,
                ahora: now,
            );
            self.run(statement.planned_each_time()).await?;
        }
        self.move_series("listas_precios", greatest).await
    }

    async fn stage_kinds(&mut self, stages: &[i64]) -> Result<HashMap<i64, OpportunityStatus>, StoreError> {
        let statement = sql!(
            "SELECT clave AS llave, tipo
             FROM etapas_oportunidad
             WHERE empresa = :empresa AND clave = ANY (:etapas)
             ORDER BY clave
             FOR SHARE",
            empresa: self.empresa,
            etapas: stages,
        );
        self.found(statement, |row| row.read("tipo")).await
    }

    async fn last_lines(&mut self, sales: &[i64]) -> Result<HashMap<i64, i64>, StoreError> {
        if sales.is_empty() {
            return Ok(HashMap::new());
        }
        let statement = sql!(
            "SELECT venta AS llave, max(renglon) AS renglon
             FROM ventas_renglones
             WHERE empresa = :empresa AND venta = ANY (:ventas)
             GROUP BY venta",
            empresa: self.empresa,
            ventas: sales,
        );
        self.found(statement, |row| row.read("renglon")).await
    }

    async fn imported_sales(&mut self, sales: &[i64]) -> Result<HashMap<i64, ImportedSale>, StoreError> {
        let statement = sql!(
            "SELECT v.clave AS llave, v.cliente, v.tipo, v.impuestos - coalesce(r.locales, 0) AS impuestos,
                    coalesce(r.ieps, 0) AS ieps, v.total, v.desglose
             FROM ventas v
             LEFT JOIN LATERAL (
                 SELECT sum(r.locales_trasladados) AS locales, sum(r.ieps) AS ieps
                 FROM ventas_renglones r
                 WHERE r.empresa = :empresa AND r.venta = v.clave
             ) r ON true
             WHERE v.empresa = :empresa AND v.clave = ANY (:ventas)",
            empresa: self.empresa,
            ventas: sales,
        );
        self.found(statement, ImportedSale::from_row).await
    }

    async fn sales_of_invoices(&mut self, facturas: &[i64]) -> Result<HashMap<i64, i64>, StoreError> {
        let statement = sql!(
            "SELECT clave AS llave, venta
             FROM facturas
             WHERE empresa = :empresa AND clave = ANY (:facturas) AND tipo = :tipo AND venta IS NOT NULL",
            empresa: self.empresa,
            facturas,
            tipo: InvoiceKind::Factura,
        );
        self.found(statement, |row| row.read("venta")).await
    }

    async fn imported_receivables(&mut self, cxc: &[i64]) -> Result<HashMap<i64, ImportedReceivable>, StoreError> {
        let statement = sql!(
            "SELECT clave AS llave, cliente, venta, moneda, tipo_cambio
             FROM cxc
             WHERE empresa = :empresa AND clave = ANY (:cxc)",
            empresa: self.empresa,
            cxc,
        );
        self.found(statement, ImportedReceivable::from_row).await
    }

    async fn is_uuid_repeated(&mut self, uuids: &[&str]) -> Result<bool, StoreError> {
        let statement = sql!(
            "SELECT EXISTS (
                 SELECT uuid
                 FROM facturas
                 WHERE empresa = :empresa AND uuid = ANY (:uuids)
                 GROUP BY uuid
                 HAVING count(*) > 1
             )",
            empresa: self.empresa,
            uuids,
        );
        self.value(statement.planned_each_time()).await
    }

    async fn invoice_sales(&mut self, invoices: &[(i64, i64, Option<&str>)], now: Timestamp) -> Result<(), StoreError> {
        let statement = sql!(
            "UPDATE ventas v
             SET factura = f.factura, uuid = f.uuid, modificado = :ahora
             FROM unnest(:venta::bigint[], :factura::bigint[], :uuid::text[]) AS f (venta, factura, uuid)
             JOIN facturas x ON x.empresa = :empresa AND x.clave = f.factura
             LEFT JOIN ventas o ON o.empresa = :empresa AND o.clave = f.venta AND NOT o.cancelada
             LEFT JOIN facturas a ON a.empresa = :empresa AND a.clave = o.factura AND a.estatus = :cancelada
             WHERE v.empresa = :empresa AND v.clave = f.venta
               AND (v.factura IS NULL OR v.factura = a.clave AND x.estatus <> :cancelada)",
            empresa: self.empresa,
            ahora: now,
            cancelada: InvoiceStatus::Cancelada;
            for invoice in invoices { venta: invoice.0, factura: invoice.1, uuid: invoice.2 }
        );
        self.run(statement.planned_each_time()).await
    }
}

impl PostgresTx {
    /// The rows of a statement, by their column `llave`.
    async fn found<K, V, How>(
        &mut self,
        statement: Sql,
        read: impl Fn(&PgRow) -> Result<V, sqlx::Error>,
    ) -> Result<HashMap<K, V>, StoreError>
    where
        K: for<'r> FromColumn<'r, How> + Eq + Hash,
    {
        let statement = sqlx::Executor::fetch_all(self.connection(), statement.planned_each_time());
        let rows = statement.await.map_err(store_error)?;
        rows.iter().map(|row| Ok((row.read("llave")?, read(row)?))).collect::<Result<_, _>>().map_err(store_error)
    }
}
