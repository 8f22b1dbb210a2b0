//! Inserts rows by the thousand, past the API.

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, PgPool};
use svc_tests::Company;

use crate::EVENT;

/// The first of the companies that are copied.
pub(crate) const FIRST: i64 = 1_000_000;

/// A column that is written: its table, its name and its type.
type Column = (String, String, String);

/// The columns of all tables.
async fn columns(pool: &PgPool) -> Vec<Column> {
    sqlx::query_as(
        "SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns
         JOIN information_schema.tables USING (table_schema, table_name)
         WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'
         ORDER BY table_name, ordinal_position",
    )
    .fetch_all(pool)
    .await
    .expect("the columns")
}

/// A statement that copies a company's rows of a table once for each row of `times`; `value` gives
/// a copy's value by the name and type of the column.
fn copying(columns: &[Column], from: i64, times: &str, value: impl Fn(&str, &str) -> Option<String>) -> String {
    let table = &columns[0].0;
    let names: Vec<&str> = columns.iter().map(|(_, name, _)| name.as_str()).collect();
    let values = columns.iter().map(|(_, name, kind)| value(name, kind).unwrap_or_else(|| name.clone()));
    format!(
        "INSERT INTO {table} ({}) SELECT {} FROM {table}, {times} WHERE empresa = {from}",
        names.join(", "),
        values.collect::<Vec<_>>().join(", ")
    )
}

/// Copies all rows of a company this many times; returns the copies.
pub(crate) async fn copies(company: &Company, count: i64) -> Vec<i64> {
    let pool = company.world.pool();
    let columns = columns(pool).await;
    let last = FIRST + count - 1;
    let times = format!("generate_series({FIRST}::bigint, {last}) n");
    let company_of_copy = |name: &str, _: &str| (name == "empresa").then(|| "n".to_owned());
    let tables = columns.chunk_by(|a, b| a.0 == b.0);
    let of_companies = tables.filter(|columns| columns.iter().any(|(_, name, _)| name == "empresa"));
    let statements = of_companies.map(|columns| copying(columns, company.id.0, &times, company_of_copy));
    unchecked(pool, statements.collect()).await;
    (FIRST..=last).collect()
}

/// Statements that copy the rows of tables `times` times within their company: claves of what is
/// copied are `apart`, and each copy is a day older than the one before, within `days`.
pub(crate) async fn multiplying(company: &Company, within: &Within<'_>, times: i64) -> Vec<String> {
    let Within { tables, claves, apart, days } = *within;
    let columns = columns(company.world.pool()).await;
    let value = |name: &str, kind: &str| match (name, kind) {
        (name, "bigint") if claves.contains(&name) => Some(format!("{name} + k * {apart}")),
        ("uuid", _) => Some("NULL".to_owned()),
        (name, "date") => Some(format!("{name} - (k % {days})::integer")),
        (name, "timestamp with time zone") => Some(format!("{name} - (k % {days}) * interval '1 day'")),
        _ => None,
    };
    let times = format!("generate_series(1::bigint, {times}) k");
    let wanted = columns.chunk_by(|a, b| a.0 == b.0).filter(|columns| tables.contains(&&*columns[0].0));
    wanted.map(|columns| copying(columns, company.id.0, &times, value)).collect()
}

/// What is copied within a company.
#[derive(Clone, Copy)]
pub(crate) struct Within<'a> {
    pub(crate) tables: &'a [&'a str],
    /// Columns that hold claves of such rows.
    pub(crate) claves: &'a [&'a str],
    pub(crate) apart: i64,
    pub(crate) days: i64,
}

/// Statements that drop indexes of tables, but for those of constraints, and statements that make
/// them again.
pub(crate) async fn indexes(pool: &PgPool, tables: &[&str]) -> (Vec<String>, Vec<String>) {
    let indexes: Vec<(String, String)> = sqlx::query_as(
        "SELECT indexname::text, indexdef FROM pg_indexes
         WHERE tablename = ANY($1) AND indexname NOT IN (SELECT conname FROM pg_constraint)",
    )
    .bind(tables)
    .fetch_all(pool)
    .await
    .expect("the indexes");
    let dropped = indexes.iter().map(|(name, _)| format!("DROP INDEX {name}")).collect();
    let room = "SET maintenance_work_mem = '1GB'".to_owned();
    (dropped, [room].into_iter().chain(indexes.into_iter().map(|(_, made)| made)).collect())
}

/// Events of companies, each for all webhooks of its company; if `fanned_out`, with due deliveries,
/// which a worker finds once the webhooks are scheduled.
pub(crate) async fn events(pool: &PgPool, companies: &[i64], count: i64, fanned_out: bool) {
    let of = any_of(companies);
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
        ]);
    }
    unchecked(pool, statements).await;
}

/// Schedules the webhooks of companies, all of whose deliveries are due.
pub(crate) async fn schedule(pool: &PgPool, companies: &[i64]) {
    let of = any_of(companies);
    let statement = format!(
        "UPDATE webhooks w
         SET proximo = (SELECT min(e.proximo_intento) FROM entregas e
                        WHERE e.empresa = w.empresa AND e.webhook = w.clave AND e.estado = 'pendiente')
         WHERE w.empresa = {of}"
    );
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(pool).await.expect("they are scheduled");
}

fn any_of(companies: &[i64]) -> String {
    format!("ANY ('{{{}}}'::bigint[])", companies.iter().map(i64::to_string).collect::<Vec<_>>().join(","))
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
