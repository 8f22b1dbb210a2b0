//! Webhooks and events inserted directly into the database, for tests of many deliveries.

use chrono::{DateTime, Utc};
use sqlx::PgPool;
use svc_core::domain::clock::SystemRandom;
use svc_core::domain::company::CompanyId;
use svc_core::secrets::{Place, Sealer};

/// The secret of every webhook.
pub const SECRET: &str = "whsec_0123456789abcdef";

/// The sealed secret of a company's webhook `clave`.
pub fn sealed(sealer: &Sealer, company: i64, clave: i64, secret: &str) -> Vec<u8> {
    let record = clave.to_string();
    let place = Place { company: CompanyId(company), column: svc_core::webhooks::SECRET, record: &record };
    sealer.seal(place, secret.as_bytes(), &SystemRandom).expect("a sealed value")
}

/// Inserts a webhook of a company, made by `owner`, for events of these types from `at` on; `{}` in
/// its URL is its clave. Returns the clave. `sealer` seals its secret.
pub async fn webhook(
    pool: &PgPool,
    sealer: &Sealer,
    (company, owner): (i64, i64),
    url: &str,
    tipos: &[&str],
    at: DateTime<Utc>,
) -> i64 {
    let clave: i64 = sqlx::query_scalar("SELECT coalesce(max(clave), 0) + 1 FROM webhooks WHERE empresa = $1")
        .bind(company)
        .fetch_one(pool)
        .await
        .expect("a clave");
    let statement = "INSERT INTO webhooks (empresa, clave, url, eventos, activo_desde, secreto, usuario, creado)
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $5) RETURNING clave";
    sqlx::query_scalar(statement)
        .bind(company)
        .bind(clave)
        .bind(url.replace("{}", &clave.to_string()))
        .bind(tipos)
        .bind(at)
        .bind(sealed(sealer, company, clave, SECRET))
        .bind(owner)
        .fetch_one(pool)
        .await
        .expect("a webhook")
}

/// Inserts this many events of a company, of a type, at `at`; their ids and claves contain that
/// time, as the service's do.
pub async fn events(pool: &PgPool, company: i64, tipo: &str, count: i64, at: DateTime<Utc>) {
    let statement = "WITH serie AS (
                         INSERT INTO contadores AS c (empresa, serie, valor)
                         VALUES ($1, 'eventos', floor(extract(epoch FROM $3) * 1000)::bigint - 1 + $4)
                         ON CONFLICT (empresa, serie) DO UPDATE SET valor = greatest(c.valor + $4, excluded.valor)
                         RETURNING valor
                     )
                     INSERT INTO eventos (empresa, id, clave, tipo, recurso, recurso_clave, cuerpo, creado)
                     SELECT $1, (left(h, 8) || '-' || right(h, 4) || '-7' || substr(gen_random_uuid()::text, 16))::uuid,
                            s.valor - $4 + n, $2, 'clientes', n, convert_to('{\"n\":' || n || '}', 'UTF8'), $3
                     FROM serie s, generate_series(1, $4) n,
                          lpad(to_hex(floor(extract(epoch FROM $3) * 1000)::bigint), 12, '0') h";
    sqlx::query(statement).bind(company).bind(tipo).bind(at).bind(count).execute(pool).await.expect("events");
}
