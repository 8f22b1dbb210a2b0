//! Returns whose credit note is rejected, discarded or cancelled.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::domain::cfdi::Cfdi;
use svc_core::stamping::SandboxStamper;
use svc_tests::lists::pick;
use svc_tests::{Resource, World, books};

use super::credit_notes::{document, refused};
use super::discarded::{discard, reject, run};
use super::returns::{back, bank, cxc, returned};
use super::tickets::{in_global, invoiced, of_ana, own};
use super::{BOOK, NAIL, Shop, line, nails, order};

/// Stock, debt, bank and balance in favour.
async fn standing(shop: &Shop, venta: i64) -> Value {
    let favour: String =
        shop.world().sql("SELECT coalesce(sum(importe), 0)::text FROM saldos_a_favor WHERE NOT cancelado").await;
    let owed = shop.actor.walk(&format!("/cxc?venta={venta}")).await;
    let owed = owed.first().map(|cxc| pick(cxc, &["saldo", "parcialidades", "estatus"]));
    json!({"stock": shop.one("/inventario?sku=A-1").await["existencia"], "owed": owed, "bank": bank(shop).await,
           "favour": favour.parse::<f64>().unwrap()})
}

#[tokio::test]
async fn a_discarded_return_of_an_invoice_takes_back_goods_debt_and_refund() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, _) = shop.invoice(nails()).await;
    world.stamp(&SandboxStamper).await;
    shop.pay(cxc(&shop, venta).await, "1000.00", "SPEI 1").await;
    world.stamp(&SandboxStamper).await;
    let before = standing(&shop, venta).await;
    let mut input = back(venta, 5);
    input["cuenta_bancaria"] = json!(1);
    for _ in 0..2 {
        let done = returned(&shop, input.clone()).await;
        assert_eq!(pick(&done, &["total", "reembolsado"]), json!({"total": "580.00", "reembolsado": "420.00"}));
        assert_eq!(bank(&shop).await, "580.00");
        let note = done["factura"].as_i64().unwrap();
        reject(&shop, note).await;
        discard(&shop, note).await;
        assert_eq!(standing(&shop, venta).await, before);
    }
    let done = returned(&shop, input).await;
    world.stamp(&SandboxStamper).await;
    document(&shop, done["factura"].as_i64().unwrap()).await;
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_ticket_is_invoiced_once_its_returns_are_stamped_or_given_up() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = of_ana(&shop, json!({"renglones": [line(NAIL, "10", "100")]})).await;
    let whole = in_global(&shop, &[venta]).await;
    world.stamp(&SandboxStamper).await;
    let before = standing(&shop, venta).await;
    let note = returned(&shop, back(venta, 4)).await["factura"].as_i64().unwrap();
    refused(&shop, "order.invoice", own(venta), "estado_invalido", "sin timbrar").await;
    refused(&shop, "invoice.substitute", json!({"factura": whole}), "estado_invalido", "sin timbrar").await;
    reject(&shop, note).await;
    refused(&shop, "order.invoice", own(venta), "estado_invalido", "sin timbrar").await;
    discard(&shop, note).await;
    assert_eq!(standing(&shop, venta).await, before);
    // A stamped one is cancelled while the ticket is in the global invoice, and never after.
    let note = returned(&shop, back(venta, 3)).await["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    let cancel = |note: i64| json!({"factura": note, "motivo": "02"});
    run(&shop, "invoice.cancel", cancel(note)).await;
    world.stamp(&SandboxStamper).await;
    assert_eq!(standing(&shop, venta).await, before);
    let note = returned(&shop, back(venta, 2)).await["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    let factura = invoiced(&shop, venta).await;
    refused(&shop, "invoice.cancel", cancel(note), "estado_invalido", "por el resto").await;
    world.stamp(&SandboxStamper).await;
    refused(&shop, "invoice.cancel", cancel(note), "estado_invalido", "por el resto").await;
    assert_eq!(Cfdi::read(&document(&shop, factura).await).unwrap().total.get().to_string(), "928.00");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_global_invoice_with_returns_is_replaced_by_one_of_the_rest() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = of_ana(&shop, json!({"renglones": [line(NAIL, "10", "100")]})).await;
    let whole = in_global(&shop, &[venta]).await;
    world.stamp(&SandboxStamper).await;
    let note = returned(&shop, back(venta, 4)).await["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    let made = run(&shop, "invoice.substitute", json!({"factura": whole})).await;
    let substitute = made["factura"].as_i64().unwrap();
    let changed = json!({"factura": whole, "cambios": {"uso_cfdi": "G01"}});
    refused(&shop, "invoice.substitute", changed, "estado_invalido", "sin cambios").await;
    refused(&shop, "sale.return", back(venta, 1), "estado_invalido", "se está sustituyendo").await;
    reject(&shop, substitute).await;
    refused(&shop, "order.invoice", own(venta), "estado_invalido", "se está sustituyendo").await;
    // Given up, it leaves all as it was; the next one is stamped.
    discard(&shop, substitute).await;
    let made = run(&shop, "invoice.substitute", json!({"factura": whole})).await;
    let substitute = made["factura"].as_i64().unwrap();
    reject(&shop, substitute).await;
    run(&shop, "invoice.restamp", json!({"factura": substitute})).await;
    world.stamp(&SandboxStamper).await;
    assert_eq!(Cfdi::read(&document(&shop, substitute).await).unwrap().total.get().to_string(), "696.00");
    let folio = shop.factura(substitute).await["uuid"].clone();
    run(&shop, "invoice.cancel", json!({"factura": whole, "motivo": "01", "uuid_sustitucion": folio})).await;
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(whole).await["estatus"], "cancelada");
    refused(&shop, "invoice.cancel", json!({"factura": note, "motivo": "02"}), "estado_invalido", "por el resto").await;
    returned(&shop, back(venta, 6)).await;
    world.stamp(&SandboxStamper).await;
    books::check(&world, &shop.company).await;
}

async fn buy_books(shop: &Shop, costo: &str) {
    let renglones = json!([{"producto": BOOK, "cantidad": 4, "costo_unitario": costo}]);
    let compra = run(shop, "purchase.capture", json!({"proveedor": 1, "renglones": renglones})).await["compra"].clone();
    run(shop, "purchase.receive", json!({"compra": compra})).await;
}

#[tokio::test]
async fn gifts_whose_return_is_undone_after_its_month_was_closed_leave_in_the_next() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.company.load(Resource::Proveedores, &[json!({"nombre": "Papel SA"})]).await;
    buy_books(&shop, "10.00").await;
    let mut gifts = line(BOOK, "2", "10");
    gifts["descuento"] = json!("20.00");
    let (venta, _) = shop.invoice(order(&[line(NAIL, "1", "100"), gifts])).await;
    world.stamp(&SandboxStamper).await;
    let back = json!({"venta": venta, "renglones": [{"renglon": 2, "cantidad": 2}]});
    let note = returned(&shop, back).await;
    assert_eq!(note["total"], "0.00");
    world.stamp(&SandboxStamper).await;
    // They came back at 10.00 each and leave at another average, which is all that is posted.
    buy_books(&shop, "40.00").await;
    run(&shop, "ledger.close", json!({"mes": "2026-10"})).await;
    run(&shop, "invoice.cancel", json!({"factura": note["factura"], "motivo": "02"})).await;
    world.stamp(&SandboxStamper).await;
    let last = "SELECT format('%s of %s', tipo, dia) FROM movimientos_inventario ORDER BY clave DESC LIMIT 1";
    assert_eq!(world.sql::<String>(last).await, "cancelacion_nota_credito of 2026-11-01");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_ticket_stays_in_its_global_invoice_while_the_note_of_a_return_is_being_cancelled() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = of_ana(&shop, json!({"renglones": [line(NAIL, "10", "100")]})).await;
    let whole = in_global(&shop, &[venta]).await;
    world.stamp(&SandboxStamper).await;
    let before = standing(&shop, venta).await;
    let note = returned(&shop, back(venta, 4)).await["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    let cancel = json!({"factura": note, "motivo": "02", "requiere_aceptacion": true});
    run(&shop, "invoice.cancel", cancel.clone()).await;
    for _ in 0..2 {
        refused(&shop, "order.invoice", own(venta), "estado_invalido", "cuya cancelación se solicitó").await;
        let substitute = json!({"factura": whole});
        refused(&shop, "invoice.substitute", substitute, "estado_invalido", "cuya cancelación se solicitó").await;
        world.stamp(&SandboxStamper).await;
    }
    world.clock.advance(TimeDelta::hours(73));
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(note).await["estatus"], "cancelada");
    assert_eq!(standing(&shop, venta).await, before);
    // The substitute is about what is left, so the next note stands while it waits.
    let note = returned(&shop, back(venta, 4)).await["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    let substitute = run(&shop, "invoice.substitute", json!({"factura": whole})).await["factura"].as_i64().unwrap();
    let cancel = json!({"factura": note, "motivo": "02"});
    refused(&shop, "invoice.cancel", cancel.clone(), "estado_invalido", "se está sustituyendo").await;
    world.stamp(&SandboxStamper).await;
    assert_eq!(Cfdi::read(&document(&shop, substitute).await).unwrap().total.get().to_string(), "696.00");
    refused(&shop, "invoice.cancel", cancel, "estado_invalido", "ya no está en la factura global").await;
    books::check(&world, &shop.company).await;
}
