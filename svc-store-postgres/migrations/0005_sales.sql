-- Sales and their lines, the invoice registry, receivables and payments, payables, bank accounts, deposits, accounting.

CREATE TABLE ventas (
    empresa            bigint NOT NULL REFERENCES empresas,
    clave              bigint NOT NULL,
    tipo               text NOT NULL CHECK (tipo IN ('venta', 'factura', 'cotizacion', 'pedido', 'anticipo')),
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
    cancelada          boolean NOT NULL DEFAULT false,
    fecha_cancelacion  timestamptz,
    surtido_estatus    text,
    monto_surtido      numeric(24, 6) CHECK (monto_surtido >= 0),
    -- The invoice that the sale became; the registry's row names the sale, so this is a fact, not a key.
    factura            bigint,
    uuid               text CHECK (uuid = lower(uuid) AND length(uuid) = 36),
    origen             text NOT NULL DEFAULT 'aplicacion' CHECK (origen IN ('api', 'aplicacion', 'plataforma', 'desconocido')),
    referencia         text,
    comentarios        text,
    -- Whether it has a breakdown of taxes; older sales may not.
    desglose           boolean NOT NULL DEFAULT true,
    modificado         timestamptz,
    PRIMARY KEY (empresa, clave),
    -- Fulfilment is told of orders only (spec, "Sales document").
    CONSTRAINT ventas_surtido_estatus_check CHECK (
        surtido_estatus IN ('pendiente', 'parcial', 'surtido')
        AND (tipo = 'pedido' OR (surtido_estatus IS NULL AND monto_surtido IS NULL))
    ),
    CONSTRAINT ventas_sucursal_fk FOREIGN KEY (empresa, sucursal) REFERENCES sucursales,
    CONSTRAINT ventas_almacen_fk FOREIGN KEY (empresa, almacen) REFERENCES almacenes,
    CONSTRAINT ventas_cliente_fk FOREIGN KEY (empresa, cliente) REFERENCES clientes,
    CONSTRAINT ventas_vendedor_fk FOREIGN KEY (empresa, vendedor) REFERENCES usuarios
);
-- Each type is paged by itself, valid documents unless asked otherwise.
CREATE INDEX ventas_tipo ON ventas (empresa, tipo, cancelada, clave);
CREATE INDEX ventas_folio ON ventas (empresa, tipo, folio, clave);
CREATE INDEX ventas_cliente ON ventas (empresa, tipo, cancelada, cliente, clave);
CREATE INDEX ventas_sucursal ON ventas (empresa, tipo, cancelada, sucursal, clave);
CREATE INDEX ventas_fecha ON ventas (empresa, tipo, cancelada, fecha, clave);

CREATE TABLE ventas_renglones (
    empresa            bigint NOT NULL REFERENCES empresas,
    clave              bigint NOT NULL,
    venta              bigint NOT NULL,
    renglon            bigint NOT NULL CHECK (renglon > 0),
    producto           bigint,
    sku                text,
    descripcion        text,
    cantidad           numeric(24, 6) NOT NULL CHECK (cantidad >= 0),
    cantidad_surtida   numeric(24, 6) NOT NULL DEFAULT 0 CHECK (cantidad_surtida >= 0),
    unidad             text,
    unidad_sat         text,
    codigo_sat         text,
    objeto_impuesto    text,
    precio_unitario    numeric(24, 6) NOT NULL DEFAULT 0 CHECK (precio_unitario >= 0),
    descuento          numeric(24, 6) NOT NULL DEFAULT 0 CHECK (descuento >= 0),
    subtotal           numeric(24, 6) NOT NULL DEFAULT 0 CHECK (subtotal >= 0),
    -- "0.160000", "0.080000", "0.000000", "exento", or null.
    iva_tasa           text,
    iva                numeric(24, 6) NOT NULL DEFAULT 0 CHECK (iva >= 0),
    total              numeric(24, 6) NOT NULL DEFAULT 0 CHECK (total >= 0),
    PRIMARY KEY (empresa, clave),
    CONSTRAINT ventas_renglones_renglon_unico UNIQUE (empresa, venta, renglon),
    CONSTRAINT ventas_renglones_venta_fk FOREIGN KEY (empresa, venta) REFERENCES ventas,
    CONSTRAINT ventas_renglones_producto_fk FOREIGN KEY (empresa, producto) REFERENCES productos
);
CREATE INDEX ventas_renglones_venta ON ventas_renglones (empresa, venta, clave);
CREATE INDEX ventas_renglones_producto ON ventas_renglones (empresa, producto, venta);
CREATE INDEX ventas_renglones_sku ON ventas_renglones (empresa, sku, venta);

-- The stamping registry: all statuses, no amounts.
CREATE TABLE facturas (
    empresa             bigint NOT NULL REFERENCES empresas,
    clave               bigint NOT NULL,
    tipo                text NOT NULL DEFAULT 'factura'
                        CHECK (tipo IN ('factura', 'nota_credito', 'pago', 'traslado', 'embarque', 'externa')),
    estatus             text NOT NULL DEFAULT 'vigente' CHECK (estatus IN ('vigente', 'cancelada', 'en_espera', 'error')),
    venta               bigint,
    cliente             bigint,
    serie               text,
    folio               text,
    uuid                text CHECK (uuid = lower(uuid) AND length(uuid) = 36),
    fecha               timestamptz NOT NULL,
    fecha_timbrado      timestamptz,
    fecha_cancelacion   timestamptz,
    motivo_cancelacion  text CHECK (motivo_cancelacion IN ('01', '02', '03', '04')),
    uuid_sustitucion    text,
    error_codigo        text,
    error_mensaje       text,
    modificado          timestamptz,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT facturas_venta_fk FOREIGN KEY (empresa, venta) REFERENCES ventas,
    CONSTRAINT facturas_cliente_fk FOREIGN KEY (empresa, cliente) REFERENCES clientes
);
CREATE INDEX facturas_uuid ON facturas (empresa, uuid, clave);
CREATE INDEX facturas_venta ON facturas (empresa, venta, clave);
CREATE INDEX facturas_tipo ON facturas (empresa, tipo, clave);
CREATE INDEX facturas_estatus ON facturas (empresa, estatus, clave);
CREATE INDEX facturas_fecha ON facturas (empresa, fecha, clave);

CREATE TABLE cuentas_bancarias (
    empresa  bigint NOT NULL REFERENCES empresas,
    clave    bigint NOT NULL,
    nombre   text NOT NULL,
    banco    text,
    moneda   text NOT NULL DEFAULT 'MXN' CHECK (moneda ~ '^[A-Z]{3}$'),
    saldo    numeric(24, 6) NOT NULL DEFAULT 0,
    estatus  text NOT NULL DEFAULT 'activo' CHECK (estatus IN ('activo', 'inactivo')),
    PRIMARY KEY (empresa, clave)
);
CREATE INDEX cuentas_bancarias_estatus ON cuentas_bancarias (empresa, estatus, clave);

-- Money that came in. An unapplied one waits to be told which receivables it pays.
CREATE TABLE depositos (
    empresa          bigint NOT NULL REFERENCES empresas,
    clave            bigint NOT NULL,
    cuenta_bancaria  bigint NOT NULL,
    fecha            date NOT NULL,
    importe          numeric(24, 6) NOT NULL CHECK (importe > 0),
    aplicado         numeric(24, 6) NOT NULL DEFAULT 0 CHECK (aplicado BETWEEN 0 AND importe),
    referencia       text,
    cancelado        boolean NOT NULL DEFAULT false,
    creado           timestamptz NOT NULL,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT depositos_cuenta_bancaria_fk FOREIGN KEY (empresa, cuenta_bancaria) REFERENCES cuentas_bancarias
);
CREATE INDEX depositos_datos ON depositos (empresa, cuenta_bancaria, fecha, importe, referencia);

CREATE TABLE cxc (
    empresa          bigint NOT NULL REFERENCES empresas,
    clave            bigint NOT NULL,
    folio            text,
    estatus          text NOT NULL DEFAULT 'pendiente' CHECK (estatus IN ('pendiente', 'pagado', 'cancelado')),
    cliente          bigint,
    venta            bigint,
    tipo_venta       text CHECK (tipo_venta IN ('venta', 'factura', 'cotizacion', 'pedido', 'anticipo')),
    factura          bigint,
    uuid             text CHECK (uuid = lower(uuid) AND length(uuid) = 36),
    metodo_pago_sat  text,
    fecha            date NOT NULL,
    vencimiento      date,
    moneda           text NOT NULL DEFAULT 'MXN' CHECK (moneda ~ '^[A-Z]{3}$'),
    tipo_cambio      numeric(18, 6) NOT NULL DEFAULT 1 CHECK (tipo_cambio > 0),
    total            numeric(24, 6) NOT NULL DEFAULT 0 CHECK (total >= 0),
    pagado           numeric(24, 6) NOT NULL DEFAULT 0 CHECK (pagado >= 0),
    saldo            numeric(24, 6) NOT NULL DEFAULT 0 CHECK (saldo >= 0),
    parcialidades    bigint NOT NULL DEFAULT 0 CHECK (parcialidades >= 0),
    sucursal         bigint NOT NULL DEFAULT 0,
    modificado       timestamptz,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT cxc_cliente_fk FOREIGN KEY (empresa, cliente) REFERENCES clientes,
    CONSTRAINT cxc_venta_fk FOREIGN KEY (empresa, venta) REFERENCES ventas,
    CONSTRAINT cxc_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas,
    CONSTRAINT cxc_sucursal_fk FOREIGN KEY (empresa, sucursal) REFERENCES sucursales
);
-- A status is always asked for, but with clave, venta or uuid.
CREATE INDEX cxc_estatus ON cxc (empresa, estatus, clave);
CREATE INDEX cxc_cliente ON cxc (empresa, estatus, cliente, clave);
CREATE INDEX cxc_venta ON cxc (empresa, venta, clave);
CREATE INDEX cxc_uuid ON cxc (empresa, uuid, clave);
CREATE INDEX cxc_con_saldo ON cxc (empresa, estatus, (saldo > 0), clave);
CREATE INDEX cxc_vencimiento ON cxc (empresa, estatus, vencimiento, clave) WHERE saldo > 0;

CREATE TABLE cxc_pagos (
    empresa          bigint NOT NULL REFERENCES empresas,
    clave            bigint NOT NULL,
    cxc              bigint NOT NULL,
    cliente          bigint,
    venta            bigint,
    fecha            date NOT NULL,
    aplicado         timestamptz NOT NULL,
    origen           text NOT NULL DEFAULT 'deposito' CHECK (origen IN ('deposito', 'saldo_a_favor', 'anticipo')),
    importe          numeric(24, 6) NOT NULL CHECK (importe > 0),
    moneda           text NOT NULL DEFAULT 'MXN' CHECK (moneda ~ '^[A-Z]{3}$'),
    tipo_cambio      numeric(18, 6) NOT NULL DEFAULT 1 CHECK (tipo_cambio > 0),
    forma_pago_sat   text,
    cuenta_bancaria  bigint,
    deposito         bigint,
    referencia       text,
    parcialidad      bigint NOT NULL DEFAULT 1 CHECK (parcialidad > 0),
    saldo_anterior   numeric(24, 6) NOT NULL DEFAULT 0 CHECK (saldo_anterior >= 0),
    saldo_insoluto   numeric(24, 6) NOT NULL DEFAULT 0 CHECK (saldo_insoluto >= 0),
    complemento      text NOT NULL DEFAULT 'no_aplica' CHECK (complemento IN ('no_aplica', 'encolado', 'timbrado', 'error')),
    factura          bigint,
    uuid             text CHECK (uuid = lower(uuid) AND length(uuid) = 36),
    cancelado        boolean NOT NULL DEFAULT false,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT cxc_pagos_cxc_fk FOREIGN KEY (empresa, cxc) REFERENCES cxc,
    CONSTRAINT cxc_pagos_cliente_fk FOREIGN KEY (empresa, cliente) REFERENCES clientes,
    CONSTRAINT cxc_pagos_venta_fk FOREIGN KEY (empresa, venta) REFERENCES ventas,
    CONSTRAINT cxc_pagos_cuenta_bancaria_fk FOREIGN KEY (empresa, cuenta_bancaria) REFERENCES cuentas_bancarias,
    CONSTRAINT cxc_pagos_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas
);
CREATE INDEX cxc_pagos_cxc ON cxc_pagos (empresa, cxc, clave);
CREATE INDEX cxc_pagos_cliente ON cxc_pagos (empresa, cliente, clave);
CREATE INDEX cxc_pagos_venta ON cxc_pagos (empresa, venta, clave);
CREATE INDEX cxc_pagos_fecha ON cxc_pagos (empresa, fecha, clave);

CREATE TABLE cxp (
    empresa      bigint NOT NULL REFERENCES empresas,
    clave        bigint NOT NULL,
    folio        text,
    tipo         text NOT NULL DEFAULT 'gasto' CHECK (tipo IN ('compra', 'gasto')),
    estatus      text NOT NULL DEFAULT 'pendiente' CHECK (estatus IN ('cancelado', 'pendiente', 'pagado')),
    -- 0: captured without a supplier.
    proveedor    bigint NOT NULL DEFAULT 0,
    compra       bigint,
    factura      text,
    uuid         text CHECK (uuid = lower(uuid) AND length(uuid) = 36),
    fecha        date NOT NULL,
    vencimiento  date,
    moneda       text NOT NULL DEFAULT 'MXN' CHECK (moneda ~ '^[A-Z]{3}$'),
    tipo_cambio  numeric(18, 6) NOT NULL DEFAULT 1 CHECK (tipo_cambio > 0),
    total        numeric(24, 6) NOT NULL DEFAULT 0,
    pagado       numeric(24, 6) NOT NULL DEFAULT 0,
    -- May be negative: a balance in the company's favour.
    saldo        numeric(24, 6) NOT NULL DEFAULT 0,
    sucursal     bigint NOT NULL DEFAULT 0,
    operaciones  bigint NOT NULL DEFAULT 1 CHECK (operaciones > 0),
    concepto     text,
    modificado   timestamptz,
    -- The supplier as a reference: null where there is none.
    proveedor_ref  bigint GENERATED ALWAYS AS (nullif(proveedor, 0)) STORED,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT cxp_proveedor_fk FOREIGN KEY (empresa, proveedor_ref) REFERENCES proveedores,
    CONSTRAINT cxp_sucursal_fk FOREIGN KEY (empresa, sucursal) REFERENCES sucursales
);
-- Pending ones are what is shown when nothing is asked.
CREATE INDEX cxp_estatus ON cxp (empresa, estatus, clave);
CREATE INDEX cxp_tipo ON cxp (empresa, estatus, tipo, clave);
CREATE INDEX cxp_proveedor ON cxp (empresa, estatus, proveedor, clave);
CREATE INDEX cxp_uuid ON cxp (empresa, uuid, clave);
CREATE INDEX cxp_con_saldo ON cxp (empresa, estatus, clave) WHERE saldo > 0;
CREATE INDEX cxp_sin_saldo ON cxp (empresa, estatus, clave) WHERE saldo <= 0;
CREATE INDEX cxp_vencimiento ON cxp (empresa, estatus, vencimiento, clave) WHERE saldo > 0;

-- Accounting entries: one a business fact, its lines balanced (checked when the transaction ends).
CREATE TABLE polizas (
    empresa    bigint NOT NULL REFERENCES empresas,
    clave      bigint NOT NULL,
    fecha      date NOT NULL,
    concepto   text NOT NULL,
    venta      bigint,
    factura    bigint,
    pago       bigint,
    creada     timestamptz NOT NULL,
    PRIMARY KEY (empresa, clave)
);
CREATE INDEX polizas_venta ON polizas (empresa, venta);

CREATE TABLE polizas_renglones (
    empresa  bigint NOT NULL REFERENCES empresas,
    poliza   bigint NOT NULL,
    renglon  integer NOT NULL CHECK (renglon > 0),
    cuenta   text NOT NULL,
    cargo    numeric(24, 6) NOT NULL DEFAULT 0 CHECK (cargo >= 0),
    abono    numeric(24, 6) NOT NULL DEFAULT 0 CHECK (abono >= 0),
    PRIMARY KEY (empresa, poliza, renglon),
    CONSTRAINT polizas_renglones_lado_check CHECK ((cargo = 0) <> (abono = 0)),
    CONSTRAINT polizas_renglones_poliza_fk FOREIGN KEY (empresa, poliza) REFERENCES polizas
);

CREATE FUNCTION poliza_cuadra() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT sum(cargo) <> sum(abono) FROM polizas_renglones WHERE empresa = NEW.empresa AND poliza = NEW.poliza) THEN
        RAISE EXCEPTION 'poliza % does not balance', NEW.poliza USING ERRCODE = 'check_violation', CONSTRAINT = 'polizas_renglones_cuadra_check';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER polizas_renglones_cuadra AFTER INSERT OR UPDATE ON polizas_renglones
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION poliza_cuadra();
