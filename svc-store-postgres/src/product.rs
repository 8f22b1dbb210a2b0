use async_trait::async_trait;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::{Postgres, Row};
use svc_core::api::productos::{Product, ProductFilter, Products};
use svc_core::backoffice::import::ProductRecord;
use svc_core::domain::money::Money;
use svc_core::domain::product::{DEFAULT_SAT_KEY, DEFAULT_TAX_OBJECT, DEFAULT_VAT, ProductData};
use svc_core::domain::sale::{ListPrice, SaleProduct};
use svc_core::domain::text::{fold, like_pattern};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{ProductKind, ProductStatus, ProductSubkind};
use svc_core::operation::Query;
use svc_core::store::{ListReader, ProductTx, StoreError};

use crate::columns::{instant_or_null, money, quantity};
use crate::copy::Copy;
use crate::error::store_error;
use crate::page::Page;
use crate::reader::PostgresReader;
use crate::transaction::PostgresTx;

/// Names are looked up for the rows of the page: joins would be made for all that match before the page is cut.
const SELECT: &str = "SELECT p.clave, p.sku, p.folio, p.descripcion, p.estatus, p.tipo, p.subtipo, p.kit, \
                      coalesce(p.clave_padre, 0), p.codigo_sat, \
                      (SELECT nombre FROM marcas m WHERE m.empresa = p.empresa AND m.clave = p.marca), \
                      (SELECT nombre FROM categorias c WHERE c.empresa = p.empresa AND c.clave = p.categoria), \
                      p.id_platform_b, p.modificado FROM productos p";

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
        modificado: instant_or_null(row, 13)?,
    })
}

#[async_trait]
impl ListReader<Products> for PostgresReader<'_> {
    async fn page(&self, query: &Query<ProductFilter>) -> Result<Vec<Product>, StoreError> {
        use ProductFilter as F;
        let mut page = Page::new(SELECT, "p.", self.empresa);
        let named = Named::of(&query.filters);
        if let Some(named) = &named {
            named.begin(&mut page);
        }
        for filter in &query.filters {
            match filter {
                F::Marca(_) if matches!(named, Some(Named::Brand(_))) => {}
                F::Categoria(_) if matches!(named, Some(Named::Category(_))) => {}
                F::Clave(clave) => page.compare("p.clave = ", clave),
                F::Sku(sku) => page.compare("p.sku = ", sku),
                F::Folio(folio) => page.compare("p.folio = ", folio.to_string()),
                F::Estatus(estatus) => page.compare("p.estatus = ", estatus),
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
        if !query.filters.iter().any(|filter| matches!(filter, F::Estatus(_))) {
            page.only("p.estatus <> 'eliminado'");
        }
        if let Some(named) = &named {
            named.end(&mut page, query);
        }
        page.fetch(self, query, product).await
    }
}

/// What leads to products when they are asked for by a name. Names may repeat, so the products of each clave that bears
/// it are read from their index, no further than the page can reach: a name that few bear, or none, is found at once,
/// where a list of claves would have the database walk the whole catalogue to meet one of them.
enum Named<'q> {
    Brand(&'q str),
    Category(&'q str),
}

impl<'q> Named<'q> {
    fn of(filters: &'q [ProductFilter]) -> Option<Self> {
        filters.iter().find_map(|filter| match filter {
            ProductFilter::Marca(name) => Some(Self::Brand(name)),
            ProductFilter::Categoria(name) => Some(Self::Category(name)),
            _ => None,
        })
    }

    /// Begins the condition; the query's other conditions go into the middle of it.
    fn begin(&self, page: &mut Page) {
        page.and().push(match self {
            Self::Brand(_) => {
                "p.clave = ANY (ARRAY(SELECT f.clave FROM marcas n CROSS JOIN LATERAL (SELECT p.clave FROM productos p \
                 WHERE p.empresa = $1 AND p.marca = n.clave"
            }
            Self::Category(_) => {
                "p.clave = ANY (ARRAY(SELECT f.clave FROM categorias n CROSS JOIN LATERAL (SELECT p.clave FROM productos p \
                 WHERE p.empresa = $1 AND p.categoria = n.clave"
            }
        });
    }

    fn end(&self, page: &mut Page, query: &Query<ProductFilter>) {
        let (Self::Brand(name) | Self::Category(name)) = *self;
        let sql = page.and();
        sql.push("p.clave > ").push_bind(query.after.unwrap_or(i64::MIN));
        sql.push(" ORDER BY p.clave LIMIT ").push_bind(i64::from(query.limit) + 1);
        sql.push(") f WHERE n.empresa = $1 AND n.nombre = ").push_bind(name.to_owned()).push("))");
    }
}

#[async_trait]
impl ProductTx for PostgresTx {
    async fn insert_product(&mut self, data: &ProductData, creado: Timestamp) -> Result<i64, StoreError> {
        let clave = self.next("productos", 1).await?;
        let statement = "INSERT INTO productos (empresa, clave, folio, estatus, subtipo, sku, descripcion, codigo_barras, categoria,
                                    costo, codigo_sat, unidad, objeto_impuesto, iva_venta, iva_compra, tipo, busqueda, modificado)
             VALUES ($1, $2::bigint, $2::bigint::text, 'activo', 'terminado', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";
        written(statement, self.empresa, clave, data, creado).execute(self.connection()).await.map_err(store_error)?;
        Ok(clave)
    }

    async fn product(&mut self, clave: i64) -> Result<Option<ProductData>, StoreError> {
        let row = sqlx::query(
            "SELECT sku, descripcion, codigo_barras, categoria, costo, codigo_sat, unidad, objeto_impuesto, iva_venta,
                    iva_compra, tipo
             FROM productos WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(clave)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.as_ref().map(product_data).transpose().map_err(store_error)
    }

    async fn update_product(
        &mut self,
        clave: i64,
        data: &ProductData,
        modificado: Timestamp,
    ) -> Result<(), StoreError> {
        let statement = "UPDATE productos SET sku = $3, descripcion = $4, codigo_barras = $5, categoria = $6, costo = $7, codigo_sat = $8,
                 unidad = $9, objeto_impuesto = $10, iva_venta = $11, iva_compra = $12, tipo = $13, busqueda = $14, modificado = $15
             WHERE empresa = $1 AND clave = $2";
        written(statement, self.empresa, clave, data, modificado)
            .execute(self.connection())
            .await
            .map_err(store_error)?;
        Ok(())
    }

    async fn delete_product(&mut self, clave: i64, modificado: Timestamp) -> Result<bool, StoreError> {
        let statement = "UPDATE productos SET estatus = 'eliminado', modificado = $3
             WHERE empresa = $1 AND clave = $2 AND estatus <> 'eliminado'";
        let done = sqlx::query(statement)
            .bind(self.empresa)
            .bind(clave)
            .bind(modificado.get())
            .execute(self.connection())
            .await
            .map_err(store_error)?;
        Ok(done.rows_affected() > 0)
    }

    async fn is_usable_unit(&mut self, unidad: i64) -> Result<bool, StoreError> {
        let statement = "SELECT EXISTS (SELECT FROM unidades WHERE empresa = $1 AND clave = $2 AND estatus = 'activo' AND clave_sat IS NOT NULL)";
        self.exists(statement, unidad).await
    }

    async fn has_category(&mut self, categoria: i64) -> Result<bool, StoreError> {
        self.exists("SELECT EXISTS (SELECT FROM categorias WHERE empresa = $1 AND clave = $2)", categoria).await
    }

    async fn sale_products(&mut self, claves: &[i64], skus: &[&str]) -> Result<Vec<SaleProduct>, StoreError> {
        let rows = sqlx::query(
            "SELECT p.clave, p.sku, p.descripcion, p.estatus = 'activo', p.tipo, u.nombre, u.clave_sat, p.codigo_sat,
                    p.objeto_impuesto, p.iva_venta, p.iva_compra, p.costo
             FROM productos p LEFT JOIN unidades u ON u.empresa = p.empresa AND u.clave = p.unidad
             WHERE p.empresa = $1 AND p.estatus <> 'eliminado' AND (p.clave = ANY ($2) OR p.sku = ANY ($3))",
        )
        .bind(self.empresa)
        .bind(claves)
        .bind(skus)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        rows.iter().map(sale_product).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn list_prices(
        &mut self,
        productos: &[i64],
        listas: &[i64],
        moneda: &str,
    ) -> Result<Vec<ListPrice>, StoreError> {
        let rows = sqlx::query(
            "SELECT producto, lista, precio, iva_incluido, cantidad_minima, vigencia_desde, vigencia_hasta FROM precios
             WHERE empresa = $1 AND producto = ANY ($2) AND lista = ANY ($3) AND moneda = $4 ORDER BY clave",
        )
        .bind(self.empresa)
        .bind(productos)
        .bind(listas)
        .bind(moneda)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        rows.iter().map(list_price).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn import_products(&mut self, rows: &[ProductRecord], now: Timestamp) -> Result<(), StoreError> {
        let brands =
            self.named("marcas", "nombre", "marca", rows.iter().filter_map(|row| row.marca.as_deref())).await?;
        let categories = self
            .named("categorias", "nombre", "categoria", rows.iter().filter_map(|row| row.categoria.as_deref()))
            .await?;
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
            copy.value(row.codigo_sat.as_deref().unwrap_or(DEFAULT_SAT_KEY));
            copy.optional(row.marca.as_deref().and_then(|name| brands.get(name)));
            copy.optional(row.categoria.as_deref().and_then(|name| categories.get(name)));
            copy.optional(row.id_platform_b.as_deref()).optional(row.unidad).optional(row.codigo_barras.as_deref());
            copy.value(row.costo.unwrap_or_default())
                .value(row.objeto_impuesto.as_deref().unwrap_or(DEFAULT_TAX_OBJECT));
            copy.value(row.iva_venta.as_deref().unwrap_or(DEFAULT_VAT))
                .value(row.iva_compra.as_deref().unwrap_or(DEFAULT_VAT));
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

fn sale_product(row: &PgRow) -> Result<SaleProduct, sqlx::Error> {
    Ok(SaleProduct {
        clave: row.try_get(0)?,
        sku: row.try_get(1)?,
        descripcion: row.try_get(2)?,
        activo: row.try_get(3)?,
        tipo: ProductKind::of(row.try_get(4)?).unwrap_or(ProductKind::Desconocido),
        unidad: row.try_get(5)?,
        unidad_sat: row.try_get(6)?,
        codigo_sat: row.try_get(7)?,
        objeto_impuesto: row.try_get(8)?,
        iva_venta: row.try_get(9)?,
        iva_compra: row.try_get(10)?,
        costo: money(row, 11)?,
    })
}

fn list_price(row: &PgRow) -> Result<ListPrice, sqlx::Error> {
    Ok(ListPrice {
        producto: row.try_get(0)?,
        lista: row.try_get(1)?,
        precio: money(row, 2)?,
        iva_incluido: row.try_get(3)?,
        cantidad_minima: quantity(row, 4)?,
        vigencia_desde: row.try_get(5)?,
        vigencia_hasta: row.try_get(6)?,
    })
}

/// A statement that writes a product: company, clave, its data, what they are searched by, and when.
fn written<'q>(
    statement: &'static str,
    empresa: i64,
    clave: i64,
    data: &'q ProductData,
    when: Timestamp,
) -> sqlx::query::Query<'q, Postgres, PgArguments> {
    sqlx::query(statement)
        .bind(empresa)
        .bind(clave)
        .bind(&data.sku)
        .bind(&data.descripcion)
        .bind(&data.codigo_barras)
        .bind(data.categoria)
        .bind(data.costo.get())
        .bind(&data.clave_sat)
        .bind(data.unidad)
        .bind(&data.objeto_impuesto)
        .bind(&data.iva_venta)
        .bind(&data.iva_compra)
        .bind(data.tipo.word())
        .bind(search_text(data.sku.as_deref(), data.descripcion.as_deref()))
        .bind(when.get())
}

fn product_data(row: &PgRow) -> Result<ProductData, sqlx::Error> {
    let tipo: String = row.try_get("tipo")?;
    Ok(ProductData {
        sku: row.try_get("sku")?,
        descripcion: row.try_get("descripcion")?,
        codigo_barras: row.try_get("codigo_barras")?,
        categoria: row.try_get("categoria")?,
        costo: Money::new(row.try_get("costo")?),
        clave_sat: row.try_get("codigo_sat")?,
        unidad: row.try_get("unidad")?,
        objeto_impuesto: row.try_get("objeto_impuesto")?,
        iva_venta: row.try_get("iva_venta")?,
        iva_compra: row.try_get("iva_compra")?,
        tipo: ProductKind::of(&tipo).unwrap_or(ProductKind::Desconocido),
    })
}
