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
