use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::api::productos::{Product, ProductFilter, Products};
use svc_core::backoffice::import::ProductRecord;
use svc_core::domain::text::{fold, like_pattern};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{ProductKind, ProductStatus, ProductSubkind};
use svc_core::operation::Query;
use svc_core::store::{ListReader, ProductTx, StoreError};

use crate::copy::Copy;
use crate::page::Page;
use crate::reader::PostgresReader;
use crate::transaction::PostgresTx;

const SELECT: &str = "SELECT p.clave, p.sku, p.folio, p.descripcion, p.estatus, p.tipo, p.subtipo, p.kit, \
                      coalesce(p.clave_padre, 0), p.codigo_sat, m.nombre, c.nombre, p.id_platform_b, p.modificado \
                      FROM productos p \
                      LEFT JOIN marcas m ON m.empresa = p.empresa AND m.clave = p.marca \
                      LEFT JOIN categorias c ON c.empresa = p.empresa AND c.clave = p.categoria";

fn product(row: &PgRow) -> Result<Product, sqlx::Error> {
    Ok(Product {
        clave: row.try_get(0)?,
        sku: row.try_get(1)?,
        folio: row.try_get(2)?,
        descripcion: row.try_get(3)?,
        estatus: row.try_get(4)?,
        tipo: row.try_get(5)?,
        subtipo: row.try_get(6)?,
        kit: row.try_get(7)?,
        clave_padre: row.try_get(8)?,
        codigo_sat: row.try_get(9)?,
        marca: row.try_get(10)?,
        categoria: row.try_get(11)?,
        id_platform_b: row.try_get(12)?,
        modificado: row.try_get::<Option<DateTime<Utc>>, _>(13)?.map(Timestamp::new),
    })
}

#[async_trait]
impl ListReader<Products> for PostgresReader<'_> {
    async fn page(&self, query: &Query<ProductFilter>) -> Result<Vec<Product>, StoreError> {
        use ProductFilter as F;
        let mut page = Page::new(SELECT, "p.", self.empresa);
        let mut deleted_hidden = true;
        for filter in &query.filters {
            match filter {
                F::Clave(clave) => page.compare("p.clave = ", clave),
                F::Sku(sku) => page.compare("p.sku = ", sku),
                F::Folio(folio) => page.compare("p.folio = ", folio.to_string()),
                F::Estatus(estatus) => {
                    deleted_hidden = false;
                    page.compare("p.estatus = ", estatus);
                }
                F::Tipo(tipo) => page.compare("p.tipo = ", tipo),
                F::Subtipo(subtipo) => page.compare("p.subtipo = ", subtipo),
                F::Kit(kit) => page.compare("p.kit = ", kit),
                F::CodigoSat(codigo) => page.compare("p.codigo_sat = ", codigo),
                F::IdPlatformB(id) => page.compare("p.id_platform_b = ", id),
                // Names may repeat (a deleted brand's, a category's elsewhere in the tree): all that bear it match.
                // `$1` is the company (see `Page`), so that the list of claves is looked up once.
                F::Marca(nombre) => page.with(
                    "p.marca = ANY (ARRAY(SELECT clave FROM marcas WHERE empresa = $1 AND nombre = ",
                    nombre,
                    "))",
                ),
                F::Categoria(nombre) => page.with(
                    "p.categoria = ANY (ARRAY(SELECT clave FROM categorias WHERE empresa = $1 AND nombre = ",
                    nombre,
                    "))",
                ),
                F::SkuPadre(sku) => page.with(
                    "p.clave_padre = ANY (ARRAY(SELECT clave FROM productos WHERE empresa = $1 AND sku = ",
                    sku,
                    "))",
                ),
                F::Buscar(words) => words.iter().for_each(|word| page.compare("p.busqueda LIKE ", like_pattern(word))),
                F::ModificadoDesde(from) => page.compare("p.modificado >= ", from),
            }
        }
        if deleted_hidden {
            page.only("p.estatus <> 'eliminado'");
        }
        page.fetch(self.pool, query, product).await
    }
}

#[async_trait]
impl ProductTx for PostgresTx {
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
}

/// What `buscar` looks through (contract §3).
fn search_text(sku: Option<&str>, description: Option<&str>) -> String {
    fold(&[sku, description].into_iter().flatten().collect::<Vec<_>>().join(" "))
}
