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
  AND estatus = 'activo'
  AND rfc = $4
  AND busqueda LIKE $5
  AND busqueda LIKE $6
  AND clave > $7
ORDER BY clave
LIMIT $8;

-- One value, here of `folio`, a later page.
SELECT clave, folio, nombre, contacto, rfc, correo, telefono, estatus
FROM proveedores
WHERE empresa = $1
  AND folio BETWEEN $2 AND $3
  AND estatus <> 'eliminado'
  AND clave > $4
ORDER BY folio, clave
LIMIT 31;

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
