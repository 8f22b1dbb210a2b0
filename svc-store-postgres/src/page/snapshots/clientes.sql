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

-- One value, here of `folio`, a later page.
SELECT clave, folio, nombre, razon_social, rfc, correo, telefono, movil, prospecto,
       id_platform_a, id_platform_b, id_platform_c, id_platform_d, id_platform_e, publico,
       proximo_contacto, modificado
FROM clientes
WHERE empresa = $1
  AND folio BETWEEN $2 AND $3
  AND clave > $4
ORDER BY folio, clave
LIMIT 31;

-- The filter `modificado_desde`, a later page.
SELECT clave, folio, nombre, razon_social, rfc, correo, telefono, movil, prospecto,
       id_platform_a, id_platform_b, id_platform_c, id_platform_d, id_platform_e, publico,
       proximo_contacto, modificado
FROM clientes
WHERE empresa = $1
  AND clave = ANY (ARRAY(
    WITH cerca AS MATERIALIZED (
        SELECT i.clave
        FROM (
            SELECT i.clave, i.modificado
            FROM clientes i
            WHERE i.empresa = $1
              AND i.clave > $2
            ORDER BY i.clave
            LIMIT $3
        ) i
        WHERE i.modificado >= $4
        ORDER BY i.clave
        LIMIT $5
    ), cambiados AS MATERIALIZED (
        SELECT i.clave
        FROM clientes i
        WHERE i.empresa = $1
          AND i.clave > $6
          AND i.modificado >= $7
          AND (SELECT count(*) FROM cerca) < $8
        ORDER BY i.modificado
        LIMIT $9
    )
    SELECT clave FROM cerca WHERE (SELECT count(*) FROM cerca) = $10
    UNION ALL
    (SELECT clave FROM cambiados WHERE (SELECT count(*) FROM cambiados) < $11 ORDER BY clave LIMIT $12)
    UNION ALL
    (
        SELECT i.clave
        FROM clientes i
        WHERE i.empresa = $1
          AND i.clave > $13
          AND i.modificado + '0'::interval >= $14
          AND (SELECT count(*) FROM cambiados) = $15
        ORDER BY i.clave
        LIMIT $16
    )
))
  AND clave > $17
ORDER BY clave
LIMIT $18;
