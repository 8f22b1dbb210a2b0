//! Lists whose records nearly all have the same values: a page by a value that few records have, or
//! none, is found in an index, however often the statement has run with a frequent value before.

use svc_core::record::{Compare, Filter, Takes};
use svc_tests::Endpoint;

use super::fill::{Big, table};
use super::plans::Plans;
use super::values::{selectors, values};
use super::{address, call};
use crate::table::lists;

/// The rows of each table, of those that may have few records as well.
const ROWS: i64 = 10_000;

/// At most this many rows may be skipped by a filter.
const MAX_SKIPPED: f64 = 1_000.0;

/// Records may contradict themselves here.
const DROP_CHECKS: &str = "
    DO $$ DECLARE x record; BEGIN
        FOR x IN SELECT conrelid::regclass AS tabla, conname FROM pg_constraint
                 WHERE contype = 'c' AND connamespace = 'public'::regnamespace LOOP
            EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', x.tabla, x.conname);
        END LOOP;
        DROP INDEX almacenes_principal_unico;
    END $$";

/// A column that a filter compares, with values that it is asked for.
struct Compared {
    table: String,
    column: &'static str,
    /// As SQL.
    stored: Vec<String>,
}

#[tokio::test]
async fn a_value_that_few_records_have_is_found_without_walking_the_others() {
    let big = Big::of(ROWS, ROWS).await;
    let mut faults = Vec::new();
    let mut all = Vec::new();
    for list in lists() {
        all.extend(compared(&big, &list).await);
    }
    assert!(all.len() > 40, "{} columns", all.len());
    big.change(DROP_CHECKS).await;
    set(&big, &all, 0, "true").await;
    pages(&big, "all records have one value", &mut faults).await;
    set(&big, &all, 1, "clave % 100 = 0").await;
    set(&big, &all, 2, &format!("clave = {}", ROWS - 1)).await;
    pages(&big, "one in a hundred, and one record, have another", &mut faults).await;
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Asks each list for each value of each filter.
async fn pages(big: &Big, how: &str, faults: &mut Vec<String>) {
    let plans = Plans::watch();
    let (_store, ana) = big.reader(true).await;
    for list in lists() {
        for base in selectors(list.http.path) {
            for filter in
                list.filters().iter().filter(|filter| filter.compare == Compare::Equal && !is_of_lines(filter))
            {
                for value in values(filter) {
                    let query = base.with(filter.name, value);
                    let target = address(&list, &query, None);
                    let (reported, _) = call(&ana, &plans, &target).await;
                    let plan = reported.last().expect("a plan");
                    let wrong = plan.faults(&big.sizes, MAX_SKIPPED);
                    faults
                        .extend(wrong.into_iter().map(|fault| format!("{how}: {target}: {fault}: {}", plan.statement)));
                    big.a_minute_later();
                }
            }
        }
    }
}

/// Whether a document is found by its lines. Half of all lines have this SKU, so its documents are
/// read one after the other until enough are of the type that is asked for.
fn is_of_lines(filter: &Filter) -> bool {
    filter.name == "sku"
}

/// The columns of the list's table that its filters compare. One that is unique cannot have one
/// value in all records, and a computed one is not written.
async fn compared(big: &Big, list: &Endpoint) -> Vec<Compared> {
    const WRITTEN: &str = "
        SELECT c.data_type <> 'text' AND c.data_type <> 'boolean'
        FROM information_schema.columns c
        WHERE c.table_name = $1 AND c.column_name = $2 AND c.is_generated = 'NEVER' AND c.data_type <> 'uuid' AND NOT EXISTS (
            SELECT FROM pg_index i
            WHERE i.indrelid = $1::regclass AND i.indisunique AND (
                SELECT array_agg(a.attname::text ORDER BY a.attname)
                FROM pg_attribute a
                WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) AND a.attname NOT IN ('empresa')
            ) = ARRAY[$2])";
    let mut all = Vec::new();
    let table = table(list.http.path);
    // No document has all lines, and no product all prices and movements.
    let is_spread = |name: &str| match table.as_str() {
        "movimientos_inventario" => name != "tipo",
        "precios" => name == "producto",
        table => table.ends_with("_renglones"),
    };
    let compared = list.filters().iter().filter(|filter| filter.compare == Compare::Equal && !is_spread(filter.name));
    for filter in compared {
        let is_number: Option<bool> = sqlx::query_scalar(WRITTEN)
            .bind(&table)
            .bind(filter.column)
            .fetch_optional(big.pool())
            .await
            .expect("the column");
        let Some(is_number) = is_number else { continue };
        let mut stored: Vec<_> = values(filter).iter().map(|value| stored(filter.column, value, is_number)).collect();
        if filter.takes == Takes::Boolean {
            stored.reverse();
        }
        all.push(Compared { table: table.clone(), column: filter.column, stored });
    }
    all
}

/// A filter's value as its column holds it: a clave instead of a name or a code, if there is one.
fn stored(column: &str, value: &str, is_number: bool) -> String {
    if column == "almacen" {
        return i64::from_str_radix(value, 36).expect("a code").to_string();
    }
    let is_text = |character: char| !character.is_ascii_digit() && character != '-';
    match value.rsplit(is_text).next().filter(|_| is_number) {
        Some("") => "NULL".to_owned(),
        Some(clave) => clave.to_owned(),
        None => format!("'{value}'"),
    }
}

/// Gives the columns of each table their value `nth` where `condition` holds, in every company:
/// PostgreSQL plans by all rows of a table.
async fn set(big: &Big, all: &[Compared], nth: usize, condition: &str) {
    let mut tables: Vec<&str> = all.iter().map(|compared| compared.table.as_str()).collect();
    tables.dedup();
    for table in tables {
        let columns = all.iter().filter(|compared| compared.table == table);
        let set = |compared: &Compared| Some(format!("{} = {}", compared.column, compared.stored.get(nth)?));
        let values: Vec<String> = columns.filter_map(set).collect();
        if !values.is_empty() {
            let values = values.join(", ");
            big.change(&format!("UPDATE {table} SET {values} WHERE {condition}")).await;
        }
    }
    big.change("ANALYZE").await;
}
