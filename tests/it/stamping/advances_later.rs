//! Advances applied to what was sold before: by a credit note, never by a complement.

use futures_util::future::join_all;
use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_tests::authority::validate;
use svc_tests::lists::pick;
use svc_tests::{Resource, World, books};

use super::credit_notes::{document, refused, uuid};
use super::tickets::own;
use super::{ANA, FOOD, NAIL, Shop, line, nails};
use crate::backoffice::shop::entries;

async fn advance(shop: &Shop, importe: &str) -> Value {
    let input = json!({"cliente": ANA, "importe": importe, "forma_pago_sat": "03", "cuenta_bancaria": 1});
    shop.company.run_by_name("advance.capture", &input).await.expect("an advance")
}

fn with(cxc: &Value, importe: &str, anticipo: Option<&Value>) -> Value {
    json!({"cxc": cxc, "importe": importe, "origen": "anticipo", "anticipo": anticipo, "fecha": "2026-10-12"})
}

async fn stamp(world: &World) {
    for _ in 0..3 {
        world.stamp(&SandboxStamper).await;
    }
}

async fn cxc_of(shop: &Shop, venta: i64) -> Value {
    shop.one(&format!("/cxc?venta={venta}")).await["clave"].clone()
}

/// The balances of the accounts of advances and of collected IVA, credits positive.
async fn open(world: &World) -> Value {
    let sums = "SELECT jsonb_object_agg(cuenta, saldo)::text
                FROM (SELECT cuenta, to_char(sum(abono - cargo), 'FM9990.00') AS saldo
                      FROM polizas_renglones WHERE cuenta IN ('206.01', '208.01') GROUP BY cuenta) s";
    world.json(sums).await
}

/// Sells at once and is paid at once, if `method` says so.
fn sold(method: &str) -> Value {
    let mut order = nails();
    order["metodo_pago_sat"] = json!(method);
    order["forma_pago_sat"] = json!(if method == "PUE" { "03" } else { "99" });
    order
}

#[tokio::test]
async fn an_advance_lowers_an_invoice_made_before_by_a_credit_note_and_its_iva_is_charged_once() {
    for method in ["PPD", "PUE"] {
        let world = World::new().await;
        let shop = Shop::new(&world).await;
        let (venta, factura) = shop.invoice(sold(method)).await;
        let captured = advance(&shop, "500.00").await;
        stamp(&world).await;
        let cxc = cxc_of(&shop, venta).await;
        let paid = shop.company.run_by_name("payment.apply", &with(&cxc, "500.00", None)).await.unwrap();
        assert_eq!(paid, json!({"pago": 2}));
        let payment = shop.one(&format!("/cxc-pagos?cxc={cxc}")).await;
        assert_eq!(
            pick(&payment, &["origen", "importe", "forma_pago_sat", "complemento", "factura", "saldo_insoluto"]),
            json!({"origen": "anticipo", "importe": "500.00", "forma_pago_sat": "30", "complemento": "no_aplica",
                   "factura": null, "saldo_insoluto": "660.00"})
        );
        stamp(&world).await;
        assert!(shop.actor.walk("/facturas?tipo=pago").await.is_empty());
        let note = shop.one("/facturas?tipo=nota_credito").await["clave"].as_i64().unwrap();
        let xml = document(&shop, note).await;
        validate("the credit note of an advance", &xml);
        let own = uuid(&shop, factura).await;
        for part in ["TipoDeComprobante=\"E\"", "TipoRelacion=\"07\"", &own, "FormaPago=\"30\"", "Total=\"500.00\""] {
            assert!(xml.contains(part), "{part}: {xml}");
        }
        assert_eq!(
            entries(&shop.company, venta).await[1..],
            [
                "Pago 2 de la cuenta por cobrar 1: 206.01 +431.03 208.01 +68.97 105.01 -500.00 209.01 +68.97 208.01 -68.97"
            ]
        );
        shop.pay(cxc.as_i64().unwrap(), "660.00", "SPEI 9").await;
        stamp(&world).await;
        assert_eq!(open(&world).await, json!({"206.01": "0.00", "208.01": "160.00"}), "{method}");
        // What was applied cannot be taken back from under it.
        let spent = json!({"pago": captured["pago"]});
        refused(&shop, "payment.cancel", spent, "estado_invalido", "ya se aplicó").await;
        books::check(&world, &shop.company).await;
    }
}

#[tokio::test]
async fn the_oldest_advances_pay_in_parts_unless_one_is_named() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, _) = shop.invoice(nails()).await;
    let cxc = cxc_of(&shop, venta).await;
    let (first, second) = (advance(&shop, "300.00").await, advance(&shop, "400.00").await);
    refused(&shop, "payment.apply", with(&cxc, "700.01", None), "saldo_insuficiente", "").await;
    let named = with(&cxc, "100.00", Some(&second["anticipo"]));
    shop.company.run_by_name("payment.apply", &named).await.unwrap();
    let paid = shop.company.run_by_name("payment.apply", &with(&cxc, "400.00", None)).await.unwrap();
    assert_eq!(paid, json!({"pagos": [4, 5], "deposito": null}));
    let amounts: Vec<Value> =
        shop.actor.walk(&format!("/cxc-pagos?cxc={cxc}")).await.iter().map(|row| row["importe"].clone()).collect();
    assert_eq!(amounts, ["100.00", "300.00", "100.00"]);
    let named = |importe: &str, anticipo: &Value| with(&cxc, importe, Some(anticipo));
    let used = named("0.01", &first["anticipo"]);
    refused(&shop, "payment.apply", used, "saldo_insuficiente", "").await;
    refused(&shop, "payment.apply", named("200.01", &second["anticipo"]), "saldo_insuficiente", "").await;
    refused(&shop, "payment.apply", named("1", &json!(99)), "no_encontrado", "anticipo").await;
    refused(&shop, "payment.apply", named("1", &json!(venta)), "no_encontrado", "anticipo").await;
    let mut favour = named("1", &second["anticipo"]);
    favour["origen"] = json!("saldo_a_favor");
    refused(&shop, "payment.apply", favour, "dato_invalido", "anticipo").await;
    let mut rated = named("1", &second["anticipo"]);
    rated["tipo_cambio"] = json!("2");
    refused(&shop, "payment.apply", rated, "dato_invalido", "tipo_cambio").await;
    stamp(&world).await;
    assert_eq!(shop.actor.walk("/facturas?tipo=nota_credito&estatus=vigente").await.len(), 3);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn tickets_and_fulfilled_orders_take_an_advance_without_a_document() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    advance(&shop, "600.00").await;
    let ticket = json!({"tipo": "venta", "cliente": ANA, "renglones": [line(NAIL, "1", "200")]});
    let ticket = shop.company.run_by_name("sale.capture", &ticket).await.unwrap();
    let order = shop.actor.post("/ventas", nails()).await.ok(201)["venta"].clone();
    let lines = json!([{"renglon": 1, "cantidad": 10}]);
    shop.company.run_by_name("order.fulfil", &json!({"venta": order, "renglones": lines})).await.unwrap();
    shop.company.run_by_name("payment.apply", &with(&ticket["cxc"], "232.00", None)).await.unwrap();
    let owed = cxc_of(&shop, order.as_i64().unwrap()).await;
    shop.company.run_by_name("payment.apply", &with(&owed, "368.00", None)).await.unwrap();
    assert_eq!(world.count("notas_credito").await, 0);
    assert_eq!(open(&world).await["206.01"], "0.00");
    books::check(&world, &shop.company).await;
    // An invoice would charge again what the advance's charged.
    let of_order = json!({"venta": order, "metodo_pago_sat": "PUE"});
    for input in [own(ticket["venta"].as_i64().unwrap()), of_order] {
        refused(&shop, "order.invoice", input, "estado_invalido", "anticipos").await;
    }
    for cxc in [&ticket["cxc"], &owed] {
        let pago = shop.one(&format!("/cxc-pagos?cxc={cxc}")).await["clave"].clone();
        shop.company.run_by_name("payment.cancel", &json!({"pago": pago})).await.unwrap();
    }
    shop.company.run_by_name("order.invoice", &own(ticket["venta"].as_i64().unwrap())).await.unwrap();
    shop.company.run_by_name("order.invoice", &json!({"venta": order})).await.unwrap();
    for (cxc, importe) in [(&ticket["cxc"], "232.00"), (&owed, "368.00")] {
        shop.company.run_by_name("payment.apply", &with(cxc, importe, None)).await.unwrap();
    }
    assert_eq!(world.count("notas_credito").await, 2);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn parts_of_an_advance_leave_nothing_of_it() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, _) = shop.invoice(nails()).await;
    let cxc = cxc_of(&shop, venta).await;
    advance(&shop, "100.00").await;
    for part in ["33.33", "0.01", "33.33", "33.33"] {
        shop.company.run_by_name("payment.apply", &with(&cxc, part, None)).await.unwrap();
    }
    assert_eq!(open(&world).await["206.01"], "0.00");
    stamp(&world).await;
    for note in shop.actor.walk("/facturas?tipo=nota_credito&estatus=vigente").await {
        validate("a part", &document(&shop, note["clave"].as_i64().unwrap()).await);
    }
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn an_advance_without_invoice_pays_no_invoice_in_instalments() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let bare = json!({"tipo": "anticipo", "cliente": ANA, "renglones": [line(FOOD, "1", "100")]});
    let bare = shop.company.run_by_name("sale.capture", &bare).await.unwrap();
    let cash = json!({"cxc": bare["cxc"], "importe": "100", "forma_pago_sat": "01", "fecha": "2026-10-12"});
    shop.company.run_by_name("payment.apply", &cash).await.unwrap();
    let (later, _) = shop.invoice(nails()).await;
    let (at_once, _) = shop.invoice(sold("PUE")).await;
    let (later, at_once) = (cxc_of(&shop, later).await, cxc_of(&shop, at_once).await);
    refused(&shop, "payment.apply", with(&later, "1", None), "estado_invalido", "no tiene factura vigente").await;
    shop.company.run_by_name("payment.apply", &with(&at_once, "40", None)).await.unwrap();
    // One with an invoice is taken before it.
    advance(&shop, "50.00").await;
    shop.company.run_by_name("payment.apply", &with(&later, "50", None)).await.unwrap();
    assert_eq!(world.count("notas_credito").await, 1);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn cancelling_the_payment_cancels_its_credit_note() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, _) = shop.invoice(nails()).await;
    let cxc = cxc_of(&shop, venta).await;
    advance(&shop, "500.00").await;
    let pago = shop.company.run_by_name("payment.apply", &with(&cxc, "500.00", None)).await.unwrap()["pago"].clone();
    let cancel = json!({"pago": &pago});
    refused(&shop, "payment.cancel", cancel.clone(), "estado_invalido", "no está timbrada").await;
    stamp(&world).await;
    let replaced = json!({"pago": pago, "motivo": "01"});
    refused(&shop, "payment.cancel", replaced, "estado_invalido", "no lleva complemento").await;
    let note = shop.one("/facturas?tipo=nota_credito").await["clave"].clone();
    let done = shop.company.run_by_name("payment.cancel", &cancel).await.unwrap();
    assert_eq!(done, json!({"pago": cancel["pago"], "en_cancelacion": note}));
    stamp(&world).await;
    refused(&shop, "payment.cancel", cancel, "estado_invalido", "ya está cancelado").await;
    assert_eq!(shop.one("/facturas?tipo=nota_credito").await["estatus"], "cancelada");
    assert_eq!(shop.one(&format!("/cxc?clave={cxc}")).await["saldo"], "1160.00");
    shop.company.run_by_name("payment.apply", &with(&cxc, "500.00", None)).await.unwrap();
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn the_note_of_an_advance_bears_the_invoices_receiver_and_waits_for_its_stamp() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, factura) = shop.invoice(nails()).await;
    advance(&shop, "500.00").await;
    let cxc = cxc_of(&shop, venta).await;
    let rejected = json!({"factura": factura, "codigo": "CFDI40147", "mensaje": "No"});
    shop.company.run_by_name("invoice.rejected", &rejected).await.unwrap();
    shop.company.run_by_name("payment.apply", &with(&cxc, "500.00", None)).await.unwrap();
    stamp(&world).await;
    assert_eq!(shop.one("/facturas?tipo=nota_credito").await["estatus"], "en_espera");
    shop.company.run_by_name("invoice.restamp", &json!({"factura": factura})).await.unwrap();
    shop.actor.put("/clientes/1", json!({"rfc": "EKU9003173C9"})).await.ok(200);
    stamp(&world).await;
    let note = shop.one("/facturas?tipo=nota_credito&estatus=vigente").await["clave"].as_i64().unwrap();
    let xml = document(&shop, note).await;
    assert!(xml.contains("Rfc=\"XIA190128J61\""), "{xml}");
    validate("a note that waited", &xml);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn advances_of_other_customers_and_currencies_are_refused() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.company.load(Resource::CuentasBancarias, &[json!({"nombre": "Dólares", "moneda": "USD"})]).await;
    let mut order = nails();
    order["moneda"] = json!("USD");
    order["tipo_cambio"] = json!("18");
    let (venta, _) = shop.invoice(order).await;
    let cxc = cxc_of(&shop, venta).await;
    let pesos = advance(&shop, "500.00").await;
    let named = with(&cxc, "1", Some(&pesos["anticipo"]));
    refused(&shop, "payment.apply", with(&cxc, "1", None), "saldo_insuficiente", "").await;
    let input = json!({"cliente": ANA, "importe": "116", "forma_pago_sat": "03", "cuenta_bancaria": 2,
                       "moneda": "USD", "tipo_cambio": "20"});
    shop.company.run_by_name("advance.capture", &input).await.unwrap();
    refused(&shop, "payment.apply", named, "moneda_distinta", "").await;
    shop.company.run_by_name("payment.apply", &with(&cxc, "116", None)).await.unwrap();
    assert_eq!(
        entries(&shop.company, venta).await[1..],
        [
            "Pago 3 de la cuenta por cobrar 1: 206.01 +2000.00 208.01 +320.00 105.01 -2088.00 209.01 +288.00 208.01 -320.00 702.01 -200.00"
        ]
    );
    stamp(&world).await;
    let note = shop.one("/facturas?tipo=nota_credito&estatus=vigente").await["clave"].as_i64().unwrap();
    validate("a note in dollars", &document(&shop, note).await);
    books::check(&world, &shop.company).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_invoiced_advance_is_not_applied_twice_at_once() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    advance(&shop, "116.00").await;
    let mut inputs = Vec::new();
    for _ in 0..5 {
        let (venta, _) = shop.invoice(nails()).await;
        inputs.push(with(&cxc_of(&shop, venta).await, "100.00", None));
    }
    let tried = inputs.iter().map(|input| shop.company.run_by_name("payment.apply", input));
    assert_eq!(join_all(tried).await.into_iter().flatten().count(), 1);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn an_advance_in_error_pays_nothing_until_it_is_stamped() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, _) = shop.invoice(nails()).await;
    let cxc = cxc_of(&shop, venta).await;
    let rejected = advance(&shop, "1160.00").await;
    let ticket = json!({"tipo": "venta", "cliente": ANA, "renglones": [line(NAIL, "2", "100")]});
    let ticket = shop.company.run_by_name("sale.capture", &ticket).await.unwrap()["cxc"].clone();
    let input = json!({"factura": rejected["factura"], "codigo": "CFDI40147", "mensaje": "No"});
    shop.company.run_by_name("invoice.rejected", &input).await.unwrap();
    let text = "anticipo: su factura está en error";
    let anticipo = &rejected["anticipo"];
    for input in [with(&cxc, "1160.00", None), with(&cxc, "1", Some(anticipo)), with(&ticket, "232.00", None)] {
        refused(&shop, "payment.apply", input, "estado_invalido", text).await;
    }
    let refund = json!({"anticipo": anticipo, "importe": "1160.00", "cuenta_bancaria": 1, "fecha": "2026-10-12",
                        "referencia": "SPEI 1"});
    refused(&shop, "advance.refund", refund, "estado_invalido", text).await;
    // A later one is taken in its place.
    advance(&shop, "100.00").await;
    shop.company.run_by_name("payment.apply", &with(&cxc, "100.00", None)).await.unwrap();
    shop.company.run_by_name("invoice.restamp", &json!({"factura": rejected["factura"]})).await.unwrap();
    shop.company.run_by_name("payment.apply", &with(&cxc, "1060.00", None)).await.unwrap();
    stamp(&world).await;
    assert_eq!(shop.actor.walk("/facturas?tipo=nota_credito&estatus=vigente").await.len(), 2);
    assert_eq!(shop.one(&format!("/cxc?clave={cxc}&estatus=pagado")).await["saldo"], "0.00");
    books::check(&world, &shop.company).await;
}
