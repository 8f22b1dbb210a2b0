-- The XML of what the registry has: sealed and waiting for the authority's word, or stamped, which is the invoice itself and never
-- goes. In a table of its own, so that the registry's rows stay short. `xml` is deflated (zlib, RFC 1950).
CREATE TABLE facturas_xml (
    empresa   bigint NOT NULL REFERENCES empresas,
    factura   bigint NOT NULL,
    timbrado  boolean NOT NULL,
    xml       bytea NOT NULL,
    guardado  timestamptz NOT NULL,
    PRIMARY KEY (empresa, factura),
    CONSTRAINT facturas_xml_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas
);
