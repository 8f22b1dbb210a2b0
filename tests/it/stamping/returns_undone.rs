//! Returns whose credit note is rejected, discarded or cancelled.

use serde_json::{Value, json};
use svc_core::domain::cfdi::Cfdi;
use svc_core::stamping::SandboxStamper;
use svc_tests::lists::pick;
use svc_tests::{World, books};

use super::credit_notes::{document, refused};
use super::discarded::{discard, reject, run};
use super::returns::{back, bank, cxc, returned};
use super::tickets::{in_global, invoiced, of_ana, own};
use super::{NAIL, Shop, line, nails};

/// Stock, debt, bank and balance in favour.
async fn standing(shop: &Shop, venta: i64) -> Value {
    let favour: String = shop.world().sql("SELECT coalesce(sum(importe), 0)::text FROM saldos_a_favor").await;
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
