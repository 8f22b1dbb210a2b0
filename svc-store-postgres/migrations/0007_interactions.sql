-- Contacts with customers, and the agenda of what follows them.

-- What was said of a contact, as it was said: with solo_nota, what follows changed no agenda.
CREATE TABLE interacciones (
    empresa        bigint NOT NULL REFERENCES empresas,
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
-- A customer's history.
CREATE INDEX interacciones_cliente ON interacciones (empresa, cliente, clave);

CREATE TABLE tareas (
    empresa      bigint NOT NULL REFERENCES empresas,
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
-- A customer has one commitment at a time.
CREATE UNIQUE INDEX tareas_abierta_unico ON tareas (empresa, cliente) WHERE estado = 'abierta';
-- A salesperson's agenda.
CREATE INDEX tareas_agenda ON tareas (empresa, vendedor, fecha, clave) WHERE estado = 'abierta';
