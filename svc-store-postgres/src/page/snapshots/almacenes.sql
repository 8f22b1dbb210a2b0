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
  AND estatus = 'activo'
  AND clave > $5
ORDER BY clave
LIMIT $6;

-- One value, here of `codigo`, a later page.
SELECT clave, codigo, nombre, sucursal, principal, estatus
FROM almacenes
WHERE empresa = $1
  AND codigo BETWEEN $2 AND $3
  AND estatus <> 'eliminado'
  AND clave > $4
ORDER BY codigo, clave
LIMIT 31;
