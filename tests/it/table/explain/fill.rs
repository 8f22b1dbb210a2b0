//! The data: `fill.sql` for one big company among small ones.

use std::collections::HashMap;

use chrono::TimeDelta;
use sqlx::{AssertSqlSafe, PgConnection, PgPool};
use svc_core::domain::scope::Scope;
use svc_core::store::CompanyChange;
use svc_core::{Api, Context};
use svc_store_postgres::{PostgresStore, Settings};
use svc_tests::{Actor, BASE_URL, Company, World, with};

/// One statement per table.
const FILL: &str = include_str!("fill.sql");

/// Settings that make PostgreSQL report the plan of every executed statement to its client.
const AUTO_EXPLAIN: [(&str, &str); 7] = [
    ("session_preload_libraries", "auto_explain"),
    ("auto_explain.log_min_duration", "0"),
    ("auto_explain.log_analyze", "on"),
    ("auto_explain.log_buffers", "on"),
    ("auto_explain.log_timing", "off"),
    ("auto_explain.log_format", "json"),
    ("auto_explain.log_level", "notice"),
];

/// Loading into a hundred indexes row by row takes four times as long as building them afterwards.
const DROP_INDEXES: &str = "
    CREATE TEMP TABLE indices ON COMMIT DROP AS
    SELECT i.indexrelid::regclass::text AS nombre, pg_get_indexdef(i.indexrelid) AS definicion
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    WHERE c.relnamespace = 'public'::regnamespace AND NOT i.indisunique;
    DO $$ DECLARE x record; BEGIN
        FOR x IN SELECT nombre FROM indices LOOP EXECUTE 'DROP INDEX ' || x.nombre; END LOOP;
    END $$";
const MAKE_INDEXES: &str = "
    DO $$ DECLARE x record; BEGIN
        FOR x IN SELECT definicion FROM indices LOOP EXECUTE x.definicion; END LOOP;
    END $$";

/// A world with one big company among others.
pub(super) struct Big {
    world: World,
    company: Company,
    /// Rows of each table.
    pub(super) sizes: HashMap<String, i64>,
}

impl Big {
    /// A company of `rows` rows in each table that may have many, and `catalogue` in the others.
    pub(super) async fn of(rows: i64, catalogue: i64) -> Self {
        let world = World::new().await;
        let small = [world.company().await, world.company().await];
        let company = world.company_with(CompanyChange { licencias: Some(6), ..CompanyChange::default() }).await;
        let later = [world.company().await, world.company().await];
        let mut tx = world.pool().begin().await.expect("a connection");
        // Without foreign keys and triggers: the data are made to fit.
        run(&mut tx, "SET LOCAL session_replication_role = replica").await;
        run(&mut tx, "SET LOCAL statement_timeout = 0").await;
        run(&mut tx, "SET LOCAL maintenance_work_mem = '256MB'").await;
        run(&mut tx, DROP_INDEXES).await;
        for other in small.iter().chain(&later) {
            fill(&mut tx, other, rows / 20, catalogue / 20).await;
        }
        fill(&mut tx, &company, rows, catalogue).await;
        run(&mut tx, MAKE_INDEXES).await;
        tx.commit().await.expect("the data");
        let mut connection = world.pool().acquire().await.expect("a connection");
        run(&mut connection, "SET statement_timeout = 0").await;
        // As autovacuum does sooner or later: plans change once an index alone can be read.
        run(&mut connection, "VACUUM (ANALYZE)").await;
        let sizes = sqlx::query_as("SELECT relname::text, reltuples::bigint FROM pg_class WHERE relkind = 'r'");
        let sizes: Vec<(String, i64)> = sizes.fetch_all(&mut *connection).await.expect("the sizes");
        connection.detach();
        Self { world, company, sizes: sizes.into_iter().collect() }
    }

    /// A user of the big company, and the store behind their requests, whose plans are reported if
    /// `watched`. The store has one connection, so that a repeated request meets its prepared
    /// statement.
    pub(super) async fn reader(&self, watched: bool) -> (PostgresStore, Actor) {
        let options = (*self.world.pool().connect_options()).clone();
        let options = if watched { options.options(AUTO_EXPLAIN) } else { options };
        let store = PostgresStore::with_options(options, &with!(Settings::default(), max_connections: 1));
        let context = Context::builder(std::sync::Arc::new(store.clone()), BASE_URL).clock(self.world.clock.clone());
        let api = Api::new(&context.build().expect("a context"));
        (store, self.company.admin().await.at(&api))
    }

    /// A user of the big company who reads opportunities and invoices only, behind this store.
    pub(super) async fn clerk(&self, store: &PostgresStore) -> Actor {
        let context = Context::builder(std::sync::Arc::new(store.clone()), BASE_URL).clock(self.world.clock.clone());
        let api = Api::new(&context.build().expect("a context"));
        let scopes = [Scope::WebhooksWrite, Scope::OportunidadesRead, Scope::FacturasRead];
        self.company.actor(&scopes).await.at(&api)
    }

    /// The greatest clave of the big company in a list's table.
    pub(super) async fn last_clave(&self, path: &str) -> i64 {
        let last = format!("SELECT coalesce(max(clave), 0) FROM {} WHERE empresa = $1", table(path));
        let last = sqlx::query_scalar(AssertSqlSafe(last)).bind(self.company.id.0);
        last.fetch_one(self.world.pool()).await.expect("a list's table has its name, or see `table`")
    }

    /// The first thirty claves of a list changed since then, as PostgreSQL finds them by reading
    /// everything.
    pub(super) async fn changed(&self, path: &str, since: &str) -> Vec<i64> {
        let hidden = if path == "/productos" { "AND estatus <> 'eliminado'" } else { "" };
        let table = table(path);
        let claves = format!(
            "SELECT clave FROM {table} WHERE empresa = $1 AND modificado >= $2::timestamptz {hidden} ORDER BY clave + 0 LIMIT 30"
        );
        let claves = sqlx::query_scalar(AssertSqlSafe(claves)).bind(self.company.id.0).bind(format!("{since} 00:00Z"));
        claves.fetch_all(self.world.pool()).await.expect("the changes")
    }

    pub(super) fn pool(&self) -> &PgPool {
        self.world.pool()
    }

    /// Runs a statement without foreign keys and triggers.
    pub(super) async fn change(&self, statement: &str) {
        let mut tx = self.pool().begin().await.expect("a connection");
        run(&mut tx, "SET LOCAL session_replication_role = replica").await;
        run(&mut tx, "SET LOCAL statement_timeout = 0").await;
        run(&mut tx, statement).await;
        tx.commit().await.expect("the change");
    }

    /// Resets the key's minute.
    pub(super) fn a_minute_later(&self) {
        self.world.clock.advance(TimeDelta::minutes(1));
    }
}

/// The table of a list.
pub(super) fn table(path: &str) -> String {
    match path {
        "/vendedores" => "usuarios".to_owned(),
        _ => path.rsplit('/').next().unwrap_or_default().replace('-', "_"),
    }
}

/// Fills a company with that many rows in each table that may have many.
pub(crate) async fn filled(company: &Company, rows: i64) {
    let mut tx = company.world.pool().begin().await.expect("a connection");
    run(&mut tx, "SET LOCAL session_replication_role = replica").await;
    run(&mut tx, "SET LOCAL statement_timeout = 0").await;
    run(&mut tx, DROP_INDEXES).await;
    fill(&mut tx, company, rows, (rows / 10).max(1)).await;
    run(&mut tx, MAKE_INDEXES).await;
    tx.commit().await.expect("the data");
}

async fn fill(connection: &mut PgConnection, company: &Company, rows: i64, catalogue: i64) {
    for statement in FILL.split(";\n") {
        let statement = statement
            .replace(":empresa", &company.id.0.to_string())
            .replace(":filas", &rows.to_string())
            .replace(":catalogo", &catalogue.to_string());
        run(connection, &statement).await;
    }
}

async fn run(connection: &mut PgConnection, statements: &str) {
    let outcome = sqlx::raw_sql(AssertSqlSafe(statements)).execute(connection).await;
    outcome.unwrap_or_else(|error| panic!("{error}\n{statements}"));
}
