//! The tables of a copy, from the database's catalogue.

use std::collections::BTreeSet;
use std::iter;

use sqlx::Row as _;

use super::ForkError;
use super::connection::ForkConnection;

/// The tables that are not copied, and why.
pub const LEFT_OUT: [(&str, &str); 15] = [
    ("avisos", "e-mails are queued"),
    ("avisos_dados", "the copy's owner was told nothing"),
    ("bitacora", "requests are logged under keys"),
    ("certificados", "a private key belongs to its owner"),
    ("cupos", "a copy has used no operations"),
    ("empresas", "the copy's own row differs"),
    ("entregas", "deliveries belong to webhooks"),
    ("eventos", "an event names its company, and happened there"),
    ("eventos_agrupados", "events are queued"),
    ("idempotencia", "answers belong to keys"),
    ("llaves", "keys are made for the copy"),
    ("llaves_minuto", "usage belongs to keys"),
    ("suscripciones", "its events begin anew, and so does what follows from them"),
    ("suscripciones_detenidas", "events are queued"),
    ("webhooks", "a receiver knows the company that it hears of"),
];

/// The values of columns that differ in the copy. Documents and cancellations under way are held
/// there until a person decides, as in a database that became a copy.
const CHANGED: [(&str, &str, &str); 9] = [
    ("usuarios", "correo", "NULL"),
    ("timbrados", "proximo", "'9999-12-31Z'::timestamptz"),
    ("timbrados", "detenido", "'copia'"),
    ("timbrados", "token", "NULL"),
    ("timbrados", "arrendado", "NULL"),
    ("cancelaciones", "proximo", "'9999-12-31Z'::timestamptz"),
    ("cancelaciones", "detenido", "'copia'"),
    ("cancelaciones", "token", "NULL"),
    ("cancelaciones", "arrendado", "NULL"),
];

/// The rows of a table that are copied, if not all: a document that is sealed and not stamped was
/// sealed by the original. Counters of tables that are left out begin anew.
fn condition(table: &str) -> String {
    match table {
        "facturas_xml" => " AND timbrado".to_owned(),
        "contadores" => {
            let left_out: Vec<String> = LEFT_OUT.iter().map(|(table, _)| format!("'{table}'")).collect();
            format!(" AND serie NOT IN ({})", left_out.join(", "))
        }
        _ => String::new(),
    }
}

/// A table whose rows are copied.
#[derive(Debug)]
pub(super) struct CopiedTable {
    pub(super) name: String,
    /// All columns that are written, but `empresa`.
    columns: Vec<String>,
    /// The tables that it refers to.
    parents: BTreeSet<String>,
}

impl CopiedTable {
    /// The statement that reads the rows of company `source` as those of `next`.
    pub(super) fn select(&self, source: i64, next: i64) -> String {
        let (name, which) = (&self.name, condition(&self.name));
        let changed = |column: &String| CHANGED.iter().find(|(table, of, _)| *table == name && *of == column);
        let value = |column| changed(column).map_or(column.as_str(), |(.., value)| value);
        let company = format!("{next}::bigint");
        let values: Vec<&str> = iter::once(company.as_str()).chain(self.columns.iter().map(value)).collect();
        let values = values.join(", ");
        format!("COPY (SELECT {values} FROM {name} WHERE empresa = {source}{which}) TO STDOUT (FORMAT binary)")
    }

    /// The statement that counts them.
    pub(super) fn count(&self, source: i64) -> String {
        format!("SELECT count(*) FROM {} WHERE empresa = {source}{}", self.name, condition(&self.name))
    }

    /// The statement that writes them.
    pub(super) fn copy_in(&self) -> String {
        let columns: Vec<&str> = iter::once("empresa").chain(self.columns.iter().map(String::as_str)).collect();
        format!("COPY {} ({}) FROM STDIN (FORMAT binary)", self.name, columns.join(", "))
    }
}

/// The tables with a column `empresa`, with the tables that they refer to and the columns that are
/// written.
const TABLES: &str = "
    SELECT quote_ident(c.relname) AS tabla,
           ARRAY(SELECT quote_ident(a.attname) FROM pg_attribute a
                 WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
                 ORDER BY a.attnum)::text[] AS columnas,
           ARRAY(SELECT DISTINCT quote_ident(p.relname) FROM pg_constraint k JOIN pg_class p ON p.oid = k.confrelid
                 WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid)::text[] AS padres
    FROM pg_class c
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = current_schema()::regnamespace
      AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'empresa' AND NOT a.attisdropped)
    ORDER BY c.relname";

/// The tables to copy, each after those that it refers to.
pub(super) async fn copied_tables(connection: &mut ForkConnection) -> Result<Vec<CopiedTable>, ForkError> {
    let mut left = Vec::new();
    for row in connection.rows(TABLES).await? {
        let name: String = row.try_get("tabla")?;
        // Its one row is the service's own.
        if name != "servicio" && !LEFT_OUT.iter().any(|(table, _)| *table == name) {
            let (columns, parents): (Vec<String>, Vec<String>) = (row.try_get("columnas")?, row.try_get("padres")?);
            let columns = columns.into_iter().filter(|column| column != "empresa").collect();
            left.push(CopiedTable { name, columns, parents: parents.into_iter().collect() });
        }
    }
    in_order(left)
}

/// The columns of a table that are written.
pub(super) async fn copied_columns(connection: &mut ForkConnection, table: &str) -> Result<Vec<String>, ForkError> {
    for row in connection.rows(TABLES).await? {
        if row.try_get::<String, _>("tabla")? == table {
            return Ok(row.try_get("columnas")?);
        }
    }
    Ok(Vec::new())
}

fn in_order(mut left: Vec<CopiedTable>) -> Result<Vec<CopiedTable>, ForkError> {
    let mut ordered: Vec<CopiedTable> = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let waiting: BTreeSet<String> = left.iter().map(|table| table.name.clone()).collect();
        let (ready, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(|table| table.parents.is_disjoint(&waiting));
        if ready.is_empty() {
            return Err(ForkError::Circle(waiting.into_iter().collect::<Vec<_>>().join(", ")));
        }
        ordered.extend(ready);
        left = rest;
    }
    Ok(ordered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, parents: &[&str]) -> CopiedTable {
        let parents = parents.iter().map(|parent| (*parent).to_owned()).collect();
        CopiedTable { name: name.to_owned(), columns: vec!["clave".to_owned(), "correo".to_owned()], parents }
    }

    #[test]
    fn tables_come_after_those_they_refer_to() {
        let tables = vec![table("a", &["c", "empresas"]), table("b", &["a"]), table("c", &["empresas"])];
        let names: Vec<String> = in_order(tables).unwrap().into_iter().map(|table| table.name).collect();
        assert_eq!(names, ["c", "a", "b"]);
        let circle = vec![table("a", &["b"]), table("b", &["a"]), table("c", &[])];
        assert!(matches!(in_order(circle), Err(ForkError::Circle(names)) if names == "a, b"));
    }

    #[test]
    fn a_table_is_read_as_the_copy_s() {
        assert_eq!(
            table("clientes", &[]).select(3, 7),
            "COPY (SELECT 7::bigint, clave, correo FROM clientes WHERE empresa = 3) TO STDOUT (FORMAT binary)"
        );
        assert!(table("usuarios", &[]).select(3, 7).contains(", clave, NULL FROM"));
        assert!(table("contadores", &[]).select(3, 7).contains(" AND serie NOT IN ('avisos', "));
    }
}
