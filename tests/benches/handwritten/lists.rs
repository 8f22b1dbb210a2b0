//! The lists of the handwritten service: a row of a table is a struct, a page one statement.

use axum::Json;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row as _};

use crate::server::{App, Failure};

#[derive(Serialize)]
pub(crate) struct Page<T> {
    ok: bool,
    datos: Vec<T>,
    siguiente: Option<String>,
    hay_mas: bool,
}

#[derive(Deserialize)]
pub(crate) struct ListQuery {
    limite: Option<usize>,
    cursor: Option<String>,
    buscar: Option<String>,
}

/// What `#[derive(sqlx::FromRow)]` writes: the driver is not compiled twice for four structs.
macro_rules! row {
    ($(#[$attr:meta])* $vis:vis struct $name:ident { $($field:ident: $ty:ty,)* }) => {
        $(#[$attr])*
        $vis struct $name { $($field: $ty,)* }

        impl FromRow<'_, PgRow> for $name {
            fn from_row(row: &PgRow) -> sqlx::Result<Self> {
                Ok(Self { $($field: row.try_get(stringify!($field))?,)* })
            }
        }
    };
}

type Answer<T> = Result<Json<Page<T>>, Failure>;

impl ListQuery {
    fn limit(&self) -> usize {
        self.limite.unwrap_or(30).clamp(1, 30)
    }

    fn after(&self) -> Result<i64, Failure> {
        let wrong = || Failure::Refused(StatusCode::BAD_REQUEST, "cursor_invalido");
        let Some(cursor) = &self.cursor else { return Ok(0) };
        let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| wrong())?;
        Ok(i64::from_be_bytes(bytes.try_into().map_err(|_| wrong())?))
    }

    fn page<T>(&self, mut datos: Vec<T>, clave: impl Fn(&T) -> i64) -> Json<Page<T>> {
        let hay_mas = datos.len() > self.limit();
        datos.truncate(self.limit());
        let last = datos.last().filter(|_| hay_mas);
        let siguiente = last.map(|last| URL_SAFE_NO_PAD.encode(clave(last).to_be_bytes()));
        Json(Page { ok: true, datos, siguiente, hay_mas })
    }
}

row! {
    #[derive(Serialize)]
    pub(crate) struct Customer {
        clave: i64,
        folio: Option<String>,
        nombre: Option<String>,
        razon_social: Option<String>,
        rfc: Option<String>,
        correo: Option<String>,
        telefono: Option<String>,
        movil: Option<String>,
        prospecto: bool,
        id_platform_a: Option<String>,
        id_platform_b: Option<String>,
        id_platform_c: Option<String>,
        id_platform_d: Option<String>,
        id_platform_e: Option<String>,
        publico: bool,
        proximo_contacto: Option<NaiveDate>,
        modificado: Option<DateTime<Utc>>,
    }
}

pub(crate) async fn customers(
    State(app): State<App>,
    headers: HeaderMap,
    Query(query): Query<ListQuery>,
) -> Answer<Customer> {
    let (_, key) = app.authenticate(&headers, "clientes:read")?;
    let rows = sqlx::query_as(
        "SELECT clave, folio, nombre, razon_social, rfc, correo, telefono, movil, prospecto, id_platform_a, id_platform_b,
                id_platform_c, id_platform_d, id_platform_e, publico, proximo_contacto, modificado
         FROM propio.clientes WHERE empresa = $1 AND clave > $2 ORDER BY clave LIMIT 31",
    );
    let rows = rows.bind(key.empresa).bind(query.after()?).fetch_all(&app.pool).await?;
    Ok(query.page(rows, |row: &Customer| row.clave))
}

row! {
    #[derive(Serialize)]
    pub(crate) struct Product {
        clave: i64,
        sku: Option<String>,
        folio: Option<String>,
        descripcion: Option<String>,
        estatus: String,
        tipo: String,
        subtipo: Option<String>,
        kit: bool,
        clave_padre: Option<i64>,
        codigo_sat: Option<String>,
        marca: Option<String>,
        categoria: Option<String>,
        id_platform_b: Option<String>,
        modificado: Option<DateTime<Utc>>,
    }
}

pub(crate) async fn products(
    State(app): State<App>,
    headers: HeaderMap,
    Query(query): Query<ListQuery>,
) -> Answer<Product> {
    let (_, key) = app.authenticate(&headers, "productos:read")?;
    let word = format!("%{}%", query.buscar.as_deref().unwrap_or_default());
    let rows = sqlx::query_as(
        "SELECT clave, sku, folio, descripcion, estatus, tipo, subtipo, kit, clave_padre, codigo_sat, marca::text AS marca,
                categoria::text AS categoria, id_platform_b, modificado
         FROM propio.productos WHERE empresa = $1 AND busqueda LIKE $3 AND estatus <> 'eliminado' AND clave > $2
         ORDER BY clave LIMIT 31",
    );
    let rows = rows.bind(key.empresa).bind(query.after()?).bind(word).fetch_all(&app.pool).await?;
    Ok(query.page(rows, |row: &Product| row.clave))
}

row! {
    #[derive(Serialize)]
    pub(crate) struct Sale {
        clave: i64,
        tipo: String,
        serie: Option<String>,
        folio: Option<i64>,
        fecha: DateTime<Utc>,
        sucursal: i64,
        almacen: Option<i64>,
        cliente: Option<i64>,
        vendedor: Option<i64>,
        moneda: String,
        tipo_cambio: Decimal,
        condicion_pago: Option<String>,
        dias_credito: Option<i32>,
        vencimiento: Option<NaiveDate>,
        forma_pago_sat: Option<String>,
        metodo_pago_sat: Option<String>,
        uso_cfdi: Option<String>,
        subtotal: Decimal,
        descuento: Decimal,
        impuestos: Decimal,
        retenciones: Decimal,
        total: Decimal,
        saldo: Decimal,
        cancelada: bool,
        fecha_cancelacion: Option<DateTime<Utc>>,
        surtido_estatus: Option<String>,
        monto_surtido: Option<Decimal>,
        factura: Option<i64>,
        uuid: Option<String>,
        origen: String,
        referencia: Option<String>,
        comentarios: Option<String>,
        modificado: Option<DateTime<Utc>>,
    }
}

pub(crate) async fn sales(State(app): State<App>, headers: HeaderMap, Query(query): Query<ListQuery>) -> Answer<Sale> {
    let (_, key) = app.authenticate(&headers, "ventas:read")?;
    let rows = sqlx::query_as(
        "SELECT clave, tipo, serie, folio, fecha, sucursal, almacen, cliente, vendedor, moneda, tipo_cambio, condicion_pago,
                dias_credito, vencimiento, forma_pago_sat, metodo_pago_sat, uso_cfdi, subtotal, descuento, impuestos,
                retenciones, total, saldo, cancelada, fecha_cancelacion, surtido_estatus, monto_surtido, factura, NULL::text AS uuid,
                origen, referencia, comentarios, modificado
         FROM propio.ventas WHERE empresa = $1 AND tipo = 'venta' AND NOT cancelada AND clave > $2 ORDER BY clave LIMIT 31",
    );
    let rows = rows.bind(key.empresa).bind(query.after()?).fetch_all(&app.pool).await?;
    Ok(query.page(rows, |row: &Sale| row.clave))
}

row! {
    #[derive(Serialize)]
    pub(crate) struct Stock {
        clave: i64,
        producto: i64,
        sku: Option<String>,
        almacen: String,
        sucursal: i64,
        existencia: Decimal,
        apartado: Decimal,
        minimo: Decimal,
        disponible: Decimal,
        modificado: Option<DateTime<Utc>>,
    }
}

pub(crate) async fn stock(State(app): State<App>, headers: HeaderMap, Query(query): Query<ListQuery>) -> Answer<Stock> {
    let (_, key) = app.authenticate(&headers, "inventario:read")?;
    let rows = sqlx::query_as(
        "SELECT clave, producto, sku, codigo AS almacen, sucursal, existencia, apartado, minimo,
                greatest(existencia - abs(apartado), minimo) AS disponible, modificado
         FROM propio.inventario WHERE empresa = $1 AND clave > $2 ORDER BY clave LIMIT 31",
    );
    let rows = rows.bind(key.empresa).bind(query.after()?).fetch_all(&app.pool).await?;
    Ok(query.page(rows, |row: &Stock| row.clave))
}
