-- /movimientos-inventario
-- No filter, the first page.
SELECT m.clave, m.fecha, m.tipo, m.producto, coalesce(p.sku, m.sku), m.cantidad,
       m.existencia_anterior, m.existencia_actual, m.almacen, m.almacen_destino, m.venta,
       m.compra, m.costo_unitario, m.importe, m.referencia
FROM movimientos_inventario m
LEFT JOIN productos p ON p.empresa = m.empresa AND p.clave = m.producto
WHERE m.empresa = $1
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
  AND m.tipo = $6
  AND m.clave > $7
ORDER BY m.clave
LIMIT 31;
