-- /clientes
-- No filter, the first page.
SELECT clave, folio, nombre, razon_social, rfc, correo, telefono, movil, prospecto,
       id_platform_a, id_platform_b, id_platform_c, id_platform_d, id_platform_e, publico,
       proximo_contacto, modificado
FROM clientes
WHERE empresa = $1
ORDER BY clave
LIMIT 31;

-- All filters, a later page.
SELECT clave, folio, nombre, razon_social, rfc, correo, telefono, movil, prospecto,
       id_platform_a, id_platform_b, id_platform_c, id_platform_d, id_platform_e, publico,
       proximo_contacto, modificado
FROM clientes
WHERE empresa = $1
  AND clave = $2
  AND folio = $3
  AND correo_comparable = $4
  AND telefono_comparable = $5
  AND movil_comparable = $6
  AND rfc = $7
  AND prospecto
  AND publico
  AND id_platform_a = $8
  AND id_platform_b = $9
  AND id_platform_c = $10
  AND id_platform_d = $11
  AND id_platform_e = $12
  AND uso_cfdi = $13
  AND modificado >= $14
  AND proximo_contacto >= $15
  AND proximo_contacto <= $16
  AND clave > $17
ORDER BY clave
LIMIT $18;
