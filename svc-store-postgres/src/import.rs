use std::collections::HashMap;

use async_trait::async_trait;
use sqlx::AssertSqlSafe;
use svc_core::store::{Conflict, ImportTx, Parents, StoreError};

use crate::error::store_error;
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
}

impl PostgresTx {
    async fn control(&mut self, statement: &'static str) -> Result<(), StoreError> {
        sqlx::query(statement).execute(self.connection()).await.map(|_| ()).map_err(store_error)
    }

    /// The claves of rows, of which some bring their own. Row by row: one that brings none gets the clave after the
    /// greatest so far, so that where a batch ends makes no difference.
    pub(crate) async fn claves(
        &mut self,
        serie: &str,
        given: impl Iterator<Item = Option<i64>> + Send,
    ) -> Result<Vec<i64>, StoreError> {
        let given: Vec<Option<i64>> = given.collect();
        let mut last = self.next(serie, 0).await? - 1;
        let claves = given
            .into_iter()
            .map(|given| {
                let clave = given.unwrap_or(last.saturating_add(1));
                last = last.max(clave);
                clave
            })
            .collect();
        self.move_past(serie, last).await?;
        Ok(claves)
    }

    /// The products that rows name, by clave or else by SKU. A SKU means the active product that has it, else the
    /// newest of the others; one that no product has is a conflict. A row that names none gets none.
    pub(crate) async fn products_by_sku<'n>(
        &mut self,
        named: impl Iterator<Item = (Option<i64>, Option<&'n str>)> + Send,
    ) -> Result<Vec<Option<i64>>, StoreError> {
        let named: Vec<_> = named.collect();
        let skus = || named.iter().filter(|(clave, _)| clave.is_none()).filter_map(|(_, sku)| *sku);
        let claves = self.known_skus(skus()).await?;
        if skus().any(|sku| !claves.contains_key(sku)) {
            return Err(StoreError::Conflict(Conflict::Reference("sku".to_owned())));
        }
        Ok(named.into_iter().map(|(clave, sku)| clave.or_else(|| claves.get(sku?).copied())).collect())
    }

    /// The products of those SKUs that a product has; a SKU means the one that [`PostgresTx::products_by_sku`] tells.
    pub(crate) async fn known_skus<'n>(
        &mut self,
        skus: impl Iterator<Item = &'n str> + Send,
    ) -> Result<HashMap<String, i64>, StoreError> {
        let mut skus: Vec<&str> = skus.collect();
        skus.sort_unstable();
        skus.dedup();
        if skus.is_empty() {
            return Ok(HashMap::new());
        }
        let found: Vec<(String, i64)> = sqlx::query_as(
            "SELECT DISTINCT ON (sku) sku, clave FROM productos WHERE empresa = $1 AND sku = ANY ($2)
             ORDER BY sku, (estatus = 'activo') DESC, clave DESC",
        )
        .bind(self.empresa)
        .bind(&skus)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        Ok(found.into_iter().collect())
    }

    /// The warehouses of these codes; one that does not exist is a conflict.
    pub(crate) async fn warehouses<'c>(
        &mut self,
        codes: impl Iterator<Item = &'c str> + Send,
    ) -> Result<HashMap<String, i64>, StoreError> {
        self.named("almacenes", "codigo", "almacen", codes).await
    }

    /// The claves of the records that bear these names in `column`; a name that none bears is a conflict of `field`.
    /// `table` and `column` are ours, never a client's.
    pub(crate) async fn named<'n>(
        &mut self,
        table: &'static str,
        column: &'static str,
        field: &str,
        names: impl Iterator<Item = &'n str> + Send,
    ) -> Result<HashMap<String, i64>, StoreError> {
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        names.dedup();
        let found: Vec<(String, i64)> = sqlx::query_as(AssertSqlSafe(format!(
            "SELECT {column}, min(clave) FROM {table} WHERE empresa = $1 AND {column} = ANY ($2) GROUP BY {column}"
        )))
        .bind(self.empresa)
        .bind(&names)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        if found.len() < names.len() {
            return Err(StoreError::Conflict(Conflict::Reference(field.to_owned())));
        }
        Ok(found.into_iter().collect())
    }
}
