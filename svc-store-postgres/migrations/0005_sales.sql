-- Sales documents and their lines.

-- Quotes, orders, sales, invoices and advances.
CREATE TABLE ventas (
    empresa            bigint NOT NULL,
    clave              bigint NOT NULL,
    tipo               text NOT NULL CHECK (tipo IN ('venta', 'factura', 'cotizacion', 'pedido', 'anticipo')),
    -- The type that it was created as, where it has another since: it is still found by that type.
    tipo_creado        text,
    serie              text,
    folio              bigint,
    fecha              timestamptz NOT NULL,
    sucursal           bigint NOT NULL DEFAULT 0,
    almacen            bigint,
    cliente            bigint,
    vendedor           bigint,
    moneda             text NOT NULL DEFAULT 'MXN' CHECK (moneda ~ '^[A-Z]{3}$'),
    tipo_cambio        numeric(18, 6) NOT NULL DEFAULT 1 CHECK (tipo_cambio > 0),
    condicion_pago     text CHECK (condicion_pago IN ('contado', 'credito')),
    dias_credito       integer CHECK (dias_credito BETWEEN 0 AND 365),
    vencimiento        date,
    forma_pago_sat     text,
    metodo_pago_sat    text,
    uso_cfdi           text,
    subtotal           numeric(24, 6) NOT NULL DEFAULT 0 CHECK (subtotal >= 0),
    descuento          numeric(24, 6) NOT NULL DEFAULT 0 CHECK (descuento >= 0),
    impuestos          numeric(24, 6) NOT NULL DEFAULT 0,
    retenciones        numeric(24, 6) NOT NULL DEFAULT 0,
    total              numeric(24, 6) NOT NULL DEFAULT 0 CHECK (total >= 0),
    saldo              numeric(24, 6) NOT NULL DEFAULT 0 CHECK (saldo >= 0),
    -- How much of the customer's advances a cash sale counted when it was invoiced.
    anticipo_contado   numeric(24, 6),
    cancelada          boolean NOT NULL DEFAULT false,
    fecha_cancelacion  timestamptz,
    surtido_estatus    text,
    monto_surtido      numeric(24, 6) CHECK (monto_surtido >= 0),
    -- The invoice that the sale became. The foreign key is the registry's: an invoice names its
    -- sale.
    factura            bigint,
    uuid               text CHECK (uuid = lower(uuid) AND length(uuid) = 36),
    -- Since when the application has been invoicing the sale: the API waits for it.
    facturando         timestamptz,
    origen             text NOT NULL DEFAULT 'aplicacion'
                       CHECK (origen IN ('api', 'aplicacion', 'plataforma', 'desconocido')),
    referencia         text,
    comentarios        text,
    -- Whether it has a breakdown of taxes; older sales may not.
    desglose           boolean NOT NULL DEFAULT true,
    modificado         timestamptz,
    PRIMARY KEY (empresa, clave),
    -- Only orders have a fulfilment (spec, "Sales document").
    CONSTRAINT ventas_surtido_estatus_check CHECK (
        surtido_estatus IN ('pendiente', 'parcial', 'surtido')
        AND (tipo = 'pedido' OR (surtido_estatus IS NULL AND monto_surtido IS NULL))
    ),
    CONSTRAINT ventas_sucursal_fk FOREIGN KEY (empresa, sucursal) REFERENCES sucursales,
    CONSTRAINT ventas_almacen_fk FOREIGN KEY (empresa, almacen) REFERENCES almacenes,
    CONSTRAINT ventas_cliente_fk FOREIGN KEY (empresa, cliente) REFERENCES clientes,
    CONSTRAINT ventas_vendedor_fk FOREIGN KEY (empresa, vendedor) REFERENCES usuarios
);
-- Filters `tipo` and `cancelada`: each type is a list of its own, of valid documents unless asked
-- otherwise.
CREATE INDEX ventas_tipo ON ventas (empresa, tipo, cancelada, clave);
-- Filter `folio`.
CREATE INDEX ventas_folio ON ventas (empresa, tipo, folio, clave);
-- The orders that have goods reserved.
CREATE INDEX ventas_pedidos_abiertos ON ventas (empresa, clave)
    WHERE tipo = 'pedido' AND NOT cancelada AND surtido_estatus <> 'surtido';
-- Filter `cliente`, and the advances of a customer.
CREATE INDEX ventas_cliente ON ventas (empresa, tipo, cancelada, cliente, clave);
-- Filter `sucursal`.
CREATE INDEX ventas_sucursal ON ventas (empresa, tipo, cancelada, sucursal, clave);
-- Filters `fecha_desde` and `fecha_hasta`.
CREATE INDEX ventas_fecha ON ventas (empresa, tipo, cancelada, fecha, clave);

CREATE TABLE ventas_renglones (
    empresa           bigint NOT NULL,
    clave             bigint NOT NULL,
    venta             bigint NOT NULL,
    renglon           bigint NOT NULL CHECK (renglon > 0),
    producto          bigint,
    sku               text,
    descripcion       text,
    cantidad          numeric(24, 6) NOT NULL CHECK (cantidad >= 0),
    cantidad_surtida  numeric(24, 6) NOT NULL DEFAULT 0 CHECK (cantidad_surtida >= 0),
    unidad            text,
    unidad_sat        text,
    codigo_sat        text,
    objeto_impuesto   text,
    precio_unitario   numeric(24, 6) NOT NULL DEFAULT 0 CHECK (precio_unitario >= 0),
    descuento         numeric(24, 6) NOT NULL DEFAULT 0 CHECK (descuento >= 0),
    subtotal          numeric(24, 6) NOT NULL DEFAULT 0 CHECK (subtotal >= 0),
    -- "0.160000", "0.080000", "0.000000", "exento", or null.
    iva_tasa          text,
    iva               numeric(24, 6) NOT NULL DEFAULT 0 CHECK (iva >= 0),
    total             numeric(24, 6) NOT NULL DEFAULT 0 CHECK (total >= 0),
    -- The other taxes: amounts, then the rates that applied. `isr_retenido` and `locales_retenidos`
    -- are parts of `retenciones`.
    ieps              numeric(24, 6) NOT NULL DEFAULT 0,
    retenciones       numeric(24, 6) NOT NULL DEFAULT 0,
    isr_retenido      numeric(24, 6) NOT NULL DEFAULT 0,
    ieps_tasa         numeric(9, 6),
    ieps_cuota        numeric(9, 6),
    retencion_isr     numeric(9, 6),
    retencion_iva     numeric(9, 6),
    locales_trasladados numeric(24, 6) NOT NULL DEFAULT 0,
    locales_retenidos numeric(24, 6) NOT NULL DEFAULT 0,
    -- What the tax document says of the line besides. Local taxes are a JSON array of `tipo`,
    -- `nombre` and `tasa`.
    numero_pedimento  text,
    cuenta_predial    text,
    impuestos_locales text,
    -- Whether the product had stock when it was sold, since it may have become a service: what was
    -- reserved is released, and what left comes back. Null in imported lines, where the product
    -- says it.
    con_existencia    boolean,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT ventas_renglones_renglon_unico UNIQUE (empresa, venta, renglon),
    CONSTRAINT ventas_renglones_venta_fk FOREIGN KEY (empresa, venta) REFERENCES ventas,
    CONSTRAINT ventas_renglones_producto_fk FOREIGN KEY (empresa, producto) REFERENCES productos
);
-- Filter `venta`, and the lines of a document.
CREATE INDEX ventas_renglones_venta ON ventas_renglones (empresa, venta, clave);
-- Filter `sku` here and of GET /ventas, by the product that has the SKU.
CREATE INDEX ventas_renglones_producto ON ventas_renglones (empresa, producto, venta);
-- The same filters, by the SKU that lines bear themselves.
CREATE INDEX ventas_renglones_sku ON ventas_renglones (empresa, sku, venta);

-- The advances that were named for an order or a quote; its invoice applies them.
CREATE TABLE anticipos_ventas (
    empresa   bigint NOT NULL,
    venta     bigint NOT NULL,
    anticipo  bigint NOT NULL,
    PRIMARY KEY (empresa, venta, anticipo),
    CONSTRAINT anticipos_ventas_venta_fk FOREIGN KEY (empresa, venta) REFERENCES ventas,
    CONSTRAINT anticipos_ventas_anticipo_fk FOREIGN KEY (empresa, anticipo) REFERENCES ventas
);
