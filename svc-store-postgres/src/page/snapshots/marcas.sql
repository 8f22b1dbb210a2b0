-- /marcas
-- No filter, the first page.
SELECT clave, nombre, estatus
FROM marcas
WHERE empresa = $1
  AND estatus <> 'eliminado'
ORDER BY clave
LIMIT 31;

-- All filters, a later page.
SELECT clave, nombre, estatus
FROM marcas
WHERE empresa = $1
  AND clave = $2
  AND estatus = $3
  AND clave > $4
ORDER BY clave
LIMIT 31;
