-- Pesos for one unit of the payable's currency on the day of the payment; the payable's own where it is null.
ALTER TABLE cxp_pagos ADD COLUMN tipo_cambio numeric(18, 6);
