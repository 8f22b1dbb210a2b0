//! The filter of changes: whose records were changed since an instant.

use svc_core::record::{Kind, Value};

use super::Page;
use crate::value::push;

/// Records that are looked through first, for each that the page may hold.
const NEAR: i64 = 10;

/// Changed records that are collected at the most.
const COLLECTED: i64 = 25_000;

impl Page<'_> {
    /// The first records after the cursor that were changed since then; it is the only condition.
    ///
    /// Records changed last tend to be those that were made last, and have the greatest claves. A database that takes the two to be
    /// independent expects a page of many changes near the cursor, and walks all the claves before them (115 ms of a million). So three
    /// searches follow each other while the one before was not enough: through the next records, which is enough where most were
    /// changed; for all that were changed, if they are few enough to be put in order; and through all records after the cursor.
    pub(super) fn changed_since(&mut self, since: &Value<'_>) {
        let size = i64::from(self.query.limit) + 1;
        let alias = self.source.alias;
        self.and()
            .push(alias)
            .push("clave = ANY (ARRAY(WITH cerca AS MATERIALIZED (SELECT i.clave FROM (SELECT i.clave, i.modificado");
        self.next_records();
        self.sql.push(" ORDER BY i.clave LIMIT ").push_bind(NEAR * size).push(") i WHERE i.modificado >= ");
        push(&mut self.sql, since, Kind::Instant);
        self.sql.push(" ORDER BY i.clave LIMIT ").push_bind(size);
        self.sql.push("), cambiados AS MATERIALIZED (SELECT i.clave");
        self.next_changes(since);
        self.sql.push(" AND (SELECT count(*) FROM cerca) < ").push_bind(size);
        self.sql.push(" ORDER BY i.modificado LIMIT ").push_bind(COLLECTED);
        self.sql.push(") SELECT clave FROM cerca WHERE (SELECT count(*) FROM cerca) = ").push_bind(size);
        self.sql.push(" UNION ALL (SELECT clave FROM cambiados WHERE (SELECT count(*) FROM cambiados) < ");
        self.sql.push_bind(COLLECTED).push(" ORDER BY clave LIMIT ").push_bind(size);
        self.sql.push(") UNION ALL (SELECT i.clave");
        self.next_changes(since);
        self.sql.push(" AND (SELECT count(*) FROM cambiados) = ").push_bind(COLLECTED);
        self.sql.push(" ORDER BY i.clave LIMIT ").push_bind(size).push(")))");
    }

    /// From the list's records `i` after the cursor, that were changed since then.
    fn next_changes(&mut self, since: &Value<'_>) {
        self.next_records();
        push(self.and().push("i.modificado >= "), since, Kind::Instant);
    }

    /// From the list's records `i` after the cursor.
    fn next_records(&mut self) {
        self.sql.push(" FROM ").push(self.table).push(" i WHERE i.empresa = $1");
        self.after_cursor("i.");
        self.hide("i.");
    }
}
