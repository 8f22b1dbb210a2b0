-- /cxp
-- Only `estatus`, the first page.
SELECT clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento,
       moneda, tipo_cambio, total, pagado, saldo, sucursal, operaciones, concepto, modificado
FROM cxp
WHERE empresa = $1
  AND estatus = 'cancelado'
ORDER BY clave
LIMIT 31;

-- All filters, a later page.
SELECT clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento,
       moneda, tipo_cambio, total, pagado, saldo, sucursal, operaciones, concepto, modificado
FROM cxp
WHERE empresa = $1
  AND clave = $2
  AND estatus = 'cancelado'
  AND tipo = 'compra'
  AND proveedor = $3
  AND uuid = $4
  AND saldo > 0
  AND saldo > 0 AND vencimiento < $5
  AND clave > $6
ORDER BY clave
LIMIT $7;

-- One value, here of `proveedor`, a later page.
SELECT clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento,
       moneda, tipo_cambio, total, pagado, saldo, sucursal, operaciones, concepto, modificado
FROM cxp
WHERE empresa = $1
  AND estatus = 'cancelado'
  AND proveedor BETWEEN $2 AND $3
  AND clave > $4
ORDER BY proveedor, clave
LIMIT 31;

-- The filter `con_saldo=true`, a later page.
SELECT clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento,
       moneda, tipo_cambio, total, pagado, saldo, sucursal, operaciones, concepto, modificado
FROM cxp
WHERE empresa = $1
  AND estatus = 'cancelado'
  AND saldo > 0
  AND clave > $2
ORDER BY clave
LIMIT 31;

-- The filter `con_saldo=false`, a later page.
SELECT clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento,
       moneda, tipo_cambio, total, pagado, saldo, sucursal, operaciones, concepto, modificado
FROM cxp
WHERE empresa = $1
  AND estatus = 'cancelado'
  AND saldo <= 0
  AND clave > $2
ORDER BY clave
LIMIT 31;

-- The filter `vencido=true`, a later page.
SELECT clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento,
       moneda, tipo_cambio, total, pagado, saldo, sucursal, operaciones, concepto, modificado
FROM cxp
WHERE empresa = $1
  AND estatus = 'cancelado'
  AND saldo > 0 AND vencimiento < $2
  AND clave > $3
ORDER BY clave
LIMIT 31;

-- The filter `vencido=false`, a later page.
SELECT clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento,
       moneda, tipo_cambio, total, pagado, saldo, sucursal, operaciones, concepto, modificado
FROM cxp
WHERE empresa = $1
  AND estatus = 'cancelado'
  AND coalesce(CASE WHEN saldo > 0 THEN vencimiento END, 'infinity') >= $2
  AND clave > $3
ORDER BY clave
LIMIT 31;
