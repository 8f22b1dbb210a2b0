//! `invoice.restamp`, `payment.restamp`: a rejected document is corrected, reissued and stamped.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::stamping::{SandboxStamper, StampFailure, StampRequest, StampedXml};
use svc_tests::lists::pick;
use svc_tests::{World, with};

use super::{Shop, Stub, accept, nails, report, unreachable};

fn refuse(_: &StampRequest) -> Result<StampedXml, StampFailure> {
    Err(StampFailure::Rejected { codigo: "CFDI40145".to_owned(), mensaje: "El nombre no corresponde".to_owned() })
}

/// Checks that it fails with this code and text.
async fn refused(shop: &Shop, action: &str, input: Value, code: &str, text: &str) {
    let error = shop.company.run_by_name(action, &input).await.expect_err("it is refused").to_string();
    assert!(error.starts_with(code) && error.contains(text), "{action} {input}: {error}");
}

#[tokio::test]
async fn a_rejected_invoice_is_corrected_and_stamped() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, factura) = shop.invoice(nails()).await;
    assert_eq!(world.stamp(&Stub::new(refuse)).await, with!(report(), rechazados: 1));
    assert_eq!(shop.factura(factura).await["estatus"], "error");
    shop.actor.put("/clientes/1", json!({"nombre": "Xenón Industrial", "cp": "44100"})).await.ok(200);
    world.clock.advance(TimeDelta::hours(1));
    let rejected =
        "SELECT convert_from(cuerpo, 'UTF8') FROM eventos WHERE tipo = 'factura.rechazada' ORDER BY clave DESC LIMIT 1";
    let told: Value = serde_json::from_str(&world.sql::<String>(rejected).await).unwrap();
    assert_eq!(told["datos"], json!({"factura": factura, "venta": venta, "codigo": "CFDI40145"}));
    assert_eq!(pick(&told["recurso"], &["tipo", "clave"]), json!({"tipo": "facturas", "clave": factura}));
    let done = shop.company.run_by_name("invoice.restamp", &json!({"factura": factura})).await.unwrap();
    assert_eq!(done, json!({"factura": factura}));
    let waiting = shop.factura(factura).await;
    assert_eq!(
        pick(&waiting, &["estatus", "error_codigo", "error_mensaje"]),
        json!({"estatus": "en_espera", "error_codigo": null, "error_mensaje": null})
    );
    assert_eq!(waiting["modificado"], "2026-10-12T19:00:00Z");
    let again = shop.actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(200);
    assert_eq!(again["estatus"], "timbrando");
    refused(&shop, "invoice.restamp", json!({"factura": factura}), "estado_invalido", "espera su timbre").await;
    // Validation reports the next fault, and nothing beyond it.
    shop.actor.put("/clientes/1", json!({"nombre": "Después"})).await.ok(200);
    let stamper = Stub::new(accept);
    assert_eq!(world.stamp(&stamper).await, with!(report(), timbrados: 1));
    let document = stamper.document();
    assert_eq!(
        (document.receptor.nombre.as_str(), document.receptor.domicilio_fiscal_receptor.as_str()),
        ("XENÓN INDUSTRIAL", "44100")
    );
    assert_eq!((document.serie.as_deref(), document.folio.as_deref()), (Some("F"), Some("1")));
    let record = shop.factura(factura).await;
    assert_eq!((&record["estatus"], &record["folio"]), (&json!("vigente"), &json!("1")));
    let event: String =
        world.sql("SELECT convert_from(cuerpo, 'UTF8') FROM eventos WHERE tipo = 'factura.timbrada'").await;
    let event: Value = serde_json::from_str(&event).unwrap();
    assert_eq!(event["datos"], json!({"factura": factura, "venta": venta, "uuid": record["uuid"]}));
    refused(
        &shop,
        "invoice.restamp",
        json!({"factura": factura, "forzar": true}),
        "estado_invalido",
        "no está en error",
    )
    .await;
    refused(&shop, "invoice.restamp", json!({"factura": 99}), "no_encontrado", "factura").await;
}

/// Once each time that stamping ends in an error, from any source.
#[tokio::test]
async fn each_rejection_of_an_invoice_is_an_event() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = shop.invoice(nails()).await;
    let told = async || world.count("eventos WHERE tipo = 'factura.rechazada'").await;
    world.stamp(&Stub::new(refuse)).await;
    world.clock.advance(TimeDelta::hours(1));
    world.stamp(&Stub::new(refuse)).await;
    assert_eq!(told().await, 1, "it ended once");
    shop.company.run_by_name("invoice.restamp", &json!({"factura": factura})).await.unwrap();
    let refusal = json!({"factura": factura, "codigo": "X1", "mensaje": "No"});
    let (_, rehearsed) = shop.company.rehearse_by_name("invoice.rejected", &refusal).await.unwrap();
    assert_eq!((rehearsed, told().await), (vec!["factura.rechazada"], 1));
    shop.company.run_by_name("invoice.rejected", &refusal).await.unwrap();
    assert_eq!(told().await, 2, "it ended in an error again");
    refused(&shop, "invoice.rejected", refusal, "estado_invalido", "no espera").await;
    let shown = shop.actor.walk("/eventos?tipo=factura.rechazada").await;
    let codes: Vec<_> = shown.iter().map(|event| event["datos"]["codigo"].clone()).collect();
    assert_eq!(codes, ["CFDI40145", "X1"]);
    shop.company.run_by_name("invoice.restamp", &json!({"factura": factura})).await.unwrap();
    world.stamp(&Stub::new(accept)).await;
    assert_eq!((told().await, world.count("eventos WHERE tipo = 'factura.timbrada'").await), (2, 1));
}

#[tokio::test]
async fn the_sandbox_accepts_corrected_documents() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.actor.put("/clientes/1", json!({"nombre": "Rechazo"})).await.ok(200);
    let (_, factura) = shop.invoice(nails()).await;
    assert_eq!(world.stamp(&SandboxStamper).await.rechazados, 1);
    assert_eq!(shop.factura(factura).await["error_codigo"], "CFDI40145");
    shop.actor.put("/clientes/1", json!({"nombre": "Ana"})).await.ok(200);
    shop.company.run_by_name("invoice.restamp", &json!({"factura": factura})).await.unwrap();
    assert_eq!(world.stamp(&SandboxStamper).await.timbrados, 1);
    assert_eq!(shop.factura(factura).await["estatus"], "vigente");
}

#[tokio::test]
async fn a_still_invalid_document_stays_rejected() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, factura) = shop.invoice(nails()).await;
    world.stamp(&Stub::new(refuse)).await;
    world.run("UPDATE ventas_renglones SET precio_unitario = 0").await;
    refused(&shop, "invoice.restamp", json!({"factura": factura}), "documento_invalido", "renglón 1: ").await;
    world.run("UPDATE ventas_renglones SET precio_unitario = 100").await;
    world.run("UPDATE clientes SET regimen = NULL").await;
    refused(&shop, "invoice.restamp", json!({"factura": factura}), "cliente_sin_regimen", "").await;
    // The customer's use replaces one that their regime no longer allows.
    world.run("UPDATE clientes SET regimen = 616, rfc = 'XAXX010101000', uso_cfdi = 'S01' WHERE clave = 1").await;
    let record = shop.factura(factura).await;
    assert_eq!((&record["estatus"], &record["error_codigo"]), (&json!("error"), &json!("CFDI40145")));
    assert_eq!(world.count("timbrados").await, 0);
    shop.company.run_by_name("invoice.restamp", &json!({"factura": factura})).await.unwrap();
    let stamper = Stub::new(refuse);
    world.stamp(&stamper).await;
    assert_eq!(stamper.document().receptor.uso_cfdi, "S01");
    // Its sale is cancelled, so nothing can be invoiced.
    shop.company.run_by_name("sale.cancel", &json!({"venta": venta})).await.unwrap();
    refused(&shop, "invoice.restamp", json!({"factura": factura}), "estado_invalido", "cancelada").await;
}

#[tokio::test]
async fn force_drops_a_stuck_document() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = shop.invoice(nails()).await;
    let lost = Stub::new(unreachable);
    world.stamp(&lost).await;
    let force = json!({"factura": factura, "forzar": true});
    refused(&shop, "invoice.restamp", force.clone(), "estado_invalido", "72 horas").await;
    world.clock.advance(TimeDelta::hours(73));
    refused(&shop, "invoice.restamp", json!({"factura": factura}), "estado_invalido", "forzar").await;
    shop.actor.put("/clientes/1", json!({"nombre": "Ana María"})).await.ok(200);
    shop.company.run_by_name("invoice.restamp", &force).await.unwrap();
    let stamper = Stub::new(accept);
    assert_eq!(world.stamp(&stamper).await, with!(report(), timbrados: 1));
    assert_ne!(stamper.sent(), lost.sent());
    assert_eq!(stamper.document().receptor.nombre, "ANA MARÍA");
    assert_eq!(shop.factura(factura).await["estatus"], "vigente");
    assert_eq!(world.count("facturas_xml").await, 1);
}

/// A renewed certificate, for one, is valid only since a moment after the rejection.
#[tokio::test]
async fn a_reissued_document_has_the_date_of_its_reissue() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = shop.invoice(nails()).await;
    let first = Stub::new(refuse);
    world.stamp(&first).await;
    assert_eq!(first.document().fecha.to_string(), "2026-10-12 12:00:00");
    world.clock.advance(TimeDelta::hours(3));
    shop.company.run_by_name("invoice.restamp", &json!({"factura": factura})).await.unwrap();
    // Sent without an answer, it keeps that date.
    world.clock.advance(TimeDelta::hours(1));
    let lost = Stub::new(unreachable);
    world.stamp(&lost).await;
    assert_eq!(lost.document().fecha.to_string(), "2026-10-12 15:00:00");
    world.clock.advance(TimeDelta::hours(1));
    let stamper = Stub::new(accept);
    assert_eq!(world.stamp(&stamper).await, with!(report(), timbrados: 1));
    assert_eq!(stamper.sent(), lost.sent());
    assert_eq!(shop.factura(factura).await["fecha"], "2026-10-12T18:00:00Z", "the registry's stays");

    let pago = shop.pay(1, "580.00", "SPEI 1").await;
    world.stamp(&Stub::new(refuse)).await;
    world.clock.advance(TimeDelta::hours(2));
    shop.company.run_by_name("payment.restamp", &json!({"pago": pago})).await.unwrap();
    let stamper = Stub::new(accept);
    world.stamp(&stamper).await;
    assert_eq!(stamper.document().fecha.to_string(), "2026-10-12 19:00:00");
}

#[tokio::test]
async fn a_rejected_complement_is_corrected_and_stamped() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.invoice(nails()).await;
    world.stamp(&Stub::new(accept)).await;
    let pago = shop.pay(1, "580.00", "SPEI 1").await;
    refused(&shop, "payment.restamp", json!({"pago": pago}), "estado_invalido", "espera su timbre").await;
    world.stamp(&Stub::new(refuse)).await;
    let payment = shop.one(&format!("/cxc-pagos?clave={pago}")).await;
    assert_eq!(payment["complemento"], "error");
    let complement = &payment["factura"];
    refused(&shop, "invoice.restamp", json!({"factura": complement}), "estado_invalido", "payment.restamp").await;
    shop.actor.put("/clientes/1", json!({"nombre": "Ana María"})).await.ok(200);
    let done = shop.company.run_by_name("payment.restamp", &json!({"pago": pago})).await.unwrap();
    assert_eq!(done, json!({"pago": pago}));
    assert_eq!(shop.one(&format!("/cxc-pagos?clave={pago}")).await["complemento"], "encolado");
    let stamper = Stub::new(accept);
    assert_eq!(world.stamp(&stamper).await, with!(report(), timbrados: 1));
    let document = stamper.document();
    assert_eq!((document.receptor.nombre.as_str(), document.folio.as_deref()), ("ANA", Some("1")));
    let paid = shop.one(&format!("/cxc-pagos?clave={pago}")).await;
    assert_eq!((&paid["complemento"], &paid["factura"]), (&json!("timbrado"), complement));
    refused(&shop, "payment.restamp", json!({"pago": pago}), "estado_invalido", "no está en error").await;
    refused(&shop, "payment.restamp", json!({"pago": 99}), "no_encontrado", "pago").await;
    shop.company.run_by_name("payment.cancel", &json!({"pago": pago})).await.unwrap();
    refused(&shop, "payment.restamp", json!({"pago": pago}), "estado_invalido", "cancelado").await;
}
