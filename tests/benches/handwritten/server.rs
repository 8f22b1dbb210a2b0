//! The service by hand: what an engineer writes with axum and sqlx who needs these five operations
//! and nothing else. It has a schema of its own, made for them: claves from one sequence, an index
//! for each question, no foreign keys, no counters. Keys are in a map. A creation is three inserts
//! in one transaction: customer, event, and the answer under its Idempotency-Key.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use sqlx::postgres::PgPoolOptions;
use sqlx::{PgConnection, PgPool};
use subtle::ConstantTimeEq as _;
use svc_core::domain::clock::{Clock as _, SystemClock};

use crate::service::Served;
use crate::{PROMISING, lists, promises};

/// The tables, filled with the library's rows.
pub(crate) const SCHEMA: &str = "
    CREATE SCHEMA propio;
    CREATE SEQUENCE propio.clave START 1000000;
    CREATE TABLE propio.clientes AS SELECT * FROM public.clientes;
    ALTER TABLE propio.clientes ADD PRIMARY KEY (empresa, clave);
    ALTER TABLE propio.clientes ALTER clave SET DEFAULT nextval('propio.clave');
    CREATE TABLE propio.productos AS SELECT * FROM public.productos;
    ALTER TABLE propio.productos ADD PRIMARY KEY (empresa, clave);
    CREATE INDEX ON propio.productos USING gin (empresa, busqueda public.gin_trgm_ops);
    CREATE TABLE propio.ventas AS SELECT * FROM public.ventas;
    CREATE UNIQUE INDEX ON propio.ventas (empresa, tipo, cancelada, clave);
    CREATE TABLE propio.inventario AS
        SELECT x.*, p.sku, a.codigo, a.sucursal FROM public.inventario x
        JOIN public.productos p ON p.empresa = x.empresa AND p.clave = x.producto
        JOIN public.almacenes a ON a.empresa = x.empresa AND a.clave = x.almacen;
    ALTER TABLE propio.inventario ADD PRIMARY KEY (empresa, clave);
    CREATE TABLE propio.eventos (empresa bigint NOT NULL, id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                                 cuerpo jsonb NOT NULL, creado timestamptz NOT NULL);
    CREATE TABLE propio.respuestas (empresa bigint NOT NULL, llave text NOT NULL, nombre text NOT NULL, huella bytea NOT NULL,
                                    cuerpo bytea NOT NULL, creada timestamptz NOT NULL, PRIMARY KEY (empresa, llave, nombre));
    ANALYZE";

#[derive(Clone)]
pub(crate) struct App {
    pub(crate) pool: PgPool,
    keys: Arc<HashMap<String, Key>>,
}

#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) empresa: i64,
    secret: Vec<u8>,
    scopes: Vec<String>,
}

/// The service over its database; its creations do what [`PROMISING`] asks for if it is that one.
pub(crate) async fn router(served: &Served) -> Router {
    let pool = PgPoolOptions::new().max_connections(served.connections);
    let pool = pool.connect_lazy(&served.database).expect("a URL");
    let rows: Vec<(i64, String, Vec<u8>, Vec<String>)> =
        sqlx::query_as("SELECT empresa, sufijo, secreto_sha256, permisos FROM public.llaves")
            .fetch_all(&pool)
            .await
            .expect("the keys");
    let key = |(empresa, suffix, secret, scopes)| (format!("{empresa}_{suffix}"), Key { empresa, secret, scopes });
    let app = App { pool, keys: Arc::new(rows.into_iter().map(key).collect()) };
    let creation =
        if served.what == PROMISING { promises::route(app.clone()) } else { post(create).with_state(app.clone()) };
    Router::new()
        .route("/clientes", get(lists::customers))
        .route("/productos", get(lists::products))
        .route("/ventas", get(lists::sales))
        .route("/inventario", get(lists::stock))
        .route("/health", get(async || "ok"))
        .with_state(app)
        .route("/clientes", creation)
}

pub(crate) enum Failure {
    Refused(StatusCode, &'static str),
    Database(sqlx::Error),
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, codigo) = match self {
            Self::Refused(status, codigo) => (status, codigo),
            Self::Database(error) => {
                tracing::error!(%error, "database");
                (StatusCode::INTERNAL_SERVER_ERROR, "error_interno")
            }
        };
        (status, Json(serde_json::json!({"ok": false, "error": {"codigo": codigo}}))).into_response()
    }
}

impl App {
    pub(crate) fn authenticate(&self, headers: &HeaderMap, scope: &str) -> Result<(&str, &Key), Failure> {
        let refused = || Failure::Refused(StatusCode::UNAUTHORIZED, "llave_invalida");
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).ok_or_else(refused);
        let secret = text("authorization")?.strip_prefix("Bearer ").ok_or_else(refused)?;
        let (id, key) = self.keys.get_key_value(text("x-svc-key-id")?).ok_or_else(refused)?;
        if !bool::from(Sha256::digest(secret).ct_eq(&key.secret)) {
            return Err(refused());
        }
        if !key.scopes.iter().any(|own| own == scope) {
            return Err(Failure::Refused(StatusCode::FORBIDDEN, "sin_permiso"));
        }
        Ok((id, key))
    }
}

#[derive(Deserialize, Serialize)]
pub(crate) struct NewCustomer {
    pub(crate) nombre: String,
    pub(crate) correo: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct Created {
    ok: bool,
    cliente: i64,
    folio: String,
    rfc: Option<String>,
}

impl Created {
    pub(crate) fn answer(clave: i64) -> Vec<u8> {
        let created = Self { ok: true, cliente: clave, folio: clave.to_string(), rfc: None };
        serde_json::to_vec(&created).unwrap_or_default()
    }
}

/// A request with its Idempotency-Key.
pub(crate) struct Named<'a> {
    pub(crate) empresa: i64,
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) fingerprint: &'a [u8],
}

impl Named<'_> {
    /// Stores its answer; `false` if there is one.
    pub(crate) async fn store(
        &self,
        insert: &'static str,
        answer: &[u8],
        now: DateTime<Utc>,
        connection: &mut PgConnection,
    ) -> Result<bool, sqlx::Error> {
        let insert = sqlx::query(insert).bind(self.empresa).bind(self.id).bind(self.name);
        let insert = insert.bind(self.fingerprint).bind(answer).bind(now);
        Ok(insert.execute(connection).await?.rows_affected() == 1)
    }
}

pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<&str, Failure> {
    let name = headers.get("idempotency-key").and_then(|value| value.to_str().ok());
    name.ok_or(Failure::Refused(StatusCode::BAD_REQUEST, "idempotencia_requerida"))
}

pub(crate) fn event(empresa: i64, clave: i64, now: DateTime<Utc>) -> serde_json::Value {
    serde_json::json!({"tipo": "cliente.creado", "creado": now, "empresa": empresa, "datos": {"cliente": clave}})
}

pub(crate) fn created(answer: Vec<u8>) -> Response {
    (StatusCode::CREATED, [("content-type", "application/json")], answer).into_response()
}

async fn create(
    State(app): State<App>,
    headers: HeaderMap,
    Query(_): Query<HashMap<String, String>>,
    Json(customer): Json<NewCustomer>,
) -> Result<Response, Failure> {
    let (id, key) = app.authenticate(&headers, "clientes:write")?;
    let name = idempotency_key(&headers)?;
    let fingerprint = Sha256::digest(serde_json::to_vec(&customer).unwrap_or_default());
    let now = SystemClock.now();
    let mut tx = app.pool.begin().await?;
    let clave: i64 = sqlx::query_scalar(
        "INSERT INTO propio.clientes (empresa, nombre, correo, prospecto, publico, modificado)
         VALUES ($1, $2, $3, false, false, $4) RETURNING clave",
    )
    .bind(key.empresa)
    .bind(&customer.nombre)
    .bind(&customer.correo)
    .bind(now)
    .fetch_one(&mut *tx)
    .await?;
    sqlx::query("INSERT INTO propio.eventos (empresa, cuerpo, creado) VALUES ($1, $2, $3)")
        .bind(key.empresa)
        .bind(event(key.empresa, clave, now))
        .bind(now)
        .execute(&mut *tx)
        .await?;
    let answer = Created::answer(clave);
    let insert =
        "INSERT INTO propio.respuestas (empresa, llave, nombre, huella, cuerpo, creada) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT DO NOTHING";
    let named = Named { empresa: key.empresa, id, name, fingerprint: &fingerprint };
    let stored = named.store(insert, &answer, now, &mut tx).await?;
    if !stored {
        return Err(Failure::Refused(StatusCode::CONFLICT, "idempotencia_conflicto"));
    }
    tx.commit().await?;
    Ok(created(answer))
}
