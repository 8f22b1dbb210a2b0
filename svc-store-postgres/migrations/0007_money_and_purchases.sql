-- Bank accounts, receivables and their payments, suppliers, purchases, payables and their payments,
-- accounting.

CREATE TABLE cuentas_bancarias (
    empresa  bigint NOT NULL REFERENCES empresas,
    clave    bigint NOT NULL,
    nombre   text NOT NULL,
    banco    text,
    moneda   text NOT NULL DEFAULT 'MXN' CHECK (moneda ~ '^[A-Z]{3}$'),
    saldo    numeric(24, 6) NOT NULL DEFAULT 0,
    estatus  text NOT NULL DEFAULT 'activo' CHECK (estatus IN ('activo', 'inactivo')),
    -- What it held when it was imported, in its currency and in pesos, and the day on which that
    -- was posted.
    apertura       numeric(24, 6) NOT NULL DEFAULT 0,
    apertura_pesos numeric(24, 6) NOT NULL DEFAULT 0,
    apertura_dia   date,
    PRIMARY KEY (empresa, clave)
);
-- Filter `estatus`.
CREATE INDEX cuentas_bancarias_estatus ON cuentas_bancarias (empresa, estatus, clave);

-- Money that came in. What is not applied yet waits for the receivables that it pays.
CREATE TABLE depositos (
    empresa          bigint NOT NULL,
    clave            bigint NOT NULL,
    cuenta_bancaria  bigint NOT NULL,
    fecha            date NOT NULL,
    importe          numeric(24, 6) NOT NULL CHECK (importe > 0),
    aplicado         numeric(24, 6) NOT NULL DEFAULT 0 CHECK (aplicado BETWEEN 0 AND importe),
    referencia       text,
    -- Whether it was captured to be applied later, or was made by the payment that applies it: the
    -- latter is cancelled when nothing of it is applied any more.
    origen           text NOT NULL DEFAULT 'captura' CHECK (origen IN ('captura', 'pago')),
    cancelado        boolean NOT NULL DEFAULT false,
    creado           timestamptz NOT NULL,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT depositos_cuenta_bancaria_fk FOREIGN KEY (empresa, cuenta_bancaria) REFERENCES cuentas_bancarias
);
-- Finds an earlier deposit of the same account, day, amount and reference.
CREATE INDEX depositos_datos ON depositos (empresa, cuenta_bancaria, fecha, importe, referencia);

-- Receivables.
CREATE TABLE cxc (
    empresa          bigint NOT NULL,
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
    -- What an import posted of it against the opening account, in pesos, with the taxes within it.
    apertura         numeric(20, 2) NOT NULL DEFAULT 0,
    apertura_iva     numeric(20, 2) NOT NULL DEFAULT 0,
    apertura_ieps    numeric(20, 2) NOT NULL DEFAULT 0,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT cxc_cliente_fk FOREIGN KEY (empresa, cliente) REFERENCES clientes,
    CONSTRAINT cxc_venta_fk FOREIGN KEY (empresa, venta) REFERENCES ventas,
    CONSTRAINT cxc_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas,
    CONSTRAINT cxc_sucursal_fk FOREIGN KEY (empresa, sucursal) REFERENCES sucursales
);
-- Filter `estatus`, which applies unless clave, venta or uuid is given, and `vencido=false`: the
-- last column says until when a receivable is not overdue, so that overdue ones are skipped within
-- the index.
CREATE INDEX cxc_estatus_vence ON cxc
    (empresa, estatus, clave, (coalesce(CASE WHEN saldo > 0 THEN vencimiento END, 'infinity')));
-- Filter `cliente`, and what a customer owes.
CREATE INDEX cxc_cliente ON cxc (empresa, estatus, cliente, clave);
-- Filter `venta`, and the receivable of a sale.
CREATE INDEX cxc_venta ON cxc (empresa, venta, clave);
-- Filter `uuid`.
CREATE INDEX cxc_uuid ON cxc (empresa, uuid, clave);
-- Filter `con_saldo`.
CREATE INDEX cxc_con_saldo ON cxc (empresa, estatus, (saldo > 0), clave);
-- Filter `vencido=true`.
CREATE INDEX cxc_vencimiento ON cxc (empresa, estatus, vencimiento, clave) WHERE saldo > 0;

-- Payments of receivables.
CREATE TABLE cxc_pagos (
    empresa          bigint NOT NULL,
    clave            bigint NOT NULL,
    cxc              bigint NOT NULL,
    venta            bigint,
    cliente          bigint,
    fecha            date NOT NULL,
    aplicado         timestamptz NOT NULL,
    origen           text NOT NULL DEFAULT 'deposito'
                     CHECK (origen IN ('deposito', 'saldo_a_favor', 'anticipo')),
    importe          numeric(24, 6) NOT NULL CHECK (importe > 0),
    moneda           text NOT NULL DEFAULT 'MXN' CHECK (moneda ~ '^[A-Z]{3}$'),
    tipo_cambio      numeric(18, 6) NOT NULL DEFAULT 1 CHECK (tipo_cambio > 0),
    forma_pago_sat   text,
    cuenta_bancaria  bigint,
    -- Imported payments may name deposits of another system, so it has no foreign key.
    deposito         bigint,
    referencia       text,
    parcialidad      bigint NOT NULL DEFAULT 1 CHECK (parcialidad > 0),
    saldo_anterior   numeric(24, 6) NOT NULL DEFAULT 0 CHECK (saldo_anterior >= 0),
    saldo_insoluto   numeric(24, 6) NOT NULL DEFAULT 0 CHECK (saldo_insoluto >= 0),
    complemento      text NOT NULL DEFAULT 'no_aplica'
                     CHECK (complemento IN ('no_aplica', 'encolado', 'timbrado', 'error')),
    factura          bigint,
    uuid             text CHECK (uuid = lower(uuid) AND length(uuid) = 36),
    cancelado        boolean NOT NULL DEFAULT false,
    -- What the bank account received, in its currency, where that is not the receivable's, with
    -- pesos for one unit of it.
    monto             numeric(24, 6) CHECK (monto > 0),
    moneda_pago       text CHECK (moneda_pago ~ '^[A-Z]{3}$'),
    tipo_cambio_pago  numeric(18, 6) CHECK (tipo_cambio_pago > 0),
    -- The sale of the advance that it applies.
    anticipo         bigint,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT cxc_pagos_cxc_fk FOREIGN KEY (empresa, cxc) REFERENCES cxc,
    CONSTRAINT cxc_pagos_cliente_fk FOREIGN KEY (empresa, cliente) REFERENCES clientes,
    CONSTRAINT cxc_pagos_venta_fk FOREIGN KEY (empresa, venta) REFERENCES ventas,
    CONSTRAINT cxc_pagos_cuenta_bancaria_fk FOREIGN KEY (empresa, cuenta_bancaria) REFERENCES cuentas_bancarias,
    CONSTRAINT cxc_pagos_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas,
    CONSTRAINT cxc_pagos_anticipo_fk FOREIGN KEY (empresa, anticipo) REFERENCES ventas
);
-- Filter `cxc`, and the payments of a receivable.
CREATE INDEX cxc_pagos_cxc ON cxc_pagos (empresa, cxc, clave);
-- Filter `cliente`.
CREATE INDEX cxc_pagos_cliente ON cxc_pagos (empresa, cliente, clave);
-- Filter `venta`.
CREATE INDEX cxc_pagos_venta ON cxc_pagos (empresa, venta, clave);
-- Filters `fecha_desde` and `fecha_hasta`.
CREATE INDEX cxc_pagos_fecha ON cxc_pagos (empresa, fecha, clave);
-- Finds an earlier payment of the same account, day, amount and reference: a payment is made once.
CREATE INDEX cxc_pagos_datos ON cxc_pagos (empresa, cuenta_bancaria, fecha, importe, referencia) WHERE NOT cancelado;
-- What was applied of an advance.
CREATE INDEX cxc_pagos_anticipo ON cxc_pagos (empresa, anticipo) WHERE anticipo IS NOT NULL;
-- The payments of a complement.
CREATE INDEX cxc_pagos_factura ON cxc_pagos (empresa, factura) WHERE factura IS NOT NULL;

-- What customers have in their favour, each amount as it arose. What is applied of it are payments
-- of origin `saldo_a_favor`.
CREATE TABLE saldos_a_favor (
    empresa   bigint NOT NULL,
    clave     bigint NOT NULL,
    cliente   bigint NOT NULL,
    moneda    text NOT NULL CHECK (moneda ~ '^[A-Z]{3}$'),
    -- The day of the entry that leaves it, at the branch; where it is null, `creado` says it.
    fecha     date,
    importe   numeric(24, 6) NOT NULL CHECK (importe > 0),
    -- What account 206.01 has of it; null where no entry says it.
    pesos     numeric(24, 6),
    -- The document that it comes from: a credit note, or the discarded invoice of an advance; null
    -- for goods that came back without a document.
    factura   bigint,
    -- The deposit that brought the money of a discarded advance.
    deposito  bigint,
    -- The cancellation of a credit note cancels its amount, which reports of days before it tell.
    cancelado boolean NOT NULL DEFAULT false,
    creado    timestamptz NOT NULL,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT saldos_a_favor_cliente_fk FOREIGN KEY (empresa, cliente) REFERENCES clientes,
    CONSTRAINT saldos_a_favor_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas
);
-- What a customer has in their favour.
CREATE INDEX saldos_a_favor_cliente ON saldos_a_favor (empresa, cliente, moneda);

-- Money given back to customers from a bank account: of an advance, or of what they have in their
-- favour.
CREATE TABLE reembolsos (
    empresa          bigint NOT NULL,
    clave            bigint NOT NULL,
    cliente          bigint NOT NULL,
    -- The sale of the advance; null where it was in the customer's favour.
    anticipo         bigint,
    moneda           text NOT NULL CHECK (moneda ~ '^[A-Z]{3}$'),
    tipo_cambio      numeric(18, 6) NOT NULL CHECK (tipo_cambio > 0),
    importe          numeric(24, 6) NOT NULL CHECK (importe > 0),
    cuenta_bancaria  bigint NOT NULL,
    fecha            date NOT NULL,
    referencia       text NOT NULL,
    -- The credit note of an advance's invoice, or of goods that came back; the cancellation of the
    -- note cancels the refund.
    factura          bigint,
    cancelado        boolean NOT NULL DEFAULT false,
    creado           timestamptz NOT NULL,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT reembolsos_cliente_fk FOREIGN KEY (empresa, cliente) REFERENCES clientes,
    CONSTRAINT reembolsos_anticipo_fk FOREIGN KEY (empresa, anticipo) REFERENCES ventas,
    CONSTRAINT reembolsos_cuenta_bancaria_fk FOREIGN KEY (empresa, cuenta_bancaria) REFERENCES cuentas_bancarias,
    CONSTRAINT reembolsos_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas
);
-- What was given back to a customer.
CREATE INDEX reembolsos_cliente ON reembolsos (empresa, cliente, moneda);
-- What was given back of an advance.
CREATE INDEX reembolsos_anticipo ON reembolsos (empresa, anticipo) WHERE anticipo IS NOT NULL;
-- The refund of a credit note.
CREATE INDEX reembolsos_factura ON reembolsos (empresa, factura) WHERE factura IS NOT NULL;

CREATE TABLE proveedores (
    empresa   bigint NOT NULL REFERENCES empresas,
    clave     bigint NOT NULL,
    folio     text,
    nombre    text,
    contacto  text,
    rfc       text,
    correo    text,
    telefono  text,
    estatus   text NOT NULL DEFAULT 'activo'
              CHECK (estatus IN ('activo', 'inactivo', 'eliminado', 'desconocido')),
    -- What the filter `nombre` searches: nombre in lower case without accents, computed as that of
    -- productos.
    busqueda  text NOT NULL DEFAULT '',
    PRIMARY KEY (empresa, clave)
);
-- Filter `folio`.
CREATE INDEX proveedores_folio ON proveedores (empresa, folio, clave);
-- Filter `rfc`.
CREATE INDEX proveedores_rfc ON proveedores (empresa, rfc, clave);
-- Filter `estatus`.
CREATE INDEX proveedores_estatus ON proveedores (empresa, estatus, clave);
-- Filter `nombre`, with a short list of pending entries as that of productos.
CREATE INDEX proveedores_busqueda ON proveedores USING gin (empresa, busqueda gin_trgm_ops)
    WITH (gin_pending_list_limit = 256);

-- Purchase orders.
CREATE TABLE compras (
    empresa        bigint NOT NULL,
    clave          bigint NOT NULL,
    folio          text,
    estatus        text NOT NULL DEFAULT 'pendiente'
                   CHECK (estatus IN ('pendiente', 'parcial', 'recibida', 'cancelada', 'desconocido')),
    proveedor      bigint NOT NULL,
    fecha          timestamptz NOT NULL,
    fecha_entrega  date,
    sucursal       bigint NOT NULL DEFAULT 0,
    almacen        bigint,
    moneda         text NOT NULL DEFAULT 'MXN' CHECK (moneda ~ '^[A-Z]{3}$'),
    tipo_cambio    numeric(18, 6) NOT NULL DEFAULT 1 CHECK (tipo_cambio > 0),
    subtotal       numeric(24, 6) NOT NULL DEFAULT 0,
    descuento      numeric(24, 6) NOT NULL DEFAULT 0 CHECK (descuento >= 0),
    -- IVA and IEPS.
    impuestos      numeric(24, 6) NOT NULL DEFAULT 0,
    ieps           numeric(24, 6) NOT NULL DEFAULT 0,
    -- What the company withholds of it.
    retencion_isr  numeric(24, 6) NOT NULL DEFAULT 0,
    retencion_iva  numeric(24, 6) NOT NULL DEFAULT 0,
    total          numeric(24, 6) NOT NULL DEFAULT 0,
    -- The payable that it made. Payables may be imported before purchases or after, so it has no
    -- foreign key.
    cxp            bigint,
    comentarios    text,
    modificado     timestamptz,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT compras_proveedor_fk FOREIGN KEY (empresa, proveedor) REFERENCES proveedores,
    CONSTRAINT compras_sucursal_fk FOREIGN KEY (empresa, sucursal) REFERENCES sucursales,
    CONSTRAINT compras_almacen_fk FOREIGN KEY (empresa, almacen) REFERENCES almacenes
);
-- Filter `folio`.
CREATE INDEX compras_folio ON compras (empresa, folio, clave);
-- Filter `proveedor`.
CREATE INDEX compras_proveedor ON compras (empresa, proveedor, clave);
-- Filter `estatus`.
CREATE INDEX compras_estatus ON compras (empresa, estatus, clave);
-- Filter `sucursal`.
CREATE INDEX compras_sucursal ON compras (empresa, sucursal, clave);
-- Filters `fecha_desde` and `fecha_hasta`.
CREATE INDEX compras_fecha ON compras (empresa, fecha, clave);

CREATE TABLE compras_renglones (
    empresa            bigint NOT NULL,
    clave              bigint NOT NULL,
    compra             bigint NOT NULL,
    renglon            bigint NOT NULL CHECK (renglon > 0),
    producto           bigint,
    descripcion        text,
    cantidad           numeric(24, 6) NOT NULL CHECK (cantidad >= 0),
    cantidad_recibida  numeric(24, 6) NOT NULL DEFAULT 0 CHECK (cantidad_recibida >= 0),
    unidad             text,
    costo_unitario     numeric(24, 6) NOT NULL DEFAULT 0 CHECK (costo_unitario >= 0),
    descuento          numeric(24, 6) NOT NULL DEFAULT 0 CHECK (descuento >= 0),
    subtotal           numeric(24, 6) NOT NULL DEFAULT 0,
    iva                numeric(24, 6) NOT NULL DEFAULT 0,
    ieps               numeric(24, 6) NOT NULL DEFAULT 0,
    retencion_isr      numeric(24, 6) NOT NULL DEFAULT 0,
    retencion_iva      numeric(24, 6) NOT NULL DEFAULT 0,
    total              numeric(24, 6) NOT NULL DEFAULT 0,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT compras_renglones_renglon_unico UNIQUE (empresa, compra, renglon),
    CONSTRAINT compras_renglones_compra_fk FOREIGN KEY (empresa, compra) REFERENCES compras,
    CONSTRAINT compras_renglones_producto_fk FOREIGN KEY (empresa, producto) REFERENCES productos
);
-- Filter `compra`, and the lines of an order.
CREATE INDEX compras_renglones_compra ON compras_renglones (empresa, compra, clave);

-- Payables.
CREATE TABLE cxp (
    empresa        bigint NOT NULL,
    clave          bigint NOT NULL,
    folio          text,
    tipo           text NOT NULL DEFAULT 'gasto' CHECK (tipo IN ('compra', 'gasto')),
    estatus        text NOT NULL DEFAULT 'pendiente' CHECK (estatus IN ('cancelado', 'pendiente', 'pagado')),
    -- 0 where it was captured without a supplier.
    proveedor      bigint NOT NULL DEFAULT 0,
    compra         bigint,
    factura        text,
    uuid           text CHECK (uuid = lower(uuid) AND length(uuid) = 36),
    fecha          date NOT NULL,
    vencimiento    date,
    moneda         text NOT NULL DEFAULT 'MXN' CHECK (moneda ~ '^[A-Z]{3}$'),
    tipo_cambio    numeric(18, 6) NOT NULL DEFAULT 1 CHECK (tipo_cambio > 0),
    total          numeric(24, 6) NOT NULL DEFAULT 0,
    pagado         numeric(24, 6) NOT NULL DEFAULT 0,
    -- Negative where it is in the company's favour.
    saldo          numeric(24, 6) NOT NULL DEFAULT 0,
    -- The taxes within the total, with its sign; what is withheld is not in it.
    iva            numeric(24, 6) NOT NULL DEFAULT 0,
    ieps           numeric(24, 6) NOT NULL DEFAULT 0,
    retencion_isr  numeric(24, 6) NOT NULL DEFAULT 0,
    retencion_iva  numeric(24, 6) NOT NULL DEFAULT 0,
    sucursal       bigint NOT NULL DEFAULT 0,
    operaciones    bigint NOT NULL DEFAULT 1 CHECK (operaciones > 0),
    concepto       text,
    modificado     timestamptz,
    -- What is posted of an imported one against the opening account, in pesos; null where it was
    -- captured here. Then the IVA that is not creditable yet, and what is to be withheld, of it.
    apertura       numeric(20, 2),
    apertura_iva   numeric(20, 2) NOT NULL DEFAULT 0,
    apertura_retencion_isr numeric(20, 2) NOT NULL DEFAULT 0,
    apertura_retencion_iva numeric(20, 2) NOT NULL DEFAULT 0,
    -- The supplier as the foreign key sees it.
    proveedor_ref  bigint GENERATED ALWAYS AS (nullif(proveedor, 0)) STORED,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT cxp_proveedor_fk FOREIGN KEY (empresa, proveedor_ref) REFERENCES proveedores,
    CONSTRAINT cxp_sucursal_fk FOREIGN KEY (empresa, sucursal) REFERENCES sucursales
);
-- Filter `estatus`, pending ones unless another is asked for, and `vencido=false`, as in cxc.
CREATE INDEX cxp_estatus_vence ON cxp
    (empresa, estatus, clave, (coalesce(CASE WHEN saldo > 0 THEN vencimiento END, 'infinity')));
-- Filter `tipo`.
CREATE INDEX cxp_tipo ON cxp (empresa, estatus, tipo, clave);
-- Filter `proveedor`.
CREATE INDEX cxp_proveedor ON cxp (empresa, estatus, proveedor, clave);
-- A supplier's document is owed once; a cancelled payable's fiscal folio is free again.
CREATE UNIQUE INDEX cxp_uuid_unico ON cxp (empresa, uuid) WHERE uuid IS NOT NULL AND estatus <> 'cancelado';
-- Filter `uuid`.
CREATE INDEX cxp_uuid ON cxp (empresa, uuid, clave);
-- The imported payable of an order that does not name it.
CREATE INDEX cxp_compra ON cxp (empresa, compra, clave) WHERE apertura IS NOT NULL;
-- Filter `con_saldo=true`.
CREATE INDEX cxp_con_saldo ON cxp (empresa, estatus, clave) WHERE saldo > 0;
-- Filter `con_saldo=false`.
CREATE INDEX cxp_sin_saldo ON cxp (empresa, estatus, clave) WHERE saldo <= 0;
-- Filter `vencido=true`.
CREATE INDEX cxp_vencimiento ON cxp (empresa, estatus, vencimiento, clave) WHERE saldo > 0;

-- Payments of payables; in cash without a bank account. A supplier's own are negative.
CREATE TABLE cxp_pagos (
    empresa          bigint NOT NULL,
    clave            bigint NOT NULL,
    cxp              bigint NOT NULL,
    fecha            date NOT NULL,
    importe          numeric(24, 6) NOT NULL CHECK (importe <> 0),
    -- Pesos for one unit of the payable's currency on that day; null where the payable's own
    -- applies.
    tipo_cambio      numeric(18, 6),
    -- What left the bank account, in its currency, where that is not the payable's.
    monto            numeric(24, 6) CHECK (sign(monto) = sign(importe)),
    cuenta_bancaria  bigint,
    referencia       text NOT NULL,
    creado           timestamptz NOT NULL,
    cancelado        boolean NOT NULL DEFAULT false,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT cxp_pagos_cxp_fk FOREIGN KEY (empresa, cxp) REFERENCES cxp,
    CONSTRAINT cxp_pagos_cuenta_bancaria_fk FOREIGN KEY (empresa, cuenta_bancaria) REFERENCES cuentas_bancarias
);
-- The payments of a payable.
CREATE INDEX cxp_pagos_cxp ON cxp_pagos (empresa, cxp, clave);

-- What a company changed of accounts, and the accounts that it created. What is null is as in the
-- SAT's list: the number and the grouping code are the code, the name is the list's.
CREATE TABLE cuentas_contables (
    empresa     bigint NOT NULL REFERENCES empresas,
    -- A code of the SAT's "código agrupador", or what the company called its own account first.
    codigo      text NOT NULL,
    numero      text,
    nombre      text,
    agrupador   text,
    modificado  timestamptz NOT NULL,
    PRIMARY KEY (empresa, codigo)
);

-- Accounting entries, one for each business fact. What an entry is about is named without foreign
-- keys: entries stay.
CREATE TABLE polizas (
    empresa     bigint NOT NULL REFERENCES empresas,
    clave       bigint NOT NULL,
    fecha       date NOT NULL,
    concepto    text NOT NULL,
    origen      text NOT NULL DEFAULT 'documento'
                CHECK (origen IN ('documento', 'manual', 'apertura', 'revaluacion', 'cierre')),
    venta       bigint,
    factura     bigint,
    pago        bigint,
    compra      bigint,
    cxp         bigint,
    cxp_pago    bigint,
    deposito    bigint,
    reembolso   bigint,
    -- The first of the movements of stock.
    movimiento  bigint,
    -- The entry that this one reverses.
    revierte    bigint,
    -- The substitute that has replaced the entry of the sale that it is about, with the sale's lines
    -- and customer.
    sustituta   bigint,
    -- The currency that a revaluation is of.
    moneda      text CHECK ((moneda IS NOT NULL) = (origen = 'revaluacion')),
    -- The sums of its lines, written with them. A sum may have more digits than a line. A
    -- constraint compares them instead of a trigger over the lines, which a distributed engine
    -- refuses.
    cargos      numeric NOT NULL,
    abonos      numeric NOT NULL,
    creada      timestamptz NOT NULL,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT polizas_cuadra_check CHECK (cargos = abonos)
);
-- The entries of a sale.
CREATE INDEX polizas_venta ON polizas (empresa, venta);
-- The entries of a payment.
CREATE INDEX polizas_pago ON polizas (empresa, pago) WHERE pago IS NOT NULL;
-- The entries of a purchase order.
CREATE INDEX polizas_compra ON polizas (empresa, compra) WHERE compra IS NOT NULL;
-- The entries of a payable.
CREATE INDEX polizas_cxp ON polizas (empresa, cxp) WHERE cxp IS NOT NULL;
-- The entries of a deposit.
CREATE INDEX polizas_deposito ON polizas (empresa, deposito) WHERE deposito IS NOT NULL;
-- The entries of money that was given back.
CREATE INDEX polizas_reembolso ON polizas (empresa, reembolso) WHERE reembolso IS NOT NULL;
-- The entry that reverses an entry.
CREATE INDEX polizas_revierte ON polizas (empresa, revierte) WHERE revierte IS NOT NULL;
-- The entries of a span, in order.
CREATE INDEX polizas_fecha ON polizas (empresa, fecha, clave);
-- Entries that no document made: opening balances, revaluations, closings.
CREATE INDEX polizas_origen ON polizas (empresa, origen, fecha) WHERE origen <> 'documento';

CREATE TABLE polizas_renglones (
    empresa  bigint NOT NULL,
    poliza   bigint NOT NULL,
    renglon  integer NOT NULL CHECK (renglon > 0),
    -- The entry's day, which never changes: here for the index of an account's lines.
    fecha    date NOT NULL,
    -- The account by its code, and by the number that the company had for it then.
    codigo   text NOT NULL,
    cuenta   text NOT NULL,
    cargo    numeric(24, 6) NOT NULL DEFAULT 0 CHECK (cargo >= 0),
    abono    numeric(24, 6) NOT NULL DEFAULT 0 CHECK (abono >= 0),
    PRIMARY KEY (empresa, poliza, renglon),
    CONSTRAINT polizas_renglones_lado_check CHECK ((cargo = 0) <> (abono = 0)),
    CONSTRAINT polizas_renglones_poliza_fk FOREIGN KEY (empresa, poliza) REFERENCES polizas
);
-- The lines of an account in order, and its balance up to any of them.
CREATE INDEX polizas_renglones_cuenta ON polizas_renglones (empresa, codigo, fecha, poliza)
    INCLUDE (cuenta, cargo, abono);
