-- Companies, their users and API keys, and what every write needs.
--
-- Every primary key, index and foreign key leads with `empresa`: a company's data lie together, and the schema can be
-- distributed by `empresa` as it stands. Claves count within their company. Collation C: order is bytes, as in Rust.

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE SEQUENCE empresas_numero AS bigint;

CREATE TABLE empresas (
    empresa          bigint PRIMARY KEY CHECK (empresa > 0),
    nombre           text NOT NULL,
    plan             text NOT NULL CHECK (plan IN ('pro', 'none')),
    licencias        integer NOT NULL CHECK (licencias >= 0),
    limites          text NOT NULL CHECK (limites IN ('enforced', 'notice', 'inherit')),
    api              boolean NOT NULL,
    franquicia       boolean NOT NULL,
    facturacion      boolean NOT NULL,
    anticipo_minimo  numeric(5, 2) NOT NULL CHECK (anticipo_minimo BETWEEN 0 AND 100),
    rfc              text,
    regimen          bigint,
    cp               text,
    cursor_clave     bytea NOT NULL CHECK (octet_length(cursor_clave) = 32),
    creada           timestamptz NOT NULL
);

-- The last clave given out of each series of a company: a record's table, or a folio's series.
CREATE TABLE contadores (
    empresa  bigint NOT NULL REFERENCES empresas,
    serie    text NOT NULL,
    valor    bigint NOT NULL,
    PRIMARY KEY (empresa, serie)
);

CREATE TABLE usuarios (
    empresa   bigint NOT NULL REFERENCES empresas,
    clave     bigint NOT NULL,
    nombre    text NOT NULL,
    correo    text,
    vendedor  boolean NOT NULL,
    activo    boolean NOT NULL DEFAULT true,
    PRIMARY KEY (empresa, clave)
);

CREATE TABLE llaves (
    empresa          bigint NOT NULL REFERENCES empresas,
    sufijo           text NOT NULL,
    secreto_sha256   bytea NOT NULL CHECK (octet_length(secreto_sha256) = 32),
    usuario          bigint NOT NULL,
    permisos         text[] NOT NULL,
    vence            timestamptz,
    revocada         timestamptz,
    terminos         text,
    creada           timestamptz NOT NULL,
    PRIMARY KEY (empresa, sufijo),
    CONSTRAINT llaves_usuario_fk FOREIGN KEY (empresa, usuario) REFERENCES usuarios
);

-- What each Idempotency-Key stands for and was answered. `respuesta` is null only within the transaction of the effect.
CREATE TABLE idempotencia (
    empresa    bigint NOT NULL REFERENCES empresas,
    llave      text NOT NULL,
    nombre     text NOT NULL,
    huella     bytea NOT NULL,
    respuesta  bytea,
    creada     timestamptz NOT NULL,
    PRIMARY KEY (empresa, llave, nombre)
);
CREATE INDEX idempotencia_creada ON idempotencia (empresa, creada);

-- The outbox: events, written in the transaction of what they tell. `cuerpo` is what every notice sends.
CREATE TABLE eventos (
    empresa        bigint NOT NULL REFERENCES empresas,
    id             uuid NOT NULL,
    tipo           text NOT NULL,
    recurso        text NOT NULL,
    recurso_clave  bigint NOT NULL,
    cuerpo         bytea NOT NULL,
    creado         timestamptz NOT NULL,
    PRIMARY KEY (empresa, id)
);
CREATE INDEX eventos_creado ON eventos (empresa, creado);

CREATE TABLE sucursales (
    empresa  bigint NOT NULL REFERENCES empresas,
    clave    bigint NOT NULL CHECK (clave >= 0),
    nombre   text,
    cp       text,
    estatus  text NOT NULL DEFAULT 'activo' CHECK (estatus IN ('activo', 'inactivo')),
    PRIMARY KEY (empresa, clave)
);

CREATE TABLE almacenes (
    empresa    bigint NOT NULL REFERENCES empresas,
    clave      bigint NOT NULL,
    codigo     text NOT NULL CHECK (length(codigo) = 3),
    nombre     text,
    sucursal   bigint NOT NULL,
    principal  boolean NOT NULL DEFAULT false,
    estatus    text NOT NULL DEFAULT 'activo' CHECK (estatus IN ('activo', 'inactivo', 'eliminado')),
    PRIMARY KEY (empresa, clave),
    CONSTRAINT almacenes_codigo_unico UNIQUE (empresa, codigo),
    CONSTRAINT almacenes_sucursal_fk FOREIGN KEY (empresa, sucursal) REFERENCES sucursales
);
CREATE INDEX almacenes_sucursal ON almacenes (empresa, sucursal, clave);

CREATE TABLE listas_precios (
    empresa  bigint NOT NULL REFERENCES empresas,
    clave    bigint NOT NULL,
    nombre   text,
    PRIMARY KEY (empresa, clave)
);
