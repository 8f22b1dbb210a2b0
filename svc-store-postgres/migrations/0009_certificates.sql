-- The signing certificates of a company. The one that was loaded last signs; it has the greatest `orden`.
CREATE TABLE certificados (
    empresa      bigint NOT NULL REFERENCES empresas,
    numero       text NOT NULL,
    orden        bigint NOT NULL,
    rfc          text NOT NULL,
    desde        timestamptz NOT NULL,
    hasta        timestamptz NOT NULL,
    certificado  bytea NOT NULL,
    -- The private key, PKCS#8, sealed: its first byte tells how.
    llave        bytea NOT NULL,
    cargado      timestamptz NOT NULL,
    PRIMARY KEY (empresa, numero),
    CONSTRAINT certificados_validez_check CHECK (desde <= hasta),
    CONSTRAINT certificados_orden_unico UNIQUE (empresa, orden)
);
