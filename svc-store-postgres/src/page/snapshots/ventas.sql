-- /ventas
-- Only `tipo` and `cancelada`, the first page.
SELECT v.clave, v.tipo, v.serie, v.folio, v.fecha, v.sucursal, a.codigo, v.cliente, v.vendedor,
       v.moneda, v.tipo_cambio, v.condicion_pago, v.dias_credito, v.vencimiento, v.forma_pago_sat,
       v.metodo_pago_sat, v.uso_cfdi, v.subtotal, v.descuento, v.impuestos, v.retenciones,
       v.total, v.saldo, v.cancelada, v.fecha_cancelacion, v.surtido_estatus, v.monto_surtido,
       v.factura, v.uuid, v.origen, v.referencia, v.comentarios,
       greatest(v.modificado, a.renombrado)
FROM ventas v
LEFT JOIN almacenes a ON a.empresa = v.empresa AND a.clave = v.almacen
WHERE v.empresa = $1
  AND 'remision' = v.tipo
  AND NOT v.cancelada
ORDER BY v.clave
LIMIT 31;

-- All filters, a later page.
SELECT v.clave, v.tipo, v.serie, v.folio, v.fecha, v.sucursal, a.codigo, v.cliente, v.vendedor,
       v.moneda, v.tipo_cambio, v.condicion_pago, v.dias_credito, v.vencimiento, v.forma_pago_sat,
       v.metodo_pago_sat, v.uso_cfdi, v.subtotal, v.descuento, v.impuestos, v.retenciones,
       v.total, v.saldo, v.cancelada, v.fecha_cancelacion, v.surtido_estatus, v.monto_surtido,
       v.factura, v.uuid, v.origen, v.referencia, v.comentarios,
       greatest(v.modificado, a.renombrado)
FROM ventas v
LEFT JOIN almacenes a ON a.empresa = v.empresa AND a.clave = v.almacen
WHERE v.empresa = $1
  AND v.clave = $2
  AND 'remision' IN (v.tipo, v.tipo_creado)
  AND v.folio = $3
  AND v.cliente = $4
  AND v.cancelada
  AND v.fecha >= $5
  AND v.fecha <= $6
  AND v.sucursal = $7
  AND v.clave = ANY (ARRAY(
    WITH q (sku) AS (SELECT $8)
    SELECT venta FROM ventas_renglones WHERE empresa = $1 AND producto = ANY (ARRAY(
        SELECT clave FROM productos WHERE empresa = $1 AND sku = (SELECT sku FROM q)))
    UNION ALL
    SELECT venta FROM ventas_renglones WHERE empresa = $1 AND sku = (SELECT sku FROM q)
))
  AND v.clave > $9
ORDER BY v.clave + 0
LIMIT $10;

-- One value, here of `folio`, a later page.
SELECT v.clave, v.tipo, v.serie, v.folio, v.fecha, v.sucursal, a.codigo, v.cliente, v.vendedor,
       v.moneda, v.tipo_cambio, v.condicion_pago, v.dias_credito, v.vencimiento, v.forma_pago_sat,
       v.metodo_pago_sat, v.uso_cfdi, v.subtotal, v.descuento, v.impuestos, v.retenciones,
       v.total, v.saldo, v.cancelada, v.fecha_cancelacion, v.surtido_estatus, v.monto_surtido,
       v.factura, v.uuid, v.origen, v.referencia, v.comentarios,
       greatest(v.modificado, a.renombrado)
FROM ventas v
LEFT JOIN almacenes a ON a.empresa = v.empresa AND a.clave = v.almacen
WHERE v.empresa = $1
  AND 'remision' = v.tipo
  AND NOT v.cancelada
  AND v.folio BETWEEN $2 AND $3
  AND v.clave > $4
ORDER BY v.folio, v.clave
LIMIT 31;

-- The filter `clave`, a later page.
SELECT v.clave, v.tipo, v.serie, v.folio, v.fecha, v.sucursal, a.codigo, v.cliente, v.vendedor,
       v.moneda, v.tipo_cambio, v.condicion_pago, v.dias_credito, v.vencimiento, v.forma_pago_sat,
       v.metodo_pago_sat, v.uso_cfdi, v.subtotal, v.descuento, v.impuestos, v.retenciones,
       v.total, v.saldo, v.cancelada, v.fecha_cancelacion, v.surtido_estatus, v.monto_surtido,
       v.factura, v.uuid, v.origen, v.referencia, v.comentarios,
       greatest(v.modificado, a.renombrado)
FROM ventas v
LEFT JOIN almacenes a ON a.empresa = v.empresa AND a.clave = v.almacen
WHERE v.empresa = $1
  AND 'remision' IN (v.tipo, v.tipo_creado)
  AND NOT v.cancelada
  AND v.clave = $2
  AND v.clave > $3
ORDER BY v.clave
LIMIT 31;

-- The filter `fecha_desde` to `fecha_hasta`, a later page.
SELECT v.clave, v.tipo, v.serie, v.folio, v.fecha, v.sucursal, a.codigo, v.cliente, v.vendedor,
       v.moneda, v.tipo_cambio, v.condicion_pago, v.dias_credito, v.vencimiento, v.forma_pago_sat,
       v.metodo_pago_sat, v.uso_cfdi, v.subtotal, v.descuento, v.impuestos, v.retenciones,
       v.total, v.saldo, v.cancelada, v.fecha_cancelacion, v.surtido_estatus, v.monto_surtido,
       v.factura, v.uuid, v.origen, v.referencia, v.comentarios,
       greatest(v.modificado, a.renombrado)
FROM ventas v
LEFT JOIN almacenes a ON a.empresa = v.empresa AND a.clave = v.almacen
WHERE v.empresa = $1
  AND 'remision' = v.tipo
  AND NOT v.cancelada
  AND v.fecha >= $2
  AND v.fecha <= $3
  AND v.clave > $4
ORDER BY v.clave + 0
LIMIT $5;

-- The filter `sku`, a later page.
SELECT v.clave, v.tipo, v.serie, v.folio, v.fecha, v.sucursal, a.codigo, v.cliente, v.vendedor,
       v.moneda, v.tipo_cambio, v.condicion_pago, v.dias_credito, v.vencimiento, v.forma_pago_sat,
       v.metodo_pago_sat, v.uso_cfdi, v.subtotal, v.descuento, v.impuestos, v.retenciones,
       v.total, v.saldo, v.cancelada, v.fecha_cancelacion, v.surtido_estatus, v.monto_surtido,
       v.factura, v.uuid, v.origen, v.referencia, v.comentarios,
       greatest(v.modificado, a.renombrado)
FROM ventas v
LEFT JOIN almacenes a ON a.empresa = v.empresa AND a.clave = v.almacen
WHERE v.empresa = $1
  AND 'remision' = v.tipo
  AND NOT v.cancelada
  AND v.clave = ANY (ARRAY(
    WITH q (sku) AS (SELECT $2::text)
    SELECT k.venta
    FROM productos s
    CROSS JOIN LATERAL (
        SELECT DISTINCT r.venta
        FROM ventas_renglones r
        JOIN ventas v ON v.empresa = r.empresa AND v.clave = r.venta
        WHERE r.empresa = $1 AND r.producto = s.clave
          AND r.venta > $3
          AND 'remision' = v.tipo
          AND NOT v.cancelada
        ORDER BY r.venta
        LIMIT 31
    ) k
    WHERE s.empresa = $1 AND s.sku = (SELECT sku FROM q)
    UNION ALL
    (
        SELECT DISTINCT r.venta
        FROM ventas_renglones r
        JOIN ventas v ON v.empresa = r.empresa AND v.clave = r.venta
        WHERE r.empresa = $1 AND r.sku = (SELECT sku FROM q)
          AND r.venta > $4
          AND 'remision' = v.tipo
          AND NOT v.cancelada
        ORDER BY r.venta
        LIMIT 31
    )
))
  AND v.clave > $5
ORDER BY v.clave
LIMIT 31;
