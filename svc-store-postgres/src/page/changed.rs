//! The filter `modificado_desde`: records changed since an instant.

use svc_core::record::{Kind, Value};

use super::PageQuery;
use crate::value::push;

/// How many records are searched first, per record of the page.
const NEAR: i64 = 10;

/// The most changed records that are collected.
const COLLECTED: i64 = 25_000;

impl PageQuery<'_> {
    /// Selects the first records after the cursor that changed since then. It is the only
    /// condition.
    ///
    /// The records changed last tend to be the newest and have the greatest claves. PostgreSQL
    /// takes the two to be independent, expects a page of changes near the cursor, and walks all
    /// the claves before them (115 ms of a million). So three searches follow each other, each only
    /// if the one before found too few: the next records, which suffice if most have changed; all
    /// changed records, if they are few enough to sort; and all records after the cursor.
    pub(super) fn changed_since(&mut self, since: &Value<'_>) {
        let size = i64::from(self.query.limit) + 1;
        let alias = self.source.alias;
        self.and().push(alias);
        self.open("clave = ANY (ARRAY(");
        self.clause("");
        self.open("WITH cerca AS MATERIALIZED (");
        self.clause("SELECT i.clave");
        self.clause("");
        self.open("FROM (");
        self.clause("SELECT i.clave, i.modificado");
        self.next_records();
        self.clause("ORDER BY i.clave");
        self.clause("LIMIT ").push_bind(NEAR * size);
        self.close(") i");
        push(self.clause("WHERE i.modificado >= "), since, Kind::Instant);
        self.clause("ORDER BY i.clave");
        self.clause("LIMIT ").push_bind(size);
        self.close("), ");
        self.open("cambiados AS MATERIALIZED (");
        self.clause("SELECT i.clave");
        self.next_records();
        push(self.and().push("i.modificado >= "), since, Kind::Instant);
        self.and().push("(SELECT count(*) FROM cerca) < ").push_bind(size);
        self.clause("ORDER BY i.modificado");
        self.clause("LIMIT ").push_bind(COLLECTED);
        self.close(")");
        self.clause("SELECT clave FROM cerca WHERE (SELECT count(*) FROM cerca) = ").push_bind(size);
        self.clause("UNION ALL");
        self.clause("(SELECT clave FROM cambiados WHERE (SELECT count(*) FROM cambiados) < ").push_bind(COLLECTED);
        self.sql.push(" ORDER BY clave LIMIT ").push_bind(size).push(")");
        self.clause("UNION ALL");
        self.clause("");
        self.open("(");
        self.clause("SELECT i.clave");
        self.next_records();
        // No index has this sum: a plan for all instants would collect and sort all changes again.
        push(self.and().push("i.modificado + '0'::interval >= "), since, Kind::Instant);
        self.and().push("(SELECT count(*) FROM cambiados) = ").push_bind(COLLECTED);
        self.clause("ORDER BY i.clave");
        self.clause("LIMIT ").push_bind(size);
        self.close(")");
        self.close("))");
    }

    /// Adds the clauses that read the list's records `i` after the cursor.
    fn next_records(&mut self) {
        let table = self.table;
        self.clause("FROM ").push(table).push(" i");
        self.clause("WHERE i.empresa = $1");
        self.after_cursor("i.");
        self.hide("i.");
    }
}
