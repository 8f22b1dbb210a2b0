-- /etapas-oportunidad
-- No filter, the first page.
SELECT clave, nombre, tipo, orden, probabilidad, estatus
FROM etapas_oportunidad
WHERE empresa = $1
ORDER BY clave
LIMIT 31;

-- All filters, a later page.
SELECT clave, nombre, tipo, orden, probabilidad, estatus
FROM etapas_oportunidad
WHERE empresa = $1
  AND clave = $2
  AND estatus = $3
  AND tipo = $4
  AND clave > $5
ORDER BY clave
LIMIT 31;
