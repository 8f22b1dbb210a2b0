-- Webhooks, their deliveries, events that wait to be merged, and e-mails to be sent.

CREATE TABLE webhooks (
    empresa                 bigint NOT NULL REFERENCES empresas,
    clave                   bigint NOT NULL,
    url                     text NOT NULL CHECK (length(url) <= 500),
    eventos                 text[] NOT NULL CHECK (cardinality(eventos) > 0),
    descripcion             text,
    activo                  boolean NOT NULL DEFAULT true,
    -- Since when it is active: what happened before is not for it.
    activo_desde            timestamptz NOT NULL,
    -- Why the service disabled it; null when it is active or was paused.
    motivo_desactivacion    text,
    -- Sealed. The previous one signs too, for a day after a rotation.
    secreto                 bytea NOT NULL,
    secreto_anterior        bytea,
    secreto_anterior_hasta  timestamptz,
    -- Who made it: whom its disabling is told.
    usuario                 bigint NOT NULL,
    -- Attempts that failed in a row, of whatever deliveries: after three, one is tried at a time.
    intentos_fallidos       integer NOT NULL DEFAULT 0 CHECK (intentos_fallidos >= 0),
    -- Deliveries that failed for good in a row, and when the first attempt of the streak failed.
    fallos_consecutivos     integer NOT NULL DEFAULT 0 CHECK (fallos_consecutivos >= 0),
    racha_desde             timestamptz,
    ultima_entrega          timestamptz,
    creado                  timestamptz NOT NULL,
    modificado              timestamptz,
    -- Deleted ones stay until the log of their deliveries is gone; their secrets do not.
    eliminado               timestamptz,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT webhooks_motivo_check CHECK (motivo_desactivacion IS NULL OR NOT activo),
    CONSTRAINT webhooks_secreto_anterior_check CHECK ((secreto_anterior IS NULL) = (secreto_anterior_hasta IS NULL)),
    CONSTRAINT webhooks_usuario_fk FOREIGN KEY (empresa, usuario) REFERENCES usuarios
);
CREATE INDEX webhooks_activo ON webhooks (empresa, clave) WHERE activo AND eliminado IS NULL;

ALTER TABLE eventos ADD COLUMN repartido boolean NOT NULL DEFAULT false;
-- What has no deliveries yet: the head of the queue.
CREATE INDEX eventos_por_repartir ON eventos (empresa, id) WHERE NOT repartido;

-- Changes of one resource that become one event: when a minute passes without another, or five minutes after the first.
CREATE TABLE eventos_agrupados (
    empresa        bigint NOT NULL REFERENCES empresas,
    tipo           text NOT NULL,
    recurso_clave  bigint NOT NULL,
    id             uuid NOT NULL,
    recurso        text NOT NULL,
    cuerpo         bytea NOT NULL,
    primero        timestamptz NOT NULL,
    -- When it becomes an event: a minute after the last change, at the latest five after the first.
    vence          timestamptz NOT NULL,
    PRIMARY KEY (empresa, tipo, recurso_clave)
);
CREATE INDEX eventos_agrupados_vence ON eventos_agrupados (empresa, vence);

CREATE TABLE entregas (
    empresa          bigint NOT NULL REFERENCES empresas,
    clave            bigint NOT NULL,
    webhook          bigint NOT NULL,
    evento           uuid NOT NULL,
    tipo             text NOT NULL,
    estado           text NOT NULL DEFAULT 'pendiente' CHECK (estado IN ('pendiente', 'entregada', 'fallida', 'descartada')),
    -- Of a new event, of a test (one attempt) or of a re-send; only the first feeds auto-disable.
    origen           text NOT NULL DEFAULT 'evento' CHECK (origen IN ('evento', 'prueba', 'reenvio')),
    intentos         integer NOT NULL DEFAULT 0 CHECK (intentos >= 0),
    http             integer,
    motivo           text CHECK (motivo IN ('destino_bloqueado', 'tiempo_agotado', 'error_red', 'certificado_invalido', 'respuesta_no_2xx')),
    duracion_ms      bigint,
    creado           timestamptz NOT NULL,
    ultimo_intento   timestamptz,
    proximo_intento  timestamptz,
    -- Whoever sends it holds it until `arrendado`, under a token that is looked at again when the result is written.
    token            uuid,
    arrendado        timestamptz,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT entregas_proximo_intento_check CHECK ((estado = 'pendiente') = (proximo_intento IS NOT NULL)),
    CONSTRAINT entregas_webhook_fk FOREIGN KEY (empresa, webhook) REFERENCES webhooks,
    CONSTRAINT entregas_evento_fk FOREIGN KEY (empresa, evento) REFERENCES eventos
);
CREATE INDEX entregas_pendientes ON entregas (empresa, webhook, proximo_intento) WHERE estado = 'pendiente';
CREATE INDEX entregas_webhook ON entregas (empresa, webhook, clave);
CREATE INDEX entregas_estado ON entregas (empresa, webhook, estado, clave);
CREATE INDEX entregas_tipo ON entregas (empresa, webhook, tipo, clave);
CREATE INDEX entregas_evento ON entregas (empresa, evento);
CREATE INDEX entregas_creado ON entregas (empresa, creado);

-- E-mails to be sent, once each: written with what they tell.
CREATE TABLE avisos (
    empresa    bigint NOT NULL REFERENCES empresas,
    clave      bigint NOT NULL,
    para       text NOT NULL,
    asunto     text NOT NULL,
    texto      text NOT NULL,
    creado     timestamptz NOT NULL,
    intentos   integer NOT NULL DEFAULT 0 CHECK (intentos >= 0),
    proximo    timestamptz NOT NULL,
    token      uuid,
    arrendado  timestamptz,
    PRIMARY KEY (empresa, clave)
);
CREATE INDEX avisos_proximo ON avisos (empresa, proximo);
