-- /compras
-- No filter, the first page.
SELECT c.clave, c.folio, c.estatus, c.proveedor, c.fecha, c.fecha_entrega, c.sucursal, a.codigo,
       c.moneda, c.tipo_cambio, c.subtotal, c.descuento, c.impuestos, c.total, c.cxp,
       c.comentarios, greatest(c.modificado, a.renombrado)
FROM compras c
LEFT JOIN almacenes a ON a.empresa = c.empresa AND a.clave = c.almacen
WHERE c.empresa = $1
ORDER BY c.clave
LIMIT 31;

-- All filters, a later page.
SELECT c.clave, c.folio, c.estatus, c.proveedor, c.fecha, c.fecha_entrega, c.sucursal, a.codigo,
       c.moneda, c.tipo_cambio, c.subtotal, c.descuento, c.impuestos, c.total, c.cxp,
       c.comentarios, greatest(c.modificado, a.renombrado)
FROM compras c
LEFT JOIN almacenes a ON a.empresa = c.empresa AND a.clave = c.almacen
WHERE c.empresa = $1
  AND c.clave = $2
  AND c.folio = $3
  AND c.proveedor = $4
  AND c.estatus = 'pendiente'
  AND c.sucursal = $5
  AND c.fecha >= $6
  AND c.fecha <= $7
  AND c.clave > $8
ORDER BY c.clave
LIMIT $9;

-- One value, here of `folio`, a later page.
SELECT c.clave, c.folio, c.estatus, c.proveedor, c.fecha, c.fecha_entrega, c.sucursal, a.codigo,
       c.moneda, c.tipo_cambio, c.subtotal, c.descuento, c.impuestos, c.total, c.cxp,
       c.comentarios, greatest(c.modificado, a.renombrado)
FROM compras c
LEFT JOIN almacenes a ON a.empresa = c.empresa AND a.clave = c.almacen
WHERE c.empresa = $1
  AND c.folio BETWEEN $2 AND $3
  AND c.clave > $4
ORDER BY c.folio, c.clave
LIMIT 31;
