-- Idempotency-Keys, events, webhooks with their deliveries, a host's subscribers, and e-mails.
--
-- Storage parameters: rows that are written again soon after leave room in their page (fillfactor),
-- so that no index is written again; a fiftieth of dead rows is enough to vacuum where rows are
-- removed after 30 days.

-- What each Idempotency-Key stands for, and its answer. A request in progress holds its key by an
-- advisory lock.
CREATE TABLE idempotencia (
    empresa    bigint NOT NULL,
    llave      text NOT NULL,
    nombre     text NOT NULL,
    huella     bytea NOT NULL,
    respuesta  bytea NOT NULL,
    creada     timestamptz NOT NULL,
    PRIMARY KEY (empresa, llave, nombre)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- The oldest answers of a company, for the clean-up, which alone repeats the condition: a plan made
-- while the table was empty would look for a key in it too, and read all of the company's.
CREATE INDEX idempotencia_creada ON idempotencia (empresa, creada) WHERE creada > '-infinity';

-- Events, written in the transaction of what they report: the outbox, and what clients read. Ids
-- ascend with time, so the clean-up finds the oldest by the primary key.
CREATE TABLE eventos (
    empresa         bigint NOT NULL,
    id              uuid NOT NULL,
    -- Ascends in the order of the commits, and is no less than the milliseconds of `creado`.
    clave           bigint NOT NULL,
    tipo            text NOT NULL,
    -- The scope that reads it, of a host's kind: a server may not know the kind.
    permiso         text,
    recurso         text NOT NULL,
    recurso_clave   bigint NOT NULL,
    -- The body that every notice sends.
    cuerpo          bytea NOT NULL,
    creado          timestamptz NOT NULL,
    -- The webhooks that were active and subscribed when it occurred. Null stands for those that are
    -- when its deliveries are made.
    destinos        bigint[],
    -- Whether its deliveries have been made.
    repartido       boolean NOT NULL DEFAULT false,
    -- When the last of them was made: the event is kept until that delivery is removed. Null
    -- without deliveries.
    ultima_entrega  timestamptz,
    PRIMARY KEY (empresa, id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- The list of events, from a time on too.
CREATE UNIQUE INDEX eventos_clave ON eventos (empresa, clave);
-- Filter `tipo`, and the kinds that a key may read.
CREATE INDEX eventos_tipo ON eventos (empresa, tipo, clave);
-- The queue of events whose deliveries are to be made.
CREATE INDEX eventos_por_repartir ON eventos (empresa, id) WHERE NOT repartido;

-- Changes of one resource that become one event: after a minute without another change, five after
-- the first at the latest.
CREATE TABLE eventos_agrupados (
    empresa        bigint NOT NULL,
    tipo           text NOT NULL,
    recurso_clave  bigint NOT NULL,
    id             uuid NOT NULL,
    permiso        text,
    recurso        text NOT NULL,
    cuerpo         bytea NOT NULL,
    -- The webhooks that were active and subscribed at one of the changes.
    destinos       bigint[] NOT NULL,
    primero        timestamptz NOT NULL,
    -- When it becomes an event, which each change puts off, and the latest time for that.
    vence          timestamptz NOT NULL,
    limite         timestamptz NOT NULL,
    PRIMARY KEY (empresa, tipo, recurso_clave)
);
-- The groups of a company that are due.
CREATE INDEX eventos_agrupados_vence ON eventos_agrupados (empresa, vence);
-- The companies that have groups due.
CREATE INDEX eventos_agrupados_vencidos ON eventos_agrupados (vence, empresa);

CREATE TABLE webhooks (
    empresa                 bigint NOT NULL,
    clave                   bigint NOT NULL,
    url                     text NOT NULL CHECK (length(url) <= 500),
    eventos                 text[] NOT NULL CHECK (cardinality(eventos) > 0),
    descripcion             text,
    activo                  boolean NOT NULL DEFAULT true,
    -- Since when it has been active: it gets no event from before.
    activo_desde            timestamptz NOT NULL,
    -- Why the service disabled it; null when it is active or was paused.
    motivo_desactivacion    text,
    -- The signing key, sealed. The previous one signs too for a day after a rotation.
    secreto                 bytea NOT NULL,
    secreto_anterior        bytea,
    secreto_anterior_hasta  timestamptz,
    -- The user who made it gets an e-mail when it is disabled.
    usuario                 bigint NOT NULL,
    -- Attempts that failed in a row, of any deliveries: after three, one is tried at a time.
    intentos_fallidos       integer NOT NULL DEFAULT 0 CHECK (intentos_fallidos >= 0),
    -- Deliveries that failed for good in a row, and when the first attempt of the row failed.
    fallos_consecutivos     integer NOT NULL DEFAULT 0 CHECK (fallos_consecutivos >= 0),
    racha_desde             timestamptz,
    ultima_entrega          timestamptz,
    -- When its first pending delivery is due, at the earliest; null without any. A statement that
    -- adds a delivery or puts one off brings it forward, and a claim corrects it.
    proximo                 timestamptz,
    -- Until when the last of its claimed deliveries is leased, by the database's clock.
    arrendado               timestamptz,
    -- While it fails, one worker tries it with one delivery, until then by the database's clock.
    sondeo                  timestamptz,
    -- How long its receiver takes to answer: half the last attempts, half those before.
    demora_ms               integer,
    -- The last event when the service last disabled it: it gets none of those until then. Times
    -- cannot tell, as the clocks of servers differ.
    ultimo_descartado       bigint,
    -- While some of its pending deliveries are still to be marked as discarded.
    por_descartar           boolean NOT NULL DEFAULT false,
    creado                  timestamptz NOT NULL,
    modificado              timestamptz,
    -- A deleted one stays, without its secrets, until the log of its deliveries has been removed.
    eliminado               timestamptz,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT webhooks_motivo_check CHECK (motivo_desactivacion IS NULL OR NOT activo),
    CONSTRAINT webhooks_secreto_anterior_check
        CHECK ((secreto_anterior IS NULL) = (secreto_anterior_hasta IS NULL)),
    CONSTRAINT webhooks_usuario_fk FOREIGN KEY (empresa, usuario) REFERENCES usuarios
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
-- Filter `activo`, and the webhooks that an event goes to.
CREATE INDEX webhooks_activo ON webhooks (empresa, clave) WHERE activo AND eliminado IS NULL;
-- The companies that have deliveries due.
CREATE INDEX webhooks_proximo ON webhooks (proximo, empresa) WHERE activo AND eliminado IS NULL;
-- The webhooks that have deliveries to discard.
CREATE INDEX webhooks_por_descartar ON webhooks (empresa, clave) WHERE por_descartar;

-- Deliveries. Three foreign keys would cost as much as the row: the program alone writes it, in a
-- transaction of the company that has read the webhook and the event, and both are removed after
-- their deliveries. Claves ascend with time, so the clean-up finds the oldest by the primary key.
CREATE TABLE entregas (
    empresa          bigint NOT NULL,
    clave            bigint NOT NULL,
    webhook          bigint NOT NULL,
    evento           uuid NOT NULL,
    tipo             text NOT NULL,
    estado           text NOT NULL DEFAULT 'pendiente'
                     CHECK (estado IN ('pendiente', 'entregada', 'fallida', 'descartada')),
    -- Of a new event, of a test (one attempt) or a re-send; only the first counts for disabling the
    -- webhook.
    origen           text NOT NULL DEFAULT 'evento' CHECK (origen IN ('evento', 'prueba', 'reenvio')),
    intentos         integer NOT NULL DEFAULT 0 CHECK (intentos >= 0),
    http             integer,
    motivo           text CHECK (motivo IN (
                         'destino_bloqueado', 'tiempo_agotado', 'error_red', 'certificado_invalido', 'respuesta_no_2xx'
                     )),
    duracion_ms      bigint,
    creado           timestamptz NOT NULL,
    ultimo_intento   timestamptz,
    proximo_intento  timestamptz,
    -- The lease of the worker that sends it.
    token            uuid,
    arrendado        timestamptz,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT entregas_proximo_intento_check CHECK ((estado = 'pendiente') = (proximo_intento IS NOT NULL))
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- The queue of each webhook.
CREATE INDEX entregas_pendientes ON entregas (empresa, webhook, proximo_intento) WHERE estado = 'pendiente';
-- The log of a webhook; its filters are read off the index.
CREATE INDEX entregas_de_webhook ON entregas (empresa, webhook, clave, tipo, estado);
-- Filter `estado`, except for the many that have arrived.
CREATE INDEX entregas_por_llegar ON entregas (empresa, webhook, estado, clave) WHERE estado <> 'entregada';

-- Up to where a host's subscribers have taken the events of each company. The row of company 0,
-- which is none, says where a subscriber begins in companies that have no row yet.
CREATE TABLE suscripciones (
    empresa     bigint NOT NULL,
    suscriptor  text NOT NULL,
    -- The clave of the last event that it has taken.
    lugar       bigint NOT NULL,
    PRIMARY KEY (empresa, suscriptor)
) WITH (fillfactor = 50);

-- The events that a subscriber failed at, and later ones of the same records, which wait for them.
CREATE TABLE suscripciones_detenidas (
    empresa        bigint NOT NULL,
    suscriptor     text NOT NULL,
    -- The clave of the event.
    evento         bigint NOT NULL,
    recurso        text NOT NULL,
    recurso_clave  bigint NOT NULL,
    intentos       integer NOT NULL CHECK (intentos >= 0),
    -- When it is tried again; null while it waits for an earlier one, and once it was given up.
    proximo        timestamptz,
    -- Why it failed last.
    error          text,
    -- When it was given up.
    abandonada     timestamptz,
    PRIMARY KEY (empresa, suscriptor, evento),
    CONSTRAINT suscripciones_detenidas_abandonada_check CHECK (abandonada IS NULL OR proximo IS NULL)
);
-- What of a record is held, in its order.
CREATE INDEX suscripciones_detenidas_recurso
    ON suscripciones_detenidas (empresa, suscriptor, recurso, recurso_clave, evento) WHERE abandonada IS NULL;
-- The companies that have events to be tried again.
CREATE INDEX suscripciones_detenidas_proximo ON suscripciones_detenidas (proximo, empresa);
-- Those that were given up, for the clean-up.
CREATE INDEX suscripciones_detenidas_abandonada ON suscripciones_detenidas (empresa, abandonada);

-- The queue of e-mails, each sent once.
CREATE TABLE avisos (
    empresa    bigint NOT NULL REFERENCES empresas,
    clave      bigint NOT NULL,
    para       text NOT NULL,
    asunto     text NOT NULL,
    texto      text NOT NULL,
    -- The stamped document of the registry that goes with it, as XML and PDF.
    factura    bigint,
    creado     timestamptz NOT NULL,
    intentos   integer NOT NULL DEFAULT 0 CHECK (intentos >= 0),
    proximo    timestamptz NOT NULL,
    token      uuid,
    arrendado  timestamptz,
    PRIMARY KEY (empresa, clave)
);
-- The e-mails of a company that are due.
CREATE INDEX avisos_proximo ON avisos (empresa, proximo);
-- The companies that have e-mails due.
CREATE INDEX avisos_vencidos ON avisos (proximo, empresa);

-- What a company's owner was told by e-mail, so that they are told once.
CREATE TABLE avisos_dados (
    empresa  bigint NOT NULL REFERENCES empresas,
    -- A certificate that ends soon (`certificado`), or why documents wait for a person.
    asunto   text NOT NULL,
    -- The certificate's number; empty for documents.
    sobre    text NOT NULL,
    dado     timestamptz NOT NULL,
    PRIMARY KEY (empresa, asunto, sobre)
);

-- The log of requests, for three days and at most some 10,000 of a company. Ids ascend with time,
-- so the clean-up finds the oldest by the primary key. It is written in batches, beside the
-- requests.
CREATE TABLE bitacora (
    empresa        bigint NOT NULL,
    peticion       uuid NOT NULL,
    fecha          timestamptz NOT NULL,
    metodo         text NOT NULL,
    -- The template of the path, never the path.
    ruta           text NOT NULL,
    estado         integer NOT NULL,
    codigo         text,
    microsegundos  bigint NOT NULL,
    -- The key's id.
    llave          text,
    direccion      text,
    PRIMARY KEY (empresa, peticion)
) WITH (autovacuum_vacuum_scale_factor = 0.02);

-- What a server leaves for commands on the same database. It belongs to no company: the company of
-- its one row is 0, which is none.
CREATE TABLE servicio (
    empresa   bigint PRIMARY KEY CHECK (empresa = 0),
    -- The address at which the API was last served; links in notices begin with it.
    url_base  text NOT NULL
);
