-- /facturas
-- No filter, the first page.
SELECT clave, tipo, estatus, venta, cliente, serie, folio, uuid, fecha, fecha_timbrado,
       fecha_cancelacion, motivo_cancelacion, uuid_sustitucion, error_codigo, error_mensaje,
       modificado
FROM facturas
WHERE empresa = $1
ORDER BY clave
LIMIT 31;

-- All filters, a later page.
SELECT clave, tipo, estatus, venta, cliente, serie, folio, uuid, fecha, fecha_timbrado,
       fecha_cancelacion, motivo_cancelacion, uuid_sustitucion, error_codigo, error_mensaje,
       modificado
FROM facturas
WHERE empresa = $1
  AND clave = $2
  AND uuid = $3
  AND venta = $4
  AND tipo = 'factura'
  AND estatus = 'vigente'
  AND fecha >= $5
  AND fecha <= $6
  AND clave > $7
ORDER BY clave + 0
LIMIT $8;

-- One value, here of `uuid`, a later page.
SELECT clave, tipo, estatus, venta, cliente, serie, folio, uuid, fecha, fecha_timbrado,
       fecha_cancelacion, motivo_cancelacion, uuid_sustitucion, error_codigo, error_mensaje,
       modificado
FROM facturas
WHERE empresa = $1
  AND uuid BETWEEN $2 AND $3
  AND clave > $4
ORDER BY uuid, clave
LIMIT 31;

-- The filter `fecha_desde` to `fecha_hasta`, a later page.
SELECT clave, tipo, estatus, venta, cliente, serie, folio, uuid, fecha, fecha_timbrado,
       fecha_cancelacion, motivo_cancelacion, uuid_sustitucion, error_codigo, error_mensaje,
       modificado
FROM facturas
WHERE empresa = $1
  AND fecha >= $2
  AND fecha <= $3
  AND clave > $4
ORDER BY clave + 0
LIMIT $5;
