//! Tickets whose own invoice is given up or replaced, and those of other places and currencies.

use serde_json::{Value, json};
use svc_core::domain::cfdi::Cfdi;
use svc_core::stamping::SandboxStamper;
use svc_tests::lists::pick;
use svc_tests::{Resource, World, books};

use super::credit_notes::{document, refused, uuid};
use super::discarded::{discard, reject, run};
use super::global_period::ticket;
use super::returns::{back, cxc, returned};
use super::tickets::{in_global, invoiced, of_ana, own};
use super::{ANA, NAIL, Shop, line};

/// The ticket and its receivable.
async fn shown(shop: &Shop, venta: i64) -> [Value; 2] {
    let sale = shop.one(&format!("/ventas?tipo=venta&clave={venta}")).await;
    let cxc = shop.one(&format!("/cxc?venta={venta}")).await;
    [
        pick(&sale, &["tipo", "serie", "folio", "factura", "uuid", "saldo", "metodo_pago_sat"]),
        pick(&cxc, &["clave", "folio", "factura", "uuid", "saldo", "tipo_venta", "vencimiento"]),
    ]
}

/// The credit note that takes a ticket out of its global invoice: the last one of the ticket.
async fn leaving(shop: &Shop, venta: i64) -> i64 {
    let notes = shop.actor.walk(&format!("/facturas?venta={venta}&tipo=nota_credito")).await;
    notes.iter().filter_map(|note| note["clave"].as_i64()).max().expect("a note")
}

/// A ticket of Ana's in a stamped global invoice, together with another one.
async fn ticket_in_global(shop: &Shop) -> (i64, i64) {
    let (venta, other) = (of_ana(shop, json!({})).await, ticket(shop).await);
    let whole = in_global(shop, &[venta, other]).await;
    shop.world().stamp(&SandboxStamper).await;
    (venta, whole)
}

#[tokio::test]
async fn a_ticket_stays_in_its_global_invoice_when_the_note_that_takes_it_out_is_rejected() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, whole) = ticket_in_global(&shop).await;
    let before = shown(&shop, venta).await;
    let factura = invoiced(&shop, venta).await;
    let note = leaving(&shop, venta).await;
    let given_up = |clave: i64| json!({"factura": clave});
    refused(&shop, "document.discard", given_up(factura), "estado_invalido", "espera su timbre").await;
    reject(&shop, note).await;
    refused(&shop, "document.discard", given_up(note), "estado_invalido", &format!("tiene la factura {factura}")).await;
    refused(&shop, "invoice.substitute", given_up(whole), "estado_invalido", "sin timbrar").await;
    refused(&shop, "invoice.cancel", json!({"factura": whole, "motivo": "02"}), "estado_invalido", "notas").await;
    refused(&shop, "sale.cancel", json!({"venta": venta}), "estado_invalido", "tiene factura").await;
    let folio = json!({"factura": factura, "uuid": crate::documents::UUIDS[1]});
    refused(&shop, "invoice.stamped", folio, "estado_invalido", &format!("nota de crédito {note}")).await;
    // The invoice was never sent, since it waits for the note.
    world.stamp(&SandboxStamper).await;
    discard(&shop, factura).await;
    assert_eq!(shop.factura(note).await["estatus"], "cancelada");
    assert_eq!(shown(&shop, venta).await, before);
    // One that was rejected by hand is given up in the same way.
    let factura = invoiced(&shop, venta).await;
    let note = leaving(&shop, venta).await;
    reject(&shop, factura).await;
    refused(&shop, "document.discard", given_up(factura), "estado_invalido", "espera su timbre").await;
    reject(&shop, note).await;
    refused(&shop, "sale.cancel", json!({"venta": venta}), "estado_invalido", "document.discard").await;
    discard(&shop, factura).await;
    assert_eq!(shown(&shop, venta).await, before);
    // It leaves once more, by another note.
    let again = invoiced(&shop, venta).await;
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(again).await["estatus"], "vigente");
    assert!(document(&shop, leaving(&shop, venta).await).await.contains(&uuid(&shop, whole).await));
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_ticket_that_left_its_global_invoice_is_free_when_its_own_is_discarded() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, whole) = ticket_in_global(&shop).await;
    let factura = invoiced(&shop, venta).await;
    let note = leaving(&shop, venta).await;
    run(&shop, "invoice.stamped", json!({"factura": note, "uuid": crate::documents::UUIDS[1]})).await;
    reject(&shop, factura).await;
    refused(&shop, "order.invoice", own(venta), "venta_ya_facturada", "").await;
    discard(&shop, factura).await;
    let [sale, owed] = shown(&shop, venta).await;
    assert_eq!([&sale["factura"], &sale["uuid"], &owed["factura"], &owed["uuid"]], [&Value::Null; 4]);
    assert_eq!([&sale["folio"], &owed["tipo_venta"]], [&json!(1), &json!("venta")]);
    // The note stays: the global invoice is without it. It is invoiced alone, or in another one.
    refused(&shop, "invoice.cancel", json!({"factura": note, "motivo": "02"}), "estado_invalido", "saca una venta")
        .await;
    returned(&shop, back(venta, 1)).await;
    let second = in_global(&shop, &[venta]).await;
    world.stamp(&SandboxStamper).await;
    assert_eq!(Cfdi::read(&document(&shop, second).await).unwrap().total.get().to_string(), "92.80");
    let own = invoiced(&shop, venta).await;
    assert_ne!(leaving(&shop, venta).await, note);
    world.stamp(&SandboxStamper).await;
    assert_eq!(Cfdi::read(&document(&shop, own).await).unwrap().total.get().to_string(), "92.80");
    assert_eq!(shop.factura(whole).await["estatus"], "vigente");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn the_invoice_of_a_ticket_that_was_in_no_document_is_discarded_as_any_other() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = of_ana(&shop, json!({})).await;
    shop.pay(cxc(&shop, venta).await, "50.00", "SPEI 1").await;
    let before = shown(&shop, venta).await;
    let factura = invoiced(&shop, venta).await;
    reject(&shop, factura).await;
    discard(&shop, factura).await;
    assert_eq!(shown(&shop, venta).await, before);
    // Its folio stays its own: a later ticket has the next one.
    let factura = invoiced(&shop, venta).await;
    let next = of_ana(&shop, json!({})).await;
    assert_eq!(shown(&shop, next).await[0]["folio"], json!(2));
    reject(&shop, factura).await;
    run(&shop, "payment.cancel", json!({"pago": 1})).await;
    run(&shop, "sale.cancel", json!({"venta": venta})).await;
    discard(&shop, factura).await;
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn the_invoice_of_the_rest_of_a_ticket_is_corrected_by_a_substitute() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = of_ana(&shop, json!({})).await;
    returned(&shop, back(venta, 2)).await;
    let factura = invoiced(&shop, venta).await;
    world.stamp(&SandboxStamper).await;
    let cancel = json!({"factura": factura, "motivo": "02"});
    refused(&shop, "invoice.cancel", cancel, "estado_invalido", "sale.return").await;
    let with = |cambios: Value| json!({"factura": factura, "cambios": cambios});
    for cambios in
        [json!({"metodo_pago_sat": "PPD", "forma_pago_sat": "99"}), json!({"renglones": [line(NAIL, "1", "9")]})]
    {
        refused(&shop, "invoice.substitute", with(cambios), "estado_invalido", "").await;
    }
    let made = run(&shop, "invoice.substitute", json!({"factura": factura})).await;
    let substitute = made["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    assert_eq!(Cfdi::read(&document(&shop, substitute).await).unwrap().total.get().to_string(), "69.60");
    let replaced = json!({"factura": factura, "motivo": "01", "uuid_sustitucion": uuid(&shop, substitute).await});
    run(&shop, "invoice.cancel", replaced).await;
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.one(&format!("/cxc?venta={venta}")).await["factura"], json!(substitute));
    // The balance that the return left is taken off the receivable: then terms may change.
    let pago = shop.actor.walk("/cxc-pagos").await[0]["clave"].clone();
    run(&shop, "payment.cancel", json!({"pago": pago})).await;
    let changed = json!({"factura": substitute, "cambios": {"uso_cfdi": "G01"}});
    let third = run(&shop, "invoice.substitute", changed).await["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    let xml = document(&shop, third).await;
    assert!(xml.contains("UsoCFDI=\"G01\"") && xml.contains(" Total=\"69.60\""), "{xml}");
    books::check(&world, &shop.company).await;
}

async fn complement_of(shop: &Shop, venta: i64, pago: i64) -> i64 {
    let payments = shop.actor.walk(&format!("/cxc-pagos?venta={venta}")).await;
    let payment = payments.iter().find(|payment| payment["clave"] == json!(pago)).expect("a payment");
    payment["factura"].as_i64().expect("a complement")
}

#[tokio::test]
async fn payments_of_a_ticket_s_own_invoice_have_complements() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = of_ana(&shop, json!({"condicion_pago": "credito"})).await;
    in_global(&shop, &[venta]).await;
    world.stamp(&SandboxStamper).await;
    let later = json!({"venta": venta, "metodo_pago_sat": "PPD", "forma_pago_sat": "99"});
    let factura = run(&shop, "order.invoice", later).await["factura"].as_i64().unwrap();
    // It is paid while it waits for the note; its complement waits for it.
    let pago = shop.pay(cxc(&shop, venta).await, "40.00", "SPEI 1").await;
    let note = leaving(&shop, venta).await;
    reject(&shop, note).await;
    refused(&shop, "document.discard", json!({"factura": factura}), "estado_invalido", "payment.cancel").await;
    run(&shop, "invoice.restamp", json!({"factura": note})).await;
    for _ in 0..3 {
        world.stamp(&SandboxStamper).await;
    }
    let complement = complement_of(&shop, venta, pago).await;
    let xml = document(&shop, complement).await;
    assert!(xml.contains(&uuid(&shop, factura).await) && xml.contains("ImpSaldoInsoluto=\"76.00\""), "{xml}");
    returned(&shop, back(venta, 1)).await;
    let pago = shop.pay(cxc(&shop, venta).await, "52.80", "SPEI 2").await;
    for _ in 0..2 {
        world.stamp(&SandboxStamper).await;
    }
    let complement = complement_of(&shop, venta, pago).await;
    assert!(document(&shop, complement).await.contains("ImpSaldoInsoluto=\"0.00\""));
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_ticket_of_another_place_leaves_and_comes_back_in_part() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.company.load(Resource::Sucursales, &[json!({"clave": 3, "nombre": "Norte", "cp": "22000"})]).await;
    shop.company.load(Resource::Almacenes, &[json!({"codigo": "030", "sucursal": 3, "principal": true})]).await;
    let venta = of_ana(&shop, json!({"sucursal": 3})).await;
    let whole = in_global(&shop, &[venta]).await;
    world.stamp(&SandboxStamper).await;
    let note = returned(&shop, back(venta, 1)).await["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    let factura = invoiced(&shop, venta).await;
    world.stamp(&SandboxStamper).await;
    let places = [(whole, "06700", "06700"), (note, "22000", "22000"), (leaving(&shop, venta).await, "06700", "06700")];
    for (clave, place, receiver) in places.into_iter().chain([(factura, "22000", "06700")]) {
        let found = Cfdi::read(&document(&shop, clave).await).unwrap();
        let receptor = found.receptor.domicilio_fiscal_receptor.as_str();
        assert_eq!((found.lugar_expedicion.as_str(), receptor), (place, receiver), "{clave}");
    }
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_ticket_in_dollars_leaves_its_global_invoice_and_comes_back_from_a_bank_in_dollars() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.company.load(Resource::CuentasBancarias, &[json!({"nombre": "Dólares", "moneda": "USD"})]).await;
    let venta = of_ana(&shop, json!({"moneda": "USD", "tipo_cambio": "18.5"})).await;
    let paid = json!({"cxc": cxc(&shop, venta).await, "importe": "100.00", "cuenta_bancaria": 2, "forma_pago_sat": "03",
                      "fecha": "2026-10-12", "referencia": "W 1", "tipo_cambio": "19"});
    run(&shop, "payment.apply", paid).await;
    in_global(&shop, &[venta]).await;
    world.stamp(&SandboxStamper).await;
    let mut input = back(venta, 2);
    input["cuenta_bancaria"] = json!(1);
    refused(&shop, "sale.return", input.clone(), "moneda_distinta", "").await;
    input["cuenta_bancaria"] = json!(2);
    let done = returned(&shop, input).await;
    assert_eq!(pick(&done, &["total", "reembolsado"]), json!({"total": "46.40", "reembolsado": "30.40"}));
    world.stamp(&SandboxStamper).await;
    let mut rate = own(venta);
    rate["tipo_cambio"] = json!("20");
    refused(&shop, "order.invoice", rate, "estado_invalido", "tipo de cambio").await;
    // Nor does a ticket that nobody has paid leave at another rate than it came in at.
    let unpaid = of_ana(&shop, json!({"moneda": "USD", "tipo_cambio": "18.5"})).await;
    in_global(&shop, &[unpaid]).await;
    world.stamp(&SandboxStamper).await;
    let mut rate = own(unpaid);
    rate["tipo_cambio"] = json!("20");
    refused(&shop, "order.invoice", rate, "estado_invalido", "factura global").await;
    let factura = invoiced(&shop, venta).await;
    world.stamp(&SandboxStamper).await;
    for clave in [done["factura"].as_i64().unwrap(), leaving(&shop, venta).await, factura] {
        assert!(document(&shop, clave).await.contains("Moneda=\"USD\" TipoCambio=\"18.5"), "{clave}");
    }
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn tickets_of_a_test_company_are_invoiced_by_the_sandbox() {
    let world = World::new().await;
    let shop = Shop::of(world.test_company().await).await;
    let (venta, whole) = ticket_in_global(&shop).await;
    let factura = invoiced(&shop, venta).await;
    world.stamp(&SandboxStamper).await;
    returned(&shop, back(venta, 1)).await;
    world.stamp(&SandboxStamper).await;
    for clave in [whole, leaving(&shop, venta).await, factura] {
        assert_eq!(shop.factura(clave).await["estatus"], "vigente", "{clave}");
        document(&shop, clave).await;
    }
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_rehearsal_of_invoicing_or_returning_a_ticket_changes_nothing() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, _) = ticket_in_global(&shop).await;
    let free = ticket(&shop).await;
    let before = books::fingerprint(&world).await;
    for (action, input) in [
        ("order.invoice", own(venta)),
        ("sale.return", back(venta, 1)),
        ("invoice.global", json!({"periodicidad": "01", "mes": 10, "año": 2026, "ventas": [free]})),
    ] {
        let (rehearsed, _) = shop.company.rehearse_by_name(action, &input).await.unwrap();
        assert!(rehearsed["factura"].is_i64(), "{action}: {rehearsed}");
        assert_eq!(books::fingerprint(&world).await, before, "{action}");
    }
    books::check(&world, &shop.company).await;
}

/// A ticket that two requests deal with at once, in a stamped global invoice.
#[tokio::test]
async fn a_return_and_an_invoice_of_one_ticket_at_once_have_one_winner() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    for _ in 0..4 {
        let (venta, _) = ticket_in_global(&shop).await;
        let (invoice, goods) = (own(venta), back(venta, 1));
        let (one, two) = tokio::join!(
            shop.company.run_by_name("order.invoice", &invoice),
            shop.company.run_by_name("sale.return", &goods)
        );
        assert_ne!(one.is_ok(), two.is_ok(), "{one:?} {two:?}");
        for _ in 0..2 {
            world.stamp(&SandboxStamper).await;
        }
        books::check(&world, &shop.company).await;
        assert_eq!(world.count("facturas WHERE estatus <> 'vigente'").await, 0);
    }
    assert_eq!(shop.one(&format!("/clientes?clave={ANA}")).await["clave"], json!(ANA));
}
