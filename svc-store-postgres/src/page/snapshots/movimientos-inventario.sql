-- /movimientos-inventario
-- Only `sku`, the first page.
SELECT m.clave, m.fecha, m.tipo, m.producto, coalesce(p.sku, m.sku), m.cantidad,
       m.existencia_anterior, m.existencia_actual, m.almacen, m.almacen_destino, m.venta,
       m.compra, m.costo_unitario, m.importe, m.referencia
FROM movimientos_inventario m
LEFT JOIN productos p ON p.empresa = m.empresa AND p.clave = m.producto
WHERE m.empresa = $1
  AND m.clave = ANY (ARRAY(
    WITH RECURSIVE dado AS (SELECT $2::text AS sku), escritos (producto) AS (
        SELECT min(x.producto)
        FROM movimientos_inventario x
        WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado)
        UNION ALL
        SELECT (SELECT min(x.producto)
                FROM movimientos_inventario x
                WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) AND x.producto > e.producto)
        FROM escritos e
        WHERE e.producto IS NOT NULL
    )
    SELECT k.clave
    FROM productos s
    CROSS JOIN LATERAL (
        SELECT x.clave
        FROM movimientos_inventario x
        WHERE x.empresa = $1 AND x.producto = s.clave
        ORDER BY x.clave
        LIMIT 31
    ) k
    WHERE s.empresa = $1 AND s.sku = (SELECT sku FROM dado)
    UNION ALL
    SELECT k.clave
    FROM escritos e
    CROSS JOIN LATERAL (
        SELECT x.clave
        FROM movimientos_inventario x
        WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) AND x.producto = e.producto
        ORDER BY x.clave
        LIMIT 31
    ) k
    WHERE NOT EXISTS (
        SELECT FROM productos s WHERE s.empresa = $1 AND s.clave = e.producto AND s.sku IS NOT NULL
    )
    UNION ALL
    (
        SELECT x.clave
        FROM movimientos_inventario x
        WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) AND x.producto IS NULL
        ORDER BY x.clave
        LIMIT 31
    )
))
ORDER BY m.clave
LIMIT 31;

-- All filters, a later page.
SELECT m.clave, m.fecha, m.tipo, m.producto, coalesce(p.sku, m.sku), m.cantidad,
       m.existencia_anterior, m.existencia_actual, m.almacen, m.almacen_destino, m.venta,
       m.compra, m.costo_unitario, m.importe, m.referencia
FROM movimientos_inventario m
LEFT JOIN productos p ON p.empresa = m.empresa AND p.clave = m.producto
WHERE m.empresa = $1
  AND m.clave = $2
  AND (m.producto = ANY (ARRAY(SELECT clave FROM productos WHERE empresa = $1 AND sku = $3)) OR m.sku = $4
      AND NOT EXISTS (
          SELECT FROM productos s WHERE s.empresa = $1 AND s.clave = m.producto AND s.sku IS NOT NULL
      ))
  AND m.venta = $5
  AND m.tipo = 'registro'
  AND m.clave > $6
ORDER BY m.clave
LIMIT $7;

-- The filter `sku`, a later page.
SELECT m.clave, m.fecha, m.tipo, m.producto, coalesce(p.sku, m.sku), m.cantidad,
       m.existencia_anterior, m.existencia_actual, m.almacen, m.almacen_destino, m.venta,
       m.compra, m.costo_unitario, m.importe, m.referencia
FROM movimientos_inventario m
LEFT JOIN productos p ON p.empresa = m.empresa AND p.clave = m.producto
WHERE m.empresa = $1
  AND m.clave = ANY (ARRAY(
    WITH RECURSIVE dado AS (SELECT $2::text AS sku), escritos (producto) AS (
        SELECT min(x.producto)
        FROM movimientos_inventario x
        WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado)
        UNION ALL
        SELECT (SELECT min(x.producto)
                FROM movimientos_inventario x
                WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) AND x.producto > e.producto)
        FROM escritos e
        WHERE e.producto IS NOT NULL
    )
    SELECT k.clave
    FROM productos s
    CROSS JOIN LATERAL (
        SELECT x.clave
        FROM movimientos_inventario x
        WHERE x.empresa = $1 AND x.producto = s.clave
          AND x.clave > $3
        ORDER BY x.clave
        LIMIT 31
    ) k
    WHERE s.empresa = $1 AND s.sku = (SELECT sku FROM dado)
    UNION ALL
    SELECT k.clave
    FROM escritos e
    CROSS JOIN LATERAL (
        SELECT x.clave
        FROM movimientos_inventario x
        WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) AND x.producto = e.producto
          AND x.clave > $4
        ORDER BY x.clave
        LIMIT 31
    ) k
    WHERE NOT EXISTS (
        SELECT FROM productos s WHERE s.empresa = $1 AND s.clave = e.producto AND s.sku IS NOT NULL
    )
    UNION ALL
    (
        SELECT x.clave
        FROM movimientos_inventario x
        WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) AND x.producto IS NULL
          AND x.clave > $5
        ORDER BY x.clave
        LIMIT 31
    )
))
  AND m.clave > $6
ORDER BY m.clave
LIMIT 31;

-- The filter `tipo=registro`, a later page.
SELECT m.clave, m.fecha, m.tipo, m.producto, coalesce(p.sku, m.sku), m.cantidad,
       m.existencia_anterior, m.existencia_actual, m.almacen, m.almacen_destino, m.venta,
       m.compra, m.costo_unitario, m.importe, m.referencia
FROM movimientos_inventario m
LEFT JOIN productos p ON p.empresa = m.empresa AND p.clave = m.producto
WHERE m.empresa = $1
  AND m.clave = ANY (ARRAY(
    WITH RECURSIVE dado AS (SELECT $2::text AS sku), escritos (producto) AS (
        SELECT min(x.producto)
        FROM movimientos_inventario x
        WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado)
        UNION ALL
        SELECT (SELECT min(x.producto)
                FROM movimientos_inventario x
                WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) AND x.producto > e.producto)
        FROM escritos e
        WHERE e.producto IS NOT NULL
    )
    SELECT k.clave
    FROM productos s
    CROSS JOIN LATERAL (
        SELECT x.clave
        FROM movimientos_inventario x
        WHERE x.empresa = $1 AND x.producto = s.clave
          AND x.tipo = 'registro'
          AND x.clave > $3
        ORDER BY x.clave
        LIMIT 31
    ) k
    WHERE s.empresa = $1 AND s.sku = (SELECT sku FROM dado)
    UNION ALL
    SELECT k.clave
    FROM escritos e
    CROSS JOIN LATERAL (
        SELECT x.clave
        FROM movimientos_inventario x
        WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) AND x.producto = e.producto
          AND x.tipo = 'registro'
          AND x.clave > $4
        ORDER BY x.clave
        LIMIT 31
    ) k
    WHERE NOT EXISTS (
        SELECT FROM productos s WHERE s.empresa = $1 AND s.clave = e.producto AND s.sku IS NOT NULL
    )
    UNION ALL
    (
        SELECT x.clave
        FROM movimientos_inventario x
        WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) AND x.producto IS NULL
          AND x.tipo = 'registro'
          AND x.clave > $5
        ORDER BY x.clave
        LIMIT 31
    )
))
  AND m.tipo = 'registro'
  AND m.clave > $6
ORDER BY m.clave
LIMIT 31;
