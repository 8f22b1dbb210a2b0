-- /oportunidades
-- No filter, the first page.
SELECT clave, folio, nombre, estatus, etapa, cliente, contacto_nombre, contacto_empresa,
       contacto_correo, contacto_telefono, vendedor, monto, moneda, probabilidad, cierre,
       motivo_perdida, fecha_cierre, origen, creado, modificado
FROM oportunidades
WHERE empresa = $1
ORDER BY clave
LIMIT 31;

-- All filters, a later page.
SELECT clave, folio, nombre, estatus, etapa, cliente, contacto_nombre, contacto_empresa,
       contacto_correo, contacto_telefono, vendedor, monto, moneda, probabilidad, cierre,
       motivo_perdida, fecha_cierre, origen, creado, modificado
FROM oportunidades
WHERE empresa = $1
  AND clave = $2
  AND estatus = $3
  AND etapa = $4
  AND cliente = $5
  AND vendedor = $6
  AND cierre >= $7
  AND cierre <= $8
  AND clave > $9
ORDER BY clave
LIMIT $10;
