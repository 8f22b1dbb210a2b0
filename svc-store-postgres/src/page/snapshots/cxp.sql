-- /cxp
-- Only `estatus`, the first page.
SELECT clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento,
       moneda, tipo_cambio, total, pagado, saldo, sucursal, operaciones, concepto, modificado
FROM cxp
WHERE empresa = $1
  AND estatus = $2
ORDER BY clave
LIMIT 31;

-- All filters, a later page.
SELECT clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento,
       moneda, tipo_cambio, total, pagado, saldo, sucursal, operaciones, concepto, modificado
FROM cxp
WHERE empresa = $1
  AND clave = $2
  AND estatus = $3
  AND tipo = $4
  AND proveedor = $5
  AND uuid = $6
  AND saldo > 0
  AND saldo > 0 AND vencimiento < $7
  AND clave > $8
ORDER BY clave
LIMIT 31;

-- The filter `con_saldo=true`, a later page.
SELECT clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento,
       moneda, tipo_cambio, total, pagado, saldo, sucursal, operaciones, concepto, modificado
FROM cxp
WHERE empresa = $1
  AND estatus = $2
  AND saldo > 0
  AND clave > $3
ORDER BY clave
LIMIT 31;

-- The filter `con_saldo=false`, a later page.
SELECT clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento,
       moneda, tipo_cambio, total, pagado, saldo, sucursal, operaciones, concepto, modificado
FROM cxp
WHERE empresa = $1
  AND estatus = $2
  AND saldo <= 0
  AND clave > $3
ORDER BY clave
LIMIT 31;

-- The filter `vencido=true`, a later page.
SELECT clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento,
       moneda, tipo_cambio, total, pagado, saldo, sucursal, operaciones, concepto, modificado
FROM cxp
WHERE empresa = $1
  AND estatus = $2
  AND saldo > 0 AND vencimiento < $3
  AND clave > $4
ORDER BY clave
LIMIT 31;

-- The filter `vencido=false`, a later page.
SELECT clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento,
       moneda, tipo_cambio, total, pagado, saldo, sucursal, operaciones, concepto, modificado
FROM cxp
WHERE empresa = $1
  AND estatus = $2
  AND coalesce(CASE WHEN saldo > 0 THEN vencimiento END, 'infinity') >= $3
  AND clave > $4
ORDER BY clave
LIMIT 31;
