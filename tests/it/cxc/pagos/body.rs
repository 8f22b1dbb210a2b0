//! The body of a payment.

use chrono::TimeDelta;
use serde_json::json;
use svc_core::domain::scope::Scope;

use super::{REMISION, Written, owed, payment, with, written};

#[tokio::test]
async fn every_wrong_datum_is_a_400_that_names_its_field_and_writes_nothing() {
    let company = owed().await;
    let ana = company.admin().await;
    let long = "ñ".repeat(101);
    for (field, value, codigo) in [
        ("importe", json!(null), "dato_requerido"),
        ("importe", json!(""), "dato_requerido"),
        ("importe", json!(0), "dato_invalido"),
        ("importe", json!("0.00"), "dato_invalido"),
        ("importe", json!(-1), "dato_invalido"),
        ("importe", json!("100.001"), "dato_invalido"),
        ("importe", json!("1e2"), "dato_invalido"),
        ("importe", json!("1,000.00"), "dato_invalido"),
        ("importe", json!("1000000000000000000"), "dato_invalido"),
        ("importe", json!(true), "dato_invalido"),
        ("cuenta_bancaria", json!(null), "dato_requerido"),
        ("cuenta_bancaria", json!("1"), "dato_invalido"),
        ("cuenta_bancaria", json!(1.5), "dato_invalido"),
        ("forma_pago_sat", json!(null), "dato_requerido"),
        ("forma_pago_sat", json!(" "), "dato_requerido"),
        ("forma_pago_sat", json!("01"), "dato_invalido"),
        ("forma_pago_sat", json!("99"), "dato_invalido"),
        ("forma_pago_sat", json!("17"), "dato_invalido"),
        ("forma_pago_sat", json!("3"), "dato_invalido"),
        ("forma_pago_sat", json!(3), "dato_invalido"),
        ("fecha", json!(null), "dato_requerido"),
        ("fecha", json!(""), "dato_requerido"),
        ("fecha", json!("2026-10-13"), "dato_invalido"),
        ("fecha", json!("9999-12-31"), "dato_invalido"),
        ("fecha", json!("2026-02-30"), "dato_invalido"),
        ("fecha", json!("2026-10-12T10:00:00Z"), "dato_invalido"),
        ("fecha", json!("12/10/2026"), "dato_invalido"),
        ("referencia", json!(null), "dato_requerido"),
        ("referencia", json!("  "), "dato_requerido"),
        ("referencia", json!(long), "dato_invalido"),
        ("referencia", json!("a\0b"), "dato_invalido"),
        ("referencia", json!(7), "dato_invalido"),
        ("cxc", json!(1), "campo_no_permitido"),
        ("origen", json!("anticipo"), "campo_no_permitido"),
        ("moneda", json!("MXN"), "campo_no_permitido"),
    ] {
        // The body is checked before the record.
        for path in [REMISION, "/cxc/99/pagos"] {
            let reply = ana.post(path, with(json!({field: value}))).await;
            reply.fails(400, codigo);
            assert!(reply.mensaje().starts_with(&format!("{field}: ")), "{field} = {value}: {}", reply.mensaje());
        }
    }
    assert_eq!(written(&company.world).await, Written::default());
}

#[tokio::test]
async fn every_payment_form_but_cash_and_every_spelling_of_an_amount_is_taken() {
    let company = owed().await;
    let ana = company.admin().await;
    let long = "ñ".repeat(100);
    for (change, importe) in [
        (json!({"forma_pago_sat": "02"}), "100.00"),
        (json!({"forma_pago_sat": "04", "importe": 0.01}), "0.01"),
        (json!({"forma_pago_sat": "28", "importe": 10.5}), "10.50"),
        (json!({"importe": "1.100000"}), "1.10"),
        (json!({"importe": 7, "referencia": format!(" {long} ")}), "7.00"),
        (json!({"importe": "3", "fecha": "2026-10-01"}), "3.00"),
    ] {
        assert_eq!(ana.post(REMISION, with(change.clone())).await.ok(201)["importe"], importe, "{change}");
    }
    let payments = ana.walk("/cxc-pagos").await;
    let forms: Vec<_> = payments.iter().map(|payment| payment["forma_pago_sat"].clone()).collect();
    assert_eq!(forms, [json!("02"), json!("04"), json!("28"), json!("03"), json!("03"), json!("03")]);
    assert_eq!(payments[4]["referencia"], long);
    assert_eq!(payments[5]["fecha"], "2026-10-01");
}

#[tokio::test]
async fn today_is_mexicos() {
    let company = owed().await;
    let ana = company.admin().await;
    // 2026-10-13T05:59:59Z is still the day before in Mexico, for one more second.
    company.world.clock.advance(TimeDelta::hours(12) - TimeDelta::seconds(1));
    ana.post(REMISION, with(json!({"fecha": "2026-10-13"}))).await.fails(400, "dato_invalido");
    company.world.clock.advance(TimeDelta::seconds(1));
    ana.post(REMISION, with(json!({"fecha": "2026-10-13"}))).await.ok(201);
}

#[tokio::test]
async fn the_scope_is_that_of_writing_receivables() {
    let company = owed().await;
    let reader = company.actor(&[Scope::CxcRead, Scope::FacturasWrite]).await;
    reader.post(REMISION, payment("1", "A-1")).await.fails(403, "sin_permiso");
    let cashier = company.actor(&[Scope::CxcWrite]).await;
    cashier.post(REMISION, payment("1", "A-1")).await.ok(201);
    cashier.get("/cxc-pagos").await.fails(403, "sin_permiso");
    cashier.get(REMISION).await.fails(405, "metodo_no_permitido");
}
