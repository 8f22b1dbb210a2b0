-- Customers and prospects.

CREATE TABLE clientes (
    empresa           bigint NOT NULL REFERENCES empresas,
    clave             bigint NOT NULL,
    folio             text,
    nombre            text,
    razon_social      text,
    rfc               text,
    correo            text,
    telefono          text,
    movil             text,
    prospecto         boolean NOT NULL DEFAULT false,
    id_platform_a     text,
    id_platform_b     text,
    id_platform_c     text,
    id_platform_d     text,
    id_platform_e     text,
    publico           boolean NOT NULL DEFAULT false,
    proximo_contacto  date,
    modificado        timestamptz,
    regimen           bigint,
    uso_cfdi          text,
    cp                text,
    calle             text,
    colonia           text,
    pais              bigint NOT NULL DEFAULT 172,
    vendedor          bigint,
    limite_credito    numeric(24, 6) NOT NULL DEFAULT 0 CHECK (limite_credito >= 0),
    dias_credito      integer NOT NULL DEFAULT 0 CHECK (dias_credito BETWEEN 0 AND 365),
    lista             bigint,
    plataforma        text CHECK (plataforma IN ('a', 'b', 'c', 'd', 'e')),
    mensaje           text,
    -- What the filter `correo` compares: lower case without white space. The program computes it (`domain/computed.rs`),
    -- since lower() depends on the database's collation.
    correo_comparable    text,
    -- What the filters `telefono` and `movil` compare: the last ten characters that are neither -()+ nor white space, by
    -- the code points that Unicode calls so.
    telefono_comparable  text GENERATED ALWAYS AS (right(regexp_replace(telefono,
        '[-()+ \t-\r\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]+', '', 'g'), 10)) STORED,
    movil_comparable     text GENERATED ALWAYS AS (right(regexp_replace(movil,
        '[-()+ \t-\r\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]+', '', 'g'), 10)) STORED,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT clientes_vendedor_fk FOREIGN KEY (empresa, vendedor) REFERENCES usuarios,
    CONSTRAINT clientes_lista_fk FOREIGN KEY (empresa, lista) REFERENCES listas_precios
);
-- An RFC is one customer's, but for the two generic ones.
CREATE UNIQUE INDEX clientes_rfc_unico ON clientes (empresa, rfc) WHERE rfc NOT IN ('XAXX010101000', 'XEXX010101000');
-- An index a filter; each ends in clave, the order of every page.
CREATE INDEX clientes_folio ON clientes (empresa, folio, clave);
CREATE INDEX clientes_rfc ON clientes (empresa, rfc, clave);
CREATE INDEX clientes_correo ON clientes (empresa, correo_comparable, clave);
CREATE INDEX clientes_telefono ON clientes (empresa, telefono_comparable, clave);
CREATE INDEX clientes_movil ON clientes (empresa, movil_comparable, clave);
CREATE INDEX clientes_prospecto ON clientes (empresa, prospecto, clave);
CREATE INDEX clientes_publico ON clientes (empresa, publico, clave);
CREATE INDEX clientes_id_platform_a ON clientes (empresa, id_platform_a, clave) WHERE id_platform_a IS NOT NULL;
CREATE INDEX clientes_id_platform_b ON clientes (empresa, id_platform_b, clave) WHERE id_platform_b IS NOT NULL;
CREATE INDEX clientes_id_platform_c ON clientes (empresa, id_platform_c, clave) WHERE id_platform_c IS NOT NULL;
CREATE INDEX clientes_id_platform_d ON clientes (empresa, id_platform_d, clave) WHERE id_platform_d IS NOT NULL;
CREATE INDEX clientes_id_platform_e ON clientes (empresa, id_platform_e, clave) WHERE id_platform_e IS NOT NULL;
CREATE INDEX clientes_uso_cfdi ON clientes (empresa, uso_cfdi, clave);
CREATE INDEX clientes_modificado ON clientes (empresa, modificado, clave);
CREATE INDEX clientes_proximo_contacto ON clientes (empresa, proximo_contacto, clave) WHERE proximo_contacto IS NOT NULL;
CREATE INDEX clientes_vendedor ON clientes (empresa, vendedor, clave) WHERE vendedor IS NOT NULL;
