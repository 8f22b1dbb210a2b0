//! The effect of a payment.

use chrono::TimeDelta;
use http::Method;
use serde_json::{Value, json};
use svc_tests::Resource::Cxc;
use svc_tests::lists::pick;
use svc_tests::{Actor, World, fresh_key};

use super::{PPD, REMISION, Written, banks, books, deposits, owed, payment, with, written};

/// The record with this clave, as its list shows it.
async fn shown(actor: &Actor, path: &str) -> Value {
    actor.get(path).await.ok(200)["datos"][0].clone()
}

#[tokio::test]
async fn a_payment_lowers_what_is_owed_and_raises_what_is_in_the_bank() {
    let company = owed().await;
    let ana = company.admin().await;
    company.world.clock.advance(TimeDelta::hours(1));
    let answer = ana.post(REMISION, payment("400.10", "A-1")).await.ok(201);
    assert_eq!(
        answer,
        json!({"ok": true, "pago": 1, "cxc": 1, "importe": "400.10", "saldo": "759.90", "complemento": "no_aplica",
               "uuid": null})
    );
    let payment = json!({
        "clave": 1, "cxc": 1, "venta": 1, "cliente": 1, "fecha": "2026-10-12", "aplicado": "2026-10-12T19:00:00Z",
        "origen": "deposito", "importe": "400.10", "moneda": "MXN", "tipo_cambio": "1.000000", "forma_pago_sat": "03",
        "cuenta_bancaria": 1, "deposito": 1, "referencia": "A-1", "parcialidad": 1, "saldo_anterior": "1160.00",
        "saldo_insoluto": "759.90", "complemento": "no_aplica", "factura": null, "uuid": null, "cancelado": false,
    });
    assert_eq!(shown(&ana, "/cxc-pagos?clave=1").await, payment);
    let debt = shown(&ana, "/cxc?clave=1").await;
    for (field, value) in [
        ("pagado", json!("400.10")),
        ("saldo", json!("759.90")),
        ("parcialidades", json!(1)),
        ("estatus", json!("pendiente")),
        ("modificado", json!("2026-10-12T19:00:00Z")),
    ] {
        assert_eq!(debt[field], value, "{field}");
    }
    let sale = shown(&ana, "/ventas?tipo=venta&clave=1").await;
    assert_eq!((&sale["saldo"], &sale["modificado"]), (&json!("759.90"), &json!("2026-10-12T19:00:00Z")));
    assert_eq!(banks(&company.world).await, ["400.10", "0.00", "0.00"]);
    assert_eq!(
        deposits(&company.world).await,
        json!([{"cuenta_bancaria": 1, "importe": "400.10", "aplicado": "400.10", "referencia": "A-1", "origen": "pago", "cancelado": false}])
    );
    // 160 × 400.10 / 1160 = 55.186…
    let lines = json!([
        {"pago": 1, "cuenta": "102.01.0001", "cargo": "400.10", "abono": "0.00"},
        {"pago": 1, "cuenta": "105.01", "cargo": "0.00", "abono": "400.10"},
        {"pago": 1, "cuenta": "209.01", "cargo": "55.19", "abono": "0.00"},
        {"pago": 1, "cuenta": "208.01", "cargo": "0.00", "abono": "55.19"},
    ]);
    assert_eq!(books(&company.world).await, lines);
    let day: String =
        company.world.sql("SELECT fecha || ' ' || venta || ' ' || concepto FROM polizas WHERE pago = 1").await;
    assert_eq!(day, "2026-10-12 1 Pago 1 de la cuenta por cobrar 1");
    let event: String = company.world.sql("SELECT convert_from(cuerpo, 'UTF8') FROM emitidos").await;
    let event: Value = serde_json::from_str(&event).unwrap();
    assert_eq!(event["tipo"], "cxc.pago_aplicado");
    assert_eq!(event["datos"], json!({"pago": 1, "cxc": 1, "importe": "400.10"}));
    let url = "https://erp.example.com/api/v1/cxc-pagos?clave=1";
    assert_eq!(event["recurso"], json!({"tipo": "cxc-pagos", "clave": 1, "url": url}));
    assert_eq!(company.world.count("facturas").await, 0);
}

#[tokio::test]
async fn instalments_are_counted_until_nothing_is_owed_and_the_iva_is_collected() {
    let company = owed().await;
    let ana = company.admin().await;
    for (number, importe, owed_then) in [(1, "386.67", "773.33"), (2, "386.67", "386.66"), (3, "386.66", "0.00")] {
        let answer = ana.post(PPD, payment(importe, &format!("A-{number}"))).await.ok(201);
        assert_eq!((&answer["saldo"], &answer["complemento"]), (&json!(owed_then), &json!("encolado")));
        let row = shown(&ana, &format!("/cxc-pagos?clave={number}")).await;
        assert_eq!((&row["parcialidad"], &row["saldo_insoluto"]), (&json!(number), &json!(owed_then)));
    }
    let debt = shown(&ana, "/cxc?clave=2").await;
    assert_eq!(
        pick(&debt, &["estatus", "pagado", "parcialidades"]),
        json!({"estatus": "pagado", "pagado": "1160.00", "parcialidades": 3})
    );
    assert_eq!(shown(&ana, "/ventas?tipo=factura&clave=2").await["saldo"], "0.00");
    let collected: String =
        company.world.sql("SELECT sum(abono)::text FROM polizas_renglones WHERE cuenta = '208.01'").await;
    assert_eq!(collected, "160.000000");
}

#[tokio::test]
async fn an_invoice_paid_in_parts_gets_a_complement_and_no_other_document_does() {
    let company = owed().await;
    let ana = company.admin().await;
    let complement = |cxc: i64, change: Value| {
        let (ana, body) = (ana.clone(), with(change));
        async move { ana.post(&format!("/cxc/{cxc}/pagos"), body).await.ok(201)["complemento"].clone() }
    };
    assert_eq!(complement(1, json!({})).await, "no_aplica");
    assert_eq!(complement(3, json!({"referencia": "A-2"})).await, "no_aplica");
    assert_eq!(complement(2, json!({"referencia": "A-3"})).await, "encolado");
    assert_eq!(complement(2, json!({"referencia": "A-4"})).await, "encolado");
    assert_eq!(complement(4, json!({"cuenta_bancaria": 2, "referencia": "A-5"})).await, "encolado");
    let registry = ana.walk("/facturas").await;
    let found: Vec<Value> = registry
        .iter()
        .map(|invoice| pick(invoice, &["tipo", "estatus", "serie", "folio", "cliente", "venta", "uuid"]))
        .collect();
    let waiting = |serie: &str, folio: &str| {
        json!({"tipo": "pago", "estatus": "en_espera", "serie": serie, "folio": folio, "cliente": 2, "venta": null,
               "uuid": null})
    };
    assert_eq!(found, [waiting("P", "1"), waiting("P", "2"), waiting("P3", "1")]);
    let payments = ana.walk("/cxc-pagos").await;
    let found: Vec<Value> = payments.iter().map(|payment| pick(payment, &["complemento", "factura", "uuid"])).collect();
    let waits = |factura: i64| json!({"complemento": "encolado", "factura": factura, "uuid": null});
    let none = || json!({"complemento": "no_aplica", "factura": null, "uuid": null});
    assert_eq!(found, [none(), none(), waits(1), waits(2), waits(3)]);
    assert_eq!(
        company.world.sql::<Vec<i64>>("SELECT array_agg(factura ORDER BY factura) FROM timbrados").await,
        [1, 2, 3]
    );
    assert_eq!(company.world.sql::<String>("SELECT DISTINCT origen FROM facturas").await, "api");
}

#[tokio::test]
async fn another_currency_is_booked_in_pesos_and_banked_as_it_is() {
    let company = owed().await;
    let ana = company.admin().await;
    ana.post("/cxc/4/pagos", with(json!({"cuenta_bancaria": 2, "importe": "580"}))).await.ok(201);
    let row = shown(&ana, "/cxc-pagos?clave=1").await;
    assert_eq!(
        pick(&row, &["moneda", "tipo_cambio", "importe"]),
        json!({"moneda": "USD", "tipo_cambio": "17.500000", "importe": "580.00"})
    );
    assert_eq!(banks(&company.world).await, ["0.00", "580.00", "0.00"]);
    let lines = json!([
        {"pago": 1, "cuenta": "102.01.0002", "cargo": "10150.00", "abono": "0.00"},
        {"pago": 1, "cuenta": "105.01", "cargo": "0.00", "abono": "10150.00"},
        {"pago": 1, "cuenta": "209.01", "cargo": "1400.00", "abono": "0.00"},
        {"pago": 1, "cuenta": "208.01", "cargo": "0.00", "abono": "1400.00"},
    ]);
    assert_eq!(books(&company.world).await, lines);
}

#[tokio::test]
async fn a_smaller_imported_balance_of_a_sale_stops_at_zero() {
    let company = owed().await;
    let ana = company.admin().await;
    // Another part of sale 1, whose own record says that 1160 are owed.
    company.load(Cxc, &[json!({"venta": 1, "total": "900", "fecha": "2026-10-01"})]).await;
    ana.post(REMISION, payment("1000", "A-1")).await.ok(201);
    ana.post("/cxc/5/pagos", payment("900", "A-2")).await.ok(201);
    assert_eq!(shown(&ana, "/ventas?tipo=venta&clave=1").await["saldo"], "0.00");
    assert_eq!(shown(&ana, "/cxc?clave=5").await["estatus"], "pagado");
    assert_eq!(shown(&ana, "/cxc?clave=1").await["saldo"], "160.00");
}

#[tokio::test]
async fn a_replay_applies_nothing_and_a_refusal_frees_the_key() {
    let company = owed().await;
    let ana = company.admin().await;
    let key = fresh_key();
    let send = |body: Value| ana.write(Method::POST, REMISION, &key, body);
    send(payment("5000", "A-1")).await.fails(422, "importe_excede_saldo");
    let first = send(payment("500", "A-1")).await;
    first.ok(201);
    let again = send(payment("500.00", "A-1")).await;
    assert_eq!((again.status, again.header("idempotent-replayed")), (409, None), "another text is other data");
    let again = send(payment("500", "A-1")).await;
    assert_eq!((again.status, &again.body, again.header("idempotent-replayed")), (200, &first.body, Some("true")));
    send(payment("501", "A-1")).await.fails(409, "idempotencia_conflicto");
    assert_eq!(written(&company.world).await, Written { payments: 1, deposits: 1, entries: 1, events: 1 });
    assert_eq!(banks(&company.world).await, ["500.00", "0.00", "0.00"]);
}

#[tokio::test]
async fn companies_pay_only_their_own_receivables() {
    let one = owed().await;
    let two = owed_in(&one.world).await;
    two.post("/cxc/1/pagos", payment("100", "A-1")).await.ok(201);
    // The same account number, day, amount and reference of another company are no repetition.
    one.admin().await.post(REMISION, payment("100", "A-1")).await.ok(201);
    assert_eq!(banks(&one.world).await, ["100.00", "0.00", "0.00", "100.00"]);
}

/// A user of another company, which is owed 500.00.
async fn owed_in(world: &World) -> Actor {
    use svc_tests::Resource::{CuentasBancarias, Ventas};
    let company = world.company().await;
    company.load(Ventas, &[json!({"tipo": "venta", "total": 500})]).await;
    company.load(Cxc, &[json!({"venta": 1, "total": 500})]).await;
    company.load(CuentasBancarias, &[json!({"nombre": "Otra"})]).await;
    company.admin().await
}
