use svc_core::record::{Kind, Value};

use crate::page::{PageQuery, Source, Span};
use crate::value::push;

pub(super) static SALES: Source = Source {
    from: &["ventas v", "LEFT JOIN almacenes a ON a.empresa = v.empresa AND a.clave = v.almacen"],
    alias: "v.",
    columns: &[("almacen", "a.codigo"), ("modificado", "greatest(v.modificado, a.renombrado)")],
    filters: &[
        // A query by clave also finds a document by its original type, because the notice of its
        // creation named that type.
        ("tipo", |page, tipo| {
            let kinds = if page.query().has(&["clave"]) { " IN (v.tipo, v.tipo_creado)" } else { " = v.tipo" };
            page.word("", tipo, kinds);
        }),
        ("sku", |page, sku| {
            if page.span_is_short() {
                of_sku_in_span(page, sku);
            } else {
                next_of_sku(page, sku);
            }
        }),
    ],
    span: Span::BY_DATE,
    ..Source::PLAIN
};

/// Matches documents with a line whose product has the SKU, or that records the SKU itself.
fn of_sku_in_span(page: &mut PageQuery<'_>, sku: &Value<'_>) {
    page.and();
    page.open("v.clave = ANY (ARRAY(");
    push(page.clause("WITH q (sku) AS (SELECT "), sku, Kind::Text);
    page.sql().push(")");
    page.clause("SELECT venta FROM ventas_renglones WHERE empresa = $1 AND producto = ANY (ARRAY(");
    page.clause("    SELECT clave FROM productos WHERE empresa = $1 AND sku = (SELECT sku FROM q)))");
    page.clause("UNION ALL");
    page.clause("SELECT venta FROM ventas_renglones WHERE empresa = $1 AND sku = (SELECT sku FROM q)");
    page.close("))");
}

/// Matches the next such documents: the lines of each product, and those that record the SKU, are
/// read from their index in the order of the documents, no further than the page can reach.
fn next_of_sku(page: &mut PageQuery<'_>, sku: &Value<'_>) {
    page.and();
    page.open("v.clave = ANY (ARRAY(");
    push(page.clause("WITH q (sku) AS (SELECT "), sku, Kind::Text);
    page.sql().push("::text)");
    page.clause("SELECT k.venta");
    page.clause("FROM productos s");
    page.clause("");
    page.open("CROSS JOIN LATERAL (");
    next_documents(page, "r.producto = s.clave");
    page.close(") k");
    page.clause("WHERE s.empresa = $1 AND s.sku = (SELECT sku FROM q)");
    page.clause("UNION ALL");
    page.clause("");
    page.open("(");
    next_documents(page, "r.sku = (SELECT sku FROM q)");
    page.close(")");
    page.close("))");
}

/// Reads the documents with a line that satisfies `condition` and that meet all other conditions,
/// as many as the page can hold.
fn next_documents(page: &mut PageQuery<'_>, condition: &'static str) {
    let query = page.query();
    page.clause("SELECT DISTINCT r.venta");
    page.clause("FROM ventas_renglones r");
    page.clause("JOIN ventas v ON v.empresa = r.empresa AND v.clave = r.venta");
    page.clause("WHERE r.empresa = $1 AND ").push(condition);
    if let Some(after) = query.after {
        page.and().push("r.venta > ").push_bind(after);
    }
    for other in query.conditions.iter().filter(|other| other.filter.name != "sku") {
        page.condition(other);
    }
    page.clause("ORDER BY r.venta");
    page.limit();
}
