-- Suppliers, prices, stock and its ledger, purchases.

CREATE TABLE proveedores (
    empresa   bigint NOT NULL REFERENCES empresas,
    clave     bigint NOT NULL,
    folio     text,
    nombre    text,
    contacto  text,
    rfc       text,
    correo    text,
    telefono  text,
    estatus   text NOT NULL DEFAULT 'activo' CHECK (estatus IN ('activo', 'inactivo', 'eliminado', 'desconocido')),
    -- nombre, folded: lower case, without accents.
    busqueda  text NOT NULL DEFAULT '',
    PRIMARY KEY (empresa, clave)
);
CREATE INDEX proveedores_folio ON proveedores (empresa, folio, clave);
CREATE INDEX proveedores_rfc ON proveedores (empresa, rfc, clave);
CREATE INDEX proveedores_estatus ON proveedores (empresa, estatus, clave);
CREATE INDEX proveedores_busqueda ON proveedores USING gin (empresa, busqueda gin_trgm_ops);

CREATE INDEX unidades_estatus ON unidades (empresa, estatus, clave);
CREATE INDEX marcas_estatus ON marcas (empresa, estatus, clave);
CREATE INDEX categorias_estatus ON categorias (empresa, estatus, clave);
CREATE INDEX sucursales_estatus ON sucursales (empresa, estatus, clave);
CREATE INDEX almacenes_principal ON almacenes (empresa, principal, clave);
CREATE INDEX almacenes_estatus ON almacenes (empresa, estatus, clave);
CREATE INDEX usuarios_vendedor ON usuarios (empresa, activo, clave) WHERE vendedor;

-- A price of a product on a price list, from a least quantity on and within a span of days.
CREATE TABLE precios (
    empresa          bigint NOT NULL REFERENCES empresas,
    clave            bigint NOT NULL,
    producto         bigint NOT NULL,
    lista            bigint NOT NULL,
    moneda           text NOT NULL DEFAULT 'MXN' CHECK (moneda ~ '^[A-Z]{3}$'),
    precio           numeric(24, 6) NOT NULL CHECK (precio >= 0),
    iva_incluido     boolean NOT NULL DEFAULT false,
    cantidad_minima  numeric(24, 6) NOT NULL DEFAULT 0 CHECK (cantidad_minima >= 0),
    vigencia_desde   date,
    vigencia_hasta   date,
    modificado       timestamptz,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT precios_vigencia_hasta_check CHECK (vigencia_hasta >= vigencia_desde),
    CONSTRAINT precios_producto_fk FOREIGN KEY (empresa, producto) REFERENCES productos,
    CONSTRAINT precios_lista_fk FOREIGN KEY (empresa, lista) REFERENCES listas_precios
);
CREATE INDEX precios_producto ON precios (empresa, producto, clave);
CREATE INDEX precios_lista ON precios (empresa, lista, clave);
CREATE INDEX precios_modificado ON precios (empresa, modificado, clave);

-- What a warehouse holds of a product. `apartado` is signed (spec, "Stock record").
CREATE TABLE inventario (
    empresa     bigint NOT NULL REFERENCES empresas,
    clave       bigint NOT NULL,
    producto    bigint NOT NULL,
    almacen     bigint NOT NULL,
    existencia  numeric(24, 6) NOT NULL DEFAULT 0,
    apartado    numeric(24, 6) NOT NULL DEFAULT 0,
    minimo      numeric(24, 6) NOT NULL DEFAULT 0,
    modificado  timestamptz,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT inventario_producto_unico UNIQUE (empresa, producto, almacen),
    CONSTRAINT inventario_producto_fk FOREIGN KEY (empresa, producto) REFERENCES productos,
    CONSTRAINT inventario_almacen_fk FOREIGN KEY (empresa, almacen) REFERENCES almacenes
);
CREATE INDEX inventario_almacen ON inventario (empresa, almacen, clave);
CREATE INDEX inventario_modificado ON inventario (empresa, modificado, clave);

-- The ledger (kardex): what happened to stock. It outlives what it speaks of, so its references are facts, not keys:
-- almacen and almacen_destino are text as stored, sale and purchase may be of another system's time.
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
    PRIMARY KEY (empresa, clave)
);
CREATE INDEX movimientos_inventario_producto ON movimientos_inventario (empresa, producto, clave);
CREATE INDEX movimientos_inventario_tipo ON movimientos_inventario (empresa, producto, tipo, clave);
-- By the SKU as written down, the products it was written down for are told apart without reading their ledgers.
CREATE INDEX movimientos_inventario_sku ON movimientos_inventario (empresa, sku, producto, clave);
CREATE INDEX movimientos_inventario_venta ON movimientos_inventario (empresa, venta, clave) WHERE venta IS NOT NULL;

CREATE TABLE compras (
    empresa        bigint NOT NULL REFERENCES empresas,
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
    impuestos      numeric(24, 6) NOT NULL DEFAULT 0,
    total          numeric(24, 6) NOT NULL DEFAULT 0,
    -- The payable it made; payables may be loaded before purchases or after, so this is a fact, not a key.
    cxp            bigint,
    comentarios    text,
    modificado     timestamptz,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT compras_proveedor_fk FOREIGN KEY (empresa, proveedor) REFERENCES proveedores,
    CONSTRAINT compras_sucursal_fk FOREIGN KEY (empresa, sucursal) REFERENCES sucursales,
    CONSTRAINT compras_almacen_fk FOREIGN KEY (empresa, almacen) REFERENCES almacenes
);
CREATE INDEX compras_folio ON compras (empresa, folio, clave);
CREATE INDEX compras_proveedor ON compras (empresa, proveedor, clave);
CREATE INDEX compras_estatus ON compras (empresa, estatus, clave);
CREATE INDEX compras_sucursal ON compras (empresa, sucursal, clave);
CREATE INDEX compras_fecha ON compras (empresa, fecha, clave);

CREATE TABLE compras_renglones (
    empresa            bigint NOT NULL REFERENCES empresas,
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
    total              numeric(24, 6) NOT NULL DEFAULT 0,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT compras_renglones_renglon_unico UNIQUE (empresa, compra, renglon),
    CONSTRAINT compras_renglones_compra_fk FOREIGN KEY (empresa, compra) REFERENCES compras,
    CONSTRAINT compras_renglones_producto_fk FOREIGN KEY (empresa, producto) REFERENCES productos
);
CREATE INDEX compras_renglones_compra ON compras_renglones (empresa, compra, clave);
