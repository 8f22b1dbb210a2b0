//! Bulk imports.

use std::collections::HashMap;

use async_trait::async_trait;
use rust_decimal::Decimal;
use sqlx::AssertSqlSafe;
use svc_core::domain::quantity::Rate;
use svc_core::domain::value::Value;
use svc_core::domain::words::{OpportunityStatus, SaleKind};
use svc_core::store::{ImportTx, ImportedReceivable, ImportedSale, Parents, StoreError};

use crate::copy::Copy;
use crate::error::store_error;
use crate::sale::folio_series;
use crate::transaction::PostgresTx;

#[async_trait]
impl ImportTx for PostgresTx {
    async fn savepoint(&mut self) -> Result<(), StoreError> {
        self.control("SAVEPOINT lote").await
    }

    async fn back_to_savepoint(&mut self) -> Result<(), StoreError> {
        self.control("ROLLBACK TO SAVEPOINT lote").await
    }

    async fn release_savepoint(&mut self) -> Result<(), StoreError> {
        self.control("RELEASE SAVEPOINT lote").await
    }

    async fn defer_parents(&mut self) -> Result<(), StoreError> {
        self.control("SET CONSTRAINTS productos_clave_padre_fk, categorias_padre_fk DEFERRED").await
    }

    async fn missing(&mut self, parents: Parents, claves: &[i64]) -> Result<Vec<i64>, StoreError> {
        let statement = match parents {
            Parents::Products => {
                "SELECT c FROM unnest($2::bigint[]) c WHERE NOT EXISTS (SELECT FROM productos WHERE empresa = $1 AND clave = c)"
            }
            Parents::Categories => {
                "SELECT c FROM unnest($2::bigint[]) c WHERE NOT EXISTS (SELECT FROM categorias WHERE empresa = $1 AND clave = c)"
            }
        };
        sqlx::query_scalar(statement)
            .bind(self.empresa)
            .bind(claves)
            .fetch_all(self.connection())
            .await
            .map_err(store_error)
    }

    async fn claves(&mut self, table: &str, given: &[Option<i64>]) -> Result<Vec<i64>, StoreError> {
        // Row by row: one that brings none gets the clave after the greatest so far, so that where a batch ends makes no
        // difference.
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

    async fn move_past(&mut self, series: &str, last: i64) -> Result<(), StoreError> {
        self.move_series(series, last).await
    }

    async fn move_past_folio(&mut self, tipo: &str, serie: &str, last: i64) -> Result<(), StoreError> {
        self.move_series(&folio_series(tipo, serie), last).await
    }

    async fn insert_records(
        &mut self,
        table: &'static str,
        columns: &'static [&'static str],
        values: &[Value<'_>],
    ) -> Result<(), StoreError> {
        let mut copy = Copy::default();
        for record in values.chunks(columns.len()) {
            copy.value(self.empresa);
            for value in record {
                copy.column(value);
            }
            copy.end();
        }
        copy.send(self.connection(), format!("COPY {table} (empresa, {}) FROM STDIN", columns.join(", "))).await
    }

    async fn claves_of(
        &mut self,
        table: &'static str,
        column: &'static str,
        names: &[&str],
    ) -> Result<HashMap<String, i64>, StoreError> {
        let found: Vec<(String, i64)> = sqlx::query_as(AssertSqlSafe(format!(
            "SELECT {column}, min(clave) FROM {table} WHERE empresa = $1 AND {column} = ANY ($2) GROUP BY {column}"
        )))
        .bind(self.empresa)
        .bind(names)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        Ok(found.into_iter().collect())
    }

    async fn products_of(&mut self, skus: &[&str]) -> Result<HashMap<String, i64>, StoreError> {
        let found: Vec<(String, i64)> = sqlx::query_as(
            "SELECT DISTINCT ON (sku) sku, clave FROM productos WHERE empresa = $1 AND sku = ANY ($2)
             ORDER BY sku, (estatus = 'activo') DESC, clave DESC",
        )
        .bind(self.empresa)
        .bind(skus)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        Ok(found.into_iter().collect())
    }

    async fn skus_of(&mut self, products: &[i64]) -> Result<HashMap<i64, String>, StoreError> {
        if products.is_empty() {
            return Ok(HashMap::new());
        }
        let found: Vec<(i64, String)> = sqlx::query_as(
            "SELECT clave, sku FROM productos WHERE empresa = $1 AND clave = ANY ($2) AND sku IS NOT NULL",
        )
        .bind(self.empresa)
        .bind(products)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        Ok(found.into_iter().collect())
    }

    async fn make_price_lists(&mut self, lists: &[(i64, Option<&str>)]) -> Result<(), StoreError> {
        let (lists, names): (Vec<i64>, Vec<Option<&str>>) = lists.iter().copied().unzip();
        let greatest = lists.iter().copied().max().unwrap_or(0);
        let query = sqlx::query(
            "INSERT INTO listas_precios (empresa, clave, nombre)
             SELECT $1, lista, max(nombre) FROM unnest($2::bigint[], $3::text[]) AS l (lista, nombre) GROUP BY lista
             ON CONFLICT (empresa, clave) DO UPDATE SET nombre = coalesce(excluded.nombre, listas_precios.nombre)",
        )
        .bind(self.empresa)
        .bind(lists)
        .bind(names);
        self.run(query).await?;
        self.move_series("listas_precios", greatest).await
    }

    async fn stage_kinds(&mut self, stages: &[i64]) -> Result<HashMap<i64, OpportunityStatus>, StoreError> {
        let kinds: Vec<(i64, String)> =
            sqlx::query_as("SELECT clave, tipo FROM etapas_oportunidad WHERE empresa = $1 AND clave = ANY ($2)")
                .bind(self.empresa)
                .bind(stages)
                .fetch_all(self.connection())
                .await
                .map_err(store_error)?;
        Ok(kinds.into_iter().filter_map(|(clave, tipo)| Some((clave, OpportunityStatus::of(&tipo)?))).collect())
    }

    async fn last_lines(&mut self, sales: &[i64]) -> Result<HashMap<i64, i64>, StoreError> {
        if sales.is_empty() {
            return Ok(HashMap::new());
        }
        let last: Vec<(i64, i64)> = sqlx::query_as(
            "SELECT venta, max(renglon) FROM ventas_renglones WHERE empresa = $1 AND venta = ANY ($2) GROUP BY venta",
        )
        .bind(self.empresa)
        .bind(sales)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        Ok(last.into_iter().collect())
    }

    async fn imported_sales(&mut self, sales: &[i64]) -> Result<HashMap<i64, ImportedSale>, StoreError> {
        let found: Vec<(i64, Option<i64>, String)> =
            sqlx::query_as("SELECT clave, cliente, tipo FROM ventas WHERE empresa = $1 AND clave = ANY ($2)")
                .bind(self.empresa)
                .bind(sales)
                .fetch_all(self.connection())
                .await
                .map_err(store_error)?;
        let sale = |(clave, cliente, tipo): (i64, _, String)| {
            Some((clave, ImportedSale { cliente, tipo: SaleKind::of(&tipo)? }))
        };
        Ok(found.into_iter().filter_map(sale).collect())
    }

    async fn imported_receivables(&mut self, cxc: &[i64]) -> Result<HashMap<i64, ImportedReceivable>, StoreError> {
        let found: Vec<(i64, Option<i64>, Option<i64>, String, Decimal)> = sqlx::query_as(
            "SELECT clave, cliente, venta, moneda, tipo_cambio FROM cxc WHERE empresa = $1 AND clave = ANY ($2)",
        )
        .bind(self.empresa)
        .bind(cxc)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        let receivable = |(clave, cliente, venta, moneda, rate)| {
            (clave, ImportedReceivable { cliente, venta, moneda, tipo_cambio: Rate::new(rate) })
        };
        Ok(found.into_iter().map(receivable).collect())
    }

    async fn invoice_sales(&mut self, invoices: &[(i64, i64, Option<&str>)]) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE ventas v SET factura = f.factura, uuid = f.uuid
             FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS f (venta, factura, uuid)
             WHERE v.empresa = $1 AND v.clave = f.venta AND v.factura IS NULL",
        )
        .bind(self.empresa)
        .bind(invoices.iter().map(|(venta, ..)| *venta).collect::<Vec<_>>())
        .bind(invoices.iter().map(|(_, factura, _)| *factura).collect::<Vec<_>>())
        .bind(invoices.iter().map(|(.., uuid)| *uuid).collect::<Vec<_>>());
        self.run(query).await
    }
}

impl PostgresTx {
    async fn control(&mut self, statement: &'static str) -> Result<(), StoreError> {
        sqlx::query(statement).execute(self.connection()).await.map(|_| ()).map_err(store_error)
    }
}
