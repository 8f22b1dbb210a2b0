//! The outcomes of an invoice: stamped, refused, or impossible to make.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::stamping::StampFailure;
use svc_tests::World;
use svc_tests::{
    Resource::{Facturas, Ventas},
    with,
};

use super::{BOOK, FOOD, NAIL, Shop, Stub, accept, line, nails, order, report, uuid};

#[tokio::test]
async fn a_stamped_invoice_shows_in_every_list() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, factura) = shop.invoice(nails()).await;
    world.clock.advance(TimeDelta::seconds(7));
    let stamper = Stub::new(accept);
    assert_eq!(world.stamp(&stamper).await, with!(report(), timbrados: 1));

    let id = format!("{}-{factura}", shop.company.id.0);
    let folio = uuid(&id).to_string();
    assert_eq!(stamper.ids(), [id]);
    let record = shop.factura(factura).await;
    for (field, value) in [
        ("estatus", json!("vigente")),
        ("uuid", json!(folio)),
        ("fecha", json!("2026-10-12T18:00:00Z")),
        ("fecha_timbrado", json!("2026-10-12T18:00:05Z")),
        ("modificado", json!("2026-10-12T18:00:07Z")),
        ("error_codigo", Value::Null),
    ] {
        assert_eq!(record[field], value, "{field}");
    }
    assert_eq!(shop.one(&format!("/ventas?clave={venta}&tipo=factura")).await["uuid"], folio);
    assert_eq!(shop.one(&format!("/cxc?venta={venta}")).await["uuid"], folio);
    let event: String =
        world.sql("SELECT convert_from(cuerpo, 'UTF8') FROM eventos WHERE tipo = 'factura.timbrada'").await;
    let event: Value = serde_json::from_str(&event).unwrap();
    assert_eq!(event["datos"], json!({"factura": factura, "venta": venta, "uuid": folio}));
    assert_eq!(world.count("timbrados").await, 0);

    let again = shop.actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(200);
    assert_eq!((&again["estatus"], &again["uuid"]), (&json!("vigente"), &json!(folio)));
    assert_eq!(world.stamp(&stamper).await, report(), "it is stamped once");
}

#[tokio::test]
async fn a_document_is_its_sale() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let mut lines = [line(NAIL, "3", "33.333333"), line(FOOD, "1.5", "10.01"), line(BOOK, "2", "0.005")];
    lines[0]["descuento"] = json!("12.34");
    let (venta, _) = shop.invoice(order(&lines)).await;
    let stamper = Stub::new(accept);
    world.stamp(&stamper).await;

    let document = serde_json::to_value(stamper.document()).unwrap();
    let sale = shop.one(&format!("/ventas?clave={venta}&tipo=factura")).await;
    for (attribute, field) in [
        ("SubTotal", "subtotal"),
        ("Descuento", "descuento"),
        ("Total", "total"),
        ("Folio", "folio"),
        ("Serie", "serie"),
    ] {
        let text = sale[field].as_str().map_or_else(|| sale[field].to_string(), str::to_owned);
        assert_eq!(document[attribute], text, "{attribute}");
    }
    assert_eq!(document["Impuestos"]["TotalImpuestosTrasladados"], sale["impuestos"]);
    for (pointer, value) in [
        ("/Fecha", "2026-10-12T12:00:00"),
        ("/NoCertificado", "30001000000500003416"),
        ("/MetodoPago", "PPD"),
        ("/LugarExpedicion", "06700"),
        ("/Emisor/Rfc", "EKU9003173C9"),
        ("/Receptor/Rfc", "XIA190128J61"),
        ("/Receptor/Nombre", "ANA"),
        ("/Receptor/UsoCFDI", "G03"),
        ("/Conceptos/0/NoIdentificacion", "A-1"),
        ("/Conceptos/0/Descuento", "12.34"),
        ("/Conceptos/2/Impuestos/Traslados/0/TipoFactor", "Exento"),
    ] {
        assert_eq!(document.pointer(pointer), Some(&json!(value)), "{pointer}");
    }
}

#[tokio::test]
async fn a_refused_invoice_has_its_reason_and_is_not_tried_again() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, factura) = shop.invoice(nails()).await;
    let refuse = Stub::new(|_| {
        Err(StampFailure::Rejected { codigo: "CFDI40145 ".repeat(9), mensaje: "El nombre\0 no es".to_owned() })
    });
    assert_eq!(world.stamp(&refuse).await, with!(report(), rechazados: 1));
    let refused = shop.factura(factura).await;
    assert_eq!(refused["estatus"], "error");
    assert_eq!(refused["error_codigo"].as_str().map(str::len), Some(50));
    assert_eq!((&refused["error_mensaje"], &refused["uuid"]), (&json!("El nombre no es"), &Value::Null));
    assert_eq!(shop.actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(200)["estatus"], "error");
    world.clock.advance(TimeDelta::days(1));
    assert_eq!(world.stamp(&refuse).await, report());
    assert_eq!(world.count("eventos WHERE tipo = 'factura.timbrada'").await, 0);
}

/// The authority refuses a date that lies ahead.
#[tokio::test]
async fn no_document_bears_a_date_ahead_of_the_database() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    world.clock.set_to_present(TimeDelta::hours(2));
    shop.invoice(nails()).await;
    let stamper = Stub::new(accept);
    assert_eq!(world.stamp(&stamper).await, with!(report(), timbrados: 1));
    let present = (SystemClock.now() - TimeDelta::hours(6)).naive_utc();
    assert!(stamper.document().fecha <= present, "{} {present}", stamper.document().fecha);
}

#[tokio::test]
async fn an_impossible_document_is_refused_without_asking_the_provider() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, free) = shop.invoice(nails()).await;
    // As a release queued it that did not validate documents.
    world.run("UPDATE timbrados SET documento = NULL").await;
    world.run("UPDATE ventas_renglones SET precio_unitario = 0").await;
    let (_, good) = shop.invoice(nails()).await;
    let stamper = Stub::new(accept);
    assert_eq!(world.stamp(&stamper).await, with!(report(), timbrados: 1, rechazados: 1));
    assert_eq!(stamper.ids(), [format!("{}-{good}", shop.company.id.0)]);
    let refused = shop.factura(free).await;
    assert_eq!((&refused["estatus"], &refused["error_codigo"]), (&json!("error"), &json!("renglon_invalido")));
    assert_eq!(refused["error_mensaje"], "renglón 1: el precio unitario debe ser mayor que cero");
}

#[tokio::test]
async fn an_imported_invoice_is_never_stamped() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.company.load(Ventas, &[json!({"tipo": "factura", "cliente": 1})]).await;
    shop.company.load(Facturas, &[json!({"venta": 1, "cliente": 1, "estatus": "en_espera"})]).await;
    assert_eq!(world.stamp(&Stub::new(accept)).await, report());
    assert_eq!(shop.factura(1).await["estatus"], "en_espera");
}

#[tokio::test]
async fn an_unsent_document_is_dated_when_it_is_sent() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = shop.invoice(nails()).await;
    world.clock.advance(TimeDelta::hours(72));
    let stamper = Stub::new(accept);
    world.stamp(&stamper).await;
    assert_eq!(stamper.document().fecha.to_string(), "2026-10-15 12:00:00");
    let record = shop.factura(factura).await;
    assert_eq!((&record["fecha"], &record["estatus"]), (&json!("2026-10-12T18:00:00Z"), &json!("vigente")));
}
