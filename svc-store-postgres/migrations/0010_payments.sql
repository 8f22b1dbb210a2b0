-- Payments of receivables.

ALTER TABLE depositos
    -- Whether it was captured to be applied later, or came to be with the payment that applied it: the latter goes when
    -- nothing of it is applied any more.
    ADD COLUMN origen text NOT NULL DEFAULT 'captura' CHECK (origen IN ('captura', 'pago'));

-- A payment is made once: account, day, amount and reference tell it.
CREATE INDEX cxc_pagos_datos ON cxc_pagos (empresa, cuenta_bancaria, fecha, importe, referencia) WHERE NOT cancelado;
-- The payments of a complement.
CREATE INDEX cxc_pagos_factura ON cxc_pagos (empresa, factura) WHERE factura IS NOT NULL;
-- The entry of a payment.
CREATE INDEX polizas_pago ON polizas (empresa, pago) WHERE pago IS NOT NULL;
