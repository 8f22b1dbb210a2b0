use async_trait::async_trait;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::api::categorias::{Categories, Category, CategoryFilter};
use svc_core::api::marcas::{Brand, BrandFilter, Brands};
use svc_core::api::precios::{Price, PriceFilter, Prices};
use svc_core::api::unidades::{Unit, UnitFilter, Units};
use svc_core::backoffice::import::{BrandRecord, CategoryRecord, PriceRecord, UnitRecord};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{BrandStatus, Status};
use svc_core::operation::Query;
use svc_core::store::{CatalogueTx, ListReader, StoreError};

use crate::columns::{instant_or_null, money, quantity};
use crate::copy::Copy;
use crate::page::Page;
use crate::reader::PostgresReader;
use crate::transaction::PostgresTx;

fn unit(row: &PgRow) -> Result<Unit, sqlx::Error> {
    Ok(Unit { clave: row.try_get(0)?, nombre: row.try_get(1)?, clave_sat: row.try_get(2)?, estatus: row.try_get(3)? })
}

fn brand(row: &PgRow) -> Result<Brand, sqlx::Error> {
    Ok(Brand { clave: row.try_get(0)?, nombre: row.try_get(1)?, estatus: row.try_get(2)? })
}

fn category(row: &PgRow) -> Result<Category, sqlx::Error> {
    Ok(Category { clave: row.try_get(0)?, nombre: row.try_get(1)?, padre: row.try_get(2)?, estatus: row.try_get(3)? })
}

fn price(row: &PgRow) -> Result<Price, sqlx::Error> {
    Ok(Price {
        clave: row.try_get(0)?,
        producto: row.try_get(1)?,
        sku: row.try_get(2)?,
        lista: row.try_get(3)?,
        lista_nombre: row.try_get(4)?,
        moneda: row.try_get(5)?,
        precio: money(row, 6)?,
        iva_incluido: row.try_get(7)?,
        cantidad_minima: quantity(row, 8)?,
        vigencia_desde: row.try_get(9)?,
        vigencia_hasta: row.try_get(10)?,
        modificado: instant_or_null(row, 11)?,
    })
}

#[async_trait]
impl ListReader<Units> for PostgresReader<'_> {
    async fn page(&self, query: &Query<UnitFilter>) -> Result<Vec<Unit>, StoreError> {
        let mut page = Page::new("SELECT clave, nombre, clave_sat, estatus FROM unidades", "", self.empresa);
        for filter in &query.filters {
            match filter {
                UnitFilter::Clave(clave) => page.compare("clave = ", clave),
                UnitFilter::Estatus(estatus) => page.compare("estatus = ", estatus),
            }
        }
        page.fetch(self, query, unit).await
    }
}

#[async_trait]
impl ListReader<Brands> for PostgresReader<'_> {
    async fn page(&self, query: &Query<BrandFilter>) -> Result<Vec<Brand>, StoreError> {
        let mut page = Page::new("SELECT clave, nombre, estatus FROM marcas", "", self.empresa);
        for filter in &query.filters {
            match filter {
                BrandFilter::Clave(clave) => page.compare("clave = ", clave),
                BrandFilter::Estatus(estatus) => page.compare("estatus = ", estatus),
            }
        }
        if !query.filters.iter().any(|filter| matches!(filter, BrandFilter::Estatus(_))) {
            page.only("estatus <> 'eliminado'");
        }
        page.fetch(self, query, brand).await
    }
}

#[async_trait]
impl ListReader<Categories> for PostgresReader<'_> {
    async fn page(&self, query: &Query<CategoryFilter>) -> Result<Vec<Category>, StoreError> {
        let mut page = Page::new("SELECT clave, nombre, padre, estatus FROM categorias", "", self.empresa);
        for filter in &query.filters {
            match filter {
                CategoryFilter::Clave(clave) => page.compare("clave = ", clave),
                CategoryFilter::Padre(padre) => page.compare("padre = ", padre),
                CategoryFilter::Estatus(estatus) => page.compare("estatus = ", estatus),
            }
        }
        page.fetch(self, query, category).await
    }
}

#[async_trait]
impl ListReader<Prices> for PostgresReader<'_> {
    async fn page(&self, query: &Query<PriceFilter>) -> Result<Vec<Price>, StoreError> {
        const SELECT: &str = "SELECT x.clave, x.producto, p.sku, x.lista, l.nombre, x.moneda, x.precio, x.iva_incluido, \
                              x.cantidad_minima, x.vigencia_desde, x.vigencia_hasta, x.modificado \
                              FROM precios x \
                              JOIN productos p ON p.empresa = x.empresa AND p.clave = x.producto \
                              JOIN listas_precios l ON l.empresa = x.empresa AND l.clave = x.lista";
        let mut page = Page::new(SELECT, "x.", self.empresa);
        for filter in &query.filters {
            match filter {
                PriceFilter::Clave(clave) => page.compare("x.clave = ", clave),
                PriceFilter::Producto(producto) => page.compare("x.producto = ", producto),
                PriceFilter::Sku(sku) => page.with(
                    "x.producto = ANY (ARRAY(SELECT clave FROM productos WHERE empresa = $1 AND sku = ",
                    sku,
                    "))",
                ),
                PriceFilter::Lista(lista) => page.compare("x.lista = ", lista),
                PriceFilter::ModificadoDesde(from) => page.compare("x.modificado >= ", from),
            }
        }
        page.fetch(self, query, price).await
    }
}

#[async_trait]
impl CatalogueTx for PostgresTx {
    async fn import_units(&mut self, rows: &[UnitRecord]) -> Result<(), StoreError> {
        let claves = self.claves("unidades", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            copy.value(self.empresa).value(clave).value(&*row.nombre).optional(row.clave_sat.as_deref());
            copy.value(row.estatus.unwrap_or(Status::Activo).word()).end();
        }
        copy.send(self.connection(), "COPY unidades (empresa, clave, nombre, clave_sat, estatus) FROM STDIN").await
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

    async fn import_prices(&mut self, rows: &[PriceRecord], now: Timestamp) -> Result<(), StoreError> {
        self.make_price_lists(rows).await?;
        let products = self.products_by_sku(rows.iter().map(|row| (row.producto, row.sku.as_deref()))).await?;
        let claves = self.claves("precios", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for ((row, clave), product) in rows.iter().zip(claves).zip(products) {
            copy.value(self.empresa).value(clave).optional(product).value(row.lista);
            copy.value(row.moneda.as_deref().unwrap_or("MXN")).value(row.precio);
            copy.value(row.iva_incluido.unwrap_or(false)).value(row.cantidad_minima.unwrap_or_default());
            copy.optional(row.vigencia_desde.map(|date| date.0)).optional(row.vigencia_hasta.map(|date| date.0));
            copy.value(row.modificado.unwrap_or(now)).end();
        }
        copy.send(
            self.connection(),
            "COPY precios (empresa, clave, producto, lista, moneda, precio, iva_incluido, cantidad_minima, vigencia_desde, \
             vigencia_hasta, modificado) FROM STDIN",
        )
        .await
    }
}

impl PostgresTx {
    /// An unknown price list is made by importing a price on it (command line, "Import").
    async fn make_price_lists(&mut self, rows: &[PriceRecord]) -> Result<(), StoreError> {
        let (lists, names): (Vec<i64>, Vec<Option<&str>>) =
            rows.iter().map(|row| (row.lista, row.lista_nombre.as_deref())).unzip();
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
        self.move_past("listas_precios", greatest).await
    }
}
