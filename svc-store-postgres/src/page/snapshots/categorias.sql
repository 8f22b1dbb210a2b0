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
  AND estatus = $4
  AND clave > $5
ORDER BY clave
LIMIT 31;
