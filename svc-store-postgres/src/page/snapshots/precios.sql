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
