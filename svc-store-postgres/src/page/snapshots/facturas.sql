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
  AND tipo = $5
  AND estatus = $6
  AND fecha >= $7
  AND fecha <= $8
  AND clave > $9
ORDER BY clave + 0
LIMIT $10;

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
