-- /productos
-- No filter, the first page.
SELECT p.clave, p.sku, p.folio, p.descripcion, p.estatus, p.tipo, p.subtipo, p.kit,
       coalesce(p.clave_padre, 0), p.codigo_sat,
       (SELECT nombre FROM marcas m WHERE m.empresa = p.empresa AND m.clave = p.marca),
       (SELECT nombre FROM categorias c WHERE c.empresa = p.empresa AND c.clave = p.categoria),
       p.id_platform_b, p.modificado
FROM productos p
WHERE p.empresa = $1
  AND p.estatus <> 'eliminado'
ORDER BY p.clave
LIMIT 31;

-- All filters, a later page.
SELECT p.clave, p.sku, p.folio, p.descripcion, p.estatus, p.tipo, p.subtipo, p.kit,
       coalesce(p.clave_padre, 0), p.codigo_sat,
       (SELECT nombre FROM marcas m WHERE m.empresa = p.empresa AND m.clave = p.marca),
       (SELECT nombre FROM categorias c WHERE c.empresa = p.empresa AND c.clave = p.categoria),
       p.id_platform_b, p.modificado
FROM productos p
WHERE p.empresa = $1
  AND p.clave = ANY (ARRAY(
    SELECT f.clave
    FROM marcas n
    CROSS JOIN LATERAL (
        SELECT p.clave
        FROM productos p
        WHERE p.empresa = $1 AND p.marca BETWEEN n.clave AND n.clave
          AND p.clave = $2
          AND p.sku = $3
          AND p.folio = $4
          AND p.estatus = 'activo'
          AND p.tipo = 'normal'
          AND p.subtipo = 'terminado'
          AND p.kit
          AND p.codigo_sat = $5
          AND p.id_platform_b = $6
          AND p.categoria = ANY (ARRAY(SELECT clave FROM categorias WHERE empresa = $1 AND nombre = $7))
          AND p.clave_padre = ANY (ARRAY(SELECT clave FROM productos WHERE empresa = $1 AND sku = $8))
          AND p.busqueda LIKE $9
          AND p.busqueda LIKE $10
          AND p.modificado >= $11
          AND p.clave > $12
        ORDER BY p.marca, p.clave
        LIMIT $13
    ) f
    WHERE n.empresa = $1 AND n.nombre = $14
))
  AND p.clave > $15
ORDER BY p.clave
LIMIT $16;

-- One value, here of `sku`, a later page.
SELECT p.clave, p.sku, p.folio, p.descripcion, p.estatus, p.tipo, p.subtipo, p.kit,
       coalesce(p.clave_padre, 0), p.codigo_sat,
       (SELECT nombre FROM marcas m WHERE m.empresa = p.empresa AND m.clave = p.marca),
       (SELECT nombre FROM categorias c WHERE c.empresa = p.empresa AND c.clave = p.categoria),
       p.id_platform_b, p.modificado
FROM productos p
WHERE p.empresa = $1
  AND p.sku BETWEEN $2 AND $3
  AND p.estatus <> 'eliminado'
  AND p.clave > $4
ORDER BY p.sku, p.clave
LIMIT 31;

-- The filter `marca`, a later page.
SELECT p.clave, p.sku, p.folio, p.descripcion, p.estatus, p.tipo, p.subtipo, p.kit,
       coalesce(p.clave_padre, 0), p.codigo_sat,
       (SELECT nombre FROM marcas m WHERE m.empresa = p.empresa AND m.clave = p.marca),
       (SELECT nombre FROM categorias c WHERE c.empresa = p.empresa AND c.clave = p.categoria),
       p.id_platform_b, p.modificado
FROM productos p
WHERE p.empresa = $1
  AND p.clave = ANY (ARRAY(
    SELECT f.clave
    FROM marcas n
    CROSS JOIN LATERAL (
        SELECT p.clave
        FROM productos p
        WHERE p.empresa = $1 AND p.marca BETWEEN n.clave AND n.clave
          AND p.estatus <> 'eliminado'
          AND p.clave > $2
        ORDER BY p.marca, p.clave
        LIMIT $3
    ) f
    WHERE n.empresa = $1 AND n.nombre = $4
))
  AND p.estatus <> 'eliminado'
  AND p.clave > $5
ORDER BY p.clave
LIMIT 31;

-- The filter `categoria`, a later page.
SELECT p.clave, p.sku, p.folio, p.descripcion, p.estatus, p.tipo, p.subtipo, p.kit,
       coalesce(p.clave_padre, 0), p.codigo_sat,
       (SELECT nombre FROM marcas m WHERE m.empresa = p.empresa AND m.clave = p.marca),
       (SELECT nombre FROM categorias c WHERE c.empresa = p.empresa AND c.clave = p.categoria),
       p.id_platform_b, p.modificado
FROM productos p
WHERE p.empresa = $1
  AND p.clave = ANY (ARRAY(
    SELECT f.clave
    FROM categorias n
    CROSS JOIN LATERAL (
        SELECT p.clave
        FROM productos p
        WHERE p.empresa = $1 AND p.categoria BETWEEN n.clave AND n.clave
          AND p.estatus <> 'eliminado'
          AND p.clave > $2
        ORDER BY p.categoria, p.clave
        LIMIT $3
    ) f
    WHERE n.empresa = $1 AND n.nombre = $4
))
  AND p.estatus <> 'eliminado'
  AND p.clave > $5
ORDER BY p.clave
LIMIT 31;

-- The filter `sku_padre`, a later page.
SELECT p.clave, p.sku, p.folio, p.descripcion, p.estatus, p.tipo, p.subtipo, p.kit,
       coalesce(p.clave_padre, 0), p.codigo_sat,
       (SELECT nombre FROM marcas m WHERE m.empresa = p.empresa AND m.clave = p.marca),
       (SELECT nombre FROM categorias c WHERE c.empresa = p.empresa AND c.clave = p.categoria),
       p.id_platform_b, p.modificado
FROM productos p
WHERE p.empresa = $1
  AND p.clave_padre = ANY (ARRAY(SELECT clave FROM productos WHERE empresa = $1 AND sku = $2))
  AND p.estatus <> 'eliminado'
  AND p.clave > $3
ORDER BY p.clave
LIMIT 31;

-- The filter `buscar`, a later page.
SELECT p.clave, p.sku, p.folio, p.descripcion, p.estatus, p.tipo, p.subtipo, p.kit,
       coalesce(p.clave_padre, 0), p.codigo_sat,
       (SELECT nombre FROM marcas m WHERE m.empresa = p.empresa AND m.clave = p.marca),
       (SELECT nombre FROM categorias c WHERE c.empresa = p.empresa AND c.clave = p.categoria),
       p.id_platform_b, p.modificado
FROM productos p
WHERE p.empresa = $1
  AND p.busqueda LIKE $2
  AND p.busqueda LIKE $3
  AND p.estatus <> 'eliminado'
  AND p.clave > $4
ORDER BY p.clave
LIMIT $5;

-- The filter `modificado_desde`, a later page.
SELECT p.clave, p.sku, p.folio, p.descripcion, p.estatus, p.tipo, p.subtipo, p.kit,
       coalesce(p.clave_padre, 0), p.codigo_sat,
       (SELECT nombre FROM marcas m WHERE m.empresa = p.empresa AND m.clave = p.marca),
       (SELECT nombre FROM categorias c WHERE c.empresa = p.empresa AND c.clave = p.categoria),
       p.id_platform_b, p.modificado
FROM productos p
WHERE p.empresa = $1
  AND p.clave = ANY (ARRAY(
    WITH cerca AS MATERIALIZED (
        SELECT i.clave
        FROM (
            SELECT i.clave, i.modificado
            FROM productos i
            WHERE i.empresa = $1
              AND i.clave > $2
              AND i.estatus <> 'eliminado'
            ORDER BY i.clave
            LIMIT $3
        ) i
        WHERE i.modificado >= $4
        ORDER BY i.clave
        LIMIT $5
    ), cambiados AS MATERIALIZED (
        SELECT i.clave
        FROM productos i
        WHERE i.empresa = $1
          AND i.clave > $6
          AND i.estatus <> 'eliminado'
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
        FROM productos i
        WHERE i.empresa = $1
          AND i.clave > $13
          AND i.estatus <> 'eliminado'
          AND i.modificado + '0'::interval >= $14
          AND (SELECT count(*) FROM cambiados) = $15
        ORDER BY i.clave
        LIMIT $16
    )
))
  AND p.estatus <> 'eliminado'
  AND p.clave > $17
ORDER BY p.clave
LIMIT $18;
