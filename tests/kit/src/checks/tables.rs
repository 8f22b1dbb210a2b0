//! The tables of a host, by the database's own catalogue.

use crate::World;

/// The faults of tables, each named.
const FAULTS: &str = "
    WITH tables AS (
        SELECT c.oid, c.relname::text AS name FROM pg_class c
        WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
          AND c.relname NOT LIKE '\\_%' AND c.relname <> 'servicio'
    ), scoped AS (
        SELECT t.oid, t.name, a.attnum FROM tables t
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = 'empresa' AND a.attnotnull AND NOT a.attisdropped
    )
    SELECT name || ' has no column empresa NOT NULL' FROM tables WHERE oid NOT IN (SELECT oid FROM scoped)
    UNION ALL
    SELECT s.name || ' has no primary key' FROM scoped s
    WHERE NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = s.oid AND k.contype = 'p')
    UNION ALL
    SELECT i.indexrelid::regclass || ' of ' || s.name || ' does not begin with empresa' FROM scoped s
    JOIN pg_index i ON i.indrelid = s.oid
    WHERE i.indisunique AND i.indkey[0] <> s.attnum
    UNION ALL
    SELECT k.conname || ' of ' || s.name || ' does not pair empresa with empresa' FROM scoped s
    JOIN pg_constraint k ON k.conrelid = s.oid AND k.contype = 'f'
    LEFT JOIN scoped r ON r.oid = k.confrelid
    WHERE k.conkey[1] <> s.attnum OR k.confkey[1] IS DISTINCT FROM r.attnum
    UNION ALL
    SELECT k.conname || ' of ' || s.name || ' is deferrable' FROM scoped s
    JOIN pg_constraint k ON k.conrelid = s.oid AND k.condeferrable
    UNION ALL
    SELECT g.tgname || ' of ' || s.name || ' is a trigger' FROM scoped s
    JOIN pg_trigger g ON g.tgrelid = s.oid AND NOT g.tgisinternal";

/// Checks the rules of tables (`svc-store-postgres/migrations/README.md`): each has a column
/// `empresa` that begins its primary key, its unique indexes and its foreign keys, and nothing that
/// a distributed engine refuses. With `SVC_TEST_CITUS=1` in the environment the tables of every
/// world are distributed indeed.
pub async fn tables(world: &World) {
    let faults: Vec<String> = sqlx::query_scalar(FAULTS).fetch_all(world.pool()).await.expect("the catalogue");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
