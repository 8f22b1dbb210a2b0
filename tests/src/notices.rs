//! Webhooks and events written directly into the database, for tests of delivery with many of them.

use chrono::{DateTime, Utc};
use sqlx::PgPool;

/// The secret of every webhook, which is stored as it is.
pub const SECRET: &str = "whsec_0123456789abcdef";

/// A webhook of a company, made by `owner`, for events of these types from `at` on; `{}` in its URL is its clave. Gives
/// that.
pub async fn webhook(pool: &PgPool, (company, owner): (i64, i64), url: &str, tipos: &[&str], at: DateTime<Utc>) -> i64 {
    let statement = "INSERT INTO webhooks (empresa, clave, url, eventos, activo_desde, secreto, usuario, creado)
                     SELECT $1, n, replace($6, '{}', n::text), $2, $3, $4, $5, $3
                     FROM (SELECT coalesce(max(clave), 0) + 1 FROM webhooks WHERE empresa = $1) AS w (n) RETURNING clave";
    sqlx::query_scalar(statement)
        .bind(company)
        .bind(tipos)
        .bind(at)
        .bind([b"\0", SECRET.as_bytes()].concat())
        .bind(owner)
        .bind(url)
        .fetch_one(pool)
        .await
        .expect("a webhook")
}

/// So many events of a company, of a type, at `at`.
pub async fn events(pool: &PgPool, company: i64, tipo: &str, count: i64, at: DateTime<Utc>) {
    let statement = "INSERT INTO eventos (empresa, id, tipo, recurso, recurso_clave, cuerpo, creado)
                     SELECT $1, gen_random_uuid(), $2, 'clientes', n, convert_to('{\"n\":' || n || '}', 'UTF8'), $3
                     FROM generate_series(1, $4) n";
    sqlx::query(statement).bind(company).bind(tipo).bind(at).bind(count).execute(pool).await.expect("events");
}
