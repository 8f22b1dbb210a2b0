-- Units, brands, categories, products and their prices.

CREATE TABLE unidades (
    empresa    bigint NOT NULL REFERENCES empresas,
    clave      bigint NOT NULL,
    nombre     text NOT NULL,
    clave_sat  text,
    estatus    text NOT NULL DEFAULT 'activo' CHECK (estatus IN ('activo', 'inactivo')),
    PRIMARY KEY (empresa, clave)
);
-- Filter `estatus`.
CREATE INDEX unidades_estatus ON unidades (empresa, estatus, clave);

CREATE TABLE marcas (
    empresa  bigint NOT NULL REFERENCES empresas,
    clave    bigint NOT NULL,
    nombre   text NOT NULL,
    estatus  text NOT NULL DEFAULT 'activo' CHECK (estatus IN ('activo', 'eliminado')),
    PRIMARY KEY (empresa, clave)
);
-- A name is one brand, since products are filtered by it; a deleted brand's name is free again.
CREATE UNIQUE INDEX marcas_nombre_unico ON marcas (empresa, nombre) WHERE estatus <> 'eliminado';
-- Finds the brand, deleted or not, that the filter `marca` of products or an imported line names.
CREATE INDEX marcas_nombre ON marcas (empresa, nombre, clave);
-- Filter `estatus`.
CREATE INDEX marcas_estatus ON marcas (empresa, estatus, clave);

-- A tree.
CREATE TABLE categorias (
    empresa    bigint NOT NULL REFERENCES empresas,
    clave      bigint NOT NULL,
    nombre     text NOT NULL,
    -- The parent; -1 at the root.
    padre      bigint NOT NULL,
    estatus    text NOT NULL DEFAULT 'activo' CHECK (estatus IN ('activo', 'inactivo')),
    -- The parent as the foreign key sees it.
    padre_ref  bigint GENERATED ALWAYS AS (nullif(padre, -1)) STORED,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT categorias_padre_fk FOREIGN KEY (empresa, padre_ref) REFERENCES categorias
);
-- Filter `padre`.
CREATE INDEX categorias_padre ON categorias (empresa, padre, clave);
-- Finds the category that the filter `categoria` of products or an imported line names.
CREATE INDEX categorias_nombre ON categorias (empresa, nombre, clave);
-- Filter `estatus`.
CREATE INDEX categorias_estatus ON categorias (empresa, estatus, clave);

CREATE TABLE productos (
    empresa          bigint NOT NULL,
    clave            bigint NOT NULL,
    sku              text,
    folio            text,
    descripcion      text,
    estatus          text NOT NULL
                     CHECK (estatus IN ('activo', 'inactivo', 'eliminado', 'desconocido')),
    tipo             text NOT NULL CHECK (
                         tipo IN ('normal', 'virtual_con_precio', 'virtual_sin_precio', 'gasto', 'desconocido')
                     ),
    subtipo          text NOT NULL
                     CHECK (subtipo IN ('terminado', 'componente', 'materia_prima', 'desconocido')),
    kit              boolean NOT NULL DEFAULT false,
    -- The product that it is a variant of; the list shows 0 for none.
    clave_padre      bigint,
    codigo_sat       text NOT NULL DEFAULT '01010101',
    marca            bigint,
    categoria        bigint,
    id_platform_b    text,
    unidad           bigint,
    codigo_barras    text,
    costo            numeric(24, 6) NOT NULL DEFAULT 0 CHECK (costo >= 0),
    objeto_impuesto  text NOT NULL DEFAULT '02',
    iva_venta        text NOT NULL DEFAULT '16' CHECK (iva_venta IN ('16', '8', '0', 'EX')),
    iva_compra       text NOT NULL DEFAULT '16' CHECK (iva_compra IN ('16', '8', '0', 'EX')),
    -- IEPS by its rate or in pesos a unit, and the rates by which a company withholds ISR and IVA
    -- from a natural person; null for none.
    ieps_tasa        numeric(9, 6),
    ieps_cuota       numeric(9, 6),
    retencion_isr    numeric(9, 6),
    retencion_iva    numeric(9, 6),
    modificado       timestamptz,
    -- What the filter `buscar` searches: sku and descripcion in lower case without accents. The
    -- program computes it (`domain/computed.rs`), since normalize() depends on the server's
    -- version.
    busqueda         text NOT NULL DEFAULT '',
    PRIMARY KEY (empresa, clave),
    CONSTRAINT productos_clave_padre_fk FOREIGN KEY (empresa, clave_padre) REFERENCES productos,
    CONSTRAINT productos_marca_fk FOREIGN KEY (empresa, marca) REFERENCES marcas,
    CONSTRAINT productos_categoria_fk FOREIGN KEY (empresa, categoria) REFERENCES categorias,
    CONSTRAINT productos_unidad_fk FOREIGN KEY (empresa, unidad) REFERENCES unidades
);
-- Active products have different SKUs.
CREATE UNIQUE INDEX productos_sku_unico ON productos (empresa, sku) WHERE estatus = 'activo';
-- Filter `sku`, and the products that the same filter of other lists names.
CREATE INDEX productos_sku ON productos (empresa, sku, clave);
-- Filter `folio`. Indexes of optional columns hold only the rows that have a value, which makes
-- writes cheaper.
CREATE INDEX productos_con_folio ON productos (empresa, folio, clave) WHERE folio IS NOT NULL;
-- Filter `estatus`.
CREATE INDEX productos_estatus ON productos (empresa, estatus, clave);
-- Filter `tipo`.
CREATE INDEX productos_tipo ON productos (empresa, tipo, clave);
-- Filter `subtipo`.
CREATE INDEX productos_subtipo ON productos (empresa, subtipo, clave);
-- Filter `kit`: few products are kits.
CREATE INDEX productos_kits ON productos (empresa, clave) WHERE kit;
-- Filter `sku_padre`.
CREATE INDEX productos_con_padre ON productos (empresa, clave_padre, clave) WHERE clave_padre IS NOT NULL;
-- Filter `codigo_sat`.
CREATE INDEX productos_codigo_sat ON productos (empresa, codigo_sat, clave);
-- Filter `marca`.
CREATE INDEX productos_con_marca ON productos (empresa, marca, clave) WHERE marca IS NOT NULL;
-- Filter `categoria`.
CREATE INDEX productos_con_categoria ON productos (empresa, categoria, clave) WHERE categoria IS NOT NULL;
-- Filter `id_platform_b`.
CREATE INDEX productos_id_platform_b ON productos (empresa, id_platform_b, clave) WHERE id_platform_b IS NOT NULL;
-- Filter `modificado_desde`.
CREATE INDEX productos_modificado ON productos (empresa, modificado, clave);
-- Filter `buscar`. Every search of any company reads the list of pending entries whole, so the list
-- is short: with the standard 4 MB a search took 1 ms instead of 0.4 ms, and writes took as long.
CREATE INDEX productos_busqueda ON productos USING gin (empresa, busqueda gin_trgm_ops)
    WITH (gin_pending_list_limit = 256);

-- An import of prices makes the lists that they name.
CREATE TABLE listas_precios (
    empresa  bigint NOT NULL REFERENCES empresas,
    clave    bigint NOT NULL,
    nombre   text,
    PRIMARY KEY (empresa, clave)
);

-- The price of a product on a price list, from a least quantity on and within a span of days.
CREATE TABLE precios (
    empresa          bigint NOT NULL,
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
-- Filters `producto` and `sku`, and the price that a sale's line takes.
CREATE INDEX precios_producto ON precios (empresa, producto, clave);
-- Filter `lista`.
CREATE INDEX precios_lista ON precios (empresa, lista, clave);
-- Filter `modificado_desde`.
CREATE INDEX precios_modificado ON precios (empresa, modificado, clave);
