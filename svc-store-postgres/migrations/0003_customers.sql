-- Customers and prospects, the CRM's funnel, and contacts with the agenda that follows them.

CREATE TABLE clientes (
    empresa              bigint NOT NULL,
    clave                bigint NOT NULL,
    folio                text,
    nombre               text,
    razon_social         text,
    rfc                  text,
    correo               text,
    telefono             text,
    movil                text,
    prospecto            boolean NOT NULL DEFAULT false,
    id_platform_a        text,
    id_platform_b        text,
    id_platform_c        text,
    id_platform_d        text,
    id_platform_e        text,
    publico              boolean NOT NULL DEFAULT false,
    proximo_contacto     date,
    regimen              bigint,
    uso_cfdi             text,
    cp                   text,
    calle                text,
    colonia              text,
    pais                 bigint NOT NULL DEFAULT 172,
    -- A foreigner's tax id at home, which their tax documents bear.
    num_reg_id_trib      text,
    vendedor             bigint,
    limite_credito       numeric(24, 6) NOT NULL DEFAULT 0 CHECK (limite_credito >= 0),
    dias_credito         integer NOT NULL DEFAULT 0 CHECK (dias_credito BETWEEN 0 AND 365),
    lista                bigint,
    -- The sales platform that they came from, and what a lead wrote.
    plataforma           text CHECK (plataforma IN ('a', 'b', 'c', 'd', 'e')),
    mensaje              text,
    modificado           timestamptz,
    -- The program computes the following columns from others of the row (`record/computed.rs`).
    -- What the filter `correo` compares: lower case without white space.
    correo_comparable    text,
    -- What the filters `telefono` and `movil` compare: the last ten characters that are neither
    -- -()+ nor white space.
    telefono_comparable  text,
    movil_comparable     text,
    -- What `customer.find` looks into: names and RFC without accents, in lower case.
    busqueda             text NOT NULL DEFAULT '',
    PRIMARY KEY (empresa, clave),
    CONSTRAINT clientes_vendedor_fk FOREIGN KEY (empresa, vendedor) REFERENCES usuarios,
    CONSTRAINT clientes_lista_fk FOREIGN KEY (empresa, lista) REFERENCES listas_precios
);
-- An RFC is one customer's, except the two generic ones.
CREATE UNIQUE INDEX clientes_rfc_unico ON clientes (empresa, rfc) WHERE rfc NOT IN ('XAXX010101000', 'XEXX010101000');
-- Filter `folio`. Indexes of optional columns hold only the rows that have a value, which makes
-- writes cheaper.
CREATE INDEX clientes_con_folio ON clientes (empresa, folio, clave) WHERE folio IS NOT NULL;
-- `customer.find`; see `productos_busqueda`.
CREATE INDEX clientes_busqueda ON clientes USING gin (empresa, busqueda gin_trgm_ops)
    WITH (gin_pending_list_limit = 256);
-- Filter `rfc`.
CREATE INDEX clientes_con_rfc ON clientes (empresa, rfc, clave) WHERE rfc IS NOT NULL;
-- Filter `correo`.
CREATE INDEX clientes_con_correo ON clientes (empresa, correo_comparable, clave) WHERE correo_comparable IS NOT NULL;
-- Filter `telefono`.
CREATE INDEX clientes_con_telefono ON clientes (empresa, telefono_comparable, clave)
    WHERE telefono_comparable IS NOT NULL;
-- Filter `movil`.
CREATE INDEX clientes_con_movil ON clientes (empresa, movil_comparable, clave) WHERE movil_comparable IS NOT NULL;
-- Filter `prospecto`.
CREATE INDEX clientes_prospecto ON clientes (empresa, prospecto, clave);
-- Filter `publico`: few customers stand for the general public.
CREATE INDEX clientes_publicos ON clientes (empresa, clave) WHERE publico;
-- Filter `id_platform_a`.
CREATE INDEX clientes_id_platform_a ON clientes (empresa, id_platform_a, clave) WHERE id_platform_a IS NOT NULL;
-- Filter `id_platform_b`.
CREATE INDEX clientes_id_platform_b ON clientes (empresa, id_platform_b, clave) WHERE id_platform_b IS NOT NULL;
-- Filter `id_platform_c`.
CREATE INDEX clientes_id_platform_c ON clientes (empresa, id_platform_c, clave) WHERE id_platform_c IS NOT NULL;
-- Filter `id_platform_d`.
CREATE INDEX clientes_id_platform_d ON clientes (empresa, id_platform_d, clave) WHERE id_platform_d IS NOT NULL;
-- Filter `id_platform_e`.
CREATE INDEX clientes_id_platform_e ON clientes (empresa, id_platform_e, clave) WHERE id_platform_e IS NOT NULL;
-- Filter `uso_cfdi`.
CREATE INDEX clientes_con_uso_cfdi ON clientes (empresa, uso_cfdi, clave) WHERE uso_cfdi IS NOT NULL;
-- Filter `modificado_desde`.
CREATE INDEX clientes_modificado ON clientes (empresa, modificado, clave);
-- Filters `proximo_contacto_desde` and `proximo_contacto_hasta`.
CREATE INDEX clientes_proximo_contacto ON clientes (empresa, proximo_contacto, clave)
    WHERE proximo_contacto IS NOT NULL;

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
-- Filter `tipo`.
CREATE INDEX etapas_oportunidad_tipo ON etapas_oportunidad (empresa, tipo, clave);
-- Filter `estatus`.
CREATE INDEX etapas_oportunidad_estatus ON etapas_oportunidad (empresa, estatus, clave);

CREATE TABLE motivos_perdida (
    empresa  bigint NOT NULL REFERENCES empresas,
    clave    bigint NOT NULL,
    nombre   text NOT NULL,
    estatus  text NOT NULL DEFAULT 'activo' CHECK (estatus IN ('activo', 'inactivo')),
    PRIMARY KEY (empresa, clave)
);
-- Filter `estatus`.
CREATE INDEX motivos_perdida_estatus ON motivos_perdida (empresa, estatus, clave);

CREATE TABLE oportunidades (
    empresa            bigint NOT NULL,
    clave              bigint NOT NULL,
    folio              text,
    nombre             text,
    -- The type of its stage, repeated here for the index.
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
    -- The day when it is expected to close; `fecha_cierre` is when it did.
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
-- Filter `estatus`.
CREATE INDEX oportunidades_estatus ON oportunidades (empresa, estatus, clave);
-- Filter `etapa`, and whether a stage is used.
CREATE INDEX oportunidades_etapa ON oportunidades (empresa, etapa, clave);
-- Filter `cliente`.
CREATE INDEX oportunidades_cliente ON oportunidades (empresa, cliente, clave);
-- Filter `vendedor`.
CREATE INDEX oportunidades_vendedor ON oportunidades (empresa, vendedor, clave) WHERE vendedor IS NOT NULL;
-- Filters `cierre_desde` and `cierre_hasta`.
CREATE INDEX oportunidades_cierre ON oportunidades (empresa, cierre, clave) WHERE cierre IS NOT NULL;

-- A contact as it was reported. With `solo_nota` what follows it changed no agenda.
CREATE TABLE interacciones (
    empresa        bigint NOT NULL,
    clave          bigint NOT NULL,
    cliente        bigint NOT NULL,
    vendedor       bigint NOT NULL,
    canal          text NOT NULL CHECK (canal IN ('llamada', 'whatsapp', 'correo', 'visita', 'reunion', 'otro')),
    resultado      text NOT NULL
                   CHECK (resultado IN ('contactado', 'no_contesto', 'cotizo', 'pidio', 'rechazo', 'reagendo')),
    sentido        text NOT NULL CHECK (sentido IN ('saliente', 'entrante')),
    nota           text,
    fecha          timestamptz NOT NULL,
    duracion_min   integer CHECK (duracion_min BETWEEN 1 AND 1440),
    proximo_fecha  date,
    proximo_texto  text,
    cierre         text,
    solo_nota      boolean NOT NULL,
    creada         timestamptz NOT NULL,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT interacciones_siguiente_check CHECK ((proximo_fecha IS NULL) <> (cierre IS NULL)),
    CONSTRAINT interacciones_proximo_texto_check CHECK (proximo_texto IS NULL OR proximo_fecha IS NOT NULL),
    CONSTRAINT interacciones_cliente_fk FOREIGN KEY (empresa, cliente) REFERENCES clientes,
    CONSTRAINT interacciones_vendedor_fk FOREIGN KEY (empresa, vendedor) REFERENCES usuarios
);
-- The history of a customer, for the ERP's own screens.
CREATE INDEX interacciones_cliente ON interacciones (empresa, cliente, clave);

-- What a salesperson has agreed to do next with a customer.
CREATE TABLE tareas (
    empresa      bigint NOT NULL,
    clave        bigint NOT NULL,
    cliente      bigint NOT NULL,
    vendedor     bigint NOT NULL,
    interaccion  bigint NOT NULL,
    fecha        date NOT NULL,
    texto        text,
    estado       text NOT NULL CHECK (estado IN ('abierta', 'cerrada')),
    creada       timestamptz NOT NULL,
    cerrada      timestamptz,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT tareas_cerrada_check CHECK ((estado = 'cerrada') = (cerrada IS NOT NULL)),
    CONSTRAINT tareas_cliente_fk FOREIGN KEY (empresa, cliente) REFERENCES clientes,
    CONSTRAINT tareas_vendedor_fk FOREIGN KEY (empresa, vendedor) REFERENCES usuarios,
    CONSTRAINT tareas_interaccion_fk FOREIGN KEY (empresa, interaccion) REFERENCES interacciones
);
-- A customer has one open task at a time.
CREATE UNIQUE INDEX tareas_abierta_unico ON tareas (empresa, cliente) WHERE estado = 'abierta';
-- The agenda of a salesperson, for the ERP's own screens.
CREATE INDEX tareas_agenda ON tareas (empresa, vendedor, fecha, clave) WHERE estado = 'abierta';
