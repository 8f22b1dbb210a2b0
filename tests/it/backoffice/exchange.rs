//! Payments between currencies: an account in pesos for a document in dollars, and the other way
//! round.

use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_tests::authority::validate;
use svc_tests::lists::pick;
use svc_tests::{Actor, World, books};

use super::did;
use super::shop::{NAIL, entries, invoiced, line, nails, only, refuses, sale, shop, with};
use crate::cxc::pagos::bank;

/// A stamped invoice in instalments; returns its sale and its receivable.
async fn owed(world: &World, ana: &Actor, changes: Value) -> (i64, Value) {
    let order = with(&nails("pedido"), json!({"metodo_pago_sat": "PPD", "forma_pago_sat": "99"}));
    let (venta, _) = invoiced(ana, &with(&order, changes)).await;
    world.stamp(&SandboxStamper).await;
    (venta, only(ana, &format!("/cxc?venta={venta}")).await["clave"].clone())
}

fn pay(cxc: &Value, importe: &str, cuenta: i64, rate: &Value, referencia: &str) -> Value {
    json!({"cxc": cxc, "importe": importe, "cuenta_bancaria": cuenta, "forma_pago_sat": "03", "fecha": "2026-10-12",
           "referencia": referencia, "tipo_cambio": rate})
}

/// The stamped complement of a receivable's last payment.
async fn complement(world: &World, ana: &Actor, cxc: &Value) -> String {
    world.stamp(&SandboxStamper).await;
    let paid = ana.walk(&format!("/cxc-pagos?cxc={cxc}")).await.pop().expect("a payment");
    assert_eq!(paid["complemento"], "timbrado", "{paid}");
    let reply = ana.get(&format!("/facturas/{}/xml", paid["factura"])).await;
    let xml = String::from_utf8(reply.body.to_vec()).expect("UTF-8");
    validate("a complement between currencies", &xml);
    xml
}

#[tokio::test]
async fn an_invoice_in_dollars_is_paid_into_an_account_in_pesos() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (venta, cxc) = owed(&world, &ana, json!({"moneda": "USD", "tipo_cambio": "17"})).await;
    did(company.run_by_name("payment.apply", &pay(&cxc, "57.43", 1, &json!("17.5"), "A")).await);
    assert_eq!(bank(&company.world, 1).await, "1005.03");
    let row = only(&ana, &format!("/cxc-pagos?cxc={cxc}")).await;
    assert_eq!(
        pick(&row, &["importe", "moneda", "tipo_cambio", "saldo_insoluto"]),
        json!({"importe": "57.43", "moneda": "USD", "tipo_cambio": "17.500000", "saldo_insoluto": "174.57"})
    );
    let xml = complement(&world, &ana, &cxc).await;
    for part in [
        "MonedaP=\"MXN\"",
        "TipoCambioP=\"1\"",
        "Monto=\"1005.03\"",
        "MonedaDR=\"USD\"",
        "EquivalenciaDR=\"0.0571425729\"",
        "ImpPagado=\"57.43\"",
        "MontoTotalPagos=\"1005.03\"",
    ] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    assert_eq!(
        entries(&company, venta).await[1],
        "Pago 1 de la cuenta por cobrar 1: 102.01.0001 +1005.03 105.01 -976.31 209.01 +134.66 208.01 -138.62 702.01 -24.76"
    );
    let repeated = [(pay(&cxc, "57.43", 1, &json!("17.5"), "A"), "pago_repetido", "")];
    refuses(&company, "payment.apply", &repeated).await;
    // The last one, and the cancellation of the first.
    did(company.run_by_name("payment.apply", &pay(&cxc, "174.57", 1, &json!("18.123456"), "B")).await);
    complement(&world, &ana, &cxc).await;
    books::check(&world, &company).await;
    did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await);
    world.stamp(&SandboxStamper).await;
    assert_eq!(bank(&company.world, 1).await, "3163.81");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn an_invoice_in_pesos_is_paid_into_an_account_in_dollars() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (venta, cxc) = owed(&world, &ana, json!({})).await;
    did(company.run_by_name("payment.apply", &pay(&cxc, "100.00", 2, &json!("17.5"), "A")).await);
    assert_eq!(bank(&company.world, 2).await, "5.71");
    let xml = complement(&world, &ana, &cxc).await;
    for part in [
        "MonedaP=\"USD\"",
        "TipoCambioP=\"17.500000\"",
        "Monto=\"5.71\"",
        "MonedaDR=\"MXN\"",
        "EquivalenciaDR=\"17.5131348511\"",
        "ImpPagado=\"100.00\"",
    ] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    assert_eq!(
        entries(&company, venta).await[1],
        "Pago 1 de la cuenta por cobrar 1: 102.01.0002 +100.00 105.01 -100.00 209.01 +13.79 208.01 -13.79"
    );
    did(company.run_by_name("payment.apply", &pay(&cxc, "132.00", 2, &json!("18"), "B")).await);
    complement(&world, &ana, &cxc).await;
    books::check(&world, &company).await;
}

#[tokio::test]
async fn one_payment_pays_documents_of_both_currencies() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (_, dollars) = owed(&world, &ana, json!({"moneda": "USD", "tipo_cambio": "17"})).await;
    let (_, pesos) = owed(&world, &ana, json!({})).await;
    let both = |cuenta: i64, referencia: &str| {
        json!({"aplicaciones": [{"cxc": dollars, "importe": "33.33"}, {"cxc": pesos, "importe": "77.77"}],
               "cuenta_bancaria": cuenta, "forma_pago_sat": "03", "fecha": "2026-10-12", "referencia": referencia,
               "tipo_cambio": "17.4321"})
    };
    for (cuenta, referencia) in [(1, "A"), (2, "B")] {
        did(company.run_by_name("payment.apply", &both(cuenta, referencia)).await);
        complement(&world, &ana, &dollars).await;
        books::check(&world, &company).await;
    }
}

#[tokio::test]
async fn a_deposit_in_pesos_pays_dollars_to_the_last_cent() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (_, cxc) = owed(&world, &ana, json!({"moneda": "USD", "tipo_cambio": "17"})).await;
    let deposit = json!({"cuenta_bancaria": 1, "fecha": "2026-10-12", "importe": "1000.00", "referencia": "SPEI"});
    let deposito = did(company.run_by_name("deposit.capture", &deposit).await)["deposito"].clone();
    let of = |importe: &str| json!({"deposito": deposito, "cxc": cxc, "importe": importe, "forma_pago_sat": "03", "tipo_cambio": "17.5"});
    refuses(&company, "payment.apply", &[(of("57.15"), "saldo_insuficiente", "")]).await;
    // 57.143 dollars: with one cent of a dollar less 0.05 pesos would stay.
    let first = did(company.run_by_name("payment.apply", &of("57.14")).await);
    assert_eq!(first["sin_aplicar"], "0.05");
    did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await);
    let again = with(&of("57.14"), json!({"tipo_cambio": "17.501"}));
    assert_eq!(did(company.run_by_name("payment.apply", &again).await)["sin_aplicar"], "0.00");
    complement(&world, &ana, &cxc).await;
    books::check(&world, &company).await;
}

#[tokio::test]
async fn currencies_are_exchanged_with_pesos_by_the_back_office_at_a_stated_rate() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let euros = [json!({"nombre": "Euros", "moneda": "EUR"})];
    company.load(svc_tests::Resource::CuentasBancarias, &euros).await;
    let body = with(&sale("venta", &[line(NAIL, 1, "100")]), json!({"moneda": "USD", "tipo_cambio": 20}));
    let dollars = did(company.run_by_name("sale.capture", &body).await)["cxc"].clone();
    let pesos = did(company.run_by_name("sale.capture", &nails("venta")).await)["cxc"].clone();
    let body = with(&sale("venta", &[line(NAIL, 1, "100")]), json!({"moneda": "EUR", "tipo_cambio": 22}));
    let in_euros = did(company.run_by_name("sale.capture", &body).await)["cxc"].clone();
    let parts = json!([{"cxc": dollars, "importe": "1"}, {"cxc": in_euros, "importe": "1"}]);
    let mut two = pay(&dollars, "1", 1, &json!("17"), "A");
    two.as_object_mut().unwrap().retain(|name, _| name != "cxc" && name != "importe");
    two["aplicaciones"] = parts;
    refuses(
        &company,
        "payment.apply",
        &[
            (two, "moneda_distinta", ""),
            (pay(&dollars, "1", 1, &Value::Null, "A"), "moneda_distinta", ""),
            (pay(&pesos, "1", 2, &Value::Null, "A"), "moneda_distinta", ""),
            (pay(&dollars, "1", 3, &json!("17"), "A"), "moneda_distinta", ""),
            (pay(&pesos, "0.01", 2, &json!("17"), "A"), "dato_invalido", "importe: "),
            (pay(&pesos, "1", 1, &json!("17"), "A"), "dato_invalido", "tipo_cambio: en MXN es 1"),
        ],
    )
    .await;
    let api =
        json!({"importe": "1", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12", "referencia": "A"});
    ana.post(&format!("/cxc/{dollars}/pagos"), api).await.fails(422, "moneda_distinta");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn payables_are_paid_from_accounts_of_another_currency() {
    let world = World::new().await;
    let company = shop(&world).await;
    let dollars = json!({"total": "116", "iva": "16", "moneda": "USD", "tipo_cambio": "17"});
    let dollars = did(company.run_by_name("payable.capture", &dollars).await)["cxp"].clone();
    let pesos = did(company.run_by_name("payable.capture", &json!({"total": "100"})).await)["cxp"].clone();
    let pay = |cxp: &Value, importe: &str, cuenta: i64, rate: Value| {
        json!({"cxp": cxp, "importe": importe, "cuenta_bancaria": cuenta, "fecha": "2026-10-12", "referencia": "R",
               "tipo_cambio": rate})
    };
    did(company.run_by_name("payable.pay", &pay(&dollars, "58", 1, json!("17.5"))).await);
    did(company.run_by_name("payable.pay", &pay(&pesos, "100", 2, json!("17.5"))).await);
    assert_eq!([bank(&company.world, 1).await, bank(&company.world, 2).await], ["-1015.00", "-5.71"]);
    refuses(
        &company,
        "payable.pay",
        &[
            (pay(&dollars, "1", 1, Value::Null), "moneda_distinta", "cuenta_bancaria: "),
            (pay(&dollars, "58", 1, json!("17.5")), "pago_repetido", ""),
        ],
    )
    .await;
    did(company
        .run_by_name("payable.pay", &with(&pay(&dollars, "58", 1, json!("18")), json!({"referencia": "S"})))
        .await);
    books::check(&world, &company).await;
}
