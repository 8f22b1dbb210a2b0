use svc_core::record::{Kind, Value};

use crate::page::{PageQuery, Source};
use crate::value::push;

pub(super) static STOCK: Source = Source {
    from: &["inventario x", "JOIN almacenes a ON a.empresa = x.empresa AND a.clave = x.almacen"],
    alias: "x.",
    columns: &[
        ("sku", super::SKU),
        ("almacen", "a.codigo"),
        ("sucursal", "a.sucursal"),
        ("costo_unitario", "(SELECT c.ultimo FROM costos c WHERE c.empresa = x.empresa AND c.producto = x.producto)"),
        ("valor", WORTH),
    ],
    filters: &[
        ("sku", super::of_sku),
        // A code belongs to one warehouse, whose index gives the rows in the order of the page.
        ("almacen", |page, codigo| {
            if page.orders_by("almacen", "almacen") {
                page.and().push("x.almacen BETWEEN ");
                warehouse(page, codigo);
                page.sql().push(" AND ");
            } else {
                page.and().push("x.almacen = ");
            }
            warehouse(page, codigo);
        }),
        ("sucursal", |page, sucursal| {
            if page.query().has(&["clave", "sku", "almacen"]) {
                page.with("a.sucursal = ", sucursal, "");
            } else {
                of_branch(page, sucursal);
            }
        }),
    ],
    ..Source::PLAIN
};

/// The part of a product's value that a row's stock has, in cents by running sums, so that the rows
/// of a product add up to it.
const WORTH: &str = "(SELECT coalesce(round(c.valor * i.hasta_aqui / nullif(c.existencia, 0), 2) \
                              - round(c.valor * (i.hasta_aqui - x.existencia) / nullif(c.existencia, 0), 2), 0) \
                      FROM costos c, (SELECT sum(o.existencia) AS hasta_aqui FROM inventario o \
                                      WHERE o.empresa = x.empresa AND o.producto = x.producto AND o.clave <= x.clave) i \
                      WHERE c.empresa = x.empresa AND c.producto = x.producto)";

/// The clave of the warehouse with this code.
fn warehouse(page: &mut PageQuery<'_>, codigo: &Value<'_>) {
    page.sql().push("(SELECT clave FROM almacenes WHERE empresa = $1 AND codigo = ");
    push(page.sql(), codigo, Kind::Text);
    page.sql().push(")");
}

/// Matches the next rows of each of a branch's warehouses: each is read from its index no further
/// than the page can reach.
fn of_branch(page: &mut PageQuery<'_>, sucursal: &Value<'_>) {
    page.and();
    page.open("x.clave = ANY (ARRAY(");
    page.clause("SELECT k.clave");
    page.clause("FROM almacenes w");
    page.clause("");
    page.open("CROSS JOIN LATERAL (");
    page.clause("SELECT i.clave");
    page.clause("FROM inventario i");
    page.clause("WHERE i.empresa = $1 AND i.almacen BETWEEN w.clave AND w.clave");
    if let Some(since) = page.query().get("modificado_desde") {
        page.with("i.modificado >= ", since, "");
    }
    page.after_cursor("i.");
    page.clause("ORDER BY i.almacen, i.clave");
    page.limit();
    page.close(") k");
    push(page.clause("WHERE w.empresa = $1 AND w.sucursal = "), sucursal, Kind::Integer);
    page.close("))");
}
