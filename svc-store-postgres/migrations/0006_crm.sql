-- The CRM's funnel.

CREATE TABLE etapas_oportunidad (
    empresa       bigint NOT NULL REFERENCES empresas,
    clave         bigint NOT NULL,
    nombre        text NOT NULL,
    tipo          text NOT NULL DEFAULT 'abierta' CHECK (tipo IN ('abierta', 'ganada', 'perdida')),
    orden         bigint NOT NULL,
    probabilidad  bigint NOT NULL CHECK (probabilidad BETWEEN 0 AND 100),
    estatus       text NOT NULL DEFAULT 'activo' CHECK (estatus IN ('activo', 'inactivo')),
    PRIMARY KEY (empresa, clave)
);
CREATE INDEX etapas_oportunidad_tipo ON etapas_oportunidad (empresa, tipo, clave);
CREATE INDEX etapas_oportunidad_estatus ON etapas_oportunidad (empresa, estatus, clave);

CREATE TABLE motivos_perdida (
    empresa  bigint NOT NULL REFERENCES empresas,
    clave    bigint NOT NULL,
    nombre   text NOT NULL,
    estatus  text NOT NULL DEFAULT 'activo' CHECK (estatus IN ('activo', 'inactivo')),
    PRIMARY KEY (empresa, clave)
);
CREATE INDEX motivos_perdida_estatus ON motivos_perdida (empresa, estatus, clave);

-- The status of an opportunity is the type of its stage; it is kept here too, so that an index leads to it.
CREATE TABLE oportunidades (
    empresa            bigint NOT NULL REFERENCES empresas,
    clave              bigint NOT NULL,
    folio              text,
    nombre             text,
    estatus            text NOT NULL CHECK (estatus IN ('abierta', 'ganada', 'perdida')),
    etapa              bigint NOT NULL,
    cliente            bigint,
    contacto_nombre    text,
    contacto_empresa   text,
    contacto_correo    text,
    contacto_telefono  text,
    vendedor           bigint,
    monto              numeric(24, 6) CHECK (monto >= 0),
    moneda             text NOT NULL DEFAULT 'MXN' CHECK (moneda ~ '^[A-Z]{3}$'),
    probabilidad       bigint CHECK (probabilidad BETWEEN 0 AND 100),
    cierre             date,
    motivo_perdida     bigint,
    fecha_cierre       timestamptz,
    origen             text,
    creado             timestamptz NOT NULL,
    modificado         timestamptz,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT oportunidades_motivo_perdida_check CHECK (motivo_perdida IS NULL OR estatus = 'perdida'),
    CONSTRAINT oportunidades_etapa_fk FOREIGN KEY (empresa, etapa) REFERENCES etapas_oportunidad,
    CONSTRAINT oportunidades_cliente_fk FOREIGN KEY (empresa, cliente) REFERENCES clientes,
    CONSTRAINT oportunidades_vendedor_fk FOREIGN KEY (empresa, vendedor) REFERENCES usuarios,
    CONSTRAINT oportunidades_motivo_perdida_fk FOREIGN KEY (empresa, motivo_perdida) REFERENCES motivos_perdida
);
CREATE INDEX oportunidades_estatus ON oportunidades (empresa, estatus, clave);
CREATE INDEX oportunidades_etapa ON oportunidades (empresa, etapa, clave);
CREATE INDEX oportunidades_cliente ON oportunidades (empresa, cliente, clave);
CREATE INDEX oportunidades_vendedor ON oportunidades (empresa, vendedor, clave) WHERE vendedor IS NOT NULL;
CREATE INDEX oportunidades_cierre ON oportunidades (empresa, cierre, clave) WHERE cierre IS NOT NULL;
