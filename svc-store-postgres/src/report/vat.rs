//! IVA and IEPS of a period, as the accounts 118, 119, 208, 209 and 216.10 say them. Entries that
//! close a year are no base of either.
//!
//! An entry has one amount of IVA, which is shared out to the rates of its document's lines by
//! running sums that are rounded, so that the parts add up to it.

use svc_core::domain::accounting::Account;
use svc_core::store::{ChargedIeps, ChargedVat, CreditableVat, ReportDays};

use crate::fragment::grouped_lines;
use crate::row::from_row;
use crate::sql::{Sql, sql};

from_row!(ChargedVat { tasa, base, iva, base_cobrada, iva_cobrado, iva_por_cobrar });
from_row!(ChargedIeps { ieps, cobrado, por_cobrar });
from_row!(CreditableVat {
    lugar,
    proveedor,
    nombre,
    rfc,
    tasa,
    base,
    iva,
    base_pagada,
    iva_pagado,
    iva_por_pagar,
    iva_retenido,
});

/// The origin of an entry is the record of its credit note, the negative clave of its return
/// without one, and otherwise null: then it is the sale itself, with the lines that `sustituta`
/// replaced, if one did later. The entry of a payment from an advance also takes back what the
/// advance's sale charged, by that sale's rates. `base` is income and has no IEPS, as the accounts
/// 401 and 402; the collected base has it, as IVA is charged on it. Of a rate above zero the
/// collected base follows from the IVA; of the others from what was paid, at the payment's exchange
/// rate.
///
/// Payments of a sale that notes or returns have paid in part are shared out as their entries
/// compute the taxes: `cobros` is what they had collected of each rate by the end of the period,
/// less what they had before it.
#[expect(clippy::too_many_lines, reason = "one statement")]
pub(super) fn charged(empresa: i64, days: ReportDays) -> Sql {
    sql!(
        concat!("WITH movidas AS MATERIALIZED (
             SELECT DISTINCT coalesce(p.venta, x.venta) AS venta
             FROM polizas p
             LEFT JOIN cxc_pagos x ON x.empresa = :empresa AND x.clave = p.pago
             WHERE p.empresa = :empresa AND p.fecha BETWEEN :desde AND :hasta
         ), acreditado AS MATERIALIZED (
             SELECT n.venta, n.factura AS origen, CASE WHEN n.anticipo IS NULL THEN n.pago END AS pago,
                    n.total AS de_nota, c.iva_tasa AS tasa, c.iva, c.subtotal - c.descuento AS base, c.ieps, c.total
             FROM movidas m
             JOIN notas_credito n ON n.empresa = :empresa AND n.venta = m.venta
             JOIN notas_credito_renglones c ON c.empresa = :empresa AND c.factura = n.factura
             UNION ALL
             -- What came back of a line has its part of the taxes of the line.
             SELECT d.venta, -d.clave, d.pago, d.total, v.iva_tasa,
                    v.iva * q.parte, c.base, v.ieps * q.parte, v.total * q.parte
             FROM movidas m
             JOIN devoluciones d ON d.empresa = :empresa AND d.venta = m.venta
             JOIN devoluciones_renglones c ON c.empresa = :empresa AND c.devolucion = d.clave
             JOIN ventas_renglones v ON v.empresa = :empresa AND v.venta = d.venta AND v.renglon = c.renglon
             CROSS JOIN LATERAL (
                 -- A line that is discounted whole may bear taxes by quantity.
                 SELECT coalesce(c.base / nullif(v.subtotal - v.descuento, 0), c.cantidad / nullif(v.cantidad, 0), 0) AS parte
             ) q
         ), asientos AS (
             SELECT CASE WHEN a.de_anticipo THEN x.anticipo ELSE coalesce(p.venta, x.venta) END AS venta,
                    CASE WHEN a.de_anticipo THEN NULL ELSE p.sustituta END AS sustituta,
                    CASE WHEN p.pago IS NULL THEN coalesce(n.factura, -d.clave) END AS origen,
                    p.pago IS NOT NULL AND NOT a.de_anticipo AS de_pago,
                    a.de_anticipo
                    OR p.pago IS NULL AND (n.factura IS NOT NULL OR d.clave IS NOT NULL
                                           OR p.reembolso IS NOT NULL AND v.tipo = 'anticipo') AS de_nota,
                    coalesce(sum(r.abono - r.cargo) FILTER (WHERE r.codigo = :cobrado), 0) AS cobrado,
                    coalesce(sum(r.abono - r.cargo) FILTER (WHERE r.codigo = :por_cobrar), 0) AS por_cobrar,
                    coalesce(sum(r.abono - r.cargo) FILTER (
                        WHERE g.grupo LIKE '401.%' OR g.grupo LIKE '402.%'
                           OR r.codigo LIKE '206.%' AND (v.tipo = 'anticipo' OR a.de_anticipo)), 0) AS base,
                    sign(coalesce(sum(r.abono - r.cargo) FILTER (WHERE r.codigo LIKE '105.%'), 0))
                    * coalesce(round(x.importe * x.tipo_cambio, 2), 0) AS pagado
             FROM ", grouped_lines!(), "
             LEFT JOIN cxc_pagos x ON x.empresa = :empresa AND x.clave = p.pago
             LEFT JOIN ventas v ON v.empresa = :empresa AND v.clave = p.venta
             LEFT JOIN notas_credito n ON n.empresa = :empresa AND n.factura = p.factura AND n.venta = p.venta
             LEFT JOIN devoluciones d
               ON d.empresa = :empresa AND d.venta = p.venta AND d.poliza = coalesce(p.revierte, p.clave)
             CROSS JOIN LATERAL (
                 SELECT coalesce(x.origen = 'anticipo', false)
                    AND (r.codigo LIKE '206.%' OR r.codigo = :cobrado AND (r.cargo > 0) = (p.revierte IS NULL)) AS de_anticipo
             ) a
             WHERE p.empresa = :empresa AND p.fecha BETWEEN :desde AND :hasta AND p.origen <> 'cierre'
             GROUP BY p.clave, p.venta, p.sustituta, p.pago, p.reembolso, x.venta, x.anticipo, x.importe, x.tipo_cambio,
                      v.tipo, n.factura, d.clave, a.de_anticipo
             HAVING bool_or(r.codigo IN (:cobrado, :por_cobrar) OR g.grupo LIKE '401.%' OR g.grupo LIKE '402.%'
                            OR r.codigo LIKE '206.%' AND v.tipo = 'anticipo')
                 OR bool_or(r.codigo LIKE '105.%') AND p.pago IS NOT NULL OR a.de_anticipo
         ), ventas_del_mes AS MATERIALIZED (
             SELECT venta, origen, sustituta,
                    sum(cobrado) AS cobrado, sum(por_cobrar) AS por_cobrar,
                    sum(CASE WHEN de_pago THEN 0 ELSE cobrado + por_cobrar END) AS iva,
                    sum(CASE WHEN de_pago THEN 0 ELSE base END) AS base,
                    sum(CASE WHEN de_pago THEN pagado ELSE 0 END) AS pagado,
                    sum(CASE WHEN de_nota THEN base ELSE 0 END) AS devuelto
             FROM asientos
             GROUP BY venta, origen, sustituta
         ), tasas AS MATERIALIZED (
             SELECT venta, origen, sustituta, tasa,
                    sum(iva) AS iva, sum(base) AS base, sum(base + ieps) AS valor, sum(total) AS total
             FROM (
                 SELECT m.venta, m.origen, m.sustituta,
                        v.iva_tasa AS tasa, v.iva, v.subtotal - v.descuento AS base, v.ieps, v.total
                 FROM ventas_del_mes m
                 JOIN ventas_renglones v ON v.empresa = :empresa AND v.venta = m.venta
                 WHERE m.origen IS NULL AND m.sustituta IS NULL
                 UNION ALL
                 SELECT m.venta, m.origen, m.sustituta, v.iva_tasa, v.iva, v.subtotal - v.descuento, v.ieps, v.total
                 FROM ventas_del_mes m
                 JOIN renglones_sustituidos v ON v.empresa = :empresa AND v.factura = m.sustituta
                 WHERE m.origen IS NULL
                 UNION ALL
                 SELECT m.venta, m.origen, m.sustituta, c.tasa, c.iva, c.base, c.ieps, c.total
                 FROM ventas_del_mes m
                 JOIN acreditado c ON c.origen = m.origen
             ) renglones
             GROUP BY venta, origen, sustituta, tasa
         ), momentos (signo, fin) AS (
             VALUES (-1, :desde::date - 1), (1, :hasta::date)
         ), pagos AS MATERIALIZED (
             -- A payment without an entry was made before the books began.
             SELECT x.venta, e.sustituta, x.clave AS pago, t.signo,
                    x.clave IN (SELECT c.pago FROM acreditado c WHERE c.pago IS NOT NULL) AS de_nota,
                    x.importe * CASE
                        WHEN count(e.fecha) > 0 THEN coalesce(sum(e.lado) FILTER (WHERE e.fecha <= t.fin), 0)
                        WHEN x.cancelado THEN 0
                        ELSE 1
                    END AS importe
             FROM (SELECT DISTINCT venta FROM acreditado WHERE pago IS NOT NULL) m
             JOIN cxc_pagos x ON x.empresa = :empresa AND x.venta = m.venta
             LEFT JOIN LATERAL (
                 SELECT p.sustituta, p.fecha, sign(sum(r.abono - r.cargo)) AS lado
                 FROM polizas p
                 JOIN polizas_renglones r ON r.empresa = :empresa AND r.poliza = p.clave
                 WHERE p.empresa = :empresa AND p.pago = x.clave AND r.codigo LIKE '105.%'
                 GROUP BY p.clave, p.sustituta, p.fecha
             ) e ON true
             CROSS JOIN momentos t
             GROUP BY x.venta, e.sustituta, x.clave, x.importe, x.cancelado, t.signo, t.fin
         ), notas AS MATERIALIZED (
             SELECT c.venta, p.sustituta, coalesce(c.tasa, '') AS tasa, p.signo, sum(c.iva * p.importe / c.de_nota) AS iva,
                    sum((c.base + c.ieps) * p.importe / c.de_nota) AS valor, sum(c.total * p.importe / c.de_nota) AS total
             FROM acreditado c
             JOIN pagos p ON p.pago = c.pago
             GROUP BY c.venta, p.sustituta, c.tasa, p.signo
         ), pagadas AS MATERIALIZED (
             SELECT p.venta, p.sustituta, p.signo,
                    coalesce(
                        sum(p.importe) FILTER (WHERE NOT p.de_nota)
                        / nullif(t.total - coalesce(sum(p.importe) FILTER (WHERE p.de_nota), 0), 0), 0) AS parte
             FROM pagos p
             JOIN (
                 SELECT venta, sustituta, sum(total) AS total
                 FROM tasas
                 WHERE origen IS NULL
                 GROUP BY venta, sustituta
             ) t ON t.venta = p.venta AND t.sustituta IS NOT DISTINCT FROM p.sustituta
             GROUP BY p.venta, p.sustituta, p.signo, t.total
         ), cobros AS MATERIALIZED (
             -- All that notes have paid, and of the rest of each rate the part that is paid of the
             -- whole rest.
             SELECT t.venta, t.sustituta, coalesce(t.tasa, '') AS tasa,
                    sum(f.signo * (coalesce(n.iva, 0) + (t.iva - coalesce(n.iva, 0)) * f.parte)) * v.tipo_cambio AS iva,
                    sum(f.signo * (coalesce(n.valor, 0) + (t.valor - coalesce(n.valor, 0)) * f.parte)) * v.tipo_cambio
                        AS valor,
                    sum(f.signo * (coalesce(n.total, 0) + (t.total - coalesce(n.total, 0)) * f.parte)) * v.tipo_cambio
                        AS total
             FROM tasas t
             JOIN ventas v ON v.empresa = :empresa AND v.clave = t.venta
             JOIN pagadas f ON f.venta = t.venta AND f.sustituta IS NOT DISTINCT FROM t.sustituta
             LEFT JOIN notas n ON n.venta = t.venta AND n.sustituta IS NOT DISTINCT FROM t.sustituta
                              AND n.tasa = coalesce(t.tasa, '') AND n.signo = f.signo
             WHERE t.origen IS NULL
             GROUP BY t.venta, t.sustituta, t.tasa, v.tipo_cambio
         ), sumas AS (
             SELECT t.*, sum(t.iva) OVER hasta_aqui AS iva_aqui, sum(t.base) OVER hasta_aqui AS base_aqui,
                    sum(t.valor) OVER hasta_aqui AS valor_aqui,
                    nullif(sum(t.iva) OVER todo, 0) AS iva_todo, nullif(sum(t.base) OVER todo, 0) AS base_todo,
                    nullif(sum(t.total) OVER todo, 0) AS total_todo,
                    coalesce(c.iva, 0) AS cobro, coalesce(sum(c.iva) OVER hasta_aqui, 0) AS cobro_aqui,
                    coalesce(sum(c.iva) OVER todo, 0) AS cobro_todo,
                    coalesce(c.valor, 0) AS cobro_valor, coalesce(sum(c.total) OVER todo, 0) AS cobro_total
             FROM tasas t
             LEFT JOIN cobros c ON t.origen IS NULL AND c.venta = t.venta AND c.sustituta IS NOT DISTINCT FROM t.sustituta
                               AND c.tasa = coalesce(t.tasa, '')
             WINDOW todo AS (PARTITION BY t.venta, t.origen, t.sustituta),
                    hasta_aqui AS (PARTITION BY t.venta, t.origen, t.sustituta ORDER BY t.tasa)
         ), partes AS (
             -- `cobro` is zero without notes; what it does not say of an amount is shared out by
             -- the lines.
             SELECT s.tasa, s.cobro_valor + (m.pagado - s.cobro_total) * s.valor / s.total_todo AS pagado,
                    round(m.base * s.base_aqui / s.base_todo, 2)
                    - round(m.base * (s.base_aqui - s.base) / s.base_todo, 2) AS base,
                    round(m.devuelto * s.valor_aqui / s.base_todo, 2)
                    - round(m.devuelto * (s.valor_aqui - s.valor) / s.base_todo, 2) AS devuelto,
                    round(m.iva * s.iva_aqui / s.iva_todo, 2)
                    - round(m.iva * (s.iva_aqui - s.iva) / s.iva_todo, 2) AS iva,
                    round(s.cobro_aqui + (m.cobrado - s.cobro_todo) * s.iva_aqui / s.iva_todo, 2)
                    - round(s.cobro_aqui - s.cobro + (m.cobrado - s.cobro_todo) * (s.iva_aqui - s.iva) / s.iva_todo, 2)
                        AS cobrado,
                    round((m.por_cobrar + s.cobro_todo) * s.iva_aqui / s.iva_todo - s.cobro_aqui, 2)
                    - round((m.por_cobrar + s.cobro_todo) * (s.iva_aqui - s.iva) / s.iva_todo - s.cobro_aqui + s.cobro, 2)
                        AS por_cobrar
             FROM sumas s
             JOIN ventas_del_mes m ON m.venta = s.venta AND m.origen IS NOT DISTINCT FROM s.origen
                                  AND m.sustituta IS NOT DISTINCT FROM s.sustituta
         ), todas AS (
             SELECT tasa, coalesce(base, 0) AS base, coalesce(iva, 0) AS iva, coalesce(cobrado, 0) AS cobrado,
                    coalesce(por_cobrar, 0) AS por_cobrar,
                    coalesce(CASE
                        WHEN tasa ~ '^0\\.0*[1-9]' THEN round(cobrado / tasa::numeric, 2)
                        ELSE round(pagado, 2) + devuelto
                    END, 0) AS base_cobrada
             FROM partes
             UNION ALL
             -- What no line accounts for.
             SELECT NULL,
                    CASE WHEN coalesce(t.base, 0) = 0 THEN m.base ELSE 0 END,
                    CASE WHEN coalesce(t.iva, 0) = 0 THEN m.iva ELSE 0 END,
                    CASE WHEN coalesce(t.iva, 0) = 0 THEN m.cobrado ELSE 0 END,
                    CASE WHEN coalesce(t.iva, 0) = 0 THEN m.por_cobrar ELSE 0 END,
                    0
             FROM ventas_del_mes m
             LEFT JOIN (
                 SELECT venta, origen, sustituta, sum(base) AS base, sum(iva) AS iva
                 FROM tasas
                 GROUP BY venta, origen, sustituta
             ) t ON t.venta = m.venta AND t.origen IS NOT DISTINCT FROM m.origen
                AND t.sustituta IS NOT DISTINCT FROM m.sustituta
         )
         SELECT tasa, sum(base) AS base, sum(iva) AS iva, sum(base_cobrada) AS base_cobrada, sum(cobrado) AS iva_cobrado,
                sum(por_cobrar) AS iva_por_cobrar
         FROM todas
         GROUP BY tasa
         HAVING sum(base) <> 0 OR sum(iva) <> 0 OR sum(base_cobrada) <> 0 OR sum(cobrado) <> 0 OR sum(por_cobrar) <> 0
         ORDER BY tasa DESC NULLS LAST"),
        empresa,
        desde: days.desde,
        hasta: days.hasta,
        cobrado: Account::IvaCobrado,
        por_cobrar: Account::IvaNoCobrado,
    )
}

/// The payment from an advance takes back what the advance charged.
pub(super) fn ieps(empresa: i64, days: ReportDays) -> Sql {
    sql!(
        "SELECT coalesce(sum(r.abono - r.cargo) FILTER (
                    WHERE p.pago IS NULL
                       OR x.origen = 'anticipo' AND r.codigo = :cobrado AND (r.cargo > 0) = (p.revierte IS NULL)), 0) AS ieps,
                coalesce(sum(r.abono - r.cargo) FILTER (WHERE r.codigo = :cobrado), 0) AS cobrado,
                coalesce(sum(r.abono - r.cargo) FILTER (WHERE r.codigo = :por_cobrar), 0) AS por_cobrar
         FROM polizas p
         JOIN polizas_renglones r ON r.empresa = :empresa AND r.poliza = p.clave
         LEFT JOIN cxc_pagos x ON x.empresa = :empresa AND x.clave = p.pago
         WHERE p.empresa = :empresa AND p.fecha BETWEEN :desde AND :hasta AND r.codigo IN (:cobrado, :por_cobrar)",
        empresa,
        desde: days.desde,
        hasta: days.hasta,
        cobrado: Account::IepsCobrado,
        por_cobrar: Account::IepsNoCobrado,
    )
}

/// A payable tells its IVA but not the rate: it is the one that fits its whole amount, or else 16 %
/// of a part while the rest bears none.
pub(super) fn creditable(empresa: i64, days: ReportDays, max: i64) -> Sql {
    sql!(
        "WITH cuentas AS MATERIALIZED (
             SELECT p.cxp,
                    coalesce(sum(r.cargo - r.abono) FILTER (WHERE r.codigo = :acreditable), 0) AS pagado,
                    coalesce(sum(r.cargo - r.abono) FILTER (WHERE r.codigo = :por_acreditar), 0) AS por_pagar,
                    coalesce(sum(r.cargo - r.abono) FILTER (
                        WHERE r.codigo IN (:acreditable, :por_acreditar) AND p.cxp_pago IS NULL), 0) AS iva,
                    coalesce(sum(r.abono - r.cargo) FILTER (WHERE r.codigo = :retenido), 0) AS retenido,
                    coalesce(sum(r.abono - r.cargo) FILTER (
                        WHERE p.cxp IS NOT NULL AND (r.codigo LIKE '101.%' OR r.codigo LIKE '102.%')), 0) AS dinero,
                    coalesce(sum(r.abono - r.cargo) FILTER (
                        WHERE p.cxp_pago IS NULL AND r.codigo IN (:proveedores, :caja)), 0) AS facturado
             FROM polizas p
             JOIN polizas_renglones r ON r.empresa = :empresa AND r.poliza = p.clave
             WHERE p.empresa = :empresa AND p.fecha BETWEEN :desde AND :hasta
               AND (p.cxp IS NOT NULL OR r.codigo IN (:acreditable, :por_acreditar))
             GROUP BY p.cxp
         ), documentos AS (
             SELECT m.*, nullif(c.proveedor, 0) AS proveedor, nullif(c.total, 0) AS total,
                    c.total + c.retencion_isr + c.retencion_iva - c.iva AS neto,
                    CASE
                        WHEN c.clave IS NULL THEN NULL
                        WHEN c.iva = 0 THEN '0.000000'
                        WHEN abs(c.iva - 0.16 * (c.total + c.retencion_isr + c.retencion_iva - c.iva)) <= 0.05 THEN '0.160000'
                        WHEN abs(c.iva - 0.08 * (c.total + c.retencion_isr + c.retencion_iva - c.iva)) <= 0.05 THEN '0.080000'
                        WHEN abs(c.iva) < 0.16 * abs(c.total + c.retencion_isr + c.retencion_iva - c.iva) THEN '0.160000'
                    END AS tasa
             FROM cuentas m
             LEFT JOIN cxp c ON c.empresa = :empresa AND c.clave = m.cxp
         ), gravados AS (
             SELECT d.*, nullif(d.tasa, '0.000000')::numeric AS por_uno,
                    -- The part that bears no IVA, of each peso of the total.
                    CASE
                        WHEN d.tasa = '0.000000' THEN d.neto / d.total
                        WHEN d.tasa IS NOT NULL AND abs(d.neto - c.iva / d.tasa::numeric) > 1
                            THEN (d.neto - c.iva / d.tasa::numeric) / d.total
                    END AS sin_iva
             FROM documentos d
             LEFT JOIN cxp c ON c.empresa = :empresa AND c.clave = d.cxp
         ), partes AS (
             SELECT proveedor, tasa, CASE WHEN por_uno IS NULL THEN 0 ELSE round(iva / por_uno, 2) END AS base, iva,
                    CASE WHEN por_uno IS NULL THEN 0 ELSE round(pagado / por_uno, 2) END AS base_pagada, pagado, por_pagar,
                    retenido
             FROM gravados
             UNION ALL
             SELECT proveedor, '0.000000', round(facturado * sin_iva, 2), 0, round(dinero * sin_iva, 2), 0, 0, 0
             FROM gravados
             WHERE sin_iva IS NOT NULL
         ), tasas AS (
             SELECT proveedor, tasa, sum(base) AS base, sum(iva) AS iva, sum(base_pagada) AS base_pagada,
                    sum(pagado) AS iva_pagado, sum(por_pagar) AS iva_por_pagar, sum(retenido) AS iva_retenido
             FROM partes
             GROUP BY proveedor, tasa
             HAVING sum(base) <> 0 OR sum(iva) <> 0 OR sum(base_pagada) <> 0 OR sum(pagado) <> 0 OR sum(por_pagar) <> 0
                 OR sum(retenido) <> 0
         ), ordenadas AS (
             SELECT t.*, sum(t.base_pagada) OVER (PARTITION BY t.proveedor) AS pagado_en_todo
             FROM tasas t
         ), lugares AS (
             SELECT o.*, least(dense_rank() OVER (ORDER BY o.pagado_en_todo DESC, o.proveedor), :max + 1) AS lugar
             FROM ordenadas o
         ), grupos AS (
             SELECT lugar, tasa, min(proveedor) FILTER (WHERE lugar <= :max) AS proveedor, sum(base) AS base,
                    sum(iva) AS iva, sum(base_pagada) AS base_pagada, sum(iva_pagado) AS iva_pagado,
                    sum(iva_por_pagar) AS iva_por_pagar, sum(iva_retenido) AS iva_retenido
             FROM lugares
             GROUP BY lugar, tasa
         )
         SELECT g.lugar, g.proveedor, t.nombre, t.rfc, g.tasa, g.base, g.iva, g.base_pagada, g.iva_pagado, g.iva_por_pagar,
                g.iva_retenido
         FROM grupos g
         LEFT JOIN proveedores t ON t.empresa = :empresa AND t.clave = g.proveedor
         ORDER BY g.lugar, g.tasa DESC NULLS LAST",
        empresa,
        desde: days.desde,
        hasta: days.hasta,
        max,
        acreditable: Account::IvaAcreditable,
        por_acreditar: Account::IvaPorAcreditar,
        retenido: Account::IvaRetenidoAProveedores,
        proveedores: Account::Proveedores,
        caja: Account::Caja,
    )
}
