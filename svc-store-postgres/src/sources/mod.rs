//! Where the rows of lists come from, as far as that is more than their table, and filters that are more than a comparison
//! with a column.

mod movements;
mod products;
mod stock;

use svc_core::domain::value::Value;
use svc_core::domain::words::Status;

use crate::page::{Page, Source, Span, Under};

/// The source of the rows of `table`.
pub(crate) fn of(table: &str) -> &'static Source {
    match table {
        "compras" => &PURCHASES,
        "compras_renglones" => &PURCHASE_LINES,
        "cxc" => &RECEIVABLES,
        "cxc_pagos" => &PAYMENTS,
        "cxp" => &PAYABLES,
        "entregas" => &DELIVERIES,
        "facturas" => &INVOICES,
        "inventario" => &stock::STOCK,
        "movimientos_inventario" => &movements::MOVEMENTS,
        "precios" => &PRICES,
        "productos" => &products::PRODUCTS,
        "usuarios" => &SALESPEOPLE,
        "ventas" => &SALES,
        "ventas_renglones" => &SALE_LINES,
        "webhooks" => &WEBHOOKS,
        _ => &Source::PLAIN,
    }
}

static PURCHASES: Source = Source {
    from: "compras c LEFT JOIN almacenes a ON a.empresa = c.empresa AND a.clave = c.almacen",
    alias: "c.",
    columns: &[("almacen", "a.codigo")],
    ..Source::PLAIN
};

static PURCHASE_LINES: Source = Source {
    from: "compras_renglones r LEFT JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto",
    alias: "r.",
    columns: &[("sku", "p.sku")],
    ..Source::PLAIN
};

static RECEIVABLES: Source = Source {
    from: "cxc x LEFT JOIN ventas v ON v.empresa = x.empresa AND v.clave = x.venta",
    alias: "x.",
    columns: &[("tipo_venta", "coalesce(v.tipo, x.tipo_venta)")],
    filters: &[
        ("con_saldo", |page, value| page.only(if is_true(value) { "x.saldo > 0" } else { "(x.saldo > 0) IS FALSE" })),
        ("vencido", |page, value| {
            let today = today(page);
            if is_true(value) {
                page.with("x.saldo > 0 AND x.vencimiento < ", &today, "");
            } else {
                page.with("((x.saldo > 0) IS FALSE OR x.vencimiento IS NULL OR x.vencimiento >= ", &today, ")");
            }
        }),
    ],
    ..Source::PLAIN
};

static PAYMENTS: Source = Source { span: Span::BY_DATE, ..Source::PLAIN };

static PAYABLES: Source = Source {
    filters: &[
        // Exactly the conditions of the partial indexes.
        ("con_saldo", |page, value| page.only(if is_true(value) { "saldo > 0" } else { "saldo <= 0" })),
        ("vencido", |page, value| {
            let today = today(page);
            if is_true(value) {
                page.with("saldo > 0 AND vencimiento < ", &today, "");
            } else {
                // All others, in parts that an index leads to each.
                page.with(
                    "(saldo <= 0 OR saldo > 0 AND vencimiento IS NULL OR saldo > 0 AND vencimiento >= ",
                    &today,
                    ")",
                );
            }
        }),
    ],
    ..Source::PLAIN
};

static DELIVERIES: Source = Source {
    under: Some(Under { record: "SELECT FROM webhooks WHERE eliminado IS NULL", column: "webhook" }),
    ..Source::PLAIN
};

static INVOICES: Source = Source { span: Span::BY_DATE, ..Source::PLAIN };

static PRICES: Source = Source {
    from: "precios x \
           JOIN productos p ON p.empresa = x.empresa AND p.clave = x.producto \
           JOIN listas_precios l ON l.empresa = x.empresa AND l.clave = x.lista",
    alias: "x.",
    columns: &[("sku", "p.sku"), ("lista_nombre", "l.nombre")],
    filters: &[("sku", |page, sku| {
        page.with("x.producto = ANY (ARRAY(SELECT clave FROM productos WHERE empresa = $1 AND sku = ", sku, "))");
    })],
    ..Source::PLAIN
};

static SALESPEOPLE: Source = Source {
    always: " AND vendedor",
    filters: &[("estatus", |page, value| {
        let active = *value == Value::Text(Status::Activo.word().into());
        page.with("activo = ", &Value::Boolean(active), "");
    })],
    ..Source::PLAIN
};

static SALES: Source = Source {
    from: "ventas v LEFT JOIN almacenes a ON a.empresa = v.empresa AND a.clave = v.almacen",
    alias: "v.",
    columns: &[("almacen", "a.codigo")],
    filters: &[("tipo", sale_kind), ("sku", sale_sku)],
    span: Span::BY_DATE,
    ..Source::PLAIN
};

/// A document that is named by its clave is also found by what it was made as, which those were told whom its creation was notified to.
fn sale_kind(page: &mut Page<'_>, tipo: &Value<'_>) {
    let kinds = if page.query().has(&["clave"]) { " IN (v.tipo, v.tipo_creado)" } else { " = v.tipo" };
    page.with("", tipo, kinds);
}

/// The lines of any product with that SKU, and those that bear it themselves.
fn sale_sku(page: &mut Page<'_>, sku: &Value<'_>) {
    page.with(
        "v.clave = ANY (ARRAY(WITH q (sku) AS (SELECT ",
        sku,
        ") SELECT venta FROM ventas_renglones WHERE empresa = $1 AND producto = ANY (ARRAY( \
                SELECT clave FROM productos WHERE empresa = $1 AND sku = (SELECT sku FROM q))) \
             UNION ALL SELECT venta FROM ventas_renglones WHERE empresa = $1 AND sku = (SELECT sku FROM q)))",
    );
}

static SALE_LINES: Source = Source {
    from: "ventas_renglones r LEFT JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto",
    alias: "r.",
    columns: &[("sku", "coalesce(p.sku, r.sku)")],
    // As in the list of documents, so that one found by a SKU has lines found by it.
    filters: &[("sku", |page, sku| page.with("", sku, " IN (p.sku, r.sku)"))],
    ..Source::PLAIN
};

static WEBHOOKS: Source = Source {
    always: " AND eliminado IS NULL",
    // Exactly the condition of the partial index.
    filters: &[("activo", |page, value| page.only(if is_true(value) { "activo" } else { "NOT activo" }))],
    ..Source::PLAIN
};

fn is_true(value: &Value<'_>) -> bool {
    *value == Value::Boolean(true)
}

/// The day by which something is overdue.
fn today(page: &Page<'_>) -> Value<'static> {
    Value::Date(page.query().now.date_naive())
}
