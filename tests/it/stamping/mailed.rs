//! Stamped documents go to customers by e-mail where the company wants it.

use std::sync::atomic::Ordering;

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::json::Json;
use svc_core::stamping::SandboxStamper;
use svc_core::store::CompanyChange;
use svc_tests::mail::MailServer;
use svc_tests::{World, books};

use super::credit_notes::refused;
use super::{Shop, nails};

/// What was sent since the last time, as `recipient: subject (files)`.
fn taken(server: &MailServer) -> Vec<String> {
    let sent = std::mem::take(&mut *server.sent.lock().expect("nobody panicked"));
    let mut told: Vec<String> = sent
        .iter()
        .map(|notice| {
            let files: Vec<&str> = notice.files.iter().map(|file| &*file.name).collect();
            format!("{}: {} ({})", notice.to, notice.subject, files.join(" "))
        })
        .collect();
    told.sort();
    told
}

async fn sends_documents(shop: &Shop) {
    shop.company.edit(CompanyChange { enviar_documentos: Some(true), ..CompanyChange::default() }).await;
}

async fn address(shop: &Shop, correo: Value) {
    let edit = json!({"clave": 1, "correo": correo});
    shop.company.run_by_name("customer.edit", &edit).await.expect("edited");
}

/// Has a nail order stamped; returns the invoice.
async fn stamped(shop: &Shop) -> i64 {
    let (_, factura) = shop.invoice(nails()).await;
    shop.world().stamp(&SandboxStamper).await;
    factura
}

#[tokio::test]
async fn a_stamped_document_goes_to_each_address_of_its_customer() {
    let world = World::new().await;
    let (shop, server) = (Shop::new(&world).await, MailServer::default());
    address(&shop, json!("ana@example.com, pagos@example.com")).await;
    let silent = stamped(&shop).await;
    assert_eq!(world.count("avisos").await, 0, "the company does not want it");
    sends_documents(&shop).await;
    let factura = stamped(&shop).await;
    server.down.store(true, Ordering::Relaxed);
    assert_eq!(world.notify(&server).await.pospuestos, 2);
    server.down.store(false, Ordering::Relaxed);
    world.clock.advance(TimeDelta::hours(1));
    assert_eq!(world.notify(&server).await.enviados, 2);
    let sent = server.sent.lock().unwrap().clone();
    let shown = shop.actor.get(&format!("/facturas/{factura}/xml")).await;
    assert_eq!(sent[0].files[0].content, shown.body);
    assert!(sent[0].files[1].content.starts_with(b"%PDF-"));
    let folio = shop.factura(factura).await;
    let folio = format!("{}{}", folio["serie"].as_str().unwrap_or_default(), folio["folio"].as_str().unwrap());
    let nombre: String = world.sql("SELECT nombre FROM empresas").await;
    let said = |to: &str| format!("{to}: Factura {folio} de {nombre} ({folio}.xml {folio}.pdf)");
    assert_eq!(taken(&server), [said("ana@example.com"), said("pagos@example.com")]);
    assert!(sent[0].text.contains(shop.factura(factura).await["uuid"].as_str().unwrap()));

    // Complements and credit notes too.
    let pago = shop.pay(2, "580.00", "SPEI 1").await;
    let note = json!({"factura": factura, "tipo_relacion": "01", "renglones": [{"renglon": 1, "importe": "10.00"}]});
    shop.company.run_by_name("credit-note.capture", &note).await.expect("a note");
    world.stamp(&SandboxStamper).await;
    world.notify(&server).await;
    let kinds = taken(&server);
    assert_eq!(kinds.iter().filter(|told| told.contains(": Complemento de pago")).count(), 2, "{pago}: {kinds:?}");
    assert_eq!(kinds.iter().filter(|told| told.contains(": Nota de crédito")).count(), 2, "{kinds:?}");

    // On request, to any address; a rehearsal sends nothing.
    let elsewhere = json!({"factura": silent, "correo": "otra@example.com"});
    let body = Json::parse(elsewhere.to_string().into()).expect("JSON");
    world.api.context().rehearse_by_name(shop.company.id, "invoice.send", &body).await.expect("rehearsed");
    assert_eq!(world.count("avisos").await, 0);
    let said = shop.company.run_by_name("invoice.send", &elsewhere).await.expect("queued");
    assert_eq!(said, json!({"factura": silent, "correos": ["otra@example.com"]}));
    world.notify(&server).await;
    assert!(taken(&server)[0].starts_with("otra@example.com: Factura "));
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn what_cannot_be_sent_is_refused_or_dropped() {
    let world = World::new().await;
    let (shop, server) = (Shop::new(&world).await, MailServer::default());
    sends_documents(&shop).await;
    // Without an address nothing is queued, and the document is stamped all the same.
    let factura = stamped(&shop).await;
    assert_eq!((world.count("avisos").await, &shop.factura(factura).await["estatus"]), (0, &json!("vigente")));
    let to = |correo: &str| json!({"factura": factura, "correo": correo});
    refused(&shop, "invoice.send", json!({"factura": factura}), "dato_requerido", "el cliente no tiene correo").await;
    for wrong in ["ana", "ana@example.com, nadie", "ana@example.com\r\nBcc: x@example.com"] {
        refused(&shop, "invoice.send", to(wrong), "dato_invalido", "correo").await;
    }
    let many: Vec<String> = (0..11).map(|at| format!("a{at}@example.com")).collect();
    refused(&shop, "invoice.send", to(&many.join(",")), "dato_invalido", "10").await;
    refused(&shop, "invoice.send", json!({"factura": 99, "correo": "a@b.mx"}), "no_encontrado", "factura").await;
    let (_, waiting) = shop.invoice(nails()).await;
    let early = json!({"factura": waiting, "correo": "a@b.mx"});
    refused(&shop, "invoice.send", early, "documento_no_disponible", "").await;
    let other = world.company().await;
    let error = other.run_by_name("invoice.send", &to("a@b.mx")).await.expect_err("another company's");
    assert_eq!(error.code().codigo(), "no_encontrado");

    // One that is cancelled before it is sent is not sent.
    shop.company.run_by_name("invoice.send", &to("ana@example.com")).await.expect("queued");
    world.run("UPDATE facturas SET estatus = 'cancelada' WHERE clave = 1").await;
    let report = world.notify(&server).await;
    assert_eq!((report.descartados, report.enviados, world.count("avisos").await), (1, 0, 0));
    refused(&shop, "invoice.send", to("ana@example.com"), "estado_invalido", "está cancelada").await;
    assert!(taken(&server).is_empty());
}

#[tokio::test]
async fn a_test_company_bothers_no_customer() {
    let world = World::new().await;
    let (shop, server) = (Shop::of(world.test_company().await).await, MailServer::default());
    sends_documents(&shop).await;
    address(&shop, json!("ana@example.com")).await;
    let factura = stamped(&shop).await;
    assert_eq!(world.count("avisos").await, 0);
    refused(&shop, "invoice.send", json!({"factura": factura}), "dato_requerido", "correo").await;
    let send = json!({"factura": factura, "correo": "yo@example.com"});
    shop.company.run_by_name("invoice.send", &send).await.expect("queued");
    world.notify(&server).await;
    let told = taken(&server);
    assert!(told[0].starts_with("yo@example.com: [PRUEBA] Factura "), "{told:?}");
}
