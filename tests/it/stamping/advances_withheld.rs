//! Advances from which the customer withholds: what was paid is the document's total.

use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_core::store::CompanyChange;
use svc_tests::lists::pick;
use svc_tests::{World, books, certificate};

use super::credit_notes::{document, refused};
use super::{ANA, PUBLIC, Shop, nails};
use crate::backoffice::shop::entries;

async fn stamp(world: &World) {
    for _ in 0..3 {
        world.stamp(&SandboxStamper).await;
    }
}

fn paid(importe: &str, changes: &Value) -> Value {
    let mut input = json!({"cliente": ANA, "importe": importe, "forma_pago_sat": "03", "cuenta_bancaria": 1});
    input.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    input
}

#[tokio::test]
async fn an_advance_takes_withholdings_and_applying_and_refunding_it_gives_their_share_back() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    // 1000.00 + 160.00 − 100.00 − 106.67
    let input = paid("953.33", &json!({"retencion_isr": "0.100000", "retencion_iva": "0.106667"}));
    let captured = shop.company.run_by_name("advance.capture", &input).await.unwrap();
    let anticipo = captured["anticipo"].as_i64().unwrap();
    let sale = shop.one(&format!("/ventas?tipo=anticipo&clave={anticipo}")).await;
    assert_eq!(
        pick(&sale, &["subtotal", "impuestos", "retenciones", "total", "saldo"]),
        json!({"subtotal": "1000.00", "impuestos": "160.00", "retenciones": "206.67", "total": "953.33", "saldo": "0.00"})
    );
    let (venta, _) = shop.invoice(nails()).await;
    let cxc = shop.one(&format!("/cxc?venta={venta}")).await["clave"].clone();
    stamp(&world).await;
    document(&shop, captured["factura"].as_i64().unwrap()).await;
    for part in ["333.33", "0.01", "300.00"] {
        let pay = json!({"cxc": cxc, "importe": part, "origen": "anticipo", "fecha": "2026-10-12"});
        shop.company.run_by_name("payment.apply", &pay).await.unwrap();
    }
    let back = json!({"anticipo": anticipo, "importe": "319.99", "cuenta_bancaria": 1, "fecha": "2026-10-12",
                      "referencia": "R"});
    shop.company.run_by_name("advance.refund", &back).await.unwrap();
    stamp(&world).await;
    let notes = shop.actor.walk("/facturas?tipo=nota_credito&estatus=vigente").await;
    assert_eq!(notes.len(), 4);
    for note in notes {
        document(&shop, note["clave"].as_i64().unwrap()).await;
    }
    assert_eq!(
        entries(&shop.company, anticipo).await[0],
        "anticipo F1: 105.01 +953.33 206.01 -1000.00 113.02 +100.00 113.01 +106.67 209.01 -160.00"
    );
    let open = "SELECT count(*) FROM (
                    SELECT cuenta FROM polizas_renglones WHERE cuenta IN ('206.01', '113.01', '113.02')
                    GROUP BY cuenta HAVING sum(cargo) <> sum(abono)) s";
    assert_eq!(world.sql::<i64>(open).await, 0);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn companies_withhold_from_a_resico_issuer_by_themselves() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let issuer =
        CompanyChange { rfc: Some("CACX7605101P8".to_owned()), regimen: Some(626), ..CompanyChange::default() };
    shop.company.edit(issuer).await;
    shop.company.run(&certificate::load("other_rfc", "valid")).await.expect("its certificate");
    // 1000.00 + 160.00 − 12.50
    let captured = shop.company.run_by_name("advance.capture", &paid("1147.50", &json!({}))).await.unwrap();
    let of = async |captured: &Value| {
        shop.one(&format!("/ventas?tipo=anticipo&clave={}", captured["anticipo"])).await["retenciones"].clone()
    };
    assert_eq!(of(&captured).await, "12.50");
    let none = paid("1160.00", &json!({"retencion_isr": "0"}));
    let none = shop.company.run_by_name("advance.capture", &none).await.unwrap();
    assert_eq!(of(&none).await, "0.00");
    let public = paid("1160.00", &json!({"cliente": PUBLIC, "retencion_isr": "0.1"}));
    let public = shop.company.run_by_name("advance.capture", &public).await.unwrap();
    assert_eq!(of(&public).await, "0.00");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn rates_that_are_not_in_the_catalogue_are_refused() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    for (field, rate) in [("retencion_isr", "0.4"), ("retencion_iva", "0.17"), ("retencion_isr", "x")] {
        refused(&shop, "advance.capture", paid("10", &json!({field: rate})), "dato_invalido", field).await;
    }
    assert_eq!(world.count("ventas").await, 0);
}
