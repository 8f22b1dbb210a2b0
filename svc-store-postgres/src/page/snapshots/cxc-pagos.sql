-- /cxc-pagos
-- No filter, the first page.
SELECT clave, cxc, venta, cliente, fecha, aplicado, origen, importe, moneda, tipo_cambio,
       forma_pago_sat, cuenta_bancaria, deposito, referencia, parcialidad, saldo_anterior,
       saldo_insoluto, complemento, factura, uuid, cancelado
FROM cxc_pagos
WHERE empresa = $1
ORDER BY clave
LIMIT 31;

-- All filters, a later page.
SELECT clave, cxc, venta, cliente, fecha, aplicado, origen, importe, moneda, tipo_cambio,
       forma_pago_sat, cuenta_bancaria, deposito, referencia, parcialidad, saldo_anterior,
       saldo_insoluto, complemento, factura, uuid, cancelado
FROM cxc_pagos
WHERE empresa = $1
  AND clave = $2
  AND cxc = $3
  AND cliente = $4
  AND venta = $5
  AND fecha >= $6
  AND fecha <= $7
  AND clave > $8
ORDER BY clave + 0
LIMIT $9;

-- One value, here of `cxc`, a later page.
SELECT clave, cxc, venta, cliente, fecha, aplicado, origen, importe, moneda, tipo_cambio,
       forma_pago_sat, cuenta_bancaria, deposito, referencia, parcialidad, saldo_anterior,
       saldo_insoluto, complemento, factura, uuid, cancelado
FROM cxc_pagos
WHERE empresa = $1
  AND cxc BETWEEN $2 AND $3
  AND clave > $4
ORDER BY cxc, clave
LIMIT 31;

-- The filter `fecha_desde` to `fecha_hasta`, a later page.
SELECT clave, cxc, venta, cliente, fecha, aplicado, origen, importe, moneda, tipo_cambio,
       forma_pago_sat, cuenta_bancaria, deposito, referencia, parcialidad, saldo_anterior,
       saldo_insoluto, complemento, factura, uuid, cancelado
FROM cxc_pagos
WHERE empresa = $1
  AND fecha >= $2
  AND fecha <= $3
  AND clave > $4
ORDER BY clave + 0
LIMIT $5;
