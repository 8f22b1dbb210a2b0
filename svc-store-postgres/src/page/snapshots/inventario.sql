-- /inventario
-- No filter, the first page.
SELECT x.clave, x.producto,
       (SELECT p.sku FROM productos p WHERE p.empresa = $1 AND p.clave = x.producto), a.codigo,
       a.sucursal, x.existencia, x.apartado, x.minimo, x.modificado
FROM inventario x
JOIN almacenes a ON a.empresa = x.empresa AND a.clave = x.almacen
WHERE x.empresa = $1
ORDER BY x.clave
LIMIT 31;

-- All filters, a later page.
SELECT x.clave, x.producto,
       (SELECT p.sku FROM productos p WHERE p.empresa = $1 AND p.clave = x.producto), a.codigo,
       a.sucursal, x.existencia, x.apartado, x.minimo, x.modificado
FROM inventario x
JOIN almacenes a ON a.empresa = x.empresa AND a.clave = x.almacen
WHERE x.empresa = $1
  AND x.clave = $2
  AND x.producto = ANY (ARRAY(SELECT clave FROM productos WHERE empresa = $1 AND sku = $3))
  AND x.almacen = (SELECT clave FROM almacenes WHERE empresa = $1 AND codigo = $4)
  AND a.sucursal = $5
  AND x.modificado >= $6
  AND x.clave > $7
ORDER BY x.clave
LIMIT $8;

-- The filter `sku`, a later page.
SELECT x.clave, x.producto,
       (SELECT p.sku FROM productos p WHERE p.empresa = $1 AND p.clave = x.producto), a.codigo,
       a.sucursal, x.existencia, x.apartado, x.minimo, x.modificado
FROM inventario x
JOIN almacenes a ON a.empresa = x.empresa AND a.clave = x.almacen
WHERE x.empresa = $1
  AND x.producto = ANY (ARRAY(SELECT clave FROM productos WHERE empresa = $1 AND sku = $2))
  AND x.clave > $3
ORDER BY x.clave
LIMIT 31;

-- The filter `almacen`, a later page.
SELECT x.clave, x.producto,
       (SELECT p.sku FROM productos p WHERE p.empresa = $1 AND p.clave = x.producto), a.codigo,
       a.sucursal, x.existencia, x.apartado, x.minimo, x.modificado
FROM inventario x
JOIN almacenes a ON a.empresa = x.empresa AND a.clave = x.almacen
WHERE x.empresa = $1
  AND x.almacen BETWEEN (SELECT clave FROM almacenes WHERE empresa = $1 AND codigo = $2) AND (SELECT clave FROM almacenes WHERE empresa = $1 AND codigo = $3)
  AND x.clave > $4
ORDER BY x.almacen, x.clave
LIMIT 31;

-- The filter `sucursal`, a later page.
SELECT x.clave, x.producto,
       (SELECT p.sku FROM productos p WHERE p.empresa = $1 AND p.clave = x.producto), a.codigo,
       a.sucursal, x.existencia, x.apartado, x.minimo, x.modificado
FROM inventario x
JOIN almacenes a ON a.empresa = x.empresa AND a.clave = x.almacen
WHERE x.empresa = $1
  AND x.clave = ANY (ARRAY(
    SELECT k.clave
    FROM almacenes w
    CROSS JOIN LATERAL (
        SELECT i.clave
        FROM inventario i
        WHERE i.empresa = $1 AND i.almacen BETWEEN w.clave AND w.clave
          AND i.clave > $2
        ORDER BY i.almacen, i.clave
        LIMIT 31
    ) k
    WHERE w.empresa = $1 AND w.sucursal = $3
))
  AND x.clave > $4
ORDER BY x.clave
LIMIT 31;

-- The filter `modificado_desde`, a later page.
SELECT x.clave, x.producto,
       (SELECT p.sku FROM productos p WHERE p.empresa = $1 AND p.clave = x.producto), a.codigo,
       a.sucursal, x.existencia, x.apartado, x.minimo, x.modificado
FROM inventario x
JOIN almacenes a ON a.empresa = x.empresa AND a.clave = x.almacen
WHERE x.empresa = $1
  AND x.clave = ANY (ARRAY(
    WITH cerca AS MATERIALIZED (
        SELECT i.clave
        FROM (
            SELECT i.clave, i.modificado
            FROM inventario i
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
        FROM inventario i
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
        FROM inventario i
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
