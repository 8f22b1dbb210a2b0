use svc_core::record::{Kind, Value};

use crate::page::{PageQuery, Source};
use crate::value::push;

pub(super) static MOVEMENTS: Source = Source {
    from: &["movimientos_inventario m", "LEFT JOIN productos p ON p.empresa = m.empresa AND p.clave = m.producto"],
    alias: "m.",
    columns: &[("sku", "coalesce(p.sku, m.sku)")],
    filters: &[("sku", |page, sku| {
        if page.query().has(&["clave", "venta"]) {
            of_product_or_written(page, sku);
        } else {
            of_sku(page, sku);
        }
    })],
    ..Source::PLAIN
};

/// Matches the SKU that `coalesce(p.sku, m.sku)` shows, within one document, without looking up the
/// product of each row.
fn of_product_or_written(page: &mut PageQuery<'_>, sku: &Value<'_>) {
    super::of_products(page.and().push("(m.producto"), sku);
    push(page.sql().push(" OR m.sku = "), sku, Kind::Text);
    page.clause("      AND NOT EXISTS (");
    page.clause(
        "          SELECT FROM productos s WHERE s.empresa = $1 AND s.clave = m.producto AND s.sku IS NOT NULL",
    );
    page.clause("      ))");
}

/// Matches the next movements with the SKU that `coalesce(p.sku, m.sku)` shows: those of products
/// that have it, and those that recorded it for products that are gone or lost their SKU. Each
/// ledger is read from its index no further than the page can reach; `escritos` steps from product
/// to product of the recorded SKU.
fn of_sku(page: &mut PageQuery<'_>, sku: &Value<'_>) {
    page.and();
    page.open("m.clave = ANY (ARRAY(");
    push(page.clause("WITH RECURSIVE dado AS (SELECT "), sku, Kind::Text);
    page.sql().push("::text AS sku), ");
    page.open("escritos (producto) AS (");
    page.clause("SELECT min(x.producto)");
    page.clause("FROM movimientos_inventario x");
    page.clause("WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado)");
    page.clause("UNION ALL");
    page.clause("SELECT (SELECT min(x.producto)");
    page.clause("        FROM movimientos_inventario x");
    page.clause("        WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) AND x.producto > e.producto)");
    page.clause("FROM escritos e");
    page.clause("WHERE e.producto IS NOT NULL");
    page.close(")");
    page.clause("SELECT k.clave");
    page.clause("FROM productos s");
    page.clause("");
    page.open("CROSS JOIN LATERAL (");
    next_movements(page, "x.producto = s.clave");
    page.close(") k");
    page.clause("WHERE s.empresa = $1 AND s.sku = (SELECT sku FROM dado)");
    page.clause("UNION ALL");
    page.clause("SELECT k.clave");
    page.clause("FROM escritos e");
    page.clause("");
    page.open("CROSS JOIN LATERAL (");
    next_movements(page, "x.sku = (SELECT sku FROM dado) AND x.producto = e.producto");
    page.close(") k");
    page.clause("WHERE NOT EXISTS (");
    page.clause("    SELECT FROM productos s WHERE s.empresa = $1 AND s.clave = e.producto AND s.sku IS NOT NULL");
    page.clause(")");
    page.clause("UNION ALL");
    page.clause("");
    page.open("(");
    next_movements(page, "x.sku = (SELECT sku FROM dado) AND x.producto IS NULL");
    page.close(")");
    page.close("))");
}

/// Reads the movements `x` that satisfy `condition`, as many as the page can hold.
fn next_movements(page: &mut PageQuery<'_>, condition: &'static str) {
    let query = page.query();
    page.clause("SELECT x.clave");
    page.clause("FROM movimientos_inventario x");
    page.clause("WHERE x.empresa = $1 AND ").push(condition);
    if let Some(tipo) = query.get("tipo") {
        page.word("x.tipo = ", tipo, "");
    }
    page.after_cursor("x.");
    page.clause("ORDER BY x.clave");
    page.limit();
}
