//! The sources of lists' rows beyond their table, and the filters beyond a comparison with a
//! column.

mod events;
mod movements;
mod products;
mod sales;
mod stock;

use sqlx::{Postgres, QueryBuilder};
use svc_core::domain::text::{fold, like_pattern};
use svc_core::domain::webhook::DeliveryStatus;
use svc_core::domain::words::Status;
use svc_core::record::{Kind, Value};

use crate::page::{PageQuery, Source, Span};
use crate::value::push;

/// The source of the rows of `table`.
pub(crate) fn of(table: &str) -> &'static Source {
    match table {
        "clientes" => &CUSTOMERS,
        "cuentas_bancarias" => &BANK_ACCOUNTS,
        "compras" => &PURCHASES,
        "compras_renglones" => &PURCHASE_LINES,
        "cxc" => &RECEIVABLES,
        "cxc_pagos" => &PAYMENTS,
        "cxp" => &PAYABLES,
        "entregas" => &DELIVERIES,
        "eventos" => &events::EVENTS,
        "facturas" => &INVOICES,
        "inventario" => &stock::STOCK,
        "movimientos_inventario" => &movements::MOVEMENTS,
        "precios" => &PRICES,
        "productos" => &products::PRODUCTS,
        "usuarios" => &SALESPEOPLE,
        "ventas" => &sales::SALES,
        "ventas_renglones" => &SALE_LINES,
        "webhooks" => &WEBHOOKS,
        _ => &Source::PLAIN,
    }
}

static CUSTOMERS: Source = Source {
    // Every word of the text, or the whole of it as a folio.
    filters: &[("texto", |page, texto| {
        let Value::Text(text) = texto else { return };
        page.and().push("((");
        for (at, word) in fold(text).split(' ').enumerate() {
            let sql = page.sql().push(if at > 0 { " AND busqueda LIKE " } else { "busqueda LIKE " });
            sql.push_bind(like_pattern(word));
        }
        push(page.sql().push(") OR folio = "), texto, Kind::Text);
        page.sql().push(")");
    })],
    ..Source::PLAIN
};

static BANK_ACCOUNTS: Source = Source {
    from: &["cuentas_bancarias c"],
    alias: "c.",
    // What the books hold of an account in another currency: the lines on its own subaccount, whose
    // number ends as `bank_subaccount` of svc-core says.
    columns: &[(
        "saldo_pesos",
        "CASE WHEN c.moneda <> 'MXN' THEN (SELECT coalesce(sum(r.cargo - r.abono), 0) FROM polizas_renglones r \
         WHERE r.empresa = c.empresa AND r.codigo = '102.01' \
           AND r.cuenta LIKE '%.' || lpad(c.clave::text, greatest(4, length(c.clave::text)), '0')) END",
    )],
    ..Source::PLAIN
};

static PURCHASES: Source = Source {
    from: &["compras c", "LEFT JOIN almacenes a ON a.empresa = c.empresa AND a.clave = c.almacen"],
    alias: "c.",
    columns: &[("almacen", "a.codigo"), ("modificado", "greatest(c.modificado, a.renombrado)")],
    ..Source::PLAIN
};

static PURCHASE_LINES: Source = Source {
    from: &["compras_renglones r", "LEFT JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto"],
    alias: "r.",
    columns: &[("sku", "p.sku")],
    ..Source::PLAIN
};

static RECEIVABLES: Source = Source {
    from: &["cxc x", "LEFT JOIN ventas v ON v.empresa = x.empresa AND v.clave = x.venta"],
    alias: "x.",
    columns: &[("tipo_venta", "coalesce(v.tipo, x.tipo_venta)")],
    filters: &[
        ("con_saldo", |page, value| page.only(if is_true(value) { "x.saldo > 0" } else { "(x.saldo > 0) IS FALSE" })),
        ("vencido", |page, value| {
            let today = today(page);
            if is_true(value) {
                page.with("x.saldo > 0 AND x.vencimiento < ", &today, "");
            } else {
                // Must be exactly the expression of the index.
                page.with("coalesce(CASE WHEN x.saldo > 0 THEN x.vencimiento END, 'infinity') >= ", &today, "");
            }
        }),
    ],
    ..Source::PLAIN
};

static PAYMENTS: Source = Source { span: Span::BY_DATE, ..Source::PLAIN };

static PAYABLES: Source = Source {
    filters: &[
        // Must be exactly the conditions of the partial indexes.
        ("con_saldo", |page, value| page.only(if is_true(value) { "saldo > 0" } else { "saldo <= 0" })),
        ("vencido", |page, value| {
            let today = today(page);
            if is_true(value) {
                page.with("saldo > 0 AND vencimiento < ", &today, "");
            } else {
                // Must be exactly the expression of the index.
                page.with("coalesce(CASE WHEN saldo > 0 THEN vencimiento END, 'infinity') >= ", &today, "");
            }
        }),
    ],
    ..Source::PLAIN
};

static DELIVERIES: Source = Source {
    filters: &[("estado", |page, value| {
        // Must be exactly the condition of the partial index.
        if *value != Value::Text(DeliveryStatus::Entregada.word().into()) {
            page.only("estado <> 'entregada'");
        }
        page.word("estado = ", value, "");
    })],
    standing_parent: Some("eliminado IS NULL"),
    ..Source::PLAIN
};

static INVOICES: Source = Source { span: Span::BY_DATE, ..Source::PLAIN };

static PRICES: Source = Source {
    from: &["precios x", "JOIN listas_precios l ON l.empresa = x.empresa AND l.clave = x.lista"],
    alias: "x.",
    columns: &[("sku", SKU), ("lista_nombre", "l.nombre")],
    filters: &[("sku", of_sku)],
    ..Source::PLAIN
};

static SALESPEOPLE: Source = Source {
    columns: &[("estatus", "CASE WHEN activo THEN 'activo' ELSE 'inactivo' END")],
    always: Some("vendedor"),
    whole: Some(
        "(vendedor OR clave IN ( \
             SELECT vendedor FROM clientes WHERE empresa = $1 AND vendedor IS NOT NULL \
             UNION ALL SELECT vendedor FROM ventas WHERE empresa = $1 AND vendedor IS NOT NULL \
             UNION ALL SELECT vendedor FROM oportunidades WHERE empresa = $1 AND vendedor IS NOT NULL))",
    ),
    filters: &[("estatus", |page, value| {
        let active = *value == Value::Text(Status::Activo.word().into());
        page.with("activo = ", &Value::Boolean(active), "");
    })],
    ..Source::PLAIN
};

static SALE_LINES: Source = Source {
    from: &["ventas_renglones r", "LEFT JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto"],
    alias: "r.",
    columns: &[("sku", "coalesce(p.sku, r.sku)")],
    // The SKU that `coalesce(p.sku, r.sku)` shows. A list of documents also finds those whose lines
    // were written with it.
    filters: &[("sku", |page, sku| {
        of_products(page.and().push("(r.producto"), sku);
        push(page.sql().push(" OR r.sku = "), sku, Kind::Text);
        page.clause("      AND NOT EXISTS (");
        page.clause(
            "          SELECT FROM productos s WHERE s.empresa = $1 AND s.clave = r.producto AND s.sku IS NOT NULL",
        );
        page.clause("      ))");
    })],
    ..Source::PLAIN
};

static WEBHOOKS: Source = Source {
    always: Some("eliminado IS NULL"),
    // Must be exactly the condition of the partial index.
    filters: &[("activo", |page, value| page.only(if is_true(value) { "activo" } else { "NOT activo" }))],
    ..Source::PLAIN
};

/// The SKU of a row's product, which always exists. A look-up per row costs less than a join,
/// because products hardly repeat within a page.
const SKU: &str = "(SELECT p.sku FROM productos p WHERE p.empresa = $1 AND p.clave = x.producto)";

fn is_true(value: &Value<'_>) -> bool {
    *value == Value::Boolean(true)
}

/// Adds a condition on the product, by its SKU.
fn of_sku(page: &mut PageQuery<'_>, sku: &Value<'_>) {
    of_products(page.and().push("x.producto"), sku);
}

/// Completes a condition: the column is one of the products with that SKU, which are looked up once
/// instead of for each row.
fn of_products(sql: &mut QueryBuilder<Postgres>, sku: &Value<'_>) {
    push(sql.push(" = ANY (ARRAY(SELECT clave FROM productos WHERE empresa = $1 AND sku = "), sku, Kind::Text);
    sql.push("))");
}

/// The day by which a debt counts as overdue.
fn today(page: &PageQuery<'_>) -> Value<'static> {
    Value::Date(page.query().now.date_naive())
}
