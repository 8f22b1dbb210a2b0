-- /proveedores
-- No filter, the first page.
SELECT clave, folio, nombre, contacto, rfc, correo, telefono, estatus
FROM proveedores
WHERE empresa = $1
  AND estatus <> 'eliminado'
ORDER BY clave
LIMIT 31;

-- All filters, a later page.
SELECT clave, folio, nombre, contacto, rfc, correo, telefono, estatus
FROM proveedores
WHERE empresa = $1
  AND clave = $2
  AND folio = $3
  AND estatus = $4
  AND rfc = $5
  AND busqueda LIKE $6
  AND busqueda LIKE $7
  AND clave > $8
ORDER BY clave
LIMIT $9;

-- The filter `nombre`, a later page.
SELECT clave, folio, nombre, contacto, rfc, correo, telefono, estatus
FROM proveedores
WHERE empresa = $1
  AND busqueda LIKE $2
  AND busqueda LIKE $3
  AND estatus <> 'eliminado'
  AND clave > $4
ORDER BY clave
LIMIT $5;
