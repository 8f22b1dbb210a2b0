-- The parcels in which sales left.
CREATE TABLE paqueteria_envios (
    empresa   bigint NOT NULL,
    clave     bigint NOT NULL,
    venta     bigint NOT NULL,
    guia      text NOT NULL CHECK (guia <> ''),
    estatus   text NOT NULL CHECK (estatus IN ('enviado', 'entregado')),
    creado    timestamptz NOT NULL,
    entregado timestamptz,
    PRIMARY KEY (empresa, clave),
    FOREIGN KEY (empresa, venta) REFERENCES ventas
);

-- A sale leaves in one parcel.
CREATE UNIQUE INDEX paqueteria_envios_venta ON paqueteria_envios (empresa, venta);

CREATE INDEX paqueteria_envios_estatus ON paqueteria_envios (empresa, estatus, clave);
