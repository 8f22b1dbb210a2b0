//! The rules between the ledger's entries and the documents.

/// Rules of a company's ledger: each statement names the records that break it. `$1` is the
/// company. A line's account is its code, while its number is the company's.
pub(super) const RULES: &[(&str, &str)] = &[
    (
        "an entry balances",
        "SELECT format('póliza %s', p.clave)
         FROM polizas p LEFT JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
         WHERE p.empresa = $1 GROUP BY p.clave HAVING sum(r.cargo) IS DISTINCT FROM sum(r.abono) OR count(r.renglon) < 2",
    ),
    (
        "a payable is its total less what was paid of it, and account 201.01 says so in pesos; of a paid one no tax is pending",
        "SELECT format('cxp %s', x.clave)
         FROM cxp x CROSS JOIN LATERAL (
             SELECT coalesce(sum(importe), 0) AS importe, count(*) AS pagos FROM cxp_pagos
             WHERE empresa = $1 AND cxp = x.clave AND NOT cancelado
         ) p
         CROSS JOIN LATERAL (
             SELECT coalesce(sum(r.abono - r.cargo) FILTER (WHERE coalesce(r.codigo, r.cuenta) = '201.01'), 0) AS pesos,
                    coalesce(sum(r.cargo - r.abono) FILTER (WHERE coalesce(r.codigo, r.cuenta) = '119.01'), 0) + x.apertura_iva AS iva,
                    coalesce(sum(r.abono - r.cargo) FILTER (WHERE coalesce(r.codigo, r.cuenta) = '216.12'), 0)
                    + x.apertura_retencion_isr + x.apertura_retencion_iva AS retenciones
             FROM polizas z JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = z.clave
             WHERE z.empresa = $1 AND z.cxp = x.clave
         ) c
         WHERE x.empresa = $1 AND (x.saldo <> CASE x.estatus WHEN 'cancelado' THEN 0 ELSE x.total - x.pagado END
             OR (x.pagado - p.importe) * sign(x.total) < 0 OR (x.estatus = 'cancelado' AND p.pagos > 0)
             OR abs(c.pesos + coalesce(x.apertura, 0) - x.saldo * x.tipo_cambio) >
                CASE WHEN x.moneda = 'MXN' OR x.saldo = 0 THEN 0 ELSE 0.01 + 0.01 * p.pagos END
             OR (x.saldo = 0 AND (c.iva <> 0 OR c.retenciones <> 0)) OR c.retenciones * sign(x.total) < 0 OR c.iva * sign(x.total) < 0
             OR (x.estatus = 'pagado') <> (x.saldo = 0 AND x.estatus <> 'cancelado'))",
    ),
    (
        "the till holds what was paid in cash, and what discarded advances left in favour of it",
        "SELECT 'cuenta 101.01'
         WHERE (SELECT coalesce(sum(r.cargo - r.abono), 0)
                FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave AND coalesce(r.codigo, r.cuenta) = '101.01'
                WHERE p.empresa = $1)
             <> (SELECT coalesce(sum(round(importe * tipo_cambio, 2)), 0) FROM cxc_pagos
                 WHERE empresa = $1 AND origen = 'deposito' AND deposito IS NULL AND NOT cancelado)
              + (SELECT coalesce(sum(round(s.importe * v.tipo_cambio, 2)), 0) FROM saldos_a_favor s
                 JOIN facturas f ON f.empresa = $1 AND f.clave = s.factura AND f.tipo = 'factura'
                 JOIN ventas v ON v.empresa = $1 AND v.clave = f.venta
                 WHERE s.empresa = $1 AND s.deposito IS NULL)
              - (SELECT coalesce(sum(round((x.pagado - coalesce(g.importe, 0)) * x.tipo_cambio, 2)), 0) FROM cxp x
                 LEFT JOIN (SELECT cxp, sum(importe) AS importe FROM cxp_pagos
                            WHERE empresa = $1 AND NOT cancelado GROUP BY cxp) g ON g.cxp = x.clave
                 WHERE x.empresa = $1 AND x.estatus <> 'cancelado' AND x.apertura IS NULL)
              - (SELECT coalesce(sum(round(g.importe * coalesce(g.tipo_cambio, x.tipo_cambio), 2)), 0) FROM cxp_pagos g
                 JOIN cxp x ON x.empresa = $1 AND x.clave = g.cxp
                 WHERE g.empresa = $1 AND g.cuenta_bancaria IS NULL AND NOT g.cancelado)",
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
             LEFT JOIN reembolsos b ON b.empresa = $1 AND b.clave = p.reembolso
             JOIN cuentas_bancarias c ON c.empresa = $1
               AND c.clave = coalesce(d.cuenta_bancaria, g.cuenta_bancaria, b.cuenta_bancaria)
             WHERE p.empresa = $1 AND c.moneda = 'MXN'
         ) l
         WHERE l.bancos <> (SELECT coalesce(sum(saldo - apertura), 0) FROM cuentas_bancarias WHERE empresa = $1 AND moneda = 'MXN')
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
        "account 115.01 holds what the stock of each product is worth",
        "SELECT format('%s, no %s', l.libros, c.valor)
         FROM (SELECT coalesce(sum(r.cargo - r.abono), 0) AS libros
               FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave
               WHERE p.empresa = $1 AND coalesce(r.codigo, r.cuenta) = '115.01') l,
              (SELECT coalesce(sum(valor), 0) AS valor FROM costos WHERE empresa = $1) c
         WHERE l.libros <> c.valor",
    ),
    (
        "account 115.01 holds of each day what its movements and openings are worth",
        "SELECT format('día %s', coalesce(l.dia, m.dia))
         FROM (SELECT p.fecha AS dia, sum(r.cargo - r.abono) AS valor
               FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave
               WHERE p.empresa = $1 AND coalesce(r.codigo, r.cuenta) = '115.01' GROUP BY p.fecha) l
         FULL JOIN (
             SELECT dia, sum(valor) AS valor
             FROM (SELECT dia, valor FROM movimientos_inventario WHERE empresa = $1 AND valor IS NOT NULL
                   UNION ALL SELECT dia, valor FROM costos_aperturas WHERE empresa = $1) x
             GROUP BY dia) m ON m.dia = l.dia
         WHERE coalesce(l.valor, 0) <> coalesce(m.valor, 0)",
    ),
    (
        "a product's stock is that of all warehouses, and its value what movements and openings made of it",
        "SELECT format('producto %s', coalesce(c.producto, i.producto, m.producto))
         FROM (SELECT producto, existencia, valor FROM costos WHERE empresa = $1) c
         FULL JOIN (SELECT producto, sum(existencia) AS existencia FROM inventario WHERE empresa = $1 GROUP BY producto) i
                   ON i.producto = c.producto
         FULL JOIN (
             SELECT producto, sum(valor) AS valor
             FROM (SELECT producto, valor FROM movimientos_inventario WHERE empresa = $1 AND valor IS NOT NULL
                   UNION ALL SELECT producto, valor FROM costos_aperturas WHERE empresa = $1) x
             GROUP BY producto) m ON m.producto = c.producto
         WHERE coalesce(c.existencia, 0) <> coalesce(i.existencia, 0) OR coalesce(c.valor, 0) <> coalesce(m.valor, 0)",
    ),
    (
        "every movement says what it cost, in all what one unit did",
        "SELECT format('movimiento %s', clave) FROM movimientos_inventario
         WHERE empresa = $1 AND valor IS NOT NULL
           AND (costo_unitario IS NULL OR importe IS NULL
                OR (tipo <> 'saldo_inicial' AND abs(importe - cantidad * costo_unitario) > 0.011 + cantidad * 0.000001))",
    ),
    (
        "account 115.06 holds what was handed over of orders that are not owed",
        "SELECT format('venta %s', v.clave)
         FROM ventas v CROSS JOIN LATERAL (
             SELECT coalesce(sum(r.cargo - r.abono), 0) AS pesos
             FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave
             WHERE p.empresa = $1 AND p.venta = v.clave AND coalesce(r.codigo, r.cuenta) = '115.06'
         ) l CROSS JOIN LATERAL (
             SELECT coalesce(sum(CASE tipo WHEN 'venta' THEN 1 ELSE -1 END * importe), 0) AS pesos
             FROM movimientos_inventario
             WHERE empresa = $1 AND venta = v.clave AND tipo IN ('venta', 'cancelacion_venta')
         ) m
         WHERE v.empresa = $1 AND l.pesos <> CASE WHEN v.tipo = 'pedido' AND v.surtido_estatus = 'parcial' AND NOT v.cancelada
                                                  THEN m.pesos ELSE 0 END",
    ),
    (
        "of an order that came and was billed nothing waits for the other",
        "SELECT format('compra %s', c.clave)
         FROM compras c JOIN polizas p ON p.empresa = $1 AND p.compra = c.clave
         JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave AND coalesce(r.codigo, r.cuenta) IN ('115.05', '205.02')
         WHERE c.empresa = $1 AND c.estatus = 'recibida' AND c.cxp IS NOT NULL GROUP BY c.clave, r.codigo HAVING sum(r.cargo) <> sum(r.abono)",
    ),
    (
        "nothing is gained or lost by the exchange rate of pesos; a reversed entry may be of another currency",
        "SELECT format('póliza %s', p.clave)
         FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave
         LEFT JOIN ventas v ON v.empresa = $1 AND v.clave = p.venta LEFT JOIN cxp x ON x.empresa = $1 AND x.clave = p.cxp
         WHERE p.empresa = $1 AND coalesce(r.codigo, r.cuenta) IN ('701.01', '702.01') AND coalesce(v.moneda, x.moneda) = 'MXN'
           AND p.revierte IS NULL AND NOT EXISTS (SELECT FROM polizas o WHERE o.empresa = $1 AND o.revierte = p.clave)
           AND NOT EXISTS (SELECT FROM cxc_pagos g WHERE g.empresa = $1 AND g.clave = p.pago AND g.monto IS NOT NULL)",
    ),
    (
        "of a revaluation nothing is left after the day that takes it back",
        "SELECT format('cuenta %s', r.codigo)
         FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave
         WHERE p.empresa = $1 AND coalesce(r.codigo, r.cuenta) LIKE '%.R'
         GROUP BY r.codigo HAVING sum(r.cargo) <> sum(r.abono)",
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
             SELECT coalesce(p.venta, -g.cxc) AS documento, sum(r.cargo - r.abono) AS saldo
             FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave
             LEFT JOIN cxc_pagos g ON g.empresa = $1 AND g.clave = p.pago
             WHERE p.empresa = $1 AND coalesce(r.codigo, r.cuenta) = '105.01' GROUP BY coalesce(p.venta, -g.cxc)
         )
         SELECT format('cxc %s', x.clave) FROM cxc x LEFT JOIN cuenta c ON c.documento = coalesce(x.venta, -x.clave)
         WHERE x.empresa = $1
           -- The receivable of a discarded invoice shares its sale with that of the next.
           AND NOT (x.estatus = 'cancelado' AND EXISTS (SELECT FROM cxc o WHERE o.empresa = $1 AND o.venta = x.venta AND o.clave > x.clave))
           AND abs(coalesce(c.saldo, 0) + x.apertura - x.saldo * x.tipo_cambio) >
             CASE WHEN x.moneda = 'MXN' OR x.estatus <> 'pendiente' THEN 0 ELSE 0.02 + 0.01 * x.parcialidades END",
    ),
    (
        "account 105.01 holds what is owed in all, in pesos",
        "SELECT 'cuenta 105.01'
         WHERE (SELECT coalesce(sum(r.cargo - r.abono), 0)
                FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave
                LEFT JOIN cxc_pagos g ON g.empresa = $1 AND g.clave = p.pago
                LEFT JOIN ventas v ON v.empresa = $1 AND v.clave = p.venta
                WHERE p.empresa = $1 AND coalesce(r.codigo, r.cuenta) = '105.01' AND coalesce(v.moneda, g.moneda) = 'MXN')
             + (SELECT coalesce(sum(apertura), 0) FROM cxc WHERE empresa = $1 AND moneda = 'MXN')
             <> (SELECT coalesce(sum(saldo), 0) FROM cxc WHERE empresa = $1 AND moneda = 'MXN' AND estatus <> 'cancelado')",
    ),
    (
        "nothing of a cancelled sale is left in the books, but for deposits that wait in the bank",
        "SELECT format('venta %s cuenta %s', v.clave, l.cuenta)
         FROM ventas v JOIN polizas p ON p.empresa = $1 AND p.venta = v.clave
         JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave
         CROSS JOIN LATERAL (
             SELECT CASE WHEN coalesce(r.codigo, r.cuenta) IN ('102.01', '205.06') THEN 'depósitos' ELSE r.cuenta END AS cuenta
         ) l
         WHERE v.empresa = $1 AND v.cancelada
         GROUP BY v.clave, l.cuenta HAVING sum(r.cargo) <> sum(r.abono)",
    ),
    (
        "account 206.01 holds nothing of an advance that is used up",
        "SELECT format('venta %s', v.clave)
         FROM ventas v CROSS JOIN LATERAL (
             SELECT array_agg(clave) AS pagos,
                    coalesce(sum(importe) FILTER (WHERE NOT cancelado), 0)
                    + (SELECT coalesce(sum(importe), 0) FROM reembolsos
                       WHERE empresa = $1 AND anticipo = v.clave AND NOT cancelado) AS aplicado
             FROM cxc_pagos WHERE empresa = $1 AND anticipo = v.clave
         ) x CROSS JOIN LATERAL (
             SELECT coalesce(sum(r.abono - r.cargo), 0) AS abierto
             FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave AND coalesce(r.codigo, r.cuenta) = '206.01'
             WHERE p.empresa = $1 AND (p.venta = v.clave AND p.pago IS NULL OR p.pago = ANY (x.pagos))
         ) l
         WHERE v.empresa = $1 AND v.tipo = 'anticipo' AND NOT v.cancelada AND v.total = x.aplicado AND l.abierto <> 0",
    ),
    (
        "account 206.01 holds nothing of a balance in favour that is used up",
        "SELECT format('cliente %s %s', cliente, moneda)
         FROM (
             SELECT cliente, moneda, importe, pesos FROM saldos_a_favor WHERE empresa = $1 AND NOT cancelado
             UNION ALL
             SELECT u.cliente, u.moneda, CASE WHEN u.cancelado THEN 0 ELSE -u.importe END,
                    (SELECT sum(r.abono - r.cargo)
                     FROM polizas p JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave AND coalesce(r.codigo, r.cuenta) = '206.01'
                     WHERE p.empresa = $1 AND (p.pago = u.pago OR p.reembolso = u.reembolso))
             FROM (
                 SELECT cliente, moneda, importe, cancelado, clave AS pago, NULL AS reembolso FROM cxc_pagos
                 WHERE empresa = $1 AND origen = 'saldo_a_favor'
                 UNION ALL
                 SELECT cliente, moneda, importe, cancelado, NULL, clave FROM reembolsos WHERE empresa = $1 AND anticipo IS NULL
             ) u
         ) a
         GROUP BY cliente, moneda HAVING sum(importe) = 0 AND bool_and(pesos IS NOT NULL) AND sum(pesos) <> 0",
    ),
    (
        "of a paid sale no IVA or IEPS is to be collected",
        "SELECT format('venta %s', v.clave)
         FROM ventas v JOIN polizas p ON p.empresa = $1 AND p.venta = v.clave
         JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave AND coalesce(r.codigo, r.cuenta) IN ('209.01', '209.02')
         WHERE v.empresa = $1 AND v.saldo = 0 AND NOT v.cancelada
         GROUP BY v.clave, coalesce(r.codigo, r.cuenta)
         -- What was opened of an imported sale is in an entry that does not name it.
         HAVING sum(r.cargo) <> sum(r.abono) AND bool_or(p.pago IS NULL)",
    ),
];
