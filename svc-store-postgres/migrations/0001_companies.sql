-- Companies, their users and API keys, their branches.
--
-- Every primary key, unique index and foreign key of the schema leads with `empresa`: a company's
-- rows lie together, and the tables can be distributed by that column. Claves count within their
-- company. An index whose comment names a filter serves that filter of the table's list; it ends in
-- `clave`, the order of the list's pages. A row that always belongs to another row of its company
-- has a foreign key to that one only, and tables that are written by the thousand have none to
-- `empresas`: the company of a transaction exists, and a check for each row costs as much as the
-- row.

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE SEQUENCE empresas_numero AS bigint;

CREATE TABLE empresas (
    empresa                bigint PRIMARY KEY CHECK (empresa > 0),
    nombre                 text NOT NULL,
    plan                   text NOT NULL CHECK (plan IN ('pro', 'none')),
    licencias              integer NOT NULL CHECK (licencias >= 0),
    limites                text NOT NULL CHECK (limites IN ('enforced', 'notice', 'inherit')),
    api                    boolean NOT NULL,
    franquicia             boolean NOT NULL,
    facturacion            boolean NOT NULL,
    -- The least part of an order that an advance pays, in percent.
    anticipo_minimo        numeric(5, 2) NOT NULL CHECK (anticipo_minimo BETWEEN 0 AND 100),
    -- Whether the company sells what its stock does not have.
    vender_sin_existencia  boolean NOT NULL DEFAULT true,
    -- Whether stamped documents go to the customer by e-mail.
    enviar_documentos      boolean NOT NULL DEFAULT false,
    rfc                    text,
    regimen                bigint,
    cp                     text,
    -- What printed documents bear besides: its colour as #rrggbb, address, contact for customers,
    -- and logo as an opaque PNG.
    color                  text CHECK (color ~ '^#[0-9a-f]{6}$'),
    direccion              text,
    telefono               text,
    correo                 text,
    web                    text,
    logo                   bytea,
    -- A company for trying: the sandbox stamps its documents, and nobody else. Never changed.
    prueba                 boolean NOT NULL DEFAULT false,
    -- A copy of another company that is still being written, or whose writing was cut short: no
    -- company to anybody.
    incompleta             boolean NOT NULL DEFAULT false,
    -- How many seconds its clock is ahead of the service's; only a test company's is ever moved.
    desfase                bigint NOT NULL DEFAULT 0 CHECK (desfase = 0 OR prueba AND desfase > 0),
    -- The key of the MAC that seals the cursors of the company's lists.
    cursor_clave           bytea NOT NULL CHECK (octet_length(cursor_clave) = 32),
    creada                 timestamptz NOT NULL
);
-- The companies for trying, whose documents are stamped where no provider is set.
CREATE INDEX empresas_prueba ON empresas (empresa) WHERE prueba;
-- Copies that are not whole, whose remains the next copy removes.
CREATE INDEX empresas_incompletas ON empresas (empresa) WHERE incompleta;
-- Those whose clock is ahead, to whose queues other things are due.
CREATE INDEX empresas_adelantadas ON empresas (empresa) WHERE desfase > 0;

-- The last clave or folio given out in each series of a company: a table, or a kind of document.
-- Few rows are written over and over; with room in their page they stay in it.
CREATE TABLE contadores (
    empresa  bigint NOT NULL,
    serie    text NOT NULL,
    valor    bigint NOT NULL,
    -- Of the series `polizas`: the last day of the closed months. It is here because every entry
    -- locks this row for its clave, so that closing and writing wait for each other.
    cerrado  date,
    PRIMARY KEY (empresa, serie)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

CREATE TABLE usuarios (
    empresa   bigint NOT NULL REFERENCES empresas,
    clave     bigint NOT NULL,
    nombre    text NOT NULL,
    correo    text,
    vendedor  boolean NOT NULL,
    activo    boolean NOT NULL DEFAULT true,
    PRIMARY KEY (empresa, clave)
);
-- Filter `estatus` of GET /vendedores, which lists users who sell.
CREATE INDEX usuarios_vendedor ON usuarios (empresa, activo, clave) WHERE vendedor;

-- API keys. A secret is 256 random bits, of which only the SHA-256 is stored.
CREATE TABLE llaves (
    empresa         bigint NOT NULL,
    sufijo          text NOT NULL,
    secreto_sha256  bytea NOT NULL CHECK (octet_length(secreto_sha256) = 32),
    usuario         bigint NOT NULL,
    permisos        text[] NOT NULL,
    vence           timestamptz,
    revocada        timestamptz,
    terminos        text,
    creada          timestamptz NOT NULL,
    PRIMARY KEY (empresa, sufijo),
    CONSTRAINT llaves_usuario_fk FOREIGN KEY (empresa, usuario) REFERENCES usuarios
);

-- How many requests each key made in the last clock minute in which it made any (contract §5).
-- The count is worth nothing a minute later, so it needs no foreign key.
CREATE TABLE llaves_minuto (
    empresa  bigint NOT NULL,
    llave    text NOT NULL,
    minuto   timestamptz NOT NULL,
    usadas   bigint NOT NULL CHECK (usadas >= 0),
    PRIMARY KEY (empresa, llave)
) WITH (fillfactor = 50);

-- How much of a month's quota a company has used. A month is Mexico's, named by its first day
-- (contract §5). The current month's row is written over and over; with room in its page it stays
-- in it.
CREATE TABLE cupos (
    empresa  bigint NOT NULL REFERENCES empresas,
    mes      date NOT NULL CHECK (extract(day FROM mes) = 1),
    usadas   bigint NOT NULL DEFAULT 0 CHECK (usadas >= 0),
    PRIMARY KEY (empresa, mes)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

-- Branches. The head office is 0.
CREATE TABLE sucursales (
    empresa  bigint NOT NULL REFERENCES empresas,
    clave    bigint NOT NULL CHECK (clave >= 0),
    nombre   text,
    cp       text,
    estatus  text NOT NULL DEFAULT 'activo' CHECK (estatus IN ('activo', 'inactivo')),
    PRIMARY KEY (empresa, clave)
);
-- Filter `estatus`.
CREATE INDEX sucursales_estatus ON sucursales (empresa, estatus, clave);
