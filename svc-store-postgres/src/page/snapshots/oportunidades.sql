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
  AND estatus = 'abierta'
  AND etapa = $3
  AND cliente = $4
  AND vendedor = $5
  AND cierre >= $6
  AND cierre <= $7
  AND clave > $8
ORDER BY clave
LIMIT $9;

-- One value, here of `etapa`, a later page.
SELECT clave, folio, nombre, estatus, etapa, cliente, contacto_nombre, contacto_empresa,
       contacto_correo, contacto_telefono, vendedor, monto, moneda, probabilidad, cierre,
       motivo_perdida, fecha_cierre, origen, creado, modificado
FROM oportunidades
WHERE empresa = $1
  AND etapa BETWEEN $2 AND $3
  AND clave > $4
ORDER BY etapa, clave
LIMIT 31;
