-- /ventas-renglones
-- Only `venta`, the first page.
SELECT r.clave, r.venta, r.renglon, r.producto, coalesce(p.sku, r.sku), r.descripcion,
       r.cantidad, r.cantidad_surtida, r.unidad, r.unidad_sat, r.codigo_sat, r.objeto_impuesto,
       r.precio_unitario, r.descuento, r.subtotal, r.iva_tasa, r.iva, r.total, r.ieps,
       r.retenciones
FROM ventas_renglones r
LEFT JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto
WHERE r.empresa = $1
  AND r.venta BETWEEN $2 AND $3
ORDER BY r.venta, r.clave
LIMIT 31;

-- All filters, a later page.
SELECT r.clave, r.venta, r.renglon, r.producto, coalesce(p.sku, r.sku), r.descripcion,
       r.cantidad, r.cantidad_surtida, r.unidad, r.unidad_sat, r.codigo_sat, r.objeto_impuesto,
       r.precio_unitario, r.descuento, r.subtotal, r.iva_tasa, r.iva, r.total, r.ieps,
       r.retenciones
FROM ventas_renglones r
LEFT JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto
WHERE r.empresa = $1
  AND r.venta = $2
  AND (r.producto = ANY (ARRAY(SELECT clave FROM productos WHERE empresa = $1 AND sku = $3)) OR r.sku = $4
      AND NOT EXISTS (
          SELECT FROM productos s WHERE s.empresa = $1 AND s.clave = r.producto AND s.sku IS NOT NULL
      ))
  AND r.clave > $5
ORDER BY r.clave
LIMIT $6;

-- One value, here of `venta`, a later page.
SELECT r.clave, r.venta, r.renglon, r.producto, coalesce(p.sku, r.sku), r.descripcion,
       r.cantidad, r.cantidad_surtida, r.unidad, r.unidad_sat, r.codigo_sat, r.objeto_impuesto,
       r.precio_unitario, r.descuento, r.subtotal, r.iva_tasa, r.iva, r.total, r.ieps,
       r.retenciones
FROM ventas_renglones r
LEFT JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto
WHERE r.empresa = $1
  AND r.venta BETWEEN $2 AND $3
  AND r.clave > $4
ORDER BY r.venta, r.clave
LIMIT 31;

-- The filter `sku`, a later page.
SELECT r.clave, r.venta, r.renglon, r.producto, coalesce(p.sku, r.sku), r.descripcion,
       r.cantidad, r.cantidad_surtida, r.unidad, r.unidad_sat, r.codigo_sat, r.objeto_impuesto,
       r.precio_unitario, r.descuento, r.subtotal, r.iva_tasa, r.iva, r.total, r.ieps,
       r.retenciones
FROM ventas_renglones r
LEFT JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto
WHERE r.empresa = $1
  AND r.venta = $2
  AND (r.producto = ANY (ARRAY(SELECT clave FROM productos WHERE empresa = $1 AND sku = $3)) OR r.sku = $4
      AND NOT EXISTS (
          SELECT FROM productos s WHERE s.empresa = $1 AND s.clave = r.producto AND s.sku IS NOT NULL
      ))
  AND r.clave > $5
ORDER BY r.clave
LIMIT $6;
