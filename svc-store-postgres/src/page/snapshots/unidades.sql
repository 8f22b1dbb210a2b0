-- /unidades
-- No filter, the first page.
SELECT clave, nombre, clave_sat, estatus
FROM unidades
WHERE empresa = $1
ORDER BY clave
LIMIT 31;

-- All filters, a later page.
SELECT clave, nombre, clave_sat, estatus
FROM unidades
WHERE empresa = $1
  AND clave = $2
  AND estatus = 'activo'
  AND clave > $3
ORDER BY clave
LIMIT 31;
