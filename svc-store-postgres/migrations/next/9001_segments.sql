-- Segments that a company puts its customers in.
CREATE TABLE segmentos (
    empresa  bigint NOT NULL REFERENCES empresas,
    clave    bigint NOT NULL,
    nombre   text NOT NULL,
    PRIMARY KEY (empresa, clave)
);
-- Finds a segment by its name.
CREATE INDEX segmentos_nombre ON segmentos (empresa, nombre, clave);
