-- Payments of accounts payable: without a bank account they were made in cash.
CREATE TABLE cxp_pagos (
    empresa          bigint NOT NULL REFERENCES empresas,
    clave            bigint NOT NULL,
    cxp              bigint NOT NULL,
    fecha            date NOT NULL,
    importe          numeric(24, 6) NOT NULL CHECK (importe > 0),
    cuenta_bancaria  bigint,
    referencia       text NOT NULL,
    creado           timestamptz NOT NULL,
    PRIMARY KEY (empresa, clave),
    CONSTRAINT cxp_pagos_cxp_fk FOREIGN KEY (empresa, cxp) REFERENCES cxp,
    CONSTRAINT cxp_pagos_cuenta_bancaria_fk FOREIGN KEY (empresa, cuenta_bancaria) REFERENCES cuentas_bancarias
);
CREATE INDEX cxp_pagos_cxp ON cxp_pagos (empresa, cxp, clave);
CREATE INDEX cxp_pagos_cuenta ON cxp_pagos (empresa, cuenta_bancaria);
