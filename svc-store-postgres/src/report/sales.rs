//! Sales as the accounts 401 and 402 say them, and the company's own that they group, without the
//! entries that close a year.
//!
//! An entry of a sale is of the sale's lines, that of a credit note of the note's, and that of
//! goods that came back without a document of what came back. An amount is shared out to lines by
//! running sums that are rounded, so that the parts add up to it.

use svc_core::store::{ReportDays, SalesGroup};

use crate::fragment::{customer_of_entry, grouped_lines, income};
use crate::row::from_row;
use crate::sql::{Sql, sql};

from_row!(SalesGroup { lugar, dia, clave, nombre, sku, cantidad, ventas, descuentos });

pub(super) fn by_day(empresa: i64, days: ReportDays, max: i64) -> Sql {
    sql!(
        concat!("WITH dias AS (
             SELECT p.fecha AS dia,
                    ", income!(), "
             FROM ", grouped_lines!(), "
             WHERE p.empresa = :empresa AND p.fecha BETWEEN :desde AND :hasta AND p.origen <> 'cierre'
               AND (g.grupo LIKE '401.%' OR g.grupo LIKE '402.%')
             GROUP BY p.fecha
         ), lugares AS (
             SELECT d.*, least(row_number() OVER (ORDER BY d.dia), :max + 1) AS lugar
             FROM dias d
         )
         SELECT lugar, min(dia) FILTER (WHERE lugar <= :max) AS dia, NULL::bigint AS clave, NULL::text AS nombre,
                NULL::text AS sku, NULL::numeric AS cantidad, sum(ventas) AS ventas, sum(descuentos) AS descuentos
         FROM lugares
         GROUP BY lugar
         ORDER BY lugar"),
        empresa,
        desde: days.desde,
        hasta: days.hasta,
        max,
    )
}

/// Sales by a party of theirs: its clave by the sale `v` and by the substitute `st` that replaced the
/// entry, its table, and its name there.
macro_rules! by_party {
    ($party:expr, $table:literal, $name:literal) => {
        concat!(
            "WITH ingresos AS (
                 SELECT ",
            $party,
            " AS clave,
                        ", income!(), "
                 FROM ", grouped_lines!(), "
                 LEFT JOIN ventas v ON v.empresa = :empresa AND v.clave = p.venta
                 LEFT JOIN sustituciones st ON st.empresa = :empresa AND st.factura = p.sustituta
                 WHERE p.empresa = :empresa AND p.fecha BETWEEN :desde AND :hasta AND p.origen <> 'cierre'
                   AND (g.grupo LIKE '401.%' OR g.grupo LIKE '402.%')
                 GROUP BY 1
             ), lugares AS (
                 SELECT i.*, least(row_number() OVER (ORDER BY i.ventas - i.descuentos DESC, i.clave), :max + 1) AS lugar
                 FROM ingresos i
             ), grupos AS (
                 SELECT lugar, min(clave) FILTER (WHERE lugar <= :max) AS clave, sum(ventas) AS ventas,
                        sum(descuentos) AS descuentos
                 FROM lugares
                 GROUP BY lugar
             )
             SELECT g.lugar, NULL::date AS dia, g.clave, ",
            $name,
            " AS nombre, NULL::text AS sku, NULL::numeric AS cantidad, g.ventas, g.descuentos
             FROM grupos g
             LEFT JOIN ",
            $table,
            " t ON t.empresa = :empresa AND t.clave = g.clave
             ORDER BY g.lugar"
        )
    };
}

pub(super) fn by_customer(empresa: i64, days: ReportDays, max: i64) -> Sql {
    sql!(
        by_party!(customer_of_entry!(), "clientes", "coalesce(t.razon_social, t.nombre)"),
        empresa,
        desde: days.desde,
        hasta: days.hasta,
        max,
    )
}

pub(super) fn by_salesperson(empresa: i64, days: ReportDays, max: i64) -> Sql {
    sql!(
        by_party!("v.vendedor", "usuarios", "t.nombre"),
        empresa,
        desde: days.desde,
        hasta: days.hasta,
        max,
    )
}

/// The origin of an entry is the record of its credit note, the negative clave of its return
/// without one, and otherwise null: then it is the sale itself, with the lines that `sustituta`
/// replaced, if one did later.
pub(super) fn by_product(empresa: i64, days: ReportDays, max: i64) -> Sql {
    sql!(
        concat!("WITH asientos AS (
             SELECT p.venta, p.sustituta,
                    CASE WHEN p.pago IS NULL THEN coalesce(n.factura, -d.clave) END AS origen,
                    CASE WHEN p.revierte IS NULL THEN 1 ELSE -1 END AS signo,
                    ", income!(), "
             FROM ", grouped_lines!(), "
             LEFT JOIN notas_credito n ON n.empresa = :empresa AND n.factura = p.factura AND n.venta = p.venta
             LEFT JOIN devoluciones d
               ON d.empresa = :empresa AND d.venta = p.venta AND d.poliza = coalesce(p.revierte, p.clave)
             WHERE p.empresa = :empresa AND p.fecha BETWEEN :desde AND :hasta AND p.origen <> 'cierre'
             GROUP BY p.clave, p.venta, p.sustituta, p.pago, p.revierte, n.factura, d.clave
             HAVING bool_or(g.grupo LIKE '401.%' OR g.grupo LIKE '402.%')
         ), ingresos AS MATERIALIZED (
             SELECT venta, origen, sustituta, sum(signo) AS veces, sum(ventas) AS ventas, sum(descuentos) AS descuentos
             FROM asientos
             GROUP BY venta, origen, sustituta
         ), renglones AS (
             SELECT i.venta, i.origen, i.sustituta, v.renglon, v.producto, v.cantidad * i.veces AS cantidad, v.subtotal,
                    v.descuento
             FROM ingresos i
             JOIN ventas_renglones v ON v.empresa = :empresa AND v.venta = i.venta
             WHERE i.origen IS NULL AND i.sustituta IS NULL
             UNION ALL
             SELECT i.venta, i.origen, i.sustituta, v.renglon, v.producto, v.cantidad * i.veces, v.subtotal, v.descuento
             FROM ingresos i
             JOIN renglones_sustituidos v ON v.empresa = :empresa AND v.factura = i.sustituta
             WHERE i.origen IS NULL
             UNION ALL
             SELECT i.venta, i.origen, i.sustituta, n.renglon, n.producto, -n.acreditada * i.veces, 0,
                    n.subtotal - n.descuento
             FROM ingresos i
             JOIN notas_credito_renglones n ON n.empresa = :empresa AND n.factura = i.origen
             WHERE i.origen > 0
             UNION ALL
             SELECT i.venta, i.origen, i.sustituta, v.renglon, v.producto, -d.cantidad * i.veces, 0, d.base
             FROM ingresos i
             JOIN devoluciones_renglones d ON d.empresa = :empresa AND d.devolucion = -i.origen
             JOIN ventas_renglones v ON v.empresa = :empresa AND v.venta = i.venta AND v.renglon = d.renglon
             WHERE i.origen < 0
         ), sumas AS (
             SELECT r.*, sum(subtotal) OVER hasta_aqui AS subtotal_aqui, sum(descuento) OVER hasta_aqui AS descuento_aqui,
                    sum(subtotal) OVER todo AS subtotal_todo, sum(descuento) OVER todo AS descuento_todo
             FROM renglones r
             WINDOW todo AS (PARTITION BY venta, origen, sustituta),
                    hasta_aqui AS (PARTITION BY venta, origen, sustituta ORDER BY renglon)
         ), partes AS (
             SELECT s.producto, s.cantidad,
                    coalesce(round(i.ventas * s.subtotal_aqui / nullif(s.subtotal_todo, 0), 2)
                             - round(i.ventas * (s.subtotal_aqui - s.subtotal) / nullif(s.subtotal_todo, 0), 2), 0) AS ventas,
                    coalesce(round(i.descuentos * s.descuento_aqui / nullif(s.descuento_todo, 0), 2)
                             - round(i.descuentos * (s.descuento_aqui - s.descuento) / nullif(s.descuento_todo, 0), 2),
                             0) AS descuentos
             FROM sumas s
             JOIN ingresos i ON i.venta = s.venta AND i.origen IS NOT DISTINCT FROM s.origen
                            AND i.sustituta IS NOT DISTINCT FROM s.sustituta
             UNION ALL
             -- What no line accounts for.
             SELECT NULL, 0,
                    CASE WHEN coalesce(t.subtotal, 0) = 0 THEN i.ventas ELSE 0 END,
                    CASE WHEN coalesce(t.descuento, 0) = 0 THEN i.descuentos ELSE 0 END
             FROM ingresos i
             LEFT JOIN (
                 SELECT venta, origen, sustituta, sum(subtotal) AS subtotal, sum(descuento) AS descuento
                 FROM renglones
                 GROUP BY venta, origen, sustituta
             ) t ON t.venta = i.venta AND t.origen IS NOT DISTINCT FROM i.origen
                AND t.sustituta IS NOT DISTINCT FROM i.sustituta
         ), productos_vendidos AS (
             SELECT producto AS clave, sum(cantidad) AS cantidad, sum(ventas) AS ventas, sum(descuentos) AS descuentos
             FROM partes
             GROUP BY producto
         ), lugares AS (
             SELECT v.*, least(row_number() OVER (ORDER BY v.ventas - v.descuentos DESC, v.clave), :max + 1) AS lugar
             FROM productos_vendidos v
             WHERE v.ventas <> 0 OR v.descuentos <> 0 OR v.cantidad <> 0
         ), grupos AS (
             SELECT lugar, min(clave) FILTER (WHERE lugar <= :max) AS clave, round(sum(cantidad), 6) AS cantidad,
                    sum(ventas) AS ventas, sum(descuentos) AS descuentos
             FROM lugares
             GROUP BY lugar
         )
         SELECT g.lugar, NULL::date AS dia, g.clave, t.descripcion AS nombre, t.sku, g.cantidad, g.ventas, g.descuentos
         FROM grupos g
         LEFT JOIN productos t ON t.empresa = :empresa AND t.clave = g.clave
         ORDER BY g.lugar"),
        empresa,
        desde: days.desde,
        hasta: days.hasta,
        max,
    )
}
