-- /precios
-- No filter, the first page.
SELECT x.clave, x.producto,
       (SELECT p.sku FROM productos p WHERE p.empresa = $1 AND p.clave = x.producto), x.lista,
       l.nombre, x.moneda, x.precio, x.iva_incluido, x.cantidad_minima, x.vigencia_desde,
       x.vigencia_hasta, x.modificado
FROM precios x
JOIN listas_precios l ON l.empresa = x.empresa AND l.clave = x.lista
WHERE x.empresa = $1
ORDER BY x.clave
LIMIT 31;

-- All filters, a later page.
SELECT x.clave, x.producto,
       (SELECT p.sku FROM productos p WHERE p.empresa = $1 AND p.clave = x.producto), x.lista,
       l.nombre, x.moneda, x.precio, x.iva_incluido, x.cantidad_minima, x.vigencia_desde,
       x.vigencia_hasta, x.modificado
FROM precios x
JOIN listas_precios l ON l.empresa = x.empresa AND l.clave = x.lista
WHERE x.empresa = $1
  AND x.clave = $2
  AND x.producto = $3
  AND x.producto = ANY (ARRAY(SELECT clave FROM productos WHERE empresa = $1 AND sku = $4))
  AND x.lista = $5
  AND x.modificado >= $6
  AND x.clave > $7
ORDER BY x.clave
LIMIT $8;

-- One value, here of `producto`, a later page.
SELECT x.clave, x.producto,
       (SELECT p.sku FROM productos p WHERE p.empresa = $1 AND p.clave = x.producto), x.lista,
       l.nombre, x.moneda, x.precio, x.iva_incluido, x.cantidad_minima, x.vigencia_desde,
       x.vigencia_hasta, x.modificado
FROM precios x
JOIN listas_precios l ON l.empresa = x.empresa AND l.clave = x.lista
WHERE x.empresa = $1
  AND x.producto BETWEEN $2 AND $3
  AND x.clave > $4
ORDER BY x.producto, x.clave
LIMIT 31;

-- The filter `sku`, a later page.
SELECT x.clave, x.producto,
       (SELECT p.sku FROM productos p WHERE p.empresa = $1 AND p.clave = x.producto), x.lista,
       l.nombre, x.moneda, x.precio, x.iva_incluido, x.cantidad_minima, x.vigencia_desde,
       x.vigencia_hasta, x.modificado
FROM precios x
JOIN listas_precios l ON l.empresa = x.empresa AND l.clave = x.lista
WHERE x.empresa = $1
  AND x.producto = ANY (ARRAY(SELECT clave FROM productos WHERE empresa = $1 AND sku = $2))
  AND x.clave > $3
ORDER BY x.clave
LIMIT 31;

-- The filter `modificado_desde`, a later page.
SELECT x.clave, x.producto,
       (SELECT p.sku FROM productos p WHERE p.empresa = $1 AND p.clave = x.producto), x.lista,
       l.nombre, x.moneda, x.precio, x.iva_incluido, x.cantidad_minima, x.vigencia_desde,
       x.vigencia_hasta, x.modificado
FROM precios x
JOIN listas_precios l ON l.empresa = x.empresa AND l.clave = x.lista
WHERE x.empresa = $1
  AND x.clave = ANY (ARRAY(
    WITH cerca AS MATERIALIZED (
        SELECT i.clave
        FROM (
            SELECT i.clave, i.modificado
            FROM precios i
            WHERE i.empresa = $1
              AND i.clave > $2
            ORDER BY i.clave
            LIMIT $3
        ) i
        WHERE i.modificado >= $4
        ORDER BY i.clave
        LIMIT $5
    ), cambiados AS MATERIALIZED (
        SELECT i.clave
        FROM precios i
        WHERE i.empresa = $1
          AND i.clave > $6
          AND i.modificado >= $7
          AND (SELECT count(*) FROM cerca) < $8
        ORDER BY i.modificado
        LIMIT $9
    )
    SELECT clave FROM cerca WHERE (SELECT count(*) FROM cerca) = $10
    UNION ALL
    (SELECT clave FROM cambiados WHERE (SELECT count(*) FROM cambiados) < $11 ORDER BY clave LIMIT $12)
    UNION ALL
    (
        SELECT i.clave
        FROM precios i
        WHERE i.empresa = $1
          AND i.clave > $13
          AND i.modificado + '0'::interval >= $14
          AND (SELECT count(*) FROM cambiados) = $15
        ORDER BY i.clave
        LIMIT $16
    )
))
  AND x.clave > $17
ORDER BY x.clave
LIMIT $18;
