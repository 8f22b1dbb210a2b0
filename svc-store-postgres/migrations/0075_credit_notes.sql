-- What documents of the registry relate to, as the authority's documents say it.
CREATE TABLE facturas_relaciones (
    empresa        bigint NOT NULL,
    factura        bigint NOT NULL,
    relacionada    bigint NOT NULL,
    tipo_relacion  text NOT NULL CHECK (tipo_relacion IN ('01', '02', '03', '04', '07')),
    PRIMARY KEY (empresa, factura, relacionada),
    CONSTRAINT facturas_relaciones_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas,
    CONSTRAINT facturas_relaciones_relacionada_fk FOREIGN KEY (empresa, relacionada) REFERENCES facturas
);
CREATE INDEX facturas_relaciones_relacionada ON facturas_relaciones (empresa, relacionada);

-- Credit notes: what the registry's record takes off a sale that was invoiced.
CREATE TABLE notas_credito (
    empresa         bigint NOT NULL,
    factura         bigint NOT NULL,
    venta           bigint NOT NULL,
    tipo_relacion   text NOT NULL CHECK (tipo_relacion IN ('01', '03', '07')),
    forma_pago_sat  text NOT NULL,
    subtotal        numeric(24, 6) NOT NULL,
    descuento       numeric(24, 6) NOT NULL,
    impuestos       numeric(24, 6) NOT NULL,
    ieps            numeric(24, 6) NOT NULL,
    retenciones     numeric(24, 6) NOT NULL,
    isr_retenido    numeric(24, 6) NOT NULL,
    total           numeric(24, 6) NOT NULL,
    -- The payment by which it lowers the sale's receivable, if it does.
    pago            bigint,
    -- The advance that it applies, by the clave of its sale.
    anticipo        bigint,
    PRIMARY KEY (empresa, factura),
    CONSTRAINT notas_credito_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas,
    CONSTRAINT notas_credito_venta_fk FOREIGN KEY (empresa, venta) REFERENCES ventas
);
CREATE INDEX notas_credito_venta ON notas_credito (empresa, venta);
CREATE INDEX notas_credito_pago ON notas_credito (empresa, pago) WHERE pago IS NOT NULL;
CREATE INDEX notas_credito_anticipo ON notas_credito (empresa, anticipo) WHERE anticipo IS NOT NULL;

-- What a credit note takes back of each line of its sale, or of the advance that it applies.
CREATE TABLE notas_credito_renglones (
    empresa          bigint NOT NULL,
    factura          bigint NOT NULL,
    renglon          bigint NOT NULL,
    -- Units of the line that count as taken back.
    acreditada       numeric(24, 6) NOT NULL,
    cantidad         numeric(24, 6) NOT NULL,
    precio_unitario  numeric(24, 6) NOT NULL,
    subtotal         numeric(24, 6) NOT NULL,
    descuento        numeric(24, 6) NOT NULL,
    iva              numeric(24, 6) NOT NULL,
    ieps             numeric(24, 6) NOT NULL,
    retenciones      numeric(24, 6) NOT NULL,
    isr_retenido     numeric(24, 6) NOT NULL,
    total            numeric(24, 6) NOT NULL,
    PRIMARY KEY (empresa, factura, renglon),
    CONSTRAINT notas_credito_renglones_factura_fk FOREIGN KEY (empresa, factura) REFERENCES notas_credito
);

-- Advances that were named for an order or a quote, which its invoice applies.
CREATE TABLE anticipos_ventas (
    empresa   bigint NOT NULL,
    venta     bigint NOT NULL,
    anticipo  bigint NOT NULL,
    PRIMARY KEY (empresa, venta, anticipo),
    CONSTRAINT anticipos_ventas_venta_fk FOREIGN KEY (empresa, venta) REFERENCES ventas,
    CONSTRAINT anticipos_ventas_anticipo_fk FOREIGN KEY (empresa, anticipo) REFERENCES ventas
);

-- Invoices of a period's sales to the general public.
CREATE TABLE facturas_globales (
    empresa       bigint NOT NULL,
    factura       bigint NOT NULL,
    periodicidad  text NOT NULL,
    meses         text NOT NULL,
    anio          integer NOT NULL,
    PRIMARY KEY (empresa, factura),
    CONSTRAINT facturas_globales_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas
);

-- The sales of each, which stay with it when it is cancelled and they are free again.
CREATE TABLE facturas_globales_ventas (
    empresa  bigint NOT NULL,
    factura  bigint NOT NULL,
    venta    bigint NOT NULL,
    PRIMARY KEY (empresa, factura, venta),
    CONSTRAINT facturas_globales_ventas_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas_globales,
    CONSTRAINT facturas_globales_ventas_venta_fk FOREIGN KEY (empresa, venta) REFERENCES ventas
);
