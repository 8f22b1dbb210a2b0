//! The creation of the service by hand once more, with what the library promises besides: claves of
//! a company and of its events ascend without gaps, every filter of `GET /clientes` has its index,
//! an RFC is one customer's, a repeated request gets the stored answer, an event goes to every
//! webhook, and requests are counted by company.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{MethodRouter, post};
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;
use svc_core::domain::clock::{Clock as _, SystemClock};

use crate::server::{App, Created, Failure, Named, NewCustomer, created, event, idempotency_key};

/// The tables, filled with the library's rows.
pub(crate) const SCHEMA: &str = r"
    CREATE SCHEMA completo;
    CREATE TABLE completo.clientes AS SELECT * FROM public.clientes;
    ALTER TABLE completo.clientes ADD PRIMARY KEY (empresa, clave);
    CREATE UNIQUE INDEX ON completo.clientes (empresa, rfc) WHERE rfc NOT IN ('XAXX010101000', 'XEXX010101000');
    CREATE INDEX ON completo.clientes (empresa, rfc, clave) WHERE rfc IS NOT NULL;
    CREATE INDEX ON completo.clientes (empresa, folio, clave) WHERE folio IS NOT NULL;
    CREATE INDEX ON completo.clientes (empresa, lower(trim(correo)), clave) WHERE correo IS NOT NULL;
    CREATE INDEX ON completo.clientes (empresa, right(regexp_replace(telefono, '[-()+\s]', '', 'g'), 10), clave)
        WHERE telefono IS NOT NULL;
    CREATE INDEX ON completo.clientes (empresa, right(regexp_replace(movil, '[-()+\s]', '', 'g'), 10), clave)
        WHERE movil IS NOT NULL;
    CREATE INDEX ON completo.clientes (empresa, prospecto, clave);
    CREATE INDEX ON completo.clientes (empresa, publico, clave);
    CREATE INDEX ON completo.clientes (empresa, id_platform_a, clave) WHERE id_platform_a IS NOT NULL;
    CREATE INDEX ON completo.clientes (empresa, id_platform_b, clave) WHERE id_platform_b IS NOT NULL;
    CREATE INDEX ON completo.clientes (empresa, id_platform_c, clave) WHERE id_platform_c IS NOT NULL;
    CREATE INDEX ON completo.clientes (empresa, id_platform_d, clave) WHERE id_platform_d IS NOT NULL;
    CREATE INDEX ON completo.clientes (empresa, id_platform_e, clave) WHERE id_platform_e IS NOT NULL;
    CREATE INDEX ON completo.clientes (empresa, uso_cfdi, clave) WHERE uso_cfdi IS NOT NULL;
    CREATE INDEX ON completo.clientes (empresa, modificado, clave);
    CREATE INDEX ON completo.clientes (empresa, proximo_contacto, clave) WHERE proximo_contacto IS NOT NULL;
    -- What `customer.find` searches.
    CREATE INDEX ON completo.clientes USING gin (empresa, busqueda public.gin_trgm_ops);
    CREATE TABLE completo.contadores (empresa bigint PRIMARY KEY, clientes bigint NOT NULL, eventos bigint NOT NULL)
        WITH (fillfactor = 50);
    INSERT INTO completo.contadores SELECT empresa, max(clave), 0 FROM completo.clientes GROUP BY empresa;
    CREATE TABLE completo.eventos (empresa bigint NOT NULL, id bigint NOT NULL,
        cuerpo jsonb NOT NULL, creado timestamptz NOT NULL, PRIMARY KEY (empresa, id));
    CREATE TABLE completo.webhooks (empresa bigint NOT NULL, id bigint NOT NULL, tipos text[] NOT NULL,
        PRIMARY KEY (empresa, id));
    CREATE TABLE completo.entregas (empresa bigint NOT NULL, webhook bigint NOT NULL, evento bigint NOT NULL,
        siguiente timestamptz NOT NULL, PRIMARY KEY (empresa, webhook, evento));
    CREATE INDEX ON completo.entregas (siguiente);
    CREATE TABLE completo.respuestas (empresa bigint NOT NULL, llave text NOT NULL, nombre text NOT NULL,
        huella bytea NOT NULL, cuerpo bytea NOT NULL, creada timestamptz NOT NULL, PRIMARY KEY (empresa, llave, nombre));
    -- What the clean-up removes.
    CREATE INDEX ON completo.respuestas (empresa, creada);
    CREATE TABLE completo.uso (empresa bigint NOT NULL, minuto timestamptz NOT NULL, peticiones bigint NOT NULL,
        PRIMARY KEY (empresa, minuto)) WITH (fillfactor = 50);
    ANALYZE";

/// How often the counts of requests are written.
const COUNTING: Duration = Duration::from_secs(1);

type Counts = Arc<Mutex<HashMap<i64, i64>>>;

/// `POST /clientes`, and the writing of its counts until the process ends.
pub(crate) fn route(app: App) -> MethodRouter {
    let counts = Counts::default();
    tokio::spawn(write_counts(app.pool.clone(), counts.clone()));
    post(create).with_state((app, counts))
}

async fn write_counts(pool: PgPool, counts: Counts) {
    loop {
        tokio::time::sleep(COUNTING).await;
        let (companies, requests): (Vec<i64>, Vec<i64>) =
            std::mem::take(&mut *counts.lock().expect("no panic")).into_iter().unzip();
        if companies.is_empty() {
            continue;
        }
        sqlx::query(
            "INSERT INTO completo.uso SELECT empresa, date_trunc('minute', $3::timestamptz), n
             FROM unnest($1::bigint[], $2::bigint[]) AS x (empresa, n) ORDER BY empresa
             ON CONFLICT (empresa, minuto) DO UPDATE SET peticiones = uso.peticiones + excluded.peticiones",
        )
        .bind(companies)
        .bind(requests)
        .bind(SystemClock.now())
        .execute(&pool)
        .await
        .expect("counts are written");
    }
}

async fn create(
    State((app, counts)): State<(App, Counts)>,
    headers: HeaderMap,
    Json(customer): Json<NewCustomer>,
) -> Result<Response, Failure> {
    let (id, key) = app.authenticate(&headers, "clientes:write")?;
    *counts.lock().expect("no panic").entry(key.empresa).or_default() += 1;
    let name = idempotency_key(&headers)?;
    let fingerprint = Sha256::digest(serde_json::to_vec(&customer).unwrap_or_default());
    let now = SystemClock.now();
    let mut tx = app.pool.begin().await?;
    let (clave, evento): (i64, i64) = sqlx::query_as(
        "WITH numero AS (
             INSERT INTO completo.contadores VALUES ($1, 1, 1)
             ON CONFLICT (empresa) DO UPDATE SET clientes = contadores.clientes + 1, eventos = contadores.eventos + 1
             RETURNING clientes, eventos
         ), nuevo AS (
             INSERT INTO completo.clientes
                 (empresa, clave, folio, nombre, correo, prospecto, publico, busqueda, modificado)
             SELECT $1, clientes, clientes::text, $2, $3, false, false, $5, $4 FROM numero
         )
         SELECT clientes, eventos FROM numero",
    )
    .bind(key.empresa)
    .bind(&customer.nombre)
    .bind(&customer.correo)
    .bind(now)
    .bind(customer.nombre.to_lowercase())
    .fetch_one(&mut *tx)
    .await?;
    sqlx::query(
        "WITH evento AS (INSERT INTO completo.eventos VALUES ($1, $4, $2, $3) RETURNING id)
         INSERT INTO completo.entregas SELECT $1, w.id, evento.id, $3 FROM evento, completo.webhooks w
         WHERE w.empresa = $1 AND 'cliente.creado' = ANY(w.tipos)",
    )
    .bind(key.empresa)
    .bind(event(key.empresa, clave, now))
    .bind(now)
    .bind(evento)
    .execute(&mut *tx)
    .await?;
    let answer = Created::answer(clave);
    let insert =
        "INSERT INTO completo.respuestas (empresa, llave, nombre, huella, cuerpo, creada) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT DO NOTHING";
    let named = Named { empresa: key.empresa, id, name, fingerprint: &fingerprint };
    let stored = named.store(insert, &answer, now, &mut tx).await?;
    if stored {
        tx.commit().await?;
        return Ok(created(answer));
    }
    tx.rollback().await?;
    let (own, answer): (Vec<u8>, Vec<u8>) = sqlx::query_as(
        "SELECT huella, cuerpo FROM completo.respuestas WHERE empresa = $1 AND llave = $2 AND nombre = $3",
    )
    .bind(key.empresa)
    .bind(id)
    .bind(name)
    .fetch_one(&app.pool)
    .await?;
    if own != fingerprint[..] {
        return Err(Failure::Refused(StatusCode::CONFLICT, "idempotencia_conflicto"));
    }
    Ok(created(answer))
}
