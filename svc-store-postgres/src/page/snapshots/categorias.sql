-- /categorias
-- No filter, the first page.
SELECT clave, nombre, padre, estatus
FROM categorias
WHERE empresa = $1
ORDER BY clave
LIMIT 31;

-- All filters, a later page.
SELECT clave, nombre, padre, estatus
FROM categorias
WHERE empresa = $1
  AND clave = $2
  AND padre = $3
  AND estatus = 'activo'
  AND clave > $4
ORDER BY clave
LIMIT $5;

-- One value, here of `padre`, a later page.
SELECT clave, nombre, padre, estatus
FROM categorias
WHERE empresa = $1
  AND padre BETWEEN $2 AND $3
  AND clave > $4
ORDER BY padre, clave
LIMIT 31;
