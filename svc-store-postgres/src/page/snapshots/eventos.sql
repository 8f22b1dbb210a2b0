-- /eventos
-- No filter, the first page.
SELECT clave, id, tipo, creado, (convert_from(cuerpo, 'UTF8')::json -> 'datos')::text,
       (convert_from(cuerpo, 'UTF8')::json -> 'recurso')::text
FROM eventos
WHERE empresa = $1
  AND tipo <> 'webhook.prueba'
ORDER BY clave
LIMIT 31;

-- All filters, a later page.
SELECT clave, id, tipo, creado, (convert_from(cuerpo, 'UTF8')::json -> 'datos')::text,
       (convert_from(cuerpo, 'UTF8')::json -> 'recurso')::text
FROM eventos
WHERE empresa = $1
  AND tipo <> 'webhook.prueba'
  AND clave = $2
  AND tipo = $3
  AND clave >= $4
  AND creado >= $5
  AND clave > $6
ORDER BY clave
LIMIT $7;

-- One value, here of `tipo`, a later page.
SELECT clave, id, tipo, creado, (convert_from(cuerpo, 'UTF8')::json -> 'datos')::text,
       (convert_from(cuerpo, 'UTF8')::json -> 'recurso')::text
FROM eventos
WHERE empresa = $1
  AND tipo <> 'webhook.prueba'
  AND tipo BETWEEN $2 AND $3
  AND clave > $4
ORDER BY tipo, clave
LIMIT 31;
