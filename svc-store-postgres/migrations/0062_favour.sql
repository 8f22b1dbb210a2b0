-- What customers have in their favour, each amount as it arose: what is applied of it are payments (cxc_pagos) of origin saldo_a_favor.
CREATE TABLE saldos_a_favor (
    empresa  bigint NOT NULL REFERENCES empresas,
    clave    bigint NOT NULL,
    cliente  bigint NOT NULL,
    moneda   text NOT NULL CHECK (moneda ~ '^[A-Z]{3}$'),
    importe  numeric(24, 6) NOT NULL CHECK (importe > 0),
    -- The credit note that it is of.
    factura  bigint,
    creado   timestamptz NOT NULL,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT saldos_a_favor_cliente_fk FOREIGN KEY (empresa, cliente) REFERENCES clientes,
    CONSTRAINT saldos_a_favor_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas
);
CREATE INDEX saldos_a_favor_cliente ON saldos_a_favor (empresa, cliente, moneda);
