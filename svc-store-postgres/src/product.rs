use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::api::productos::{Product, ProductFilter};
use svc_core::domain::text::like_pattern;
use svc_core::domain::time::Timestamp;
use svc_core::operation::Query;
use svc_core::store::{ProductReader, StoreError};

use crate::page::Page;
use crate::reader::PostgresReader;

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
impl ProductReader for PostgresReader<'_> {
    async fn products(&self, query: &Query<ProductFilter>) -> Result<Vec<Product>, StoreError> {
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
