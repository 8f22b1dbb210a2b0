//! Inserts rows by the thousand, past the API.

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, PgPool};
use svc_tests::Company;

use crate::EVENT;

/// The first of the companies that are copied.
pub(crate) const FIRST: i64 = 1_000_000;

/// Copies all rows of a company this many times; returns the copies.
pub(crate) async fn copies(company: &Company, count: i64) -> Vec<i64> {
    let pool = company.world.pool();
    let tables: Vec<(String, String)> = sqlx::query_as(
        "SELECT table_name::text, string_agg(column_name, ', ') FROM information_schema.columns c
         JOIN information_schema.tables t USING (table_schema, table_name)
         WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'
         GROUP BY table_name HAVING 'empresa' = ANY (array_agg(column_name))",
    )
    .fetch_all(pool)
    .await
    .expect("the tables");
    let (from, last) = (company.id.0, FIRST + count - 1);
    let statements = tables.iter().map(|(table, columns)| {
        let copied = columns.split(", ").map(|column| if column == "empresa" { "n" } else { column });
        format!(
            "INSERT INTO {table} ({columns}) SELECT {} FROM {table}, generate_series({FIRST}::bigint, {last}) n
             WHERE empresa = {from}",
            copied.collect::<Vec<_>>().join(", ")
        )
    });
    unchecked(pool, statements.collect()).await;
    (FIRST..=last).collect()
}

/// Events of companies, each for all webhooks of its company; if `fanned_out`, with due deliveries.
pub(crate) async fn events(pool: &PgPool, companies: &[i64], count: i64, fanned_out: bool) {
    let of = format!("ANY ('{{{}}}'::bigint[])", companies.iter().map(i64::to_string).collect::<Vec<_>>().join(","));
    let mut statements = vec![format!(
        "INSERT INTO eventos (empresa, id, clave, tipo, recurso, recurso_clave, cuerpo, creado, destinos, repartido)
         SELECT w.empresa, gen_random_uuid(), n, '{EVENT}', 'clientes', n,
                convert_to(json_build_object('evento', '{EVENT}', 'n', n, 'relleno', repeat('x', 250))::text, 'UTF8'),
                now(), w.destinos, {fanned_out}
         FROM (SELECT empresa, array_agg(clave) AS destinos FROM webhooks WHERE empresa = {of} GROUP BY empresa) w,
              generate_series(1, {count}) n"
    )];
    if fanned_out {
        statements.extend([
            format!(
                "INSERT INTO entregas (empresa, clave, webhook, evento, tipo, creado, proximo_intento)
                 SELECT e.empresa, row_number() OVER (PARTITION BY e.empresa ORDER BY e.recurso_clave, d.webhook),
                        d.webhook, e.id, e.tipo, e.creado, e.creado + e.recurso_clave * interval '1 microsecond'
                 FROM eventos e, unnest(e.destinos) d (webhook) WHERE e.empresa = {of}"
            ),
            format!(
                "INSERT INTO contadores (empresa, serie, valor)
                 SELECT empresa, 'entregas', max(clave) FROM entregas WHERE empresa = {of} GROUP BY empresa"
            ),
            format!("UPDATE webhooks SET proximo = now() WHERE empresa = {of}"),
        ]);
    }
    unchecked(pool, statements).await;
}

/// Runs statements without checking foreign keys, then analyses the tables.
pub(crate) async fn unchecked(pool: &PgPool, statements: Vec<String>) {
    let mut connection = pool.acquire().await.expect("a connection");
    let connection: &mut PgConnection = &mut connection;
    let before = "SET session_replication_role = replica".to_owned();
    let after = ["SET session_replication_role = DEFAULT".to_owned(), "ANALYZE".to_owned()];
    for statement in [before].into_iter().chain(statements).chain(after) {
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *connection).await.expect("rows");
    }
}
