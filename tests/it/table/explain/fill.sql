-- One statement a table: the rows of company :empresa, :filas of them where a company may have that
-- many, :catalogo where it has fewer. Rows refer to each other by arithmetic (foreign keys are not
-- checked while this runs). What filters look for is spread as in life: few values are frequent,
-- most are rare; dates go up with claves, over the thousand days before 2026-10-12. The values that
-- explain/values.rs uses are those of row filas / 2 + 1, and of the frequent ones. A further table
-- is a further statement here, ended by a semicolon at the end of a line.

INSERT INTO sucursales (empresa, clave, nombre, cp, estatus)
SELECT :empresa, n, 'Sucursal ' || n, '37000', CASE WHEN n % 50 = 0 THEN 'inactivo' ELSE 'activo' END
FROM generate_series(1, :catalogo) n ON CONFLICT DO NOTHING;

INSERT INTO almacenes (empresa, clave, codigo, nombre, sucursal, principal, estatus)
SELECT :empresa, n, substr(d, 1 + n / 1296, 1) || substr(d, 1 + n / 36 % 36, 1) || substr(d, 1 + n % 36, 1), 'Almacén ' || n, n / 2, n % 100 = 1,
       CASE WHEN n % 50 = 0 THEN 'eliminado' WHEN n % 20 = 0 THEN 'inactivo' ELSE 'activo' END
FROM generate_series(1, :catalogo) n, LATERAL (SELECT '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ') t (d) ON CONFLICT DO NOTHING;

INSERT INTO usuarios (empresa, clave, nombre, correo, vendedor, activo)
SELECT :empresa, n, 'Usuario ' || n, 'usuario' || n || '@example.com', n % 2 = 0, n % 10 <> 0
FROM generate_series(1, :catalogo) n ON CONFLICT DO NOTHING;

INSERT INTO listas_precios (empresa, clave, nombre)
SELECT :empresa, n, 'Lista ' || n FROM generate_series(1, 10) n ON CONFLICT DO NOTHING;

INSERT INTO unidades (empresa, clave, nombre, clave_sat, estatus)
SELECT :empresa, n, 'Unidad ' || n, 'H87', CASE WHEN n % 50 = 0 THEN 'inactivo' ELSE 'activo' END
FROM generate_series(1, :catalogo) n ON CONFLICT DO NOTHING;

INSERT INTO marcas (empresa, clave, nombre, estatus)
SELECT :empresa, n, 'Marca ' || n, CASE WHEN n % 50 = 0 THEN 'eliminado' ELSE 'activo' END
FROM generate_series(1, :catalogo) n ON CONFLICT DO NOTHING;

INSERT INTO categorias (empresa, clave, nombre, padre, estatus)
SELECT :empresa, n, 'Categoria ' || n, CASE WHEN n = 1 THEN -1 ELSE n / 10 + CASE WHEN n < 10 THEN 1 ELSE 0 END END,
       CASE WHEN n % 50 = 0 THEN 'inactivo' ELSE 'activo' END
FROM generate_series(1, :catalogo) n ON CONFLICT DO NOTHING;

INSERT INTO productos (empresa, clave, sku, folio, descripcion, estatus, tipo, subtipo, kit, clave_padre, codigo_sat, marca,
                       categoria, id_platform_b, unidad, busqueda, modificado)
SELECT :empresa, n, 'SKU-' || n, n, d, CASE WHEN n % 50 = 0 THEN 'eliminado' WHEN n % 20 = 0 THEN 'inactivo' ELSE 'activo' END,
       CASE WHEN n % 1000 = 0 THEN 'gasto' WHEN n % 40 = 0 THEN 'virtual_con_precio' ELSE 'normal' END,
       CASE WHEN n % 500 = 0 THEN 'materia_prima' WHEN n % 30 = 0 THEN 'componente' ELSE 'terminado' END,
       n % 100 = 0, CASE WHEN n % 10 = 6 THEN n - 5 END, 31160000 + n % 50, 1 + n % 60,
       1 + n % 200, CASE WHEN n % 5 = 1 THEN 'ID-' || n END, 1 + n % 10, lower('sku-' || n || ' ' || d),
       timestamptz '2024-01-16 00:00Z' + n * interval '1000 days' / :filas
FROM generate_series(1, :filas) n, LATERAL (SELECT (ARRAY['Tornillo', 'Tuerca', 'Clavo', 'Pija', 'Taquete'])[1 + n % 5]
    || ' ' || (ARRAY['galvanizado', 'negro', 'inoxidable'])[1 + n % 3] || ' de ' || n % 977 || ' mm') t (d);

INSERT INTO clientes (empresa, clave, folio, nombre, razon_social, rfc, correo, telefono, movil, prospecto, id_platform_a,
                      id_platform_b, id_platform_c, id_platform_d, id_platform_e, publico, proximo_contacto, modificado,
                      uso_cfdi, vendedor, correo_comparable, telefono_comparable, movil_comparable)
SELECT :empresa, n, n, 'Cliente ' || n, 'CLIENTE ' || n, CASE WHEN n % 3 = 0 THEN 'XAXX010101000' ELSE 'ABC' || lpad(n::text, 10, '0') END,
       'c' || n || '@example.com', '55' || lpad(n::text, 8, '0'), '56' || lpad(n::text, 8, '0'), n % 20 = 0, i, i, i, i, i,
       n % 10000 = 0, CASE WHEN n % 4 = 0 THEN date '2024-01-16' + (n * 1000 / :filas)::integer END,
       timestamptz '2024-01-16 00:00Z' + n * interval '1000 days' / :filas,
       CASE WHEN n % 1000 = 0 THEN 'I08' WHEN n % 3 = 0 THEN 'S01' ELSE 'G03' END, 1 + n % 40,
       'c' || n || '@example.com', '55' || lpad(n::text, 8, '0'), '56' || lpad(n::text, 8, '0')
FROM generate_series(1, :filas) n, LATERAL (SELECT CASE WHEN n % 5 = 1 THEN 'ID-' || n END) t (i);

INSERT INTO proveedores (empresa, clave, folio, nombre, rfc, correo, telefono, estatus, busqueda)
SELECT :empresa, n, n, 'Proveedor ' || n || ' del Bajio', 'ABC' || lpad(n::text, 10, '0'), 'p' || n || '@example.com', '5512345678',
       CASE WHEN n % 50 = 0 THEN 'eliminado' WHEN n % 20 = 0 THEN 'inactivo' ELSE 'activo' END, 'proveedor ' || n || ' del bajio'
FROM generate_series(1, :filas) n;

INSERT INTO precios (empresa, clave, producto, lista, precio, modificado)
SELECT :empresa, n, n, CASE WHEN n % 500 = 0 THEN 10 ELSE 1 + n % 4 END, n % 977,
       timestamptz '2024-01-16 00:00Z' + n * interval '1000 days' / :filas
FROM generate_series(1, :filas) n;

INSERT INTO inventario (empresa, clave, producto, almacen, existencia, apartado, minimo, modificado)
SELECT :empresa, n, n, CASE WHEN n % 500 = 0 THEN 100 ELSE 1 + n % 4 END, n % 977, -(n % 7), 0,
       timestamptz '2024-01-16 00:00Z' + n * interval '1000 days' / :filas
FROM generate_series(1, :filas) n;

INSERT INTO movimientos_inventario (empresa, clave, fecha, tipo, producto, sku, cantidad, existencia_anterior,
                                    existencia_actual, almacen, venta, compra, costo_unitario)
SELECT :empresa, n, timestamptz '2024-01-16 00:00Z' + n * interval '1000 days' / :filas,
       CASE WHEN n % 200 = 0 THEN 'merma' WHEN n % 10 = 0 THEN 'compra' ELSE 'venta' END, p, 'SKU-' || p, 1, 10, 9, 1 + n % 4,
       CASE WHEN n % 10 <> 0 THEN CASE WHEN n % 200 = 7 THEN 1 ELSE n END END, CASE WHEN n % 10 = 0 THEN n END, n % 977
FROM generate_series(1, :filas) n, LATERAL (SELECT CASE WHEN n % 2 = 0 THEN 1 ELSE n END) t (p);

INSERT INTO compras (empresa, clave, folio, estatus, proveedor, fecha, sucursal, almacen, total, modificado)
SELECT :empresa, n, n, CASE WHEN n > :filas * 0.99 THEN 'pendiente' WHEN n % 500 = 0 THEN 'parcial' WHEN n % 50 = 0 THEN 'cancelada' ELSE 'recibida' END,
       1 + n % 500, timestamptz '2024-01-16 00:00Z' + n * interval '1000 days' / :filas,
       CASE WHEN n % 500 = 0 THEN 3 ELSE 0 END, 1, n % 977, timestamptz '2024-01-16 00:00Z' + n * interval '1000 days' / :filas
FROM generate_series(1, :filas) n;

INSERT INTO compras_renglones (empresa, clave, compra, renglon, producto, cantidad, costo_unitario, total)
SELECT :empresa, n, CASE WHEN n % 200 = 7 THEN 1 ELSE n END, n, p, 1, n % 977, n % 977
FROM generate_series(1, :filas) n, LATERAL (SELECT CASE WHEN n % 2 = 0 THEN 1 ELSE n END) t (p);

INSERT INTO ventas (empresa, clave, tipo, serie, folio, fecha, sucursal, almacen, cliente, vendedor, total, saldo, cancelada,
                    factura, modificado)
SELECT :empresa, n, CASE WHEN n % 100 = 0 THEN 'anticipo' WHEN n % 10 = 2 THEN 'pedido' WHEN n % 10 = 3 THEN 'cotizacion'
                    WHEN n % 3 = 0 THEN 'factura' ELSE 'venta' END, 'A', n,
       timestamptz '2024-01-16 00:00Z' + n * interval '1000 days' / :filas, CASE WHEN n % 500 = 1 THEN 3 ELSE 0 END, 1,
       CASE WHEN n % 4 = 0 THEN 1 ELSE n END, 1 + n % 40, n % 977, CASE WHEN n % 20 = 0 THEN n % 977 ELSE 0 END, n % 30 = 0,
       CASE WHEN n % 3 = 0 THEN n END, timestamptz '2024-01-16 00:00Z' + n * interval '1000 days' / :filas
FROM generate_series(1, :filas) n;

INSERT INTO ventas_renglones (empresa, clave, venta, renglon, producto, sku, descripcion, cantidad, precio_unitario, subtotal, total)
SELECT :empresa, n, CASE WHEN n % 200 = 7 THEN 1 ELSE n END, n, p, 'SKU-' || p, 'Tornillo', 1, n % 977, n % 977, n % 977
FROM generate_series(1, :filas) n, LATERAL (SELECT CASE WHEN n % 2 = 0 THEN 1 ELSE n END) t (p);

INSERT INTO facturas (empresa, clave, tipo, estatus, venta, cliente, serie, folio, uuid, fecha, modificado)
SELECT :empresa, n, CASE WHEN n % 1000 = 0 THEN 'traslado' WHEN n % 10 = 0 THEN 'pago' WHEN n % 25 = 0 THEN 'nota_credito' ELSE 'factura' END,
       CASE WHEN n % 500 = 0 THEN 'error' WHEN n % 30 = 0 THEN 'cancelada' WHEN n > :filas * 0.999 THEN 'en_espera' ELSE 'vigente' END,
       n, CASE WHEN n % 4 = 0 THEN 1 ELSE n END, 'A', n, '00000000-0000-4000-8000-' || lpad(n::text, 12, '0'),
       timestamptz '2024-01-16 00:00Z' + n * interval '1000 days' / :filas,
       timestamptz '2024-01-16 00:00Z' + n * interval '1000 days' / :filas
FROM generate_series(1, :filas) n;

INSERT INTO cuentas_bancarias (empresa, clave, nombre, banco, estatus)
SELECT :empresa, n, 'Cuenta ' || n, 'Banco', CASE WHEN n % 50 = 0 THEN 'inactivo' ELSE 'activo' END
FROM generate_series(1, :catalogo) n ON CONFLICT DO NOTHING;

INSERT INTO depositos (empresa, clave, cuenta_bancaria, fecha, importe, aplicado, referencia, creado)
SELECT :empresa, n, 1 + n % 5, date '2024-01-16' + (n * 1000 / :filas)::integer, 1 + n % 977, 1 + n % 977, n,
       timestamptz '2024-01-16 00:00Z' + n * interval '1000 days' / :filas
FROM generate_series(1, :filas) n;

INSERT INTO cxc (empresa, clave, folio, estatus, cliente, venta, tipo_venta, factura, uuid, fecha, vencimiento, total, pagado, saldo)
SELECT :empresa, n, n, CASE WHEN n % 30 = 0 THEN 'cancelado' WHEN n % 20 = 1 THEN 'pendiente' ELSE 'pagado' END,
       CASE WHEN n % 4 = 0 THEN 1 ELSE n END, n, 'venta', n, '00000000-0000-4000-8000-' || lpad(n::text, 12, '0'), d,
       CASE WHEN n % 40 <> 0 THEN d + 30 END, 1000, CASE WHEN n % 20 = 1 THEN 0 ELSE 1000 END,
       CASE WHEN n % 20 = 1 AND n % 30 <> 0 THEN 1000 ELSE 0 END
FROM generate_series(1, :filas) n, LATERAL (SELECT date '2024-01-16' + (n * 1000 / :filas)::integer) t (d);

INSERT INTO cxc_pagos (empresa, clave, cxc, cliente, venta, fecha, aplicado, importe, cuenta_bancaria, deposito, saldo_anterior)
SELECT :empresa, n, n, CASE WHEN n % 4 = 0 THEN 1 ELSE n END, n, date '2024-01-16' + (n * 1000 / :filas)::integer,
       timestamptz '2024-01-16 00:00Z' + n * interval '1000 days' / :filas, 1000, 1 + n % 5, n, 1000
FROM generate_series(1, :filas) n;

INSERT INTO cxp (empresa, clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento, total, pagado, saldo)
SELECT :empresa, n, n, CASE WHEN n % 3 = 0 THEN 'gasto' ELSE 'compra' END,
       CASE WHEN n % 30 = 0 THEN 'cancelado' WHEN n % 20 = 1 THEN 'pendiente' ELSE 'pagado' END,
       CASE WHEN n % 20 = 0 THEN 0 ELSE 1 + n % 500 END, n, 'F-' || n, '00000000-0000-4000-8000-' || lpad(n::text, 12, '0'), d,
       CASE WHEN n % 40 <> 0 THEN d + 30 END, 1000, CASE WHEN n % 20 = 1 THEN 0 ELSE 1000 END, CASE WHEN n % 20 = 1 THEN 1000 ELSE 0 END
FROM generate_series(1, :filas) n, LATERAL (SELECT date '2024-01-16' + (n * 1000 / :filas)::integer) t (d);

INSERT INTO polizas (empresa, clave, fecha, concepto, venta, cargos, abonos, creada)
SELECT :empresa, n, date '2024-01-16' + (n * 1000 / :filas)::integer, 'Venta ' || n, n, 1000, 1000,
       timestamptz '2024-01-16 00:00Z' + n * interval '1000 days' / :filas
FROM generate_series(1, :filas) n;

INSERT INTO polizas_renglones (empresa, poliza, renglon, fecha, codigo, cuenta, cargo, abono)
SELECT :empresa, n, r, date '2024-01-16' + (n * 1000 / :filas)::integer, c, c, CASE r WHEN 1 THEN 1000 ELSE 0 END, CASE r WHEN 1 THEN 0 ELSE 1000 END
FROM generate_series(1, :filas) n, generate_series(1, 2) r, LATERAL (SELECT CASE r WHEN 1 THEN 'clientes' ELSE 'ventas' END) t (c);

INSERT INTO etapas_oportunidad (empresa, clave, nombre, tipo, orden, probabilidad, estatus)
SELECT :empresa, n, 'Etapa ' || n, CASE n % 8 WHEN 6 THEN 'ganada' WHEN 7 THEN 'perdida' ELSE 'abierta' END, n, n % 100,
       CASE WHEN n % 50 = 0 THEN 'inactivo' ELSE 'activo' END
FROM generate_series(1, :catalogo) n ON CONFLICT DO NOTHING;

INSERT INTO motivos_perdida (empresa, clave, nombre, estatus)
SELECT :empresa, n, 'Motivo ' || n, CASE WHEN n % 50 = 0 THEN 'inactivo' ELSE 'activo' END
FROM generate_series(1, :catalogo) n ON CONFLICT DO NOTHING;

INSERT INTO oportunidades (empresa, clave, folio, nombre, estatus, etapa, cliente, vendedor, monto, cierre, motivo_perdida, creado)
SELECT :empresa, n, n, 'Oportunidad ' || n, CASE e WHEN 6 THEN 'ganada' WHEN 7 THEN 'perdida' ELSE 'abierta' END, e,
       CASE WHEN n % 4 = 1 THEN n WHEN n % 4 = 2 THEN 1 END, CASE WHEN n % 10 <> 0 THEN 1 + n % 40 END, n % 977,
       CASE WHEN n % 5 <> 0 THEN date '2024-01-16' + (n * 1000 / :filas)::integer END, CASE e WHEN 7 THEN 1 + n % 8 END,
       timestamptz '2024-01-16 00:00Z' + n * interval '1000 days' / :filas
FROM generate_series(1, :filas) n, LATERAL (SELECT CASE WHEN n > :filas * 0.97 THEN 1 + n % 5 ELSE 6 + n % 2 END) t (e);

INSERT INTO webhooks (empresa, clave, url, eventos, activo, activo_desde, secreto, usuario, creado, eliminado)
SELECT :empresa, n, 'https://example.com/' || n, ARRAY['venta.creada'], n % 3 = 1, '2024-01-16', '', 1, '2024-01-16',
       CASE WHEN n % 50 = 0 THEN timestamptz '2026-10-01' END
FROM generate_series(1, :catalogo) n;

INSERT INTO eventos (empresa, id, clave, tipo, recurso, recurso_clave, cuerpo, creado, repartido)
SELECT :empresa, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, extract(epoch FROM t) * 1000 + n % 1000, k,
       'ventas', n, '{"datos":{"venta":1},"recurso":{"tipo":"ventas","clave":1,"url":"http://localhost"}}', t, true
FROM generate_series(1, :filas) n, LATERAL (SELECT date_trunc('second', timestamptz '2026-09-10 00:00Z' + n * interval '32 days' / :filas),
     CASE WHEN n % 1001 = 0 THEN 'webhook.prueba' WHEN n % 997 = 0 THEN 'oportunidad.creada' WHEN n < 50 THEN 'factura.rechazada'
          WHEN n % 3 = 0 THEN 'cliente.actualizado' WHEN n % 3 = 1 THEN 'inventario.existencia_cambiada' ELSE 'venta.creada' END) x (t, k);

INSERT INTO entregas (empresa, clave, webhook, evento, tipo, estado, creado, proximo_intento)
SELECT :empresa, n, CASE WHEN n % 2 = 0 THEN 2 + n % 8 ELSE 1 END, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
       CASE WHEN n % 1001 = 0 THEN 'webhook.prueba' WHEN n % 3 = 0 THEN 'cliente.actualizado' ELSE 'venta.creada' END, e, t,
       CASE e WHEN 'pendiente' THEN t END
FROM generate_series(1, :filas) n, LATERAL (SELECT timestamptz '2024-01-16 00:00Z' + n * interval '1000 days' / :filas,
     CASE WHEN n % 1001 = 0 THEN 'pendiente' WHEN n % 501 = 0 THEN 'fallida' WHEN n % 701 = 0 THEN 'descartada' ELSE 'entregada' END) x (t, e);
