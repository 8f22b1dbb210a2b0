//! Two operations written by hand with axum and sqlx, on the same tables: the key is cached for four seconds,
//! pages go by keyset, a creation claims its Idempotency-Key, writes customer, event and stored answer in one transaction.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use sqlx::{PgPool, Postgres, Transaction};
use subtle::ConstantTimeEq as _;
use svc_core::domain::clock::{Clock as _, SystemClock, SystemRandom, random_bytes};
use uuid::Uuid;

#[derive(Clone)]
struct App {
    pool: PgPool,
    keys: Arc<RwLock<Keys>>,
}

/// By company and suffix, and when they were read.
type Keys = HashMap<(i64, String), (Instant, Key)>;

#[derive(Clone)]
struct Key {
    empresa: i64,
    suffix: String,
    secret: Vec<u8>,
    scopes: Vec<String>,
}

/// The two operations over that database.
pub(crate) fn router(pool: PgPool) -> Router {
    Router::new().route("/clientes", get(list).post(create)).with_state(App { pool, keys: Arc::default() })
}

enum Failure {
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

async fn authenticate(app: &App, headers: &HeaderMap, scope: &str) -> Result<Key, Failure> {
    let refused = || Failure::Refused(StatusCode::UNAUTHORIZED, "llave_invalida");
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).ok_or_else(refused);
    let secret = text("authorization")?.strip_prefix("Bearer ").ok_or_else(refused)?;
    let (empresa, suffix) = text("x-svc-key-id")?.split_once('_').ok_or_else(refused)?;
    let id = (empresa.parse().map_err(|_| refused())?, suffix.to_owned());
    let cached = app.keys.read().expect("no poison").get(&id).filter(|(at, _)| at.elapsed() < FRESH).cloned();
    let key = if let Some((_, key)) = cached {
        key
    } else {
        let (secret, scopes) = sqlx::query_as::<_, (Vec<u8>, Vec<String>)>(
                "SELECT l.secreto_sha256, l.permisos FROM llaves l
                 JOIN empresas e USING (empresa) JOIN usuarios u ON (u.empresa, u.clave) = (l.empresa, l.usuario)
                 WHERE l.empresa = $1 AND l.sufijo = $2 AND l.revocada IS NULL AND e.api AND e.plan = 'pro' AND u.activo",
            )
            .bind(id.0)
            .bind(&id.1)
            .fetch_optional(&app.pool)
            .await?
            .ok_or_else(refused)?;
        let key = Key { empresa: id.0, suffix: id.1.clone(), secret, scopes };
        app.keys.write().expect("no poison").insert(id, (Instant::now(), key.clone()));
        key
    };
    if !bool::from(Sha256::digest(secret).ct_eq(&key.secret)) {
        return Err(refused());
    }
    if !key.scopes.iter().any(|own| own == scope) {
        return Err(Failure::Refused(StatusCode::FORBIDDEN, "sin_permiso"));
    }
    Ok(key)
}

const FRESH: Duration = Duration::from_secs(4);

#[derive(Serialize, sqlx::FromRow)]
struct Customer {
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

#[derive(Serialize)]
struct Page {
    ok: bool,
    datos: Vec<Customer>,
    siguiente: Option<String>,
    hay_mas: bool,
}

#[derive(Deserialize)]
struct ListQuery {
    limite: Option<usize>,
    cursor: Option<String>,
}

async fn list(
    State(app): State<App>,
    headers: HeaderMap,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page>, Failure> {
    let key = authenticate(&app, &headers, "clientes:read").await?;
    let wrong = || Failure::Refused(StatusCode::BAD_REQUEST, "cursor_invalido");
    let limite = query.limite.unwrap_or(30).clamp(1, 30);
    let after: i64 = match &query.cursor {
        None => 0,
        Some(cursor) => {
            let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| wrong())?;
            i64::from_be_bytes(bytes.try_into().map_err(|_| wrong())?)
        }
    };
    let mut datos: Vec<Customer> = sqlx::query_as(
        "SELECT clave, folio, nombre, razon_social, rfc, correo, telefono, movil, prospecto, id_platform_a, id_platform_b,
                id_platform_c, id_platform_d, id_platform_e, publico, proximo_contacto, modificado
         FROM clientes WHERE empresa = $1 AND clave > $2 ORDER BY clave LIMIT $3",
    )
    .bind(key.empresa)
    .bind(after)
    .bind(i64::try_from(limite + 1).unwrap_or(31))
    .fetch_all(&app.pool)
    .await?;
    let hay_mas = datos.len() > limite;
    datos.truncate(limite);
    let last = datos.last().filter(|_| hay_mas);
    let siguiente = last.map(|last| URL_SAFE_NO_PAD.encode(last.clave.to_be_bytes()));
    Ok(Json(Page { ok: true, datos, siguiente, hay_mas }))
}

#[derive(Deserialize, Serialize)]
struct NewCustomer {
    nombre: String,
    correo: Option<String>,
}

#[derive(Serialize)]
struct Created {
    ok: bool,
    cliente: i64,
    folio: String,
    rfc: Option<String>,
}

async fn create(
    State(app): State<App>,
    headers: HeaderMap,
    Json(customer): Json<NewCustomer>,
) -> Result<Response, Failure> {
    let key = authenticate(&app, &headers, "clientes:write").await?;
    let name = headers.get("idempotency-key").and_then(|value| value.to_str().ok());
    let name = name.ok_or(Failure::Refused(StatusCode::BAD_REQUEST, "idempotencia_requerida"))?;
    let fingerprint = Sha256::digest(serde_json::to_vec(&customer).unwrap_or_default());
    let now = SystemClock.now();
    let mut tx = app.pool.begin().await?;
    let claimed = sqlx::query(
        "INSERT INTO idempotencia (empresa, llave, nombre, huella, creada) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
    )
    .bind(key.empresa)
    .bind(&key.suffix)
    .bind(name)
    .bind(&fingerprint[..])
    .bind(now)
    .execute(&mut *tx)
    .await?;
    if claimed.rows_affected() == 0 {
        return Err(Failure::Refused(StatusCode::CONFLICT, "idempotencia_conflicto"));
    }
    let clave: i64 = next(&mut tx, key.empresa).await?;
    let folio = clave.to_string();
    sqlx::query(
        "INSERT INTO clientes (empresa, clave, folio, nombre, correo, correo_comparable, modificado)
         VALUES ($1, $2, $3, $4, $5, lower($5), $6)",
    )
    .bind(key.empresa)
    .bind(clave)
    .bind(&folio)
    .bind(&customer.nombre)
    .bind(&customer.correo)
    .bind(now)
    .execute(&mut *tx)
    .await?;
    let event = serde_json::json!({"tipo": "cliente.creado", "creado": now, "empresa": key.empresa, "datos": {"cliente": clave}});
    sqlx::query(
        "INSERT INTO eventos (empresa, id, tipo, recurso, recurso_clave, cuerpo, creado)
         VALUES ($1, $2, 'cliente.creado', 'clientes', $3, $4, $5)",
    )
    .bind(key.empresa)
    .bind(Uuid::from_bytes(random_bytes(&SystemRandom)))
    .bind(clave)
    .bind(event.to_string().into_bytes())
    .bind(now)
    .execute(&mut *tx)
    .await?;
    let answer = serde_json::to_vec(&Created { ok: true, cliente: clave, folio, rfc: None }).unwrap_or_default();
    sqlx::query("UPDATE idempotencia SET respuesta = $4 WHERE empresa = $1 AND llave = $2 AND nombre = $3")
        .bind(key.empresa)
        .bind(&key.suffix)
        .bind(name)
        .bind(&answer)
        .execute(&mut *tx)
        .await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, [("content-type", "application/json")], answer).into_response())
}

/// The company's next clave of customers.
async fn next(tx: &mut Transaction<'_, Postgres>, empresa: i64) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(
        "INSERT INTO contadores AS c (empresa, serie, valor) VALUES ($1, 'clientes', 1)
         ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + 1 RETURNING valor",
    )
    .bind(empresa)
    .fetch_one(&mut **tx)
    .await
}
