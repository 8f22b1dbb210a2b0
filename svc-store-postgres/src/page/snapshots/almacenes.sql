-- /almacenes
-- No filter, the first page.
SELECT clave, codigo, nombre, sucursal, principal, estatus
FROM almacenes
WHERE empresa = $1
  AND estatus <> 'eliminado'
ORDER BY clave
LIMIT 31;

-- All filters, a later page.
SELECT clave, codigo, nombre, sucursal, principal, estatus
FROM almacenes
WHERE empresa = $1
  AND clave = $2
  AND codigo = $3
  AND sucursal = $4
  AND principal
  AND estatus = $5
  AND clave > $6
ORDER BY clave
LIMIT 31;
