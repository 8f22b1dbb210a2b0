-- /vendedores
-- No filter, the first page.
SELECT clave, nombre, CASE WHEN activo THEN 'activo' ELSE 'inactivo' END
FROM usuarios
WHERE empresa = $1
  AND vendedor
ORDER BY clave
LIMIT 31;

-- All filters, a later page.
SELECT clave, nombre, CASE WHEN activo THEN 'activo' ELSE 'inactivo' END
FROM usuarios
WHERE empresa = $1
  AND vendedor
  AND clave = $2
  AND activo = $3
  AND clave > $4
ORDER BY clave
LIMIT 31;
