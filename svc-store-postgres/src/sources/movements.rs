use svc_core::record::{Kind, Value};

use crate::page::{Page, Source};
use crate::value::push;

pub(super) static MOVEMENTS: Source = Source {
    from: "movimientos_inventario m LEFT JOIN productos p ON p.empresa = m.empresa AND p.clave = m.producto",
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

/// Those that `coalesce(p.sku, m.sku)` makes the SKU's, among those of a document: without its product for each.
fn of_product_or_written(page: &mut Page<'_>, sku: &Value<'_>) {
    super::of_products(page.and().push("(m.producto"), sku);
    push(page.sql().push(" OR m.sku = "), sku, Kind::Text);
    page.sql().push(
        " AND NOT EXISTS (SELECT FROM productos s \
         WHERE s.empresa = $1 AND s.clave = m.producto AND s.sku IS NOT NULL))",
    );
}

/// The next movements that `coalesce(p.sku, m.sku)` makes the SKU's: of the products that have it, and of those that are
/// gone (or lost theirs) and for which it was written down. Each ledger is read from its index no further than the page
/// can reach; `escritos` steps from product to product of the written SKU.
fn of_sku(page: &mut Page<'_>, sku: &Value<'_>) {
    let sql = page.and();
    sql.push("m.clave = ANY (ARRAY(WITH RECURSIVE dado AS (SELECT ");
    push(sql, sku, Kind::Text);
    sql.push(
        "::text AS sku), escritos (producto) AS (\
         SELECT min(x.producto) FROM movimientos_inventario x WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) \
         UNION ALL \
         SELECT (SELECT min(x.producto) FROM movimientos_inventario x \
         WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) AND x.producto > e.producto) \
         FROM escritos e WHERE e.producto IS NOT NULL) \
         SELECT k.clave FROM productos s CROSS JOIN LATERAL (SELECT x.clave FROM movimientos_inventario x \
         WHERE x.empresa = $1 AND x.producto = s.clave",
    );
    next_movements(page);
    page.sql().push(
        ") k WHERE s.empresa = $1 AND s.sku = (SELECT sku FROM dado) \
         UNION ALL \
         SELECT k.clave FROM escritos e CROSS JOIN LATERAL (SELECT x.clave FROM movimientos_inventario x \
         WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) AND x.producto = e.producto",
    );
    next_movements(page);
    page.sql().push(
        ") k WHERE NOT EXISTS (SELECT FROM productos s \
         WHERE s.empresa = $1 AND s.clave = e.producto AND s.sku IS NOT NULL) \
         UNION ALL \
         (SELECT x.clave FROM movimientos_inventario x \
         WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) AND x.producto IS NULL",
    );
    next_movements(page);
    page.sql().push(")))");
}

/// Ends a statement over movements `x`, so that it gives as many of them as the page can hold.
fn next_movements(page: &mut Page<'_>) {
    let query = page.query();
    let sql = page.sql();
    if let Some(tipo) = query.get("tipo") {
        push(sql.push(" AND x.tipo = "), tipo, Kind::Text);
    }
    if let Some(after) = query.after {
        sql.push(" AND x.clave > ").push_bind(after);
    }
    sql.push(" ORDER BY x.clave");
    page.limit();
}
