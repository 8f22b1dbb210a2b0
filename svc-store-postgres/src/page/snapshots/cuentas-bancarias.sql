-- /cuentas-bancarias
-- No filter, the first page.
SELECT clave, nombre, banco, moneda, estatus
FROM cuentas_bancarias
WHERE empresa = $1
ORDER BY clave
LIMIT 31;

-- All filters, a later page.
SELECT clave, nombre, banco, moneda, estatus
FROM cuentas_bancarias
WHERE empresa = $1
  AND clave = $2
  AND estatus = $3
  AND clave > $4
ORDER BY clave
LIMIT 31;
