//! The rules of credit notes, returns, advances and global invoices.

/// Each statement names the records that break the rule. `$1` is the company.
pub(super) const RULES: &[(&str, &str)] = &[
    (
        "credit notes take no more of a line than there is of it, and come to the sums of their lines",
        "SELECT format('venta %s renglón %s', c.venta, c.renglon)
         FROM (
             SELECT n.venta, r.renglon, r.acreditada AS cantidad, r.subtotal - r.descuento AS base
             FROM notas_credito n
             JOIN facturas f ON f.empresa = $1 AND f.clave = n.factura AND f.estatus <> 'cancelada'
             JOIN notas_credito_renglones r ON r.empresa = $1 AND r.factura = n.factura
             WHERE n.empresa = $1 AND n.anticipo IS NULL AND n.ticket IS NULL
             UNION ALL
             SELECT d.venta, r.renglon, r.cantidad, r.base
             FROM devoluciones d JOIN devoluciones_renglones r ON r.empresa = $1 AND r.devolucion = d.clave
             WHERE d.empresa = $1
         ) c
         LEFT JOIN ventas_renglones v ON v.empresa = $1 AND v.venta = c.venta AND v.renglon = c.renglon
         GROUP BY c.venta, c.renglon
         HAVING count(*) > count(v.renglon) OR sum(c.cantidad) > max(v.cantidad) OR sum(c.base) > max(v.subtotal - v.descuento)
         UNION ALL
         SELECT format('nota %s', n.factura)
         FROM notas_credito n JOIN notas_credito_renglones r ON r.empresa = $1 AND r.factura = n.factura
         WHERE n.empresa = $1 GROUP BY n.factura, n.total HAVING sum(r.total) <> n.total",
    ),
    (
        "what credit notes gave and nobody applied is a balance in favour, and no more of it is applied than there is",
        "SELECT format('nota %s', n.factura)
         FROM notas_credito n JOIN facturas f ON f.empresa = $1 AND f.clave = n.factura
         LEFT JOIN saldos_a_favor s ON s.empresa = $1 AND s.factura = n.factura AND NOT s.cancelado
         WHERE n.empresa = $1 AND n.anticipo IS NULL AND n.ticket IS NULL AND n.total > 0
           AND coalesce(s.importe, 0) <> CASE f.estatus WHEN 'cancelada' THEN 0 ELSE n.total END
         UNION ALL
         SELECT format('cliente %s', p.cliente)
         FROM (SELECT cliente, moneda, sum(importe) AS importe
               FROM (SELECT cliente, moneda, importe FROM cxc_pagos x
                     WHERE empresa = $1 AND origen = 'saldo_a_favor' AND NOT cancelado
                       AND EXISTS (SELECT FROM polizas p WHERE p.empresa = $1 AND p.pago = x.clave)
                     UNION ALL
                     SELECT cliente, moneda, importe FROM reembolsos
                     WHERE empresa = $1 AND anticipo IS NULL AND NOT cancelado) u
               GROUP BY cliente, moneda) p
         WHERE p.importe > (SELECT coalesce(sum(importe), 0) FROM saldos_a_favor s
                            WHERE s.empresa = $1 AND s.cliente = p.cliente AND s.moneda = p.moneda AND NOT s.cancelado)
         UNION ALL
         SELECT 'saldos de devoluciones'
         WHERE (SELECT coalesce(sum(importe), 0) FROM saldos_a_favor WHERE empresa = $1 AND factura IS NULL)
             < (SELECT coalesce(sum(total), 0) FROM devoluciones WHERE empresa = $1)",
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
        "SELECT format('venta %s en %s', v.clave, f.clave)
         FROM facturas_globales_ventas g JOIN facturas f ON f.empresa = $1 AND f.clave = g.factura
         JOIN ventas v ON v.empresa = $1 AND v.clave = g.venta
         WHERE g.empresa = $1 AND (
             f.estatus = 'cancelada' AND v.factura = f.clave
             OR v.factura = f.clave AND v.uuid IS DISTINCT FROM f.uuid
             OR f.estatus <> 'cancelada' AND v.factura IS DISTINCT FROM f.clave
                -- It stays where it is until its substitute is stamped, and then is in that; or it
                -- left by a credit note. What a rejected substitute replaces may be cancelled.
                AND NOT (f.estatus = 'en_espera' AND v.factura IS NOT DISTINCT FROM f.sustituye)
                AND NOT (f.estatus = 'error' AND f.sustituye IS NOT NULL)
                AND NOT EXISTS (SELECT FROM facturas s WHERE s.empresa = $1 AND s.sustituye = f.clave AND s.uuid IS NOT NULL)
                AND NOT EXISTS (
                    SELECT FROM notas_credito n
                    JOIN facturas o ON o.empresa = $1 AND o.clave = n.factura AND o.estatus <> 'cancelada'
                    JOIN facturas_relaciones r ON r.empresa = $1 AND r.factura = n.factura AND r.relacionada = f.clave
                    WHERE n.empresa = $1 AND n.venta = v.clave AND n.ticket IS NOT NULL))
         UNION ALL
         SELECT format('nota %s', n.factura)
         FROM notas_credito n JOIN facturas f ON f.empresa = $1 AND f.clave = n.factura AND f.estatus <> 'cancelada'
         JOIN facturas_relaciones r ON r.empresa = $1 AND r.factura = n.factura
         JOIN ventas v ON v.empresa = $1 AND v.clave = n.venta
         WHERE n.empresa = $1 AND n.ticket IS NOT NULL AND v.factura = r.relacionada",
    ),
];
