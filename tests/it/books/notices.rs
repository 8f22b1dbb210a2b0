//! The check of the books detects broken records.

use serde_json::{Value, json};
use svc_tests::{Company, World, books};

use crate::backoffice::did;
use crate::backoffice::shop::{captured, invoiced, nails, shop, with};

/// A company with a partly delivered order, a partly paid sale, and a PPD invoice with a payment
/// and its complement.
async fn business(world: &World) -> Company {
    let company = shop(world).await;
    let ana = company.admin().await;
    let order = captured(&company, &nails("pedido")).await;
    did(company
        .run_by_name("order.fulfil", &json!({"venta": order, "renglones": [{"renglon": 1, "cantidad": 1}]}))
        .await);
    captured(&company, &nails("venta")).await;
    let later = json!({"condicion_pago": "credito", "metodo_pago_sat": "PPD", "forma_pago_sat": "99"});
    let (_, invoice) = invoiced(&ana, &with(&nails("pedido"), later)).await;
    did(company.run_by_name("invoice.stamped", &json!({"factura": invoice, "uuid": crate::documents::UUIDS[0]})).await);
    invoiced(&ana, &nails("pedido")).await;
    for cxc in [1, 2] {
        let payment = json!({"cxc": cxc, "importe": "100.00", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
                             "referencia": format!("SPEI {cxc}")});
        did(company.run_by_name("payment.apply", &payment).await);
    }
    let cancelled: Value = did(company.run_by_name("sale.capture", &nails("venta")).await);
    did(company.run_by_name("sale.cancel", &json!({"venta": cancelled["venta"]})).await);
    company
}

/// A statement that breaks the books, one that repairs them (none at the end), and the beginning of
/// the broken rule's text.
const BREAKS: &[(&str, &str, &str)] = &[
    (
        "UPDATE ventas_renglones SET total = total + 1 WHERE clave = 1",
        "UPDATE ventas_renglones SET total = total - 1 WHERE clave = 1",
        "a line's",
    ),
    (
        "UPDATE ventas SET total = total + 1 WHERE clave = 1",
        "UPDATE ventas SET total = total - 1 WHERE clave = 1",
        "a document's",
    ),
    (
        "UPDATE movimientos_inventario SET cantidad = cantidad + 1 WHERE clave = 2",
        "UPDATE movimientos_inventario SET cantidad = cantidad - 1 WHERE clave = 2",
        "each movement",
    ),
    (
        "UPDATE inventario SET existencia = existencia + 1",
        "UPDATE inventario SET existencia = existencia - 1",
        "stock is",
    ),
    (
        "UPDATE inventario SET apartado = apartado + 1",
        "UPDATE inventario SET apartado = apartado - 1",
        "what is reserved",
    ),
    (
        "UPDATE ventas SET surtido_estatus = 'surtido' WHERE clave = 1",
        "UPDATE ventas SET surtido_estatus = 'parcial' WHERE clave = 1",
        "how far",
    ),
    (
        "UPDATE cxc SET saldo = saldo + 1 WHERE clave = 1",
        "UPDATE cxc SET saldo = saldo - 1 WHERE clave = 1",
        "a receivable",
    ),
    (
        "UPDATE cxc SET estatus = 'pagado' WHERE clave = 1",
        "UPDATE cxc SET estatus = 'pendiente' WHERE clave = 1",
        "a receivable",
    ),
    (
        "UPDATE cxc_pagos SET saldo_insoluto = 0",
        "UPDATE cxc_pagos SET saldo_insoluto = saldo_anterior - importe",
        "a payment leaves",
    ),
    ("UPDATE ventas SET saldo = 0 WHERE clave = 2", "UPDATE ventas SET saldo = 132 WHERE clave = 2", "what is owed"),
    (
        "UPDATE cuentas_bancarias SET saldo = saldo + 1",
        "UPDATE cuentas_bancarias SET saldo = saldo - 1",
        "a bank account",
    ),
    ("UPDATE depositos SET aplicado = 1", "UPDATE depositos SET aplicado = importe", "what is applied"),
    (
        "UPDATE contadores SET valor = valor + 1 WHERE serie = 'folio:factura:F'",
        "UPDATE contadores SET valor = valor - 1 WHERE serie = 'folio:factura:F'",
        "folios",
    ),
    (
        "UPDATE contadores SET valor = valor + 1 WHERE serie = 'folio:pedido:'",
        "UPDATE contadores SET valor = valor - 1 WHERE serie = 'folio:pedido:'",
        "folios",
    ),
    (
        "UPDATE contadores SET valor = valor + 1 WHERE serie = 'cxc'",
        "UPDATE contadores SET valor = valor - 1 WHERE serie = 'cxc'",
        "claves",
    ),
    (
        "UPDATE cxc SET tipo_cambio = 2 WHERE clave = 1",
        "UPDATE cxc SET tipo_cambio = 1 WHERE clave = 1",
        "account 105.01 holds what is owed of each",
    ),
    (
        "UPDATE facturas SET uuid = NULL",
        "UPDATE facturas f SET uuid = v.uuid FROM ventas v WHERE v.clave = f.venta",
        "an invoice goes",
    ),
    (
        "UPDATE cxc_pagos SET complemento = 'error' WHERE clave = 2",
        "UPDATE cxc_pagos SET complemento = 'encolado' WHERE clave = 2",
        "a payment's complement",
    ),
    ("DELETE FROM timbrados", "", "what is queued"),
    ("DELETE FROM movimientos_inventario WHERE tipo = 'cancelacion_venta'", "", "of goods that a sale took"),
    (
        "DELETE FROM polizas_renglones WHERE poliza = (SELECT max(clave) FROM polizas)",
        "",
        "nothing of a cancelled sale",
    ),
    ("DELETE FROM polizas_renglones WHERE poliza = 1 AND renglon = 1", "", "an entry"),
];

#[tokio::test]
async fn every_broken_rule_is_detected() {
    let world = World::new().await;
    let company = business(&world).await;
    books::check(&world, &company).await;
    for (breaks, mends, rule) in BREAKS.iter().copied() {
        world.run(breaks).await;
        let broken = books::broken(world.pool(), company.id).await;
        assert!(broken.iter().any(|said| said.starts_with(rule)), "{breaks}: {broken:?}");
        if !mends.is_empty() {
            world.run(mends).await;
            let before = books::broken(world.pool(), company.id).await;
            assert!(!before.iter().any(|said| said.starts_with(rule)), "{mends}: {before:?}");
        }
    }
}
