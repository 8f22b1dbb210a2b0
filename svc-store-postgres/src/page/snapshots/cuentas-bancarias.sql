-- /cuentas-bancarias
-- No filter, the first page.
SELECT c.clave, c.nombre, c.banco, c.moneda, c.estatus
FROM cuentas_bancarias c
WHERE c.empresa = $1
ORDER BY c.clave
LIMIT 31;

-- All filters, a later page.
SELECT c.clave, c.nombre, c.banco, c.moneda, c.estatus
FROM cuentas_bancarias c
WHERE c.empresa = $1
  AND c.clave = $2
  AND c.estatus = 'activo'
  AND c.clave > $3
ORDER BY c.clave
LIMIT 31;
