//! `document.discard`: a document in `error` is given up, and all that it did is undone.

use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_tests::lists::pick;
use svc_tests::{World, books};

use super::credit_notes::{document, refused};
use super::{ANA, NAIL, PUBLIC, Shop, line, nails};
use crate::backoffice::shop::entries;

/// Has the authority reject a waiting document.
pub(super) async fn reject(shop: &Shop, factura: i64) {
    let input = json!({"factura": factura, "codigo": "CFDI40145", "mensaje": "No"});
    shop.company.run_by_name("invoice.rejected", &input).await.unwrap();
}

pub(super) async fn run(shop: &Shop, action: &str, input: Value) -> Value {
    shop.company.run_by_name(action, &input).await.unwrap_or_else(|error| panic!("{action} {input}: {error}"))
}

/// Discards a document; checks its record and that no e-mail is sent.
pub(super) async fn discard(shop: &Shop, factura: i64) {
    let world = shop.world();
    let told = world.count("eventos WHERE tipo LIKE 'factura.%'").await;
    assert_eq!(run(shop, "document.discard", json!({"factura": factura})).await, json!({"factura": factura}));
    let record = shop.factura(factura).await;
    assert_eq!(
        pick(&record, &["estatus", "motivo_cancelacion", "uuid"]),
        json!({"estatus": "cancelada", "motivo_cancelacion": null, "uuid": null})
    );
    assert_eq!(world.count("eventos WHERE tipo LIKE 'factura.%'").await, told);
    books::check(world, &shop.company).await;
    let again = json!({"factura": factura});
    refused(shop, "document.discard", again, "estado_invalido", "ya está cancelada").await;
}

async fn stock(shop: &Shop) -> Value {
    pick(&shop.one("/inventario?sku=A-1").await, &["existencia", "apartado"])
}

async fn sale(shop: &Shop, tipo: &str, venta: i64) -> Value {
    let sale = shop.one(&format!("/ventas?tipo={tipo}&clave={venta}")).await;
    pick(&sale, &["tipo", "folio", "saldo", "factura", "surtido_estatus", "metodo_pago_sat"])
}

/// Stamps what waits, and validates the document.
async fn stamped(shop: &Shop, factura: i64) {
    for _ in 0..3 {
        shop.world().stamp(&SandboxStamper).await;
    }
    assert_eq!(shop.factura(factura).await["estatus"], "vigente");
    document(shop, factura).await;
}

#[tokio::test]
async fn the_sale_of_a_discarded_invoice_is_the_order_that_it_was() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = shop.actor.post("/ventas", nails()).await.ok(201)["venta"].as_i64().unwrap();
    let (before, held) = (sale(&shop, "pedido", venta).await, stock(&shop).await);
    let invoice = async || {
        let requested = shop.actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202);
        requested["factura"].as_i64().unwrap()
    };
    let first = invoice().await;
    assert_eq!(stock(&shop).await["apartado"], json!(0));
    refused(&shop, "document.discard", json!({"factura": first}), "estado_invalido", "espera su timbre").await;
    reject(&shop, first).await;
    discard(&shop, first).await;
    assert_eq!(sale(&shop, "pedido", venta).await, before);
    assert_eq!(stock(&shop).await, held);
    assert_eq!(shop.one(&format!("/cxc?venta={venta}&estatus=cancelado")).await["saldo"], "0.00");
    refused(&shop, "invoice.restamp", json!({"factura": first}), "estado_invalido", "no está en error").await;
    // It is invoiced anew under the next number, and cancelled: its goods come back once.
    let second = invoice().await;
    assert_eq!(shop.factura(second).await["folio"], "2");
    stamped(&shop, second).await;
    books::check(&world, &shop.company).await;
    run(&shop, "invoice.cancel", json!({"factura": second, "motivo": "02"})).await;
    world.stamp(&SandboxStamper).await;
    assert_eq!(stock(&shop).await, json!({"existencia": 0, "apartado": 0}));
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn the_sale_of_a_discarded_invoice_is_the_quote_that_it_was() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let mut body = nails();
    body["tipo"] = json!("cotizacion");
    let (venta, factura) = shop.invoice(body).await;
    reject(&shop, factura).await;
    discard(&shop, factura).await;
    assert_eq!(stock(&shop).await, json!({"existencia": 0, "apartado": 0}));
    // As an order it has another number, which it keeps.
    run(&shop, "quote.order", json!({"venta": venta})).await;
    let before = sale(&shop, "pedido", venta).await;
    let factura = run(&shop, "order.invoice", json!({"venta": venta})).await["factura"].as_i64().unwrap();
    // Goods that a note returns are those of the last invoice.
    reject(&shop, factura).await;
    discard(&shop, factura).await;
    assert_eq!(sale(&shop, "pedido", venta).await, before);
    let factura = run(&shop, "order.invoice", json!({"venta": venta})).await["factura"].as_i64().unwrap();
    stamped(&shop, factura).await;
    let note = json!({"factura": factura, "tipo_relacion": "03", "renglones": [{"renglon": 1, "cantidad": 10}], "aplicar": true});
    run(&shop, "credit-note.capture", note).await;
    assert_eq!(stock(&shop).await, json!({"existencia": 0, "apartado": 0}));
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_fulfilled_order_stays_owed_and_its_goods_stay_out() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let mut body = nails();
    (body["metodo_pago_sat"], body["forma_pago_sat"]) = (json!("PUE"), json!("03"));
    let venta = shop.actor.post("/ventas", body).await.ok(201)["venta"].as_i64().unwrap();
    run(&shop, "order.fulfil", json!({"venta": venta, "renglones": [{"renglon": 1, "cantidad": 10}]})).await;
    let owed = async || {
        let cxc = shop.one(&format!("/cxc?venta={venta}")).await;
        pick(&cxc, &["clave", "folio", "factura", "saldo", "vencimiento", "tipo_venta", "metodo_pago_sat"])
    };
    let before = (sale(&shop, "pedido", venta).await, owed().await, stock(&shop).await);
    let factura = run(&shop, "order.invoice", json!({"venta": venta})).await["factura"].as_i64().unwrap();
    assert_ne!(owed().await, before.1);
    reject(&shop, factura).await;
    discard(&shop, factura).await;
    assert_eq!((sale(&shop, "pedido", venta).await, owed().await, stock(&shop).await), before);
    // A payment that needs no complement stays with the order.
    let factura = run(&shop, "order.invoice", json!({"venta": venta})).await["factura"].as_i64().unwrap();
    shop.pay(1, "160.00", "SPEI 1").await;
    reject(&shop, factura).await;
    discard(&shop, factura).await;
    assert_eq!(owed().await["saldo"], "1000.00");
    let factura = run(&shop, "order.invoice", json!({"venta": venta})).await["factura"].as_i64().unwrap();
    stamped(&shop, factura).await;
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn the_delivered_part_of_an_order_is_a_fulfilled_order() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let order = shop.actor.post("/ventas", nails()).await.ok(201)["venta"].as_i64().unwrap();
    run(&shop, "order.fulfil", json!({"venta": order, "renglones": [{"renglon": 1, "cantidad": 4}]})).await;
    let invoiced = run(&shop, "order.invoice", json!({"venta": order})).await;
    let (part, factura) = (invoiced["venta"].as_i64().unwrap(), invoiced["factura"].as_i64().unwrap());
    reject(&shop, factura).await;
    discard(&shop, factura).await;
    assert_eq!(
        sale(&shop, "pedido", part).await,
        json!({"tipo": "pedido", "folio": 2, "saldo": "464.00", "factura": null, "surtido_estatus": "surtido",
               "metodo_pago_sat": "PPD"})
    );
    assert_eq!(stock(&shop).await, json!({"existencia": -4, "apartado": 6}));
    let again = run(&shop, "order.invoice", json!({"venta": part})).await;
    stamped(&shop, again["factura"].as_i64().unwrap()).await;
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_captured_invoice_that_was_nothing_else_is_cancelled() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let mut body = nails();
    body["tipo"] = json!("factura");
    let made = run(&shop, "sale.capture", body).await;
    let factura = made["factura"].as_i64().unwrap();
    reject(&shop, factura).await;
    discard(&shop, factura).await;
    let sale = shop.one(&format!("/ventas?tipo=factura&clave={}&cancelada=true", made["venta"])).await;
    assert_eq!([&sale["saldo"], &sale["folio"]], [&json!("0.00"), &json!(1)]);
    assert_eq!(stock(&shop).await["existencia"], json!(0));
}

#[tokio::test]
async fn goods_and_debt_of_a_discarded_credit_note_are_as_before_and_its_invoice_is_free() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, factura) = shop.invoice(nails()).await;
    stamped(&shop, factura).await;
    let before = stock(&shop).await;
    let note = json!({"factura": factura, "tipo_relacion": "03", "renglones": [{"renglon": 1, "cantidad": 4}], "aplicar": true});
    let clave = run(&shop, "credit-note.capture", note.clone()).await["factura"].as_i64().unwrap();
    reject(&shop, clave).await;
    let cancel = json!({"factura": factura, "motivo": "02"});
    refused(&shop, "invoice.cancel", cancel.clone(), "estado_invalido", "notas de crédito").await;
    discard(&shop, clave).await;
    assert_eq!(stock(&shop).await, before);
    assert_eq!(shop.one(&format!("/cxc?venta={venta}")).await["saldo"], "1160.00");
    // The invoice is credited again, whole; the number is not used again.
    let whole = json!({"factura": factura, "tipo_relacion": "03", "renglones": [{"renglon": 1, "cantidad": 10}]});
    let other = run(&shop, "credit-note.capture", whole).await["factura"].as_i64().unwrap();
    assert_eq!(shop.factura(other).await["folio"], "2");
    reject(&shop, other).await;
    // What was applied elsewhere is not taken back.
    let (second, _) = shop.invoice(nails()).await;
    let cxc = shop.one(&format!("/cxc?venta={second}")).await["clave"].clone();
    let favour = json!({"cxc": cxc, "importe": "100.00", "origen": "saldo_a_favor", "fecha": "2026-10-12"});
    let pago = run(&shop, "payment.apply", favour).await["pago"].clone();
    refused(&shop, "document.discard", json!({"factura": other}), "estado_invalido", "ya se aplicó").await;
    run(&shop, "payment.cancel", json!({"pago": pago})).await;
    discard(&shop, other).await;
    run(&shop, "invoice.cancel", cancel).await;
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(factura).await["estatus"], "cancelada");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn after_a_discarded_substitute_a_second_one_is_possible() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, old) = shop.invoice(nails()).await;
    stamped(&shop, old).await;
    let substitute =
        async || run(&shop, "invoice.substitute", json!({"factura": old})).await["factura"].as_i64().unwrap();
    let first = substitute().await;
    reject(&shop, first).await;
    refused(&shop, "invoice.substitute", json!({"factura": old}), "estado_invalido", "ya tiene").await;
    discard(&shop, first).await;
    assert_eq!(sale(&shop, "factura", venta).await["factura"], json!(old));
    let second = substitute().await;
    reject(&shop, second).await;
    // Once its invoice is cancelled, it can only be discarded.
    run(&shop, "invoice.cancel", json!({"factura": old, "motivo": "02"})).await;
    refused(&shop, "invoice.restamp", json!({"factura": second}), "estado_invalido", "document.discard").await;
    world.stamp(&SandboxStamper).await;
    refused(&shop, "invoice.restamp", json!({"factura": second}), "estado_invalido", "document.discard").await;
    discard(&shop, second).await;
    assert_eq!(shop.factura(old).await["estatus"], "cancelada");
}

/// A ticket of one nail.
async fn ticket(shop: &Shop) -> i64 {
    let body =
        json!({"tipo": "venta", "cliente": PUBLIC, "renglones": [line(NAIL, "1", "100")], "forma_pago_sat": "01"});
    run(shop, "sale.capture", body).await["venta"].as_i64().unwrap()
}

#[tokio::test]
async fn the_tickets_of_a_discarded_global_invoice_are_free() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let tickets = [ticket(&shop).await, ticket(&shop).await];
    let global = async || {
        run(&shop, "invoice.global", json!({"periodicidad": "04", "mes": 10, "año": 2026, "ventas": tickets})).await["factura"]
            .as_i64()
            .unwrap()
    };
    let factura = global().await;
    reject(&shop, factura).await;
    discard(&shop, factura).await;
    assert_eq!(sale(&shop, "venta", tickets[0]).await["factura"], Value::Null);
    // A reissue leaves out what was cancelled meanwhile.
    let factura = global().await;
    reject(&shop, factura).await;
    run(&shop, "sale.cancel", json!({"venta": tickets[0]})).await;
    run(&shop, "invoice.restamp", json!({"factura": factura})).await;
    stamped(&shop, factura).await;
    assert!(document(&shop, factura).await.contains(" Total=\"116.00\""));
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_global_invoice_of_which_nothing_is_left_can_only_be_discarded() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = ticket(&shop).await;
    let input = json!({"periodicidad": "04", "mes": 10, "año": 2026});
    let factura = run(&shop, "invoice.global", input).await["factura"].as_i64().unwrap();
    reject(&shop, factura).await;
    run(&shop, "sale.cancel", json!({"venta": venta})).await;
    refused(&shop, "invoice.restamp", json!({"factura": factura}), "estado_invalido", "document.discard").await;
    discard(&shop, factura).await;
}

/// An advance of Ana's; returns its sale and its invoice.
async fn advance(shop: &Shop, importe: &str, cuenta: Value) -> (i64, i64) {
    let input = json!({"cliente": ANA, "importe": importe, "forma_pago_sat": "01", "cuenta_bancaria": cuenta});
    let made = run(shop, "advance.capture", input).await;
    (made["anticipo"].as_i64().unwrap(), made["factura"].as_i64().unwrap())
}

#[tokio::test]
async fn the_money_of_a_discarded_advance_is_a_balance_in_favour() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    for cuenta in [json!(1), Value::Null] {
        let (anticipo, factura) = advance(&shop, "500.00", cuenta).await;
        reject(&shop, factura).await;
        let venta = shop.actor.post("/ventas", nails()).await.ok(201)["venta"].as_i64().unwrap();
        let name = json!({"venta": venta, "anticipo": anticipo});
        refused(&shop, "advance.apply", name, "estado_invalido", "en error").await;
        discard(&shop, factura).await;
        let sale = shop.one(&format!("/ventas?tipo=anticipo&clave={anticipo}&cancelada=true")).await;
        assert_eq!(sale["saldo"], "0.00");
        assert_eq!(entries(&shop.company, anticipo).await.len(), 4, "sale and payment, and their reversals");
    }
    let kept = "SELECT jsonb_object_agg(cuenta, saldo)::text
                FROM (SELECT r.cuenta, sum(r.cargo - r.abono)::float AS saldo
                      FROM polizas p JOIN polizas_renglones r ON r.poliza = p.clave
                      WHERE p.venta IS NULL GROUP BY r.cuenta) s";
    assert_eq!(world.json(kept).await, json!({"101.01": 500, "102.01.0001": 500, "206.01": -1000}));
    let (venta, _) = shop.invoice(nails()).await;
    let cxc = shop.one(&format!("/cxc?venta={venta}")).await["clave"].clone();
    let pay =
        |importe: &str, origen: &str| json!({"cxc": cxc, "importe": importe, "origen": origen, "fecha": "2026-10-12"});
    refused(&shop, "payment.apply", pay("1.00", "anticipo"), "saldo_insuficiente", "").await;
    refused(&shop, "payment.apply", pay("1000.01", "saldo_a_favor"), "saldo_insuficiente", "").await;
    run(&shop, "payment.apply", pay("1000.00", "saldo_a_favor")).await;
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_discarded_invoice_gives_back_the_advance_that_it_applied() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (anticipo, of_advance) = advance(&shop, "500.00", json!(1)).await;
    let venta = shop.actor.post("/ventas", nails()).await.ok(201)["venta"].as_i64().unwrap();
    run(&shop, "advance.apply", json!({"venta": venta, "anticipo": anticipo})).await;
    let invoice = async || {
        let requested = shop.actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202);
        requested["factura"].as_i64().unwrap()
    };
    let factura = invoice().await;
    reject(&shop, of_advance).await;
    refused(&shop, "document.discard", json!({"factura": of_advance}), "estado_invalido", "ya se aplicó").await;
    reject(&shop, factura).await;
    discard(&shop, factura).await;
    let note = shop.one("/facturas?tipo=nota_credito").await;
    assert_eq!(
        pick(&note, &["estatus", "motivo_cancelacion"]),
        json!({"estatus": "cancelada", "motivo_cancelacion": null})
    );
    assert_eq!(sale(&shop, "pedido", venta).await["saldo"], "1160.00");
    run(&shop, "invoice.restamp", json!({"factura": of_advance})).await;
    let factura = invoice().await;
    stamped(&shop, factura).await;
    assert_eq!(shop.one(&format!("/cxc?venta={venta}&estatus=pendiente")).await["saldo"], "660.00");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn payments_and_complements_are_named_instead_of_discarded() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    refused(&shop, "document.discard", json!({"factura": 9}), "no_encontrado", "factura").await;
    let (_, factura) = shop.invoice(nails()).await;
    let pago = shop.pay(1, "100.00", "SPEI 1").await;
    reject(&shop, factura).await;
    let input = json!({"factura": factura});
    refused(&shop, "document.discard", input.clone(), "estado_invalido", &format!("pagos aplicados ({pago})")).await;
    let complement = shop.one("/facturas?tipo=pago").await["clave"].as_i64().unwrap();
    reject(&shop, complement).await;
    refused(&shop, "document.discard", json!({"factura": complement}), "estado_invalido", "payment.restamp").await;
    run(&shop, "payment.cancel", json!({"pago": pago})).await;
    // Of two at once, one discards it.
    let both =
        [shop.company.run_by_name("document.discard", &input), shop.company.run_by_name("document.discard", &input)];
    let both = futures_util::future::join_all(both).await;
    assert_eq!(both.iter().filter(|done| done.is_ok()).count(), 1, "{both:?}");
    books::check(&world, &shop.company).await;
    let (_, factura) = shop.invoice(nails()).await;
    stamped(&shop, factura).await;
    refused(&shop, "document.discard", json!({"factura": factura}), "estado_invalido", "invoice.cancel").await;
}

#[tokio::test]
async fn the_invoice_of_a_sale_that_was_cancelled_is_discarded_alone() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, factura) = shop.invoice(nails()).await;
    reject(&shop, factura).await;
    run(&shop, "sale.cancel", json!({"venta": venta})).await;
    discard(&shop, factura).await;
    assert_eq!(
        shop.one(&format!("/ventas?tipo=factura&clave={venta}&cancelada=true")).await["factura"],
        json!(factura)
    );
}
