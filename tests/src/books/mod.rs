//! The invariants of a company's books, each as a statement that names the records that break it.

mod ledger;
mod notes;

use sqlx::{AssertSqlSafe, PgPool};
use svc_core::domain::company::CompanyId;

use crate::{Company, World, authority};
use ledger::RULES as LEDGER;
use notes::RULES as NOTES;

/// The tables that operations write.
const WRITTEN: [&str; 41] = [
    "anticipos_ventas",
    "cancelaciones",
    "clientes",
    "compras",
    "compras_renglones",
    "contadores",
    "costos",
    "costos_aperturas",
    "cuentas_bancarias",
    "cuentas_contables",
    "cxc",
    "cxc_pagos",
    "cxp",
    "cxp_pagos",
    "depositos",
    "devoluciones",
    "devoluciones_renglones",
    "eventos",
    "eventos_agrupados",
    "facturas",
    "facturas_acuses",
    "facturas_globales",
    "facturas_globales_ventas",
    "facturas_relaciones",
    "facturas_xml",
    "inventario",
    "movimientos_inventario",
    "notas_credito",
    "notas_credito_renglones",
    "polizas",
    "polizas_renglones",
    "productos",
    "reembolsos",
    "renglones_sustituidos",
    "saldos_a_favor",
    "sustituciones",
    "renglones_corregidos",
    "timbrados",
    "ventas",
    "ventas_previas",
    "ventas_renglones",
];

/// Rules of a company's documents: each statement names the records that break it. `$1` is the
/// company.
const RULES: &[(&str, &str)] = &[
    (
        "a line's amounts follow from its quantity, price, discount and rate",
        "SELECT format('venta %s renglón %s', venta, renglon) FROM ventas_renglones
         WHERE empresa = $1 AND (
             subtotal <> round(cantidad * precio_unitario, 2) OR descuento > subtotal
             OR total <> subtotal - descuento + ieps + iva + locales_trasladados - retenciones
             OR EXISTS (
                 SELECT FROM (
                     SELECT coalesce(sum(importe) FILTER (WHERE tipo = 'traslado'), 0) AS trasladados,
                            coalesce(sum(importe) FILTER (WHERE tipo = 'retencion'), 0) AS retenidos
                     FROM (SELECT i->>'tipo' AS tipo, round((subtotal - descuento) * (i->>'tasa')::numeric, 2) AS importe
                           FROM jsonb_array_elements(coalesce(impuestos_locales::jsonb, '[]')) i) e
                 ) l WHERE (l.trasladados, l.retenidos) <> (locales_trasladados, locales_retenidos))
             OR abs(iva - CASE WHEN iva_tasa ~ '^0' THEN round((subtotal - descuento + ieps) * iva_tasa::numeric, 2) ELSE 0 END)
                > CASE WHEN producto IS NULL THEN 0.01 ELSE 0 END
             OR ieps <> coalesce(round((subtotal - descuento) * ieps_tasa, 2), round(cantidad * ieps_cuota, 2), 0)
             OR isr_retenido <> coalesce(round((subtotal - descuento) * retencion_isr, 2), 0)
             OR retenciones <> isr_retenido + coalesce(round((subtotal - descuento) * retencion_iva, 2), 0) + locales_retenidos
             OR cantidad_surtida > cantidad)",
    ),
    (
        "a document's amounts are the sums of its lines",
        "SELECT format('venta %s', v.clave)
         FROM ventas v LEFT JOIN (
             SELECT venta, sum(subtotal) AS subtotal, sum(descuento) AS descuento, sum(iva + ieps + locales_trasladados) AS iva, sum(retenciones) AS retenido,
                    sum(total) AS total
             FROM ventas_renglones WHERE empresa = $1 GROUP BY venta
         ) r ON r.venta = v.clave
         WHERE v.empresa = $1
           AND (v.subtotal, v.descuento, v.impuestos, v.retenciones, v.total)
               IS DISTINCT FROM (r.subtotal, r.descuento, r.iva, r.retenido, r.total)",
    ),
    (
        "each movement of stock goes on from the one before it",
        "WITH m AS (
             SELECT *, lag(existencia_actual) OVER (PARTITION BY producto, almacen ORDER BY clave) AS antes
             FROM movimientos_inventario WHERE empresa = $1
         )
         SELECT format('movimiento %s', clave) FROM m
         WHERE existencia_anterior <> coalesce(antes, existencia_anterior) OR existencia_actual <> CASE
             WHEN tipo IN ('registro', 'traspaso_entrada', 'ajuste_entrada', 'compra', 'cancelacion_venta',
                           'devolucion_nota_credito', 'produccion', 'devolucion') THEN existencia_anterior + cantidad
             WHEN tipo IN ('traspaso_salida', 'ajuste_salida', 'cancelacion_compra', 'venta', 'cancelacion_nota_credito',
                           'orden_servicio', 'merma') THEN existencia_anterior - cantidad
             WHEN tipo = 'saldo_inicial' THEN cantidad
             ELSE existencia_anterior END",
    ),
    (
        "stock is what its last movement left",
        "SELECT format('existencia %s', i.clave)
         FROM inventario i CROSS JOIN LATERAL (
             SELECT existencia_actual FROM movimientos_inventario m
             WHERE m.empresa = $1 AND m.producto = i.producto AND m.almacen = i.almacen::text ORDER BY m.clave DESC LIMIT 1
         ) m
         WHERE i.empresa = $1 AND i.existencia <> m.existencia_actual",
    ),
    (
        "what is reserved is what valid orders have yet to hand over",
        "SELECT format('producto %s almacén %s', coalesce(i.producto, o.producto), coalesce(i.almacen, o.almacen))
         FROM (SELECT producto, almacen, apartado FROM inventario WHERE empresa = $1) i
         FULL JOIN (
             SELECT r.producto, v.almacen, sum(r.cantidad - r.cantidad_surtida) AS falta
             FROM ventas v
             JOIN ventas_renglones r ON r.empresa = $1 AND r.venta = v.clave
             WHERE v.empresa = $1 AND v.tipo = 'pedido' AND NOT v.cancelada AND r.con_existencia GROUP BY r.producto, v.almacen
         ) o ON (o.producto, o.almacen) = (i.producto, i.almacen)
         WHERE coalesce(i.apartado, 0) <> coalesce(o.falta, 0)",
    ),
    (
        "how far an order is fulfilled follows from its lines",
        "SELECT format('venta %s', v.clave)
         FROM ventas v JOIN (
             SELECT venta, bool_and(cantidad_surtida = cantidad) AS todo, bool_or(cantidad_surtida > 0) AS algo
             FROM ventas_renglones WHERE empresa = $1 GROUP BY venta
         ) r ON r.venta = v.clave
         WHERE v.empresa = $1 AND (v.surtido_estatus IS DISTINCT FROM CASE
                 WHEN v.tipo <> 'pedido' THEN NULL WHEN r.todo THEN 'surtido' WHEN r.algo THEN 'parcial' ELSE 'pendiente' END
             OR v.monto_surtido > v.total OR (r.todo AND v.monto_surtido <> v.total))",
    ),
    (
        "a receivable is its total less its valid payments, and its status says so",
        "SELECT format('cxc %s', x.clave)
         FROM cxc x CROSS JOIN LATERAL (
             SELECT coalesce(sum(importe), 0) AS importe,
                    count(*) FILTER (WHERE NOT EXISTS (SELECT FROM notas_credito n WHERE n.empresa = $1 AND n.pago = c.clave)
                                       AND NOT EXISTS (SELECT FROM devoluciones d WHERE d.empresa = $1 AND d.pago = c.clave)) AS pagos
             FROM cxc_pagos c WHERE empresa = $1 AND cxc = x.clave AND NOT cancelado
         ) p
         WHERE x.empresa = $1 AND (x.pagado <> p.importe OR x.parcialidades <> p.pagos OR x.saldo < 0
             OR x.saldo <> CASE x.estatus WHEN 'cancelado' THEN 0 ELSE x.total - p.importe END
             OR (x.estatus = 'cancelado' AND p.pagos > 0)
             OR (x.estatus = 'pendiente' AND x.saldo = 0) OR (x.estatus = 'pagado' AND x.saldo > 0))",
    ),
    (
        "a payment leaves what there was less what it pays",
        "SELECT format('pago %s', clave) FROM cxc_pagos WHERE empresa = $1 AND saldo_anterior - importe <> saldo_insoluto",
    ),
    (
        "what is owed has one receivable, which says the same",
        "SELECT format('venta %s', v.clave)
         FROM ventas v LEFT JOIN (
             SELECT venta, count(*) AS cuentas, bool_and(estatus = 'cancelado') AS cancelado, sum(total) AS total,
                    sum(saldo) AS saldo, min(moneda) AS moneda
             FROM cxc c WHERE empresa = $1 AND NOT (estatus = 'cancelado' AND EXISTS (
                 -- That of a discarded invoice, whose order may be invoiced anew.
                 SELECT FROM facturas f JOIN ventas s ON s.empresa = $1 AND s.clave = f.venta AND s.factura IS DISTINCT FROM f.clave
                 WHERE f.empresa = $1 AND f.clave = c.factura AND f.estatus = 'cancelada' AND f.uuid IS NULL))
             GROUP BY venta
         ) x ON x.venta = v.clave
         WHERE v.empresa = $1 AND (
             coalesce(x.cuentas, 0) <> CASE WHEN v.tipo = 'cotizacion' OR (v.tipo = 'pedido' AND v.surtido_estatus <> 'surtido') THEN 0 ELSE 1 END
             OR x.cancelado <> v.cancelada OR x.total <> v.total OR x.moneda <> v.moneda
             OR v.saldo <> CASE WHEN v.cancelada THEN 0 ELSE coalesce(x.saldo, v.total) END)",
    ),
    (
        "a bank account holds its valid deposits, less what was paid from it or given back",
        "SELECT format('cuenta %s', c.clave) FROM cuentas_bancarias c
         WHERE c.empresa = $1 AND c.saldo <> c.apertura + (
             SELECT coalesce(sum(importe), 0) FROM depositos
             WHERE empresa = $1 AND cuenta_bancaria = c.clave AND NOT cancelado) - (
             SELECT coalesce(sum(coalesce(monto, importe)), 0) FROM cxp_pagos
             WHERE empresa = $1 AND cuenta_bancaria = c.clave AND NOT cancelado) - (
             SELECT coalesce(sum(importe), 0) FROM reembolsos
             WHERE empresa = $1 AND cuenta_bancaria = c.clave AND NOT cancelado)",
    ),
    (
        "of a customer's advances no more is applied than was paid",
        "SELECT format('cliente %s', p.cliente)
         FROM (SELECT cliente, moneda, sum(importe) AS aplicado
               FROM (SELECT cliente, moneda, importe FROM cxc_pagos
                     WHERE empresa = $1 AND origen = 'anticipo' AND NOT cancelado
                     UNION ALL
                     SELECT cliente, moneda, importe FROM reembolsos
                     WHERE empresa = $1 AND anticipo IS NOT NULL AND NOT cancelado) u
               GROUP BY cliente, moneda) p
         WHERE p.aplicado > (SELECT coalesce(sum(total - saldo), 0) FROM ventas v
                             WHERE v.empresa = $1 AND v.tipo = 'anticipo' AND NOT v.cancelada AND v.cliente = p.cliente
                               AND v.moneda = p.moneda)",
    ),
    (
        "what is applied of a deposit is what its valid payments pay, and what discarded advances left in favour",
        "SELECT format('depósito %s', d.clave) FROM depositos d
         WHERE d.empresa = $1 AND d.aplicado <> (
             SELECT coalesce(sum(coalesce(monto, importe)), 0) FROM cxc_pagos
             WHERE empresa = $1 AND deposito = d.clave AND NOT cancelado) + (
             SELECT coalesce(sum(importe), 0) FROM saldos_a_favor WHERE empresa = $1 AND deposito = d.clave)",
    ),
    (
        "folios have no gaps",
        "WITH emitidos AS (
             SELECT format('folio:%s:%s', tipo, serie) AS serie, folio::bigint AS folio FROM facturas WHERE empresa = $1
             UNION ALL
             SELECT format('folio:%s:%s', tipo, serie), folio FROM ventas
             WHERE empresa = $1 AND tipo = 'anticipo'
         ), series AS (
             SELECT serie, count(DISTINCT folio) AS distintos, count(*) AS folios, max(folio) AS ultimo FROM emitidos GROUP BY serie
         )
         SELECT s.serie FROM series s LEFT JOIN contadores c ON c.empresa = $1 AND c.serie = s.serie
         WHERE s.folios <> s.distintos OR s.folios <> s.ultimo OR c.valor IS DISTINCT FROM s.ultimo
         UNION ALL
         -- A ticket with an invoice of its own has the invoice's folio.
         SELECT 'ventas'
         WHERE coalesce((SELECT valor FROM contadores WHERE empresa = $1 AND serie = 'folio:venta:'), 0)
            <> (SELECT count(*) FROM ventas WHERE empresa = $1 AND coalesce(tipo_creado, tipo) = 'venta')
         UNION ALL
         SELECT 'pedidos y cotizaciones'
         WHERE (SELECT coalesce(sum(valor), 0) FROM contadores
                WHERE empresa = $1 AND serie IN ('folio:pedido:', 'folio:cotizacion:'))
             NOT BETWEEN (SELECT count(*) FILTER (WHERE coalesce(tipo_creado, tipo) IN ('pedido', 'cotizacion'))
                               + count(*) FILTER (WHERE tipo = 'pedido' AND tipo_creado = 'cotizacion')
                          FROM ventas WHERE empresa = $1)
                 -- A quote that is invoiced may have been an order between.
                 AND (SELECT count(*) FILTER (WHERE coalesce(tipo_creado, tipo) IN ('pedido', 'cotizacion'))
                           + count(*) FILTER (WHERE tipo <> 'cotizacion' AND tipo_creado = 'cotizacion')
                      FROM ventas WHERE empresa = $1)
         UNION ALL
         SELECT format('%s %s%s dos veces', tipo, serie, folio) FROM ventas
         WHERE empresa = $1 GROUP BY tipo, serie, folio HAVING count(*) > 1",
    ),
    (
        "claves have no gaps",
        "WITH hay AS (
             SELECT 'ventas' AS serie, count(*) AS n FROM ventas WHERE empresa = $1
             UNION ALL
             -- A correction may have removed lines.
             SELECT 'ventas_renglones', count(*) + (SELECT coalesce(sum(renglones_quitados), 0) FROM sustituciones WHERE empresa = $1)
             FROM ventas_renglones WHERE empresa = $1
             UNION ALL SELECT 'facturas', count(*) FROM facturas WHERE empresa = $1
             UNION ALL SELECT 'cxc', count(*) FROM cxc WHERE empresa = $1
             UNION ALL SELECT 'cxc_pagos', count(*) FROM cxc_pagos WHERE empresa = $1
             UNION ALL SELECT 'depositos', count(*) FROM depositos WHERE empresa = $1
             UNION ALL SELECT 'cxp_pagos', count(*) FROM cxp_pagos WHERE empresa = $1
             UNION ALL SELECT 'polizas', count(*) FROM polizas WHERE empresa = $1
             UNION ALL SELECT 'movimientos_inventario', count(*) FROM movimientos_inventario WHERE empresa = $1
         )
         SELECT hay.serie FROM hay JOIN contadores c ON c.empresa = $1 AND c.serie = hay.serie WHERE c.valor <> hay.n",
    ),
    (
        "of goods that a sale took, a cancelled one gave all back, at the cost they left at",
        "SELECT format('venta %s producto %s', v.clave, m.producto)
         FROM ventas v JOIN movimientos_inventario m ON m.empresa = $1 AND m.venta = v.clave
         WHERE v.empresa = $1 AND v.cancelada AND m.tipo IN ('venta', 'cancelacion_venta')
         GROUP BY v.clave, m.producto, m.almacen
         HAVING sum(CASE m.tipo WHEN 'venta' THEN m.cantidad ELSE -m.cantidad END) <> 0
             OR sum(CASE m.tipo WHEN 'venta' THEN m.importe ELSE -m.importe END) <> 0",
    ),
    (
        "an invoice goes with its sale, and its fiscal folio is everybody's, but for what takes another's place",
        "SELECT format('factura %s', f.clave)
         FROM facturas f JOIN ventas v ON v.empresa = $1 AND v.clave = f.venta
         LEFT JOIN cxc x ON x.empresa = $1 AND x.venta = v.clave
                        AND NOT EXISTS (SELECT FROM cxc o WHERE o.empresa = $1 AND o.venta = x.venta AND o.clave > x.clave)
         WHERE f.empresa = $1 AND f.tipo = 'factura'
           AND NOT (f.estatus = 'cancelada' AND f.uuid IS NULL AND v.factura IS DISTINCT FROM f.clave) AND (v.tipo NOT IN ('factura', 'anticipo') OR (f.estatus = 'vigente') > (f.uuid IS NOT NULL)
             OR v.factura <> f.clave AND f.sustituye IS NULL
                 AND NOT EXISTS (SELECT FROM facturas s WHERE s.empresa = $1 AND s.sustituye = f.clave)
             OR v.factura = f.clave AND (
                 (f.estatus = 'cancelada' AND NOT v.cancelada) OR (f.estatus IN ('vigente', 'en_espera') AND v.cancelada)
                 OR f.uuid IS DISTINCT FROM v.uuid OR x.uuid IS DISTINCT FROM v.uuid))",
    ),
    (
        "a payment's complement says what the registry does",
        "SELECT format('pago %s', p.clave)
         FROM cxc_pagos p LEFT JOIN facturas f ON f.empresa = $1 AND f.clave = p.factura
         WHERE p.empresa = $1 AND NOT p.cancelado AND (
             p.complemento <> CASE f.estatus WHEN 'en_espera' THEN 'encolado' WHEN 'vigente' THEN 'timbrado'
                                             WHEN 'error' THEN 'error' ELSE 'no_aplica' END
             OR f.estatus = 'cancelada' OR p.uuid IS DISTINCT FROM f.uuid)",
    ),
    (
        "what is queued to be stamped is what waits for it",
        "SELECT format('factura %s', f.clave)
         FROM facturas f LEFT JOIN timbrados t ON t.empresa = $1 AND t.factura = f.clave
         WHERE f.empresa = $1
           AND (t.factura IS NOT NULL)
                <> (f.estatus = 'en_espera')",
     ),
     (
         "a cancellation in the queue is one of a valid record that was asked for, and every one of those is there",
         "SELECT format('factura %s', f.clave)
          FROM facturas f LEFT JOIN cancelaciones c ON c.empresa = $1 AND c.factura = f.clave
          WHERE f.empresa = $1
            AND (c.factura IS NOT NULL) <> (f.estatus = 'vigente' AND f.cancelacion_solicitada IS NOT NULL)",
    ),
    (
        "a sealed document waits in the queue, a stamped one is a stamped record's",
        "SELECT format('factura %s', x.factura)
         FROM facturas_xml x JOIN facturas f ON f.empresa = $1 AND f.clave = x.factura
         LEFT JOIN timbrados t ON t.empresa = $1 AND t.factura = x.factura
         WHERE x.empresa = $1
           AND CASE WHEN x.timbrado THEN f.estatus NOT IN ('vigente', 'cancelada') OR f.uuid IS NULL ELSE t.factura IS NULL END",
    ),
];

/// The broken rules of the company's books, each with its records: documents, stock, receivables,
/// payments, bank, folios, accounting and the registry of invoices must agree. It must be a company
/// whose documents were made, not imported (customers, products, stock and the like may be), and
/// without reservations by hand.
pub async fn broken(pool: &PgPool, company: CompanyId) -> Vec<String> {
    broken_of(pool, company, RULES.iter().chain(NOTES).chain(LEDGER)).await
}

async fn broken_of(
    pool: &PgPool,
    company: CompanyId,
    rules: impl Iterator<Item = &'static (&'static str, &'static str)>,
) -> Vec<String> {
    let mut broken = Vec::new();
    for (rule, statement) in rules {
        let found: Vec<String> = sqlx::query_scalar(*statement)
            .bind(company.0)
            .fetch_all(pool)
            .await
            .unwrap_or_else(|error| panic!("{rule}: {error}"));
        if !found.is_empty() {
            broken.push(format!("{rule}: {}", found.join(", ")));
        }
    }
    broken
}

/// Checks that the books of the company with this number are in order; see [`broken`].
pub async fn check_company(pool: &PgPool, company: CompanyId) {
    let broken = broken(pool, company).await;
    assert!(broken.is_empty(), "company {}:\n{}", company.0, broken.join("\n"));
}

/// Checks that the ledger of a company agrees with its documents, also with imported ones.
pub async fn check_ledger(company: &Company) {
    let broken = broken_of(company.world.pool(), company.id, LEDGER.iter()).await;
    assert!(broken.is_empty(), "company {}:\n{}", company.id.0, broken.join("\n"));
}

/// Checks that a company's books are in order; see [`broken`].
pub async fn check(world: &World, company: &Company) {
    check_company(world.pool(), company.id).await;
    authority::keep_all(world, company).await;
}

/// A text that changes whenever an operation writes: for each table the number of rows and the sum
/// of the transactions that wrote them.
pub async fn fingerprint(world: &World) -> String {
    let written = WRITTEN.map(|table| format!("(SELECT concat(count(*), '/', sum(xmin::text::bigint)) FROM {table})"));
    sqlx::query_scalar(AssertSqlSafe(format!("SELECT concat_ws(' ', {})", written.join(", "))))
        .fetch_one(world.pool())
        .await
        .expect("a fingerprint")
}
