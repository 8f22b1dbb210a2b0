-- Invoices asked for, and the queue of what the tax authority has yet to stamp.

-- Who asked for it: what the API asked for is told again when it asks again.
ALTER TABLE facturas
    ADD COLUMN origen text NOT NULL DEFAULT 'aplicacion' CHECK (origen IN ('api', 'aplicacion')),
    -- A cancellation that waits for its receiver's word.
    ADD COLUMN cancelacion_solicitada timestamptz;

-- Since when the application is invoicing the sale: the API waits for it.
ALTER TABLE ventas ADD COLUMN facturando timestamptz;

-- One row an invoice or payment complement that is to be stamped; it goes when the authority has spoken. Whoever works
-- on it holds it until `arrendado`, under a token that is looked at again when the result is written.
CREATE TABLE timbrados (
    empresa       bigint NOT NULL REFERENCES empresas,
    factura       bigint NOT NULL,
    proximo       timestamptz NOT NULL,
    intentos      integer NOT NULL DEFAULT 0 CHECK (intentos >= 0),
    token         uuid,
    arrendado     timestamptz,
    ultimo_error  text,
    creado        timestamptz NOT NULL,
    PRIMARY KEY (empresa, factura),
    CONSTRAINT timbrados_factura_fk FOREIGN KEY (empresa, factura) REFERENCES facturas
);
CREATE INDEX timbrados_proximo ON timbrados (empresa, proximo);
