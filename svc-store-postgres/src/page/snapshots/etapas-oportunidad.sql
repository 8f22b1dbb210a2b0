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
  AND estatus = 'activo'
  AND tipo = 'abierta'
  AND clave > $3
ORDER BY clave
LIMIT 31;
