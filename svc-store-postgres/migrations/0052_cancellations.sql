-- Cancellations that were asked for, until the authority's final word. Whoever works on one holds it until `arrendado`, under a token
-- that is looked at again when the result is written. `enviada`: since when the authority has the request. `pago`: the payment that
-- is cancelled with its complement. `aceptacion`: whoever asked says that its receiver has to accept.
CREATE TABLE cancelaciones (
    empresa       bigint NOT NULL REFERENCES empresas,
    factura       bigint NOT NULL,
    pago          bigint,
    aceptacion    boolean NOT NULL,
    proximo       timestamptz NOT NULL,
    intentos      integer NOT NULL DEFAULT 0 CHECK (intentos >= 0),
    enviada       timestamptz,
    token         uuid,
    arrendado     timestamptz,
    detenido      text,
    ultimo_error  text,
    creado        timestamptz NOT NULL,
    PRIMARY KEY (empresa, factura),
    CONSTRAINT cancelaciones_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas
);
CREATE INDEX cancelaciones_proximo ON cancelaciones (empresa, proximo);
CREATE INDEX cancelaciones_vencidas ON cancelaciones (proximo, empresa);

-- The authority's receipts of requests to cancel, deflated (zlib, RFC 1950). They are kept with the documents, for good.
CREATE TABLE facturas_acuses (
    empresa   bigint NOT NULL REFERENCES empresas,
    factura   bigint NOT NULL,
    xml       bytea NOT NULL,
    guardado  timestamptz NOT NULL,
    PRIMARY KEY (empresa, factura),
    CONSTRAINT facturas_acuses_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas
);
