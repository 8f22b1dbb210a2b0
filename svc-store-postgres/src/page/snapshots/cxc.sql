-- /cxc
-- Only `estatus`, the first page.
SELECT x.clave, x.folio, x.estatus, x.cliente, x.venta, coalesce(v.tipo, x.tipo_venta),
       x.factura, x.uuid, x.metodo_pago_sat, x.fecha, x.vencimiento, x.moneda, x.tipo_cambio,
       x.total, x.pagado, x.saldo, x.parcialidades, x.sucursal, x.modificado
FROM cxc x
LEFT JOIN ventas v ON v.empresa = x.empresa AND v.clave = x.venta
WHERE x.empresa = $1
  AND x.estatus = 'pendiente'
ORDER BY x.clave
LIMIT 31;

-- All filters, a later page.
SELECT x.clave, x.folio, x.estatus, x.cliente, x.venta, coalesce(v.tipo, x.tipo_venta),
       x.factura, x.uuid, x.metodo_pago_sat, x.fecha, x.vencimiento, x.moneda, x.tipo_cambio,
       x.total, x.pagado, x.saldo, x.parcialidades, x.sucursal, x.modificado
FROM cxc x
LEFT JOIN ventas v ON v.empresa = x.empresa AND v.clave = x.venta
WHERE x.empresa = $1
  AND x.clave = $2
  AND x.estatus = 'pendiente'
  AND x.cliente = $3
  AND x.venta = $4
  AND x.uuid = $5
  AND x.saldo > 0
  AND x.saldo > 0 AND x.vencimiento < $6
  AND x.clave > $7
ORDER BY x.clave
LIMIT $8;

-- One value, here of `cliente`, a later page.
SELECT x.clave, x.folio, x.estatus, x.cliente, x.venta, coalesce(v.tipo, x.tipo_venta),
       x.factura, x.uuid, x.metodo_pago_sat, x.fecha, x.vencimiento, x.moneda, x.tipo_cambio,
       x.total, x.pagado, x.saldo, x.parcialidades, x.sucursal, x.modificado
FROM cxc x
LEFT JOIN ventas v ON v.empresa = x.empresa AND v.clave = x.venta
WHERE x.empresa = $1
  AND x.estatus = 'pendiente'
  AND x.cliente BETWEEN $2 AND $3
  AND x.clave > $4
ORDER BY x.cliente, x.clave
LIMIT 31;

-- The filter `con_saldo=true`, a later page.
SELECT x.clave, x.folio, x.estatus, x.cliente, x.venta, coalesce(v.tipo, x.tipo_venta),
       x.factura, x.uuid, x.metodo_pago_sat, x.fecha, x.vencimiento, x.moneda, x.tipo_cambio,
       x.total, x.pagado, x.saldo, x.parcialidades, x.sucursal, x.modificado
FROM cxc x
LEFT JOIN ventas v ON v.empresa = x.empresa AND v.clave = x.venta
WHERE x.empresa = $1
  AND x.estatus = 'pendiente'
  AND x.saldo > 0
  AND x.clave > $2
ORDER BY x.clave
LIMIT 31;

-- The filter `con_saldo=false`, a later page.
SELECT x.clave, x.folio, x.estatus, x.cliente, x.venta, coalesce(v.tipo, x.tipo_venta),
       x.factura, x.uuid, x.metodo_pago_sat, x.fecha, x.vencimiento, x.moneda, x.tipo_cambio,
       x.total, x.pagado, x.saldo, x.parcialidades, x.sucursal, x.modificado
FROM cxc x
LEFT JOIN ventas v ON v.empresa = x.empresa AND v.clave = x.venta
WHERE x.empresa = $1
  AND x.estatus = 'pendiente'
  AND (x.saldo > 0) IS FALSE
  AND x.clave > $2
ORDER BY x.clave
LIMIT 31;

-- The filter `vencido=true`, a later page.
SELECT x.clave, x.folio, x.estatus, x.cliente, x.venta, coalesce(v.tipo, x.tipo_venta),
       x.factura, x.uuid, x.metodo_pago_sat, x.fecha, x.vencimiento, x.moneda, x.tipo_cambio,
       x.total, x.pagado, x.saldo, x.parcialidades, x.sucursal, x.modificado
FROM cxc x
LEFT JOIN ventas v ON v.empresa = x.empresa AND v.clave = x.venta
WHERE x.empresa = $1
  AND x.estatus = 'pendiente'
  AND x.saldo > 0 AND x.vencimiento < $2
  AND x.clave > $3
ORDER BY x.clave
LIMIT 31;

-- The filter `vencido=false`, a later page.
SELECT x.clave, x.folio, x.estatus, x.cliente, x.venta, coalesce(v.tipo, x.tipo_venta),
       x.factura, x.uuid, x.metodo_pago_sat, x.fecha, x.vencimiento, x.moneda, x.tipo_cambio,
       x.total, x.pagado, x.saldo, x.parcialidades, x.sucursal, x.modificado
FROM cxc x
LEFT JOIN ventas v ON v.empresa = x.empresa AND v.clave = x.venta
WHERE x.empresa = $1
  AND x.estatus = 'pendiente'
  AND coalesce(CASE WHEN x.saldo > 0 THEN x.vencimiento END, 'infinity') >= $2
  AND x.clave > $3
ORDER BY x.clave
LIMIT 31;
