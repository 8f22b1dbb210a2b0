//! The invariants of a company's books, each as a statement that names the records that break it.

use sqlx::{AssertSqlSafe, PgPool};
use svc_core::domain::company::CompanyId;

use crate::{Company, World};

/// The tables that operations write.
const WRITTEN: [&str; 32] = [
    "anticipos_ventas",
    "cancelaciones",
    "clientes",
    "compras",
    "compras_renglones",
    "contadores",
    "cuentas_bancarias",
    "cuentas_contables",
    "cxc",
    "cxc_pagos",
    "cxp",
    "cxp_pagos",
    "depositos",
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
    "saldos_a_favor",
    "timbrados",
    "ventas",
    "ventas_renglones",
];

/// Rules of a company's books: each statement names the records that break it. `$1` is the company.
const RULES: &[(&str, &str)] = &[
    (
        "a line's amounts follow from its quantity, price, discount and rate",
        "SELECT format('venta %s renglón %s', venta, renglon) FROM ventas_renglones
         WHERE empresa = $1 AND (
             subtotal <> round(cantidad * precio_unitario, 2) OR descuento > subtotal
             OR total <> subtotal - descuento + ieps + iva - retenciones
             OR abs(iva - CASE WHEN iva_tasa ~ '^0' THEN round((subtotal - descuento + ieps) * iva_tasa::numeric, 2) ELSE 0 END)
                > CASE WHEN producto IS NULL THEN 0.01 ELSE 0 END
             OR ieps <> coalesce(round((subtotal - descuento) * ieps_tasa, 2), round(cantidad * ieps_cuota, 2), 0)
             OR isr_retenido <> coalesce(round((subtotal - descuento) * retencion_isr, 2), 0)
             OR retenciones <> isr_retenido + coalesce(round((subtotal - descuento) * retencion_iva, 2), 0)
             OR cantidad_surtida > cantidad)",
    ),
    (
        "a document's amounts are the sums of its lines",
        "SELECT format('venta %s', v.clave)
         FROM ventas v LEFT JOIN (
             SELECT venta, sum(subtotal) AS subtotal, sum(descuento) AS descuento, sum(iva + ieps) AS iva, sum(retenciones) AS retenido,
                    sum(total) AS total
             FROM ventas_renglones WHERE empresa = $1 GROUP BY venta
         ) r ON r.venta = v.clave
         WHERE v.empresa = $1
           AND (v.subtotal, v.descuento, v.impuestos, v.retenciones, v.total)
               IS DISTINCT FROM (r.subtotal, r.descuento, r.iva, r.retenido, r.total)",
    ),
    (
        "an entry balances",
        "SELECT format('póliza %s', p.clave)
         FROM polizas p LEFT JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
         WHERE p.empresa = $1 GROUP BY p.clave HAVING sum(r.cargo) IS DISTINCT FROM sum(r.abono) OR count(r.renglon) < 2",
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
                    count(*) FILTER (WHERE NOT EXISTS (SELECT FROM notas_credito n WHERE n.empresa = $1 AND n.pago = c.clave)) AS pagos
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
             FROM cxc WHERE empresa = $1 GROUP BY venta
         ) x ON x.venta = v.clave
         WHERE v.empresa = $1 AND (
             coalesce(x.cuentas, 0) <> CASE WHEN v.tipo = 'cotizacion' OR (v.tipo = 'pedido' AND v.surtido_estatus <> 'surtido') THEN 0 ELSE 1 END
             OR x.cancelado <> v.cancelada OR x.total <> v.total OR x.moneda <> v.moneda
             OR v.saldo <> CASE WHEN v.cancelada THEN 0 ELSE coalesce(x.saldo, v.total) END)",
    ),
    (
        "a bank account holds its valid deposits, less what was paid from it",
        "SELECT format('cuenta %s', c.clave) FROM cuentas_bancarias c
         WHERE c.empresa = $1 AND c.saldo <> (
             SELECT coalesce(sum(importe), 0) FROM depositos
             WHERE empresa = $1 AND cuenta_bancaria = c.clave AND NOT cancelado) - (
             SELECT coalesce(sum(importe), 0) FROM cxp_pagos WHERE empresa = $1 AND cuenta_bancaria = c.clave)",
    ),
    (
        "a payable is its total less what was paid of it, and account 201.01 says so in pesos; of a paid one no IVA is pending",
        "SELECT format('cxp %s', x.clave)
         FROM cxp x CROSS JOIN LATERAL (
             SELECT coalesce(sum(importe), 0) AS importe, count(*) AS pagos FROM cxp_pagos WHERE empresa = $1 AND cxp = x.clave
         ) p
         CROSS JOIN LATERAL (
             SELECT coalesce(sum(r.abono - r.cargo) FILTER (WHERE coalesce(r.codigo, r.cuenta) = '201.01'), 0) AS pesos,
                    coalesce(sum(r.cargo - r.abono) FILTER (WHERE coalesce(r.codigo, r.cuenta) = '119.01'), 0) AS iva
             FROM polizas z JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = z.clave
             WHERE z.empresa = $1 AND z.cxp = x.clave
         ) c
         WHERE x.empresa = $1 AND (x.saldo <> x.total - x.pagado OR x.pagado < p.importe
             OR abs(c.pesos - x.saldo * x.tipo_cambio) >
                CASE WHEN x.moneda = 'MXN' OR x.saldo = 0 THEN 0 ELSE 0.01 + 0.01 * p.pagos END
             OR (x.saldo = 0 AND c.iva <> 0) OR c.iva * sign(x.total) < 0
             OR (x.estatus = 'pagado') <> (x.saldo = 0))",
    ),
    (
        "of a customer's advances no more is applied than was paid",
        "SELECT format('cliente %s', p.cliente)
         FROM (SELECT cliente, moneda, sum(importe) AS aplicado FROM cxc_pagos
               WHERE empresa = $1 AND origen = 'anticipo' AND NOT cancelado GROUP BY cliente, moneda) p
         WHERE p.aplicado > (SELECT coalesce(sum(total - saldo), 0) FROM ventas v
                             WHERE v.empresa = $1 AND v.tipo = 'anticipo' AND NOT v.cancelada AND v.cliente = p.cliente
                               AND v.moneda = p.moneda)",
    ),
    (
        "the till holds what was paid in cash",
        "SELECT 'cuenta 101.01'
         WHERE (SELECT coalesce(sum(r.cargo - r.abono), 0)
                FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave AND coalesce(r.codigo, r.cuenta) = '101.01'
                WHERE p.empresa = $1)
             <> (SELECT coalesce(sum(round(importe * tipo_cambio, 2)), 0) FROM cxc_pagos
                 WHERE empresa = $1 AND origen = 'deposito' AND deposito IS NULL AND NOT cancelado)
              - (SELECT coalesce(sum(round(x.pagado * x.tipo_cambio, 2)), 0) FROM cxp x
                 WHERE x.empresa = $1 AND NOT EXISTS (SELECT FROM cxp_pagos g WHERE g.empresa = $1 AND g.cxp = x.clave))
              - (SELECT coalesce(sum(round(g.importe * coalesce(g.tipo_cambio, x.tipo_cambio), 2)), 0) FROM cxp_pagos g
                 JOIN cxp x ON x.empresa = $1 AND x.clave = g.cxp WHERE g.empresa = $1 AND g.cuenta_bancaria IS NULL)",
    ),
    (
        "account 102.01 holds what the bank accounts in pesos do, and 205.06 what is not applied of their deposits",
        "SELECT 'cuentas 102.01 y 205.06'
         FROM (
             SELECT coalesce(sum(r.cargo - r.abono) FILTER (WHERE coalesce(r.codigo, r.cuenta) = '102.01'), 0) AS bancos,
                    coalesce(sum(r.abono - r.cargo) FILTER (WHERE coalesce(r.codigo, r.cuenta) = '205.06'), 0) AS espera
             FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave
             LEFT JOIN depositos d ON d.empresa = $1 AND d.clave = p.deposito
             LEFT JOIN cxp_pagos g ON g.empresa = $1 AND g.clave = p.cxp_pago
             JOIN cuentas_bancarias c ON c.empresa = $1 AND c.clave = coalesce(d.cuenta_bancaria, g.cuenta_bancaria)
             WHERE p.empresa = $1 AND c.moneda = 'MXN'
         ) l
         WHERE l.bancos <> (SELECT coalesce(sum(saldo), 0) FROM cuentas_bancarias WHERE empresa = $1 AND moneda = 'MXN')
            OR l.espera <> (SELECT coalesce(sum(d.importe - d.aplicado), 0) FROM depositos d
                            JOIN cuentas_bancarias c ON c.empresa = $1 AND c.clave = d.cuenta_bancaria AND c.moneda = 'MXN'
                            WHERE d.empresa = $1 AND NOT d.cancelado)",
    ),
    (
        "account 205.06 holds nothing of a deposit that is applied in full, or cancelled",
        "SELECT format('depósito %s', d.clave)
         FROM depositos d JOIN polizas p ON p.empresa = $1 AND p.deposito = d.clave
         JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave AND coalesce(r.codigo, r.cuenta) = '205.06'
         WHERE d.empresa = $1 AND (d.cancelado OR d.aplicado = d.importe)
         GROUP BY d.clave HAVING sum(r.cargo) <> sum(r.abono)",
    ),
    (
        "account 115.01 holds what the movements of stock are worth",
        "SELECT format('%s, no %s', l.libros, m.movimientos)
         FROM (SELECT coalesce(sum(r.cargo - r.abono), 0) AS libros
               FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave
               WHERE p.empresa = $1 AND coalesce(r.codigo, r.cuenta) = '115.01') l,
              (SELECT coalesce(sum(sign(existencia_actual - existencia_anterior)
                                   * round(abs(existencia_actual - existencia_anterior) * costo_unitario, 2)), 0) AS movimientos
               FROM movimientos_inventario WHERE empresa = $1) m
         WHERE l.libros <> m.movimientos",
    ),
    (
        "account 115.06 holds what was handed over of orders that are not owed",
        "SELECT format('venta %s', v.clave)
         FROM ventas v CROSS JOIN LATERAL (
             SELECT coalesce(sum(r.cargo - r.abono), 0) AS pesos
             FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave
             WHERE p.empresa = $1 AND p.venta = v.clave AND coalesce(r.codigo, r.cuenta) = '115.06'
         ) l CROSS JOIN LATERAL (
             SELECT coalesce(sum(round(cantidad * costo_unitario, 2)), 0) AS pesos FROM movimientos_inventario
             WHERE empresa = $1 AND venta = v.clave AND tipo = 'venta'
         ) m
         WHERE v.empresa = $1 AND l.pesos <> CASE WHEN v.tipo = 'pedido' AND v.surtido_estatus = 'parcial' AND NOT v.cancelada
                                                  THEN m.pesos ELSE 0 END",
    ),
    (
        "of an order that came and was billed nothing waits for the other",
        "SELECT format('compra %s', c.clave)
         FROM compras c JOIN polizas p ON p.empresa = $1 AND p.compra = c.clave
         JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave AND coalesce(r.codigo, r.cuenta) IN ('115.05', '205.02')
         WHERE c.empresa = $1 AND c.estatus = 'recibida' GROUP BY c.clave, r.codigo HAVING sum(r.cargo) <> sum(r.abono)",
    ),
    (
        "nothing is gained or lost by the exchange rate of pesos",
        "SELECT format('póliza %s', p.clave)
         FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave
         LEFT JOIN ventas v ON v.empresa = $1 AND v.clave = p.venta LEFT JOIN cxp x ON x.empresa = $1 AND x.clave = p.cxp
         WHERE p.empresa = $1 AND coalesce(r.codigo, r.cuenta) IN ('701.01', '702.01') AND coalesce(v.moneda, x.moneda) = 'MXN'",
    ),
    (
        "what is applied of a deposit is what its valid payments pay",
        "SELECT format('depósito %s', d.clave) FROM depositos d
         WHERE d.empresa = $1 AND d.aplicado <> (
             SELECT coalesce(sum(importe), 0) FROM cxc_pagos WHERE empresa = $1 AND deposito = d.clave AND NOT cancelado)",
    ),
    (
        "folios have no gaps",
        "WITH emitidos AS (
             SELECT format('folio:%s:%s', tipo, serie) AS serie, folio::bigint AS folio FROM facturas WHERE empresa = $1
             UNION ALL
             SELECT format('folio:%s:%s', tipo, serie), folio FROM ventas
             WHERE empresa = $1 AND tipo IN ('venta', 'anticipo')
         ), series AS (
             SELECT serie, count(DISTINCT folio) AS distintos, count(*) AS folios, max(folio) AS ultimo FROM emitidos GROUP BY serie
         )
         SELECT s.serie FROM series s LEFT JOIN contadores c ON c.empresa = $1 AND c.serie = s.serie
         WHERE s.folios <> s.distintos OR s.folios <> s.ultimo OR c.valor IS DISTINCT FROM s.ultimo
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
             UNION ALL SELECT 'ventas_renglones', count(*) FROM ventas_renglones WHERE empresa = $1
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
        "an entry says what its lines add up to",
        "SELECT format('poliza %s', p.clave) FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave
         WHERE p.empresa = $1 GROUP BY p.clave, p.cargos, p.abonos
         HAVING (sum(r.cargo), sum(r.abono)) IS DISTINCT FROM (p.cargos, p.abonos) OR p.cargos <> p.abonos",
    ),
    (
        "account 105.01 holds what is owed of each sale, in pesos; of a foreign one up to what payments were rounded",
        "WITH cuenta AS (
             SELECT p.venta, sum(r.cargo - r.abono) AS saldo
             FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave
             WHERE p.empresa = $1 AND coalesce(r.codigo, r.cuenta) = '105.01' GROUP BY p.venta
         )
         SELECT format('cxc %s', x.clave) FROM cxc x LEFT JOIN cuenta c ON c.venta = x.venta
         WHERE x.empresa = $1 AND abs(coalesce(c.saldo, 0) - x.saldo * x.tipo_cambio) >
             CASE WHEN x.moneda = 'MXN' OR x.estatus <> 'pendiente' THEN 0 ELSE 0.02 + 0.01 * x.parcialidades END",
    ),
    (
        "account 105.01 holds what is owed in all, in pesos",
        "SELECT 'cuenta 105.01'
         WHERE (SELECT coalesce(sum(r.cargo - r.abono), 0)
                FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave
                JOIN ventas v ON v.empresa = $1 AND v.clave = p.venta AND v.moneda = 'MXN'
                WHERE p.empresa = $1 AND coalesce(r.codigo, r.cuenta) = '105.01')
             <> (SELECT coalesce(sum(saldo), 0) FROM cxc WHERE empresa = $1 AND moneda = 'MXN' AND estatus <> 'cancelado')",
    ),
    (
        "nothing of a cancelled sale is left in the books",
        "SELECT format('venta %s cuenta %s', v.clave, r.cuenta)
         FROM ventas v JOIN polizas p ON p.empresa = $1 AND p.venta = v.clave
         JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave
         WHERE v.empresa = $1 AND v.cancelada
         GROUP BY v.clave, r.cuenta HAVING sum(r.cargo) <> sum(r.abono)",
    ),
    (
        "of a paid sale no IVA or IEPS is to be collected",
        "SELECT format('venta %s', v.clave)
         FROM ventas v JOIN polizas p ON p.empresa = $1 AND p.venta = v.clave
         JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave AND coalesce(r.codigo, r.cuenta) IN ('209.01', '209.02')
         WHERE v.empresa = $1 AND v.saldo = 0 AND NOT v.cancelada
         GROUP BY v.clave, coalesce(r.codigo, r.cuenta) HAVING sum(r.cargo) <> sum(r.abono)",
    ),
    (
        "of goods that a sale took, a cancelled one gave all back",
        "SELECT format('venta %s producto %s', v.clave, m.producto)
         FROM ventas v JOIN movimientos_inventario m ON m.empresa = $1 AND m.venta = v.clave
         WHERE v.empresa = $1 AND v.cancelada AND m.tipo IN ('venta', 'cancelacion_venta')
         GROUP BY v.clave, m.producto, m.almacen
         HAVING sum(CASE m.tipo WHEN 'venta' THEN m.cantidad ELSE -m.cantidad END) <> 0",
    ),
    (
        "an invoice goes with its sale, and its fiscal folio is everybody's, but for what takes another's place",
        "SELECT format('factura %s', f.clave)
         FROM facturas f JOIN ventas v ON v.empresa = $1 AND v.clave = f.venta LEFT JOIN cxc x ON x.empresa = $1 AND x.venta = v.clave
         WHERE f.empresa = $1 AND f.tipo = 'factura' AND (v.tipo NOT IN ('factura', 'anticipo') OR (f.estatus = 'vigente') > (f.uuid IS NOT NULL)
             OR v.factura <> f.clave AND f.sustituye IS NULL
                 AND NOT EXISTS (SELECT FROM facturas s WHERE s.empresa = $1 AND s.sustituye = f.clave)
             OR v.factura = f.clave AND (
                 (f.estatus = 'cancelada' AND NOT v.cancelada) OR (f.estatus IN ('vigente', 'en_espera') AND v.cancelada)
                 OR f.uuid IS DISTINCT FROM v.uuid OR x.uuid IS DISTINCT FROM v.uuid))",
    ),
    (
        "credit notes take no more of a line than there is of it, and come to the sums of their lines",
        "SELECT format('venta %s renglón %s', n.venta, r.renglon)
         FROM notas_credito n
         JOIN facturas f ON f.empresa = $1 AND f.clave = n.factura AND f.estatus <> 'cancelada'
         JOIN notas_credito_renglones r ON r.empresa = $1 AND r.factura = n.factura
         LEFT JOIN ventas_renglones v ON v.empresa = $1 AND v.venta = n.venta AND v.renglon = r.renglon
         WHERE n.empresa = $1 AND n.anticipo IS NULL GROUP BY n.venta, r.renglon
         HAVING count(*) > count(v.renglon) OR sum(r.acreditada) > max(v.cantidad)
             OR sum(r.subtotal - r.descuento) > max(v.subtotal - v.descuento)
         UNION ALL
         SELECT format('nota %s', n.factura)
         FROM notas_credito n JOIN notas_credito_renglones r ON r.empresa = $1 AND r.factura = n.factura
         WHERE n.empresa = $1 GROUP BY n.factura, n.total HAVING sum(r.total) <> n.total",
    ),
    (
        "what credit notes gave and nobody applied is a balance in favour, and no more of it is applied than there is",
        "SELECT format('nota %s', n.factura)
         FROM notas_credito n JOIN facturas f ON f.empresa = $1 AND f.clave = n.factura
         LEFT JOIN saldos_a_favor s ON s.empresa = $1 AND s.factura = n.factura
         WHERE n.empresa = $1 AND n.anticipo IS NULL AND n.total > 0
           AND coalesce(s.importe, 0) <> CASE f.estatus WHEN 'cancelada' THEN 0 ELSE n.total END
         UNION ALL
         SELECT format('cliente %s', p.cliente)
         FROM (SELECT cliente, moneda, sum(importe) AS importe FROM cxc_pagos x
               WHERE empresa = $1 AND origen = 'saldo_a_favor' AND NOT cancelado
                 AND EXISTS (SELECT FROM polizas p WHERE p.empresa = $1 AND p.pago = x.clave) GROUP BY cliente, moneda) p
         WHERE p.importe > (SELECT coalesce(sum(importe), 0) FROM saldos_a_favor s
                            WHERE s.empresa = $1 AND s.cliente = p.cliente AND s.moneda = p.moneda)",
    ),
    (
        "no more of an advance is applied by invoices than was paid of it",
        "SELECT format('anticipo %s', v.clave)
         FROM ventas v JOIN notas_credito n ON n.empresa = $1 AND n.anticipo = v.clave
         JOIN facturas f ON f.empresa = $1 AND f.clave = n.factura AND f.estatus <> 'cancelada'
         WHERE v.empresa = $1 GROUP BY v.clave, v.total, v.saldo HAVING sum(n.total) > v.total - v.saldo",
    ),
    (
        "a global invoice's sales have its fiscal folio",
        "SELECT format('venta %s', v.clave)
         FROM facturas_globales_ventas g JOIN facturas f ON f.empresa = $1 AND f.clave = g.factura
         JOIN ventas v ON v.empresa = $1 AND v.clave = g.venta
         WHERE g.empresa = $1 AND (
             (f.estatus = 'cancelada') = (v.factura IS NOT DISTINCT FROM f.clave)
             OR f.estatus <> 'cancelada' AND v.uuid IS DISTINCT FROM f.uuid)",
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
        "what is queued to be stamped is what waits for it and is stamped by us",
        "SELECT format('factura %s', f.clave)
         FROM facturas f LEFT JOIN timbrados t ON t.empresa = $1 AND t.factura = f.clave
         LEFT JOIN ventas v ON v.empresa = $1 AND v.clave = f.venta
         WHERE f.empresa = $1
           AND (t.factura IS NOT NULL)
                <> (f.estatus = 'en_espera'
                    AND (f.origen = 'api' OR f.tipo IN ('pago', 'nota_credito') OR f.sustituye IS NOT NULL
                         OR v.tipo_creado IS NOT NULL OR v.tipo = 'anticipo' OR f.venta IS NULL))",
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

/// The broken rules of the company's books, each with its records: documents, stock, receivables, payments,
/// bank, folios, accounting and the registry of invoices must agree. It must be a company whose documents were made, not
/// imported (customers, products, stock and the like may be), and without reservations by hand.
pub async fn broken(pool: &PgPool, company: CompanyId) -> Vec<String> {
    let mut broken = Vec::new();
    for (rule, statement) in RULES {
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

/// Checks that a company's books are in order; see [`broken`].
pub async fn check(world: &World, company: &Company) {
    check_company(world.pool(), company.id).await;
}

/// A text that changes whenever an operation writes: for each table the number of rows and the sum of the transactions that
/// wrote them.
pub async fn fingerprint(world: &World) -> String {
    let written = WRITTEN.map(|table| format!("(SELECT concat(count(*), '/', sum(xmin::text::bigint)) FROM {table})"));
    sqlx::query_scalar(AssertSqlSafe(format!("SELECT concat_ws(' ', {})", written.join(", "))))
        .fetch_one(world.pool())
        .await
        .expect("a fingerprint")
}
