-- /webhooks/{clave}/entregas
-- No filter, the first page.
SELECT hijos.*
FROM (
    SELECT FROM webhooks WHERE eliminado IS NULL AND empresa = $1 AND clave = $2
) padre
LEFT JOIN LATERAL (
    SELECT clave, webhook, evento, tipo, estado, intentos, http, motivo, duracion_ms, creado,
           ultimo_intento, proximo_intento
    FROM entregas
    WHERE empresa = $1 AND webhook = $3
    ORDER BY clave
    LIMIT 31
) hijos ON true;

-- All filters, a later page.
SELECT hijos.*
FROM (
    SELECT FROM webhooks WHERE eliminado IS NULL AND empresa = $1 AND clave = $2
) padre
LEFT JOIN LATERAL (
    SELECT clave, webhook, evento, tipo, estado, intentos, http, motivo, duracion_ms, creado,
           ultimo_intento, proximo_intento
    FROM entregas
    WHERE empresa = $1 AND webhook = $3
      AND clave = $4
      AND estado <> 'entregada'
      AND estado = 'pendiente'
      AND tipo = $5
      AND clave > $6
    ORDER BY clave
    LIMIT $7
) hijos ON true;

-- The filter `clave`, a later page.
SELECT hijos.*
FROM (
    SELECT FROM webhooks WHERE eliminado IS NULL AND empresa = $1 AND clave = $2
) padre
LEFT JOIN LATERAL (
    SELECT clave, webhook, evento, tipo, estado, intentos, http, motivo, duracion_ms, creado,
           ultimo_intento, proximo_intento
    FROM entregas
    WHERE empresa = $1 AND webhook = $3
      AND clave = $4
      AND clave > $5
    ORDER BY clave
    LIMIT 31
) hijos ON true;

-- The filter `estado=pendiente`, a later page.
SELECT hijos.*
FROM (
    SELECT FROM webhooks WHERE eliminado IS NULL AND empresa = $1 AND clave = $2
) padre
LEFT JOIN LATERAL (
    SELECT clave, webhook, evento, tipo, estado, intentos, http, motivo, duracion_ms, creado,
           ultimo_intento, proximo_intento
    FROM entregas
    WHERE empresa = $1 AND webhook = $3
      AND estado <> 'entregada'
      AND estado = 'pendiente'
      AND clave > $4
    ORDER BY clave
    LIMIT 31
) hijos ON true;

-- The filter `estado=entregada`, a later page.
SELECT hijos.*
FROM (
    SELECT FROM webhooks WHERE eliminado IS NULL AND empresa = $1 AND clave = $2
) padre
LEFT JOIN LATERAL (
    SELECT clave, webhook, evento, tipo, estado, intentos, http, motivo, duracion_ms, creado,
           ultimo_intento, proximo_intento
    FROM entregas
    WHERE empresa = $1 AND webhook = $3
      AND estado = 'entregada'
      AND clave > $4
    ORDER BY clave
    LIMIT 31
) hijos ON true;

-- The filter `tipo`, a later page.
SELECT hijos.*
FROM (
    SELECT FROM webhooks WHERE eliminado IS NULL AND empresa = $1 AND clave = $2
) padre
LEFT JOIN LATERAL (
    SELECT clave, webhook, evento, tipo, estado, intentos, http, motivo, duracion_ms, creado,
           ultimo_intento, proximo_intento
    FROM entregas
    WHERE empresa = $1 AND webhook = $3
      AND tipo = $4
      AND clave > $5
    ORDER BY clave
    LIMIT 31
) hijos ON true;
