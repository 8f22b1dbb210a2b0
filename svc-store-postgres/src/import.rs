use std::collections::HashMap;

use async_trait::async_trait;
use sqlx::AssertSqlSafe;
use svc_core::backoffice::import::{BrandRecord, CategoryRecord, CustomerRecord, ProductRecord, UnitRecord};
use svc_core::domain::customer::DEFAULT_COUNTRY;
use svc_core::domain::text::{clean_phone, fold, normalise_email, tidy_emails};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{BrandStatus, Platform, ProductKind, ProductStatus, ProductSubkind, Status};
use svc_core::store::{Conflict, ImportTx, Parents, StoreError};

use crate::copy::Copy;
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

    async fn import_customers(&mut self, rows: &[CustomerRecord], now: Timestamp) -> Result<(), StoreError> {
        let claves = self.claves("clientes", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            copy.value(self.empresa).value(clave);
            copy.value(row.folio.as_deref().map_or_else(|| clave.to_string(), str::to_owned));
            copy.optional(row.nombre.as_deref()).optional(row.razon_social.as_deref()).optional(row.rfc.as_deref());
            copy.optional(row.correo.as_deref().map(tidy_emails));
            copy.optional(row.telefono.as_deref()).optional(row.movil.as_deref());
            copy.value(row.prospecto.unwrap_or(false));
            for id in
                [&row.id_platform_a, &row.id_platform_b, &row.id_platform_c, &row.id_platform_d, &row.id_platform_e]
            {
                copy.optional(id.as_deref());
            }
            copy.value(row.publico.unwrap_or(false)).optional(row.proximo_contacto.map(|date| date.0));
            copy.value(row.modificado.unwrap_or(now)).optional(row.regimen).optional(row.uso_cfdi.as_deref());
            copy.optional(row.cp.as_deref()).optional(row.calle.as_deref()).optional(row.colonia.as_deref());
            copy.value(row.pais.unwrap_or(DEFAULT_COUNTRY)).optional(row.vendedor);
            copy.value(row.limite_credito.unwrap_or_default()).value(row.dias_credito.unwrap_or(0));
            copy.optional(row.lista).optional(row.plataforma.map(Platform::word));
            copy.optional(row.correo.as_deref().map(normalise_email));
            copy.optional(row.telefono.as_deref().map(clean_phone))
                .optional(row.movil.as_deref().map(clean_phone))
                .end();
        }
        copy.send(
            self.connection(),
            "COPY clientes (empresa, clave, folio, nombre, razon_social, rfc, correo, telefono, movil, prospecto, id_platform_a, \
             id_platform_b, id_platform_c, id_platform_d, id_platform_e, publico, proximo_contacto, modificado, regimen, uso_cfdi, \
             cp, calle, colonia, pais, vendedor, limite_credito, dias_credito, lista, plataforma, \
             correo_comparable, telefono_comparable, movil_comparable) FROM STDIN",
        )
        .await
    }

    async fn import_products(&mut self, rows: &[ProductRecord], now: Timestamp) -> Result<(), StoreError> {
        let brands = self.by_name("marcas", "marca", rows.iter().filter_map(|row| row.marca.as_deref())).await?;
        let categories =
            self.by_name("categorias", "categoria", rows.iter().filter_map(|row| row.categoria.as_deref())).await?;
        let claves = self.claves("productos", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            copy.value(self.empresa).value(clave).optional(row.sku.as_deref());
            copy.value(row.folio.as_deref().map_or_else(|| clave.to_string(), str::to_owned));
            copy.optional(row.descripcion.as_deref());
            copy.value(row.estatus.unwrap_or(ProductStatus::Activo).word());
            copy.value(row.tipo.unwrap_or(ProductKind::Normal).word());
            copy.value(row.subtipo.unwrap_or(ProductSubkind::Terminado).word());
            copy.value(row.kit.unwrap_or(false)).optional(row.clave_padre.filter(|padre| *padre != 0));
            copy.value(row.codigo_sat.as_deref().unwrap_or("01010101"));
            copy.optional(row.marca.as_deref().and_then(|name| brands.get(name)));
            copy.optional(row.categoria.as_deref().and_then(|name| categories.get(name)));
            copy.optional(row.id_platform_b.as_deref()).optional(row.unidad).optional(row.codigo_barras.as_deref());
            copy.value(row.costo.unwrap_or_default()).value(row.objeto_impuesto.as_deref().unwrap_or("02"));
            copy.value(row.iva_venta.as_deref().unwrap_or("16")).value(row.iva_compra.as_deref().unwrap_or("16"));
            copy.value(search_text(row.sku.as_deref(), row.descripcion.as_deref()));
            copy.value(row.modificado.unwrap_or(now)).end();
        }
        copy.send(
            self.connection(),
            "COPY productos (empresa, clave, sku, folio, descripcion, estatus, tipo, subtipo, kit, clave_padre, codigo_sat, marca, \
             categoria, id_platform_b, unidad, codigo_barras, costo, objeto_impuesto, iva_venta, iva_compra, busqueda, modificado) \
             FROM STDIN",
        )
        .await
    }

    async fn import_brands(&mut self, rows: &[BrandRecord]) -> Result<(), StoreError> {
        let claves = self.claves("marcas", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            copy.value(self.empresa).value(clave).value(&*row.nombre);
            copy.value(row.estatus.unwrap_or(BrandStatus::Activo).word()).end();
        }
        copy.send(self.connection(), "COPY marcas (empresa, clave, nombre, estatus) FROM STDIN").await
    }

    async fn import_categories(&mut self, rows: &[CategoryRecord]) -> Result<(), StoreError> {
        let claves = self.claves("categorias", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            copy.value(self.empresa).value(clave).value(&*row.nombre).value(row.padre.unwrap_or(-1));
            copy.value(row.estatus.unwrap_or(Status::Activo).word()).end();
        }
        copy.send(self.connection(), "COPY categorias (empresa, clave, nombre, padre, estatus) FROM STDIN").await
    }

    async fn import_units(&mut self, rows: &[UnitRecord]) -> Result<(), StoreError> {
        let claves = self.claves("unidades", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            copy.value(self.empresa).value(clave).value(&*row.nombre).optional(row.clave_sat.as_deref());
            copy.value(row.estatus.unwrap_or(Status::Activo).word()).end();
        }
        copy.send(self.connection(), "COPY unidades (empresa, clave, nombre, clave_sat, estatus) FROM STDIN").await
    }
}

/// What `buscar` looks through (contract §3).
fn search_text(sku: Option<&str>, description: Option<&str>) -> String {
    fold(&[sku, description].into_iter().flatten().collect::<Vec<_>>().join(" "))
}

impl PostgresTx {
    async fn control(&mut self, statement: &'static str) -> Result<(), StoreError> {
        sqlx::query(statement).execute(self.connection()).await.map(|_| ()).map_err(store_error)
    }

    /// The claves of rows, of which some bring their own. Row by row: one that brings none gets the clave after the
    /// greatest so far, so that where a batch ends makes no difference.
    async fn claves(
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

    /// The claves of catalogue names; one that does not exist is a conflict of `field`. `table` is one of ours.
    async fn by_name<'n>(
        &mut self,
        table: &'static str,
        field: &str,
        names: impl Iterator<Item = &'n str> + Send,
    ) -> Result<HashMap<String, i64>, StoreError> {
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        names.dedup();
        let found: Vec<(String, i64)> = sqlx::query_as(AssertSqlSafe(format!(
            "SELECT nombre, min(clave) FROM {table} WHERE empresa = $1 AND nombre = ANY ($2) GROUP BY nombre"
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
