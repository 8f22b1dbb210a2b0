-- Tax documents: the registry, the documents themselves, certificates, and the queues to the tax
-- authority.
--
-- XML is stored deflated (zlib, RFC 1950). A worker leases a row of a queue until `arrendado`, by
-- the database's clock, under a token that is compared again when the result is written.

-- The registry of invoices, credit notes and payment complements: all statuses, no amounts.
CREATE TABLE facturas (
    empresa                 bigint NOT NULL REFERENCES empresas,
    clave                   bigint NOT NULL,
    tipo                    text NOT NULL DEFAULT 'factura'
                            CHECK (tipo IN ('factura', 'nota_credito', 'pago', 'traslado', 'embarque', 'externa')),
    estatus                 text NOT NULL DEFAULT 'vigente'
                            CHECK (estatus IN ('vigente', 'cancelada', 'en_espera', 'error')),
    venta                   bigint,
    cliente                 bigint,
    serie                   text,
    folio                   text,
    uuid                    text CHECK (uuid = lower(uuid) AND length(uuid) = 36),
    fecha                   timestamptz NOT NULL,
    fecha_timbrado          timestamptz,
    fecha_cancelacion       timestamptz,
    -- Since when a cancellation has been waiting for its receiver's answer.
    cancelacion_solicitada  timestamptz,
    motivo_cancelacion      text CHECK (motivo_cancelacion IN ('01', '02', '03', '04')),
    uuid_sustitucion        text,
    -- The invoice that this one replaces (relation 04).
    sustituye               bigint,
    error_codigo            text,
    error_mensaje           text,
    -- An invoice that the API asked for is the answer when the API asks again.
    origen                  text NOT NULL DEFAULT 'aplicacion' CHECK (origen IN ('api', 'aplicacion')),
    modificado              timestamptz,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT facturas_venta_fk FOREIGN KEY (empresa, venta) REFERENCES ventas,
    CONSTRAINT facturas_cliente_fk FOREIGN KEY (empresa, cliente) REFERENCES clientes
);
-- Filter `uuid`, and the other documents with an imported one's fiscal folio.
CREATE INDEX facturas_uuid ON facturas (empresa, uuid, clave);
-- Filter `venta`, and the documents of a sale.
CREATE INDEX facturas_venta ON facturas (empresa, venta, clave);
-- Filter `tipo`.
CREATE INDEX facturas_tipo ON facturas (empresa, tipo, clave);
-- Filter `estatus`.
CREATE INDEX facturas_estatus ON facturas (empresa, estatus, clave);
-- Filters `fecha_desde` and `fecha_hasta`.
CREATE INDEX facturas_fecha ON facturas (empresa, fecha, clave);
-- The invoices that replace an invoice.
CREATE INDEX facturas_sustituye ON facturas (empresa, sustituye) WHERE sustituye IS NOT NULL;

-- The relations between documents, by the authority's keys.
CREATE TABLE facturas_relaciones (
    empresa        bigint NOT NULL,
    factura        bigint NOT NULL,
    relacionada    bigint NOT NULL,
    tipo_relacion  text NOT NULL CHECK (tipo_relacion IN ('01', '02', '03', '04', '07')),
    PRIMARY KEY (empresa, factura, relacionada),
    CONSTRAINT facturas_relaciones_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas,
    CONSTRAINT facturas_relaciones_relacionada_fk FOREIGN KEY (empresa, relacionada) REFERENCES facturas
);
-- The documents that wait for a document to be stamped.
CREATE INDEX facturas_relaciones_relacionada ON facturas_relaciones (empresa, relacionada);

-- The XML of each document: sealed while it waits for its stamp, then stamped. The stamped XML is
-- the invoice itself and is never deleted. It has a table of its own so that the registry's rows
-- stay short.
CREATE TABLE facturas_xml (
    empresa   bigint NOT NULL,
    factura   bigint NOT NULL,
    timbrado  boolean NOT NULL,
    xml       bytea NOT NULL,
    -- What a host adds outside the seal, once it is stamped.
    addenda   bytea,
    guardado  timestamptz NOT NULL,
    PRIMARY KEY (empresa, factura),
    CONSTRAINT facturas_xml_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas
);

-- The authority's receipts of requests to cancel. They are never deleted either.
CREATE TABLE facturas_acuses (
    empresa   bigint NOT NULL,
    factura   bigint NOT NULL,
    xml       bytea NOT NULL,
    guardado  timestamptz NOT NULL,
    PRIMARY KEY (empresa, factura),
    CONSTRAINT facturas_acuses_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas
);

-- What a credit note takes off an invoiced sale.
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
    locales_trasladados numeric(24, 6) NOT NULL,
    locales_retenidos numeric(24, 6) NOT NULL,
    total           numeric(24, 6) NOT NULL,
    -- The payment by which it lowers the sale's receivable, if it does.
    pago            bigint,
    -- The sale of the advance that it applies, if it does.
    anticipo        bigint,
    -- The folio of the ticket that it takes out of a global invoice, so that the ticket has an
    -- invoice of its own; then it takes nothing off the sale.
    ticket          text,
    PRIMARY KEY (empresa, factura),
    CONSTRAINT notas_credito_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas,
    CONSTRAINT notas_credito_venta_fk FOREIGN KEY (empresa, venta) REFERENCES ventas
);
-- The credit notes of a sale.
CREATE INDEX notas_credito_venta ON notas_credito (empresa, venta);
-- The credit note of a payment, which is not cancelled by itself.
CREATE INDEX notas_credito_pago ON notas_credito (empresa, pago) WHERE pago IS NOT NULL;
-- What has been applied of an advance.
CREATE INDEX notas_credito_anticipo ON notas_credito (empresa, anticipo) WHERE anticipo IS NOT NULL;

-- What a credit note takes back of each line of its sale, or of the advance that it applies.
CREATE TABLE notas_credito_renglones (
    empresa          bigint NOT NULL,
    factura          bigint NOT NULL,
    renglon          bigint NOT NULL,
    -- Those of the line when the note was made. A substitute may replace the line once the note is
    -- cancelled.
    producto         bigint,
    iva_tasa         text,
    -- The units of the line that count as taken back.
    acreditada       numeric(24, 6) NOT NULL,
    cantidad         numeric(24, 6) NOT NULL,
    precio_unitario  numeric(24, 6) NOT NULL,
    subtotal         numeric(24, 6) NOT NULL,
    descuento        numeric(24, 6) NOT NULL,
    iva              numeric(24, 6) NOT NULL,
    ieps             numeric(24, 6) NOT NULL,
    retenciones      numeric(24, 6) NOT NULL,
    isr_retenido     numeric(24, 6) NOT NULL,
    locales_trasladados numeric(24, 6) NOT NULL,
    locales_retenidos numeric(24, 6) NOT NULL,
    total            numeric(24, 6) NOT NULL,
    PRIMARY KEY (empresa, factura, renglon),
    CONSTRAINT notas_credito_renglones_factura_fk FOREIGN KEY (empresa, factura) REFERENCES notas_credito
);

-- Goods of tickets that came back while no document named them; later documents leave them out.
CREATE TABLE devoluciones (
    empresa  bigint NOT NULL,
    clave    bigint NOT NULL,
    venta    bigint NOT NULL,
    total    numeric(24, 6) NOT NULL,
    -- The payment by which it lowers the sale's receivable, if it does.
    pago     bigint,
    -- The entry that books it, if it comes to anything.
    poliza   bigint,
    creado   timestamptz NOT NULL,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT devoluciones_venta_fk FOREIGN KEY (empresa, venta) REFERENCES ventas
);
-- What came back of a sale.
CREATE INDEX devoluciones_venta ON devoluciones (empresa, venta);
-- The return of a payment, which is not cancelled by itself.
CREATE INDEX devoluciones_pago ON devoluciones (empresa, pago) WHERE pago IS NOT NULL;

-- What came back of each line.
CREATE TABLE devoluciones_renglones (
    empresa     bigint NOT NULL,
    devolucion  bigint NOT NULL,
    renglon     bigint NOT NULL,
    cantidad    numeric(24, 6) NOT NULL,
    -- What was charged for them, before taxes.
    base        numeric(24, 6) NOT NULL,
    PRIMARY KEY (empresa, devolucion, renglon),
    CONSTRAINT devoluciones_renglones_devolucion_fk FOREIGN KEY (empresa, devolucion) REFERENCES devoluciones
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

-- The sales of each. They stay with a cancelled invoice, although another may then invoice them.
CREATE TABLE facturas_globales_ventas (
    empresa  bigint NOT NULL,
    factura  bigint NOT NULL,
    venta    bigint NOT NULL,
    PRIMARY KEY (empresa, factura, venta),
    CONSTRAINT facturas_globales_ventas_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas_globales,
    CONSTRAINT facturas_globales_ventas_venta_fk FOREIGN KEY (empresa, venta) REFERENCES ventas
);

-- What a sale was before its invoice, for a discarded invoice to give back.
CREATE TABLE ventas_previas (
    empresa          bigint NOT NULL,
    factura          bigint NOT NULL,
    venta            bigint NOT NULL,
    tipo             text NOT NULL,
    tipo_creado      text,
    serie            text,
    folio            bigint,
    vencimiento      date,
    forma_pago_sat   text,
    metodo_pago_sat  text,
    uso_cfdi         text,
    surtido_estatus  text,
    monto_surtido    numeric(24, 6),
    -- When its receivable was due, if it was owed already.
    vencimiento_cxc  date,
    PRIMARY KEY (empresa, factura),
    CONSTRAINT ventas_previas_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas,
    CONSTRAINT ventas_previas_venta_fk FOREIGN KEY (empresa, venta) REFERENCES ventas
);

-- What a substitute invoice corrects of its sale, which changes once the substitute is stamped.
CREATE TABLE sustituciones (
    empresa             bigint NOT NULL,
    factura             bigint NOT NULL,
    cliente             bigint NOT NULL,
    condicion_pago      text NOT NULL,
    dias_credito        integer,
    forma_pago_sat      text,
    metodo_pago_sat     text,
    uso_cfdi            text,
    subtotal            numeric(24, 6) NOT NULL,
    descuento           numeric(24, 6) NOT NULL,
    iva                 numeric(24, 6) NOT NULL,
    ieps                numeric(24, 6) NOT NULL,
    retenciones         numeric(24, 6) NOT NULL,
    isr_retenido        numeric(24, 6) NOT NULL,
    locales_trasladados numeric(24, 6) NOT NULL,
    locales_retenidos   numeric(24, 6) NOT NULL,
    total               numeric(24, 6) NOT NULL,
    -- How many lines the sale had more.
    renglones_quitados  bigint NOT NULL DEFAULT 0,
    -- Once it has replaced the sale's entry: the sale, the day of its own entry, and the customer
    -- and the total that the receivable had before.
    venta               bigint,
    dia                 date,
    cliente_anterior    bigint,
    total_anterior      numeric(24, 6),
    PRIMARY KEY (empresa, factura),
    CONSTRAINT sustituciones_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas,
    CONSTRAINT sustituciones_cliente_fk FOREIGN KEY (empresa, cliente) REFERENCES clientes
);
-- The sales whose entry was replaced.
CREATE INDEX sustituciones_venta ON sustituciones (empresa, venta, factura) WHERE venta IS NOT NULL;
-- The sales that were a customer's.
CREATE INDEX sustituciones_cliente_anterior ON sustituciones (empresa, cliente_anterior)
    WHERE cliente_anterior IS NOT NULL;

-- The corrected lines, all of them, if lines change.
CREATE TABLE renglones_corregidos (
    empresa          bigint NOT NULL,
    factura          bigint NOT NULL,
    renglon          bigint NOT NULL,
    producto         bigint,
    sku              text,
    descripcion      text,
    cantidad         numeric(24, 6) NOT NULL,
    unidad           text,
    unidad_sat       text,
    codigo_sat       text,
    objeto_impuesto  text,
    precio_unitario  numeric(24, 6) NOT NULL,
    con_existencia   boolean NOT NULL,
    descuento        numeric(24, 6) NOT NULL,
    subtotal         numeric(24, 6) NOT NULL,
    iva_tasa         text,
    iva              numeric(24, 6) NOT NULL,
    total            numeric(24, 6) NOT NULL,
    ieps             numeric(24, 6) NOT NULL,
    retenciones      numeric(24, 6) NOT NULL,
    isr_retenido     numeric(24, 6) NOT NULL,
    locales_trasladados numeric(24, 6) NOT NULL,
    locales_retenidos numeric(24, 6) NOT NULL,
    ieps_tasa        numeric(9, 6),
    ieps_cuota       numeric(9, 6),
    retencion_isr    numeric(9, 6),
    retencion_iva    numeric(9, 6),
    numero_pedimento text,
    cuenta_predial   text,
    impuestos_locales text,
    PRIMARY KEY (empresa, factura, renglon),
    CONSTRAINT renglones_corregidos_factura_fk FOREIGN KEY (empresa, factura) REFERENCES sustituciones
);

-- The lines that the sale had before it, for reports of the entries that are about them
-- (`polizas.sustituta`).
CREATE TABLE renglones_sustituidos (
    empresa    bigint NOT NULL,
    factura    bigint NOT NULL,
    renglon    bigint NOT NULL,
    producto   bigint,
    cantidad   numeric(24, 6) NOT NULL,
    subtotal   numeric(24, 6) NOT NULL,
    descuento  numeric(24, 6) NOT NULL,
    iva_tasa   text,
    iva        numeric(24, 6) NOT NULL,
    ieps       numeric(24, 6) NOT NULL,
    total      numeric(24, 6) NOT NULL,
    PRIMARY KEY (empresa, factura, renglon),
    CONSTRAINT renglones_sustituidos_factura_fk FOREIGN KEY (empresa, factura) REFERENCES sustituciones
);

-- The certificates that a company signs with. The one with the greatest `orden`, loaded last,
-- signs.
CREATE TABLE certificados (
    empresa      bigint NOT NULL REFERENCES empresas,
    numero       text NOT NULL,
    orden        bigint NOT NULL,
    rfc          text NOT NULL,
    desde        timestamptz NOT NULL,
    hasta        timestamptz NOT NULL,
    certificado  bytea NOT NULL,
    -- The private key, PKCS#8, sealed. The first byte says how.
    llave        bytea NOT NULL,
    cargado      timestamptz NOT NULL,
    -- The last day on which it signed, for `svc certificate list`.
    usado        date,
    PRIMARY KEY (empresa, numero),
    CONSTRAINT certificados_validez_check CHECK (desde <= hasta),
    CONSTRAINT certificados_orden_unico UNIQUE (empresa, orden)
);
-- The companies whose certificate ends soon.
CREATE INDEX certificados_vencen ON certificados (hasta, empresa);

-- The queue of documents to be stamped. A row is deleted with the authority's answer.
CREATE TABLE timbrados (
    empresa       bigint NOT NULL,
    factura       bigint NOT NULL,
    proximo       timestamptz NOT NULL,
    intentos      integer NOT NULL DEFAULT 0 CHECK (intentos >= 0),
    -- Why it waits for a person: `estancado`, its fate is unknown; `configuracion`, the provider
    -- refuses the account; `copia`, the database is a copy, and the original sends it.
    detenido      text,
    token         uuid,
    arrendado     timestamptz,
    ultimo_error  text,
    -- The document as it was validated, without date, certificate and seal. Null while it is being
    -- written, and when the document is to be made anew of today's records.
    documento     bytea,
    creado        timestamptz NOT NULL,
    PRIMARY KEY (empresa, factura),
    CONSTRAINT timbrados_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas
);
-- The rows of a company that are due.
CREATE INDEX timbrados_proximo ON timbrados (empresa, proximo);
-- The companies that have rows due.
CREATE INDEX timbrados_vencidos ON timbrados (proximo, empresa);
-- The few that wait for a person: they are counted after every pass.
CREATE INDEX timbrados_detenidos ON timbrados (empresa, detenido) WHERE detenido IS NOT NULL;

-- The queue of cancellations that were asked for, until the authority's final answer.
CREATE TABLE cancelaciones (
    empresa       bigint NOT NULL,
    factura       bigint NOT NULL,
    -- The payment that is cancelled with its complement.
    pago          bigint,
    -- Whether its receiver has to accept, as far as the user who asked knows.
    aceptacion    boolean NOT NULL,
    proximo       timestamptz NOT NULL,
    intentos      integer NOT NULL DEFAULT 0 CHECK (intentos >= 0),
    -- Since when the authority has had the request.
    enviada       timestamptz,
    -- As in `timbrados`.
    detenido      text,
    token         uuid,
    arrendado     timestamptz,
    ultimo_error  text,
    creado        timestamptz NOT NULL,
    PRIMARY KEY (empresa, factura),
    CONSTRAINT cancelaciones_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas
);
-- The rows of a company that are due.
CREATE INDEX cancelaciones_proximo ON cancelaciones (empresa, proximo);
-- The companies that have rows due.
CREATE INDEX cancelaciones_vencidas ON cancelaciones (proximo, empresa);
-- As in `timbrados`.
CREATE INDEX cancelaciones_detenidas ON cancelaciones (empresa, detenido) WHERE detenido IS NOT NULL;

-- How stamping providers tell this installation from others on the same account: a random number of
-- 60 bits that changes only when the database becomes a copy (`svc restore-check`). It belongs to
-- no company, so it is not in a table.
CREATE SEQUENCE instalacion AS bigint;
SELECT setval('instalacion', greatest(1, ('x0' || substr(replace(gen_random_uuid()::text, '-', ''), 18, 15))::bit(64)::bigint));
