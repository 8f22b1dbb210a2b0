-- Warehouses, what they hold, and the ledger of its movements.

CREATE TABLE almacenes (
    empresa    bigint NOT NULL,
    clave      bigint NOT NULL,
    codigo     text NOT NULL CHECK (length(codigo) = 3),
    nombre     text,
    sucursal   bigint NOT NULL,
    principal  boolean NOT NULL DEFAULT false,
    estatus    text NOT NULL DEFAULT 'activo' CHECK (estatus IN ('activo', 'inactivo', 'eliminado')),
    -- When its codigo or sucursal last changed: documents that show it were changed then.
    renombrado timestamptz,
    PRIMARY KEY (empresa, clave),
    -- Filter `codigo` too.
    CONSTRAINT almacenes_codigo_unico UNIQUE (empresa, codigo),
    CONSTRAINT almacenes_sucursal_fk FOREIGN KEY (empresa, sucursal) REFERENCES sucursales
);
-- Filter `sucursal`, and the main warehouse of a branch.
CREATE INDEX almacenes_sucursal ON almacenes (empresa, sucursal, clave);
-- Filter `principal`.
CREATE INDEX almacenes_principal ON almacenes (empresa, principal, clave);
-- A branch has one main warehouse (contract §3).
CREATE UNIQUE INDEX almacenes_principal_unico ON almacenes (empresa, sucursal)
    WHERE principal AND estatus <> 'eliminado';
-- Filter `estatus`.
CREATE INDEX almacenes_estatus ON almacenes (empresa, estatus, clave);

-- What a warehouse holds of a product. `apartado` is signed (spec, "Stock record").
CREATE TABLE inventario (
    empresa     bigint NOT NULL,
    clave       bigint NOT NULL,
    producto    bigint NOT NULL,
    almacen     bigint NOT NULL,
    existencia  numeric(24, 6) NOT NULL DEFAULT 0,
    apartado    numeric(24, 6) NOT NULL DEFAULT 0,
    minimo      numeric(24, 6) NOT NULL DEFAULT 0,
    modificado  timestamptz,
    PRIMARY KEY (empresa, clave),
    -- Filter `sku` too, and every movement.
    CONSTRAINT inventario_producto_unico UNIQUE (empresa, producto, almacen),
    CONSTRAINT inventario_producto_fk FOREIGN KEY (empresa, producto) REFERENCES productos,
    CONSTRAINT inventario_almacen_fk FOREIGN KEY (empresa, almacen) REFERENCES almacenes
);
-- Filters `almacen` and `sucursal`.
CREATE INDEX inventario_almacen ON inventario (empresa, almacen, clave);
-- Filter `modificado_desde`.
CREATE INDEX inventario_modificado ON inventario (empresa, modificado, clave);

-- What the company holds of a product in all warehouses and what that is worth (contract §12). A
-- table of its own, without indexes on what changes: every movement writes it.
CREATE TABLE costos (
    empresa     bigint NOT NULL,
    producto    bigint NOT NULL,
    existencia  numeric(24, 6) NOT NULL DEFAULT 0,
    valor       numeric(20, 2) NOT NULL DEFAULT 0,
    -- The last known cost of one unit; null until there is one.
    ultimo      numeric(24, 6) CHECK (ultimo >= 0),
    PRIMARY KEY (empresa, producto),
    CONSTRAINT costos_producto_fk FOREIGN KEY (empresa, producto) REFERENCES productos,
    CONSTRAINT costos_valor_signo CHECK (valor * sign(existencia) >= 0 AND (existencia <> 0 OR valor = 0))
);

-- What imports of stock added to `costos`, which no movement did, and the day of their entry.
CREATE TABLE costos_aperturas (
    empresa     bigint NOT NULL,
    producto    bigint NOT NULL,
    dia         date NOT NULL,
    existencia  numeric(24, 6) NOT NULL,
    valor       numeric(20, 2) NOT NULL,
    PRIMARY KEY (empresa, producto, dia),
    CONSTRAINT costos_aperturas_producto_fk FOREIGN KEY (empresa, producto) REFERENCES productos
);

-- The ledger (kardex). It outlives what it speaks of and may come from another system, so it has no
-- foreign keys: warehouses are text as written down.
CREATE TABLE movimientos_inventario (
    empresa              bigint NOT NULL REFERENCES empresas,
    clave                bigint NOT NULL,
    fecha                timestamptz NOT NULL,
    tipo                 text NOT NULL,
    producto             bigint,
    sku                  text,
    cantidad             numeric(24, 6) NOT NULL CHECK (cantidad >= 0),
    existencia_anterior  numeric(24, 6) NOT NULL,
    existencia_actual    numeric(24, 6) NOT NULL,
    almacen              text NOT NULL,
    almacen_destino      text,
    venta                bigint,
    compra               bigint,
    costo_unitario       numeric(24, 6) CHECK (costo_unitario >= 0),
    importe              numeric(24, 6),
    referencia           text,
    -- How the movement changed the value of the product's stock, and the day of that entry; null of
    -- imported movements, which are in no entry.
    valor                numeric(20, 2),
    dia                  date,
    PRIMARY KEY (empresa, clave)
);
-- Filter `sku`: the movements of the product that has it.
CREATE INDEX movimientos_inventario_producto ON movimientos_inventario (empresa, producto, clave);
-- Filters `sku` and `tipo` together.
CREATE INDEX movimientos_inventario_tipo ON movimientos_inventario (empresa, producto, tipo, clave);
-- Filter `sku`: the products that movements were written down for under that SKU, found without
-- reading the movements.
CREATE INDEX movimientos_inventario_sku ON movimientos_inventario (empresa, sku, producto, clave);
-- Filter `venta`, and what a sale took out.
CREATE INDEX movimientos_inventario_venta ON movimientos_inventario (empresa, venta, clave) WHERE venta IS NOT NULL;
