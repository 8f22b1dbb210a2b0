-- What applications keep of records: fields of their own, and the record's number with them.
CREATE TABLE metadatos (
    empresa     bigint NOT NULL,
    clave       bigint NOT NULL,
    -- The name that the application has given itself.
    aplicacion  text NOT NULL,
    -- The list of the record, and its clave there.
    recurso     text NOT NULL,
    registro    bigint NOT NULL,
    id_externo  text,
    -- An object of texts.
    metadatos   text NOT NULL,
    creado      timestamptz NOT NULL,
    modificado  timestamptz,
    PRIMARY KEY (empresa, clave)
);
CREATE UNIQUE INDEX metadatos_registro ON metadatos (empresa, aplicacion, recurso, registro);
-- An application names a record once.
CREATE UNIQUE INDEX metadatos_externo ON metadatos (empresa, aplicacion, recurso, id_externo);
-- The filters, alone.
CREATE INDEX metadatos_de_registro ON metadatos (empresa, recurso, registro, clave);
CREATE INDEX metadatos_por_externo ON metadatos (empresa, id_externo, clave);
