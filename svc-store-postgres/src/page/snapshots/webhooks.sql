-- /webhooks
-- No filter, the first page.
SELECT clave, url, eventos, descripcion, activo, motivo_desactivacion, fallos_consecutivos,
       ultima_entrega, creado, modificado
FROM webhooks
WHERE empresa = $1
  AND eliminado IS NULL
ORDER BY clave
LIMIT 31;

-- All filters, a later page.
SELECT clave, url, eventos, descripcion, activo, motivo_desactivacion, fallos_consecutivos,
       ultima_entrega, creado, modificado
FROM webhooks
WHERE empresa = $1
  AND eliminado IS NULL
  AND clave = $2
  AND activo
  AND clave > $3
ORDER BY clave
LIMIT 31;
