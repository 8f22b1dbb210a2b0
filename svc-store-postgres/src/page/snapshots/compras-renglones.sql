-- /compras-renglones
-- Only `compra`, the first page.
SELECT r.clave, r.compra, r.renglon, r.producto, p.sku, r.descripcion, r.cantidad,
       r.cantidad_recibida, r.unidad, r.costo_unitario, r.descuento, r.subtotal, r.iva, r.total
FROM compras_renglones r
LEFT JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto
WHERE r.empresa = $1
  AND r.compra BETWEEN $2 AND $3
ORDER BY r.compra, r.clave
LIMIT 31;

-- All filters, a later page.
SELECT r.clave, r.compra, r.renglon, r.producto, p.sku, r.descripcion, r.cantidad,
       r.cantidad_recibida, r.unidad, r.costo_unitario, r.descuento, r.subtotal, r.iva, r.total
FROM compras_renglones r
LEFT JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto
WHERE r.empresa = $1
  AND r.compra BETWEEN $2 AND $3
  AND r.clave > $4
ORDER BY r.compra, r.clave
LIMIT 31;

-- One value, here of `compra`, a later page.
SELECT r.clave, r.compra, r.renglon, r.producto, p.sku, r.descripcion, r.cantidad,
       r.cantidad_recibida, r.unidad, r.costo_unitario, r.descuento, r.subtotal, r.iva, r.total
FROM compras_renglones r
LEFT JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto
WHERE r.empresa = $1
  AND r.compra BETWEEN $2 AND $3
  AND r.clave > $4
ORDER BY r.compra, r.clave
LIMIT 31;
