-- Units, brands, categories and products.

CREATE TABLE unidades (
    empresa    bigint NOT NULL REFERENCES empresas,
    clave      bigint NOT NULL,
    nombre     text NOT NULL,
    clave_sat  text,
    estatus    text NOT NULL DEFAULT 'activo' CHECK (estatus IN ('activo', 'inactivo')),
    PRIMARY KEY (empresa, clave)
);

CREATE TABLE marcas (
    empresa  bigint NOT NULL REFERENCES empresas,
    clave    bigint NOT NULL,
    nombre   text NOT NULL,
    estatus  text NOT NULL DEFAULT 'activo' CHECK (estatus IN ('activo', 'eliminado')),
    PRIMARY KEY (empresa, clave)
);
-- A deleted brand's name is free again; among the others a name is one brand, since products are filtered by it.
CREATE UNIQUE INDEX marcas_nombre_unico ON marcas (empresa, nombre) WHERE estatus <> 'eliminado';
CREATE INDEX marcas_nombre ON marcas (empresa, nombre, clave);

-- A tree; padre -1 marks the root.
CREATE TABLE categorias (
    empresa  bigint NOT NULL REFERENCES empresas,
    clave    bigint NOT NULL,
    nombre   text NOT NULL,
    padre    bigint NOT NULL,
    estatus  text NOT NULL DEFAULT 'activo' CHECK (estatus IN ('activo', 'inactivo')),
    -- The parent as a reference: null at the root.
    padre_ref  bigint GENERATED ALWAYS AS (nullif(padre, -1)) STORED,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT categorias_padre_fk FOREIGN KEY (empresa, padre_ref) REFERENCES categorias
);
CREATE INDEX categorias_padre ON categorias (empresa, padre, clave);
CREATE INDEX categorias_nombre ON categorias (empresa, nombre, clave);

CREATE TABLE productos (
    empresa          bigint NOT NULL REFERENCES empresas,
    clave            bigint NOT NULL,
    sku              text,
    folio            text,
    descripcion      text,
    estatus          text NOT NULL CHECK (estatus IN ('activo', 'inactivo', 'eliminado', 'desconocido')),
    tipo             text NOT NULL
                     CHECK (tipo IN ('normal', 'virtual_con_precio', 'virtual_sin_precio', 'gasto', 'desconocido')),
    subtipo          text NOT NULL CHECK (subtipo IN ('terminado', 'componente', 'materia_prima', 'desconocido')),
    kit              boolean NOT NULL DEFAULT false,
    -- Null where the wire says 0: of no parent.
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
    -- sku and descripcion, folded: lower case, without accents.
    busqueda         text NOT NULL DEFAULT '',
    modificado       timestamptz,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT productos_clave_padre_fk FOREIGN KEY (empresa, clave_padre) REFERENCES productos,
    CONSTRAINT productos_marca_fk FOREIGN KEY (empresa, marca) REFERENCES marcas,
    CONSTRAINT productos_categoria_fk FOREIGN KEY (empresa, categoria) REFERENCES categorias,
    CONSTRAINT productos_unidad_fk FOREIGN KEY (empresa, unidad) REFERENCES unidades
);
-- A SKU cannot repeat another active product's.
CREATE UNIQUE INDEX productos_sku_unico ON productos (empresa, sku) WHERE estatus = 'activo';
-- An index a filter; each ends in clave, the order of every page.
CREATE INDEX productos_sku ON productos (empresa, sku, clave);
CREATE INDEX productos_folio ON productos (empresa, folio, clave);
CREATE INDEX productos_estatus ON productos (empresa, estatus, clave);
CREATE INDEX productos_tipo ON productos (empresa, tipo, clave);
CREATE INDEX productos_subtipo ON productos (empresa, subtipo, clave);
CREATE INDEX productos_kit ON productos (empresa, kit, clave);
CREATE INDEX productos_clave_padre ON productos (empresa, clave_padre, clave);
CREATE INDEX productos_codigo_sat ON productos (empresa, codigo_sat, clave);
CREATE INDEX productos_marca ON productos (empresa, marca, clave);
CREATE INDEX productos_categoria ON productos (empresa, categoria, clave);
CREATE INDEX productos_unidad ON productos (empresa, unidad, clave);
CREATE INDEX productos_id_platform_b ON productos (empresa, id_platform_b, clave) WHERE id_platform_b IS NOT NULL;
CREATE INDEX productos_modificado ON productos (empresa, modificado, clave);
CREATE INDEX productos_busqueda ON productos USING gin (empresa, busqueda gin_trgm_ops);
