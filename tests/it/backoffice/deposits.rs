//! Captured deposits: applied by name, in parts, whatever their day, and cancelled.

use futures_util::future::join_all;
use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_tests::authority::validate;
use svc_tests::lists::pick;
use svc_tests::{Company, World, books};

use super::did;
use super::shop::{NAIL, entries, invoiced, line, nails, only, refuses, sale, shop, with};
use crate::cxc::pagos::bank;

async fn deposit(company: &Company, cuenta: i64, importe: &str, fecha: &str) -> Value {
    let input = json!({"cuenta_bancaria": cuenta, "fecha": fecha, "importe": importe, "referencia": "SPEI 7"});
    did(company.run_by_name("deposit.capture", &input).await)["deposito"].clone()
}

fn of(deposito: &Value, cxc: &Value, importe: &str) -> Value {
    json!({"deposito": deposito, "cxc": cxc, "importe": importe, "forma_pago_sat": "03"})
}

async fn owed(company: &Company, tipo: &str) -> Value {
    let body = sale(tipo, &[line(NAIL, 2, "100.00")]);
    did(company.run_by_name("sale.capture", &body).await)["cxc"].clone()
}

#[tokio::test]
async fn a_deposit_pays_several_receivables_in_parts_and_is_booked_once() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let deposito = deposit(&company, 1, "500.00", "2026-10-01").await;
    let (first, second) = (owed(&company, "venta").await, owed(&company, "venta").await);
    // Its day is before the sale's, so the payment has the sale's.
    let paid = did(company.run_by_name("payment.apply", &of(&deposito, &first, "100.00")).await);
    assert_eq!(paid, json!({"pago": 1, "sin_aplicar": "400.00"}));
    assert_eq!(
        pick(
            &only(&ana, &format!("/cxc-pagos?cxc={first}")).await,
            &["fecha", "deposito", "referencia", "cuenta_bancaria"]
        ),
        json!({"fecha": "2026-10-12", "deposito": deposito, "referencia": "SPEI 7", "cuenta_bancaria": 1})
    );
    let both = json!({"deposito": deposito, "forma_pago_sat": "03", "aplicaciones": [
        {"cxc": first, "importe": "132.00"}, {"cxc": second, "importe": "232.00"}]});
    let paid = did(company.run_by_name("payment.apply", &both).await);
    assert_eq!(paid, json!({"pagos": [2, 3], "deposito": deposito, "sin_aplicar": "36.00"}));
    assert_eq!(bank(&world, 1).await, "500.00");
    assert_eq!(
        entries(&company, 1).await[1],
        "Pago 1 de la cuenta por cobrar 1: 205.06 +100.00 105.01 -100.00 209.01 +13.79 208.01 -13.79"
    );
    books::check(&world, &company).await;
    // A cancelled payment leaves its money in the bank, to be applied again.
    did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await);
    let third = owed(&company, "venta").await;
    let paid = did(company.run_by_name("payment.apply", &of(&deposito, &third, "136.00")).await);
    assert_eq!(paid["sin_aplicar"], "0.00");
    assert_eq!(bank(&world, 1).await, "500.00");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_deposit_pays_an_invoice_in_instalments_with_its_complement() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let order = with(&nails("pedido"), json!({"metodo_pago_sat": "PPD", "forma_pago_sat": "99"}));
    let (venta, _) = invoiced(&ana, &order).await;
    world.stamp(&SandboxStamper).await;
    let cxc = only(&ana, &format!("/cxc?venta={venta}")).await["clave"].clone();
    let deposito = deposit(&company, 1, "1000.00", "2026-10-12").await;
    did(company.run_by_name("payment.apply", &of(&deposito, &cxc, "100.00")).await);
    world.stamp(&SandboxStamper).await;
    let complement = only(&ana, &format!("/cxc-pagos?cxc={cxc}")).await["factura"].clone();
    let reply = ana.get(&format!("/facturas/{complement}/xml")).await;
    let xml = String::from_utf8(reply.body.to_vec()).expect("UTF-8");
    validate("the complement of a deposit", &xml);
    assert!(xml.contains("Monto=\"100.00\"") && xml.contains("NumOperacion=\"SPEI 7\""), "{xml}");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_deposit_in_dollars_at_its_rate_is_used_up_by_its_parts() {
    let world = World::new().await;
    let company = shop(&world).await;
    let body = with(&nails("venta"), json!({"moneda": "USD", "tipo_cambio": "20"}));
    let cxc = did(company.run_by_name("sale.capture", &body).await)["cxc"].clone();
    let input = json!({"cuenta_bancaria": 2, "fecha": "2026-10-12", "importe": "100.01", "referencia": "WIRE",
                       "tipo_cambio": "18.333333"});
    let deposito = did(company.run_by_name("deposit.capture", &input).await)["deposito"].clone();
    for part in ["33.33", "33.33", "33.35"] {
        did(company.run_by_name("payment.apply", &of(&deposito, &cxc, part)).await);
    }
    books::check(&world, &company).await;
}

#[tokio::test]
async fn what_a_deposit_cannot_pay_is_refused() {
    let world = World::new().await;
    let company = shop(&world).await;
    let cxc = owed(&company, "venta").await;
    let dollars = did(company
        .run_by_name("sale.capture", &with(&nails("venta"), json!({"moneda": "USD", "tipo_cambio": 20})))
        .await)["cxc"]
        .clone();
    let deposito = deposit(&company, 1, "100.00", "2026-10-10").await;
    let good = of(&deposito, &cxc, "10.00");
    refuses(
        &company,
        "payment.apply",
        &[
            (of(&deposito, &cxc, "100.01"), "saldo_insuficiente", ""),
            (of(&deposito, &cxc, "232.01"), "importe_excede_saldo", ""),
            (of(&json!(9), &cxc, "1"), "no_encontrado", "deposito: "),
            (of(&deposito, &json!(9), "1"), "no_encontrado", "cxc: "),
            (of(&deposito, &dollars, "1"), "moneda_distinta", ""),
            (with(&good, json!({"cuenta_bancaria": 2})), "cuenta_bancaria_invalida", "cuenta_bancaria: "),
            (with(&good, json!({"fecha": "2026-10-09"})), "dato_invalido", "fecha: "),
            (with(&good, json!({"fecha": "2026-10-11"})), "fecha_anterior_factura", ""),
            (with(&good, json!({"fecha": "2026-10-13"})), "dato_invalido", "fecha: "),
            (with(&good, json!({"origen": "anticipo"})), "dato_invalido", "deposito: "),
            (with(&good, json!({"forma_pago_sat": null})), "dato_requerido", "forma_pago_sat: "),
        ],
    )
    .await;
    did(company.run_by_name("payment.apply", &good).await);
    refuses(
        &company,
        "deposit.cancel",
        &[
            (json!({"deposito": deposito}), "estado_invalido", "deposito: está aplicado"),
            (json!({"deposito": 9}), "no_encontrado", "deposito: "),
        ],
    )
    .await;
    did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await);
    assert_eq!(
        did(company.run_by_name("deposit.cancel", &json!({"deposito": deposito})).await),
        json!({"deposito": 1})
    );
    assert_eq!(bank(&world, 1).await, "0.00");
    refuses(&company, "payment.apply", &[(good, "estado_invalido", "deposito: está cancelado")]).await;
    refuses(
        &company,
        "deposit.cancel",
        &[(json!({"deposito": deposito}), "estado_invalido", "deposito: está cancelado")],
    )
    .await;
    books::check(&world, &company).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_deposit_is_applied_or_cancelled_once_of_many_at_once() {
    let world = World::new().await;
    let company = shop(&world).await;
    let deposito = deposit(&company, 1, "100.00", "2026-10-12").await;
    let mut inputs = Vec::new();
    for _ in 0..4 {
        inputs.push(("payment.apply", of(&deposito, &owed(&company, "venta").await, "100.00")));
    }
    inputs.push(("deposit.cancel", json!({"deposito": deposito})));
    let tried = inputs.iter().map(|(action, input)| company.run_by_name(action, input));
    assert_eq!(join_all(tried).await.into_iter().flatten().count(), 1);
    books::check(&world, &company).await;
}
