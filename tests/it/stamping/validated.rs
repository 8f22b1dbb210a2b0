//! The validated document is the one that is stamped: only its date, certificate and seal come
//! later.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::domain::cfdi::Cfdi;
use svc_core::store::CompanyChange;
use svc_tests::{World, certificate, with};

use super::{NAIL, Shop, Stub, accept, line, nails, order, report};

/// Changes everything that a document says of its parties, and everything that its lines say of
/// their product.
async fn change_everything(shop: &Shop) {
    let customer = json!({"nombre": "Otra S", "regimen": 603, "uso_cfdi": "G01", "cp": "44100"});
    shop.actor.put("/clientes/1", customer).await.ok(200);
    let product = json!({"sku": "Z-9", "descripcion": "Otra cosa", "objeto_impuesto": "01"});
    shop.actor.put("/productos/1", product).await.ok(200);
    let company = CompanyChange {
        nombre: Some("Otra empresa".to_owned()),
        regimen: Some(603),
        cp: Some("44100".to_owned()),
        ..CompanyChange::default()
    };
    shop.company.edit(company).await;
    shop.world().clock.advance(TimeDelta::seconds(6));
}

/// The last document sent, without its number and what sealing added.
fn last(
    stub: &Stub<impl Fn(&super::StampRequest) -> Result<super::StampedXml, super::StampFailure> + Send + Sync>,
) -> Value {
    let mut document = serde_json::to_value(stub.document()).expect("a document");
    for sealed in ["Folio", "Fecha", "NoCertificado", "Certificado"] {
        document.as_object_mut().expect("an object").remove(sealed);
    }
    document
}

#[tokio::test]
async fn later_edits_change_nothing_in_an_invoice() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let stamper = Stub::new(accept);
    shop.invoice(nails()).await;
    world.stamp(&stamper).await;
    let expected = last(&stamper);
    let (_, factura) = shop.invoice(nails()).await;
    change_everything(&shop).await;
    // Another certificate signs it, and its date is that of its first sending.
    shop.company.run(&certificate::load("renewed", "renewed")).await.expect("the certificate is loaded");
    world.clock.advance(TimeDelta::hours(80));
    world.stamp(&stamper).await;
    assert_eq!(last(&stamper), expected);
    assert_eq!(stamper.document().fecha.to_string(), "2026-10-15 20:00:06", "in the time of 06700");
    assert_eq!(shop.factura(factura).await["estatus"], "vigente");
}

#[tokio::test]
async fn later_edits_change_nothing_in_a_complement() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    // One before and one after its invoice is stamped.
    shop.invoice(nails()).await;
    shop.pay(1, "580.00", "SPEI 1").await;
    change_everything(&shop).await;
    let stamper = Stub::new(accept);
    assert_eq!(world.stamp(&stamper).await.timbrados, 2);
    let first = stamper.document();
    assert_eq!((first.receptor.nombre.as_str(), first.lugar_expedicion.as_str()), ("ANA", "06700"));
    let paid = &first.complemento.unwrap().pagos.unwrap().pago[0].docto_relacionado[0];
    let invoice = shop.one("/cxc?clave=1").await;
    assert_eq!(paid.id_documento.to_string(), invoice["uuid"].as_str().unwrap());
    assert_eq!(paid.imp_saldo_insoluto.to_string(), "580.00");
    shop.pay(1, "580.00", "SPEI 2").await;
    shop.actor.put("/clientes/1", json!({"nombre": "Una más"})).await.ok(200);
    world.stamp(&stamper).await;
    assert_eq!(stamper.document().receptor.nombre, "ANA", "as its invoice");
}

#[tokio::test]
async fn a_row_without_document_is_built_from_current_records() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.invoice(nails()).await;
    shop.pay(1, "580.00", "SPEI 1").await;
    // As the previous release queued them.
    world.run("UPDATE timbrados SET documento = NULL").await;
    shop.actor.put("/clientes/1", json!({"nombre": "Ana María"})).await.ok(200);
    let stamper = Stub::new(accept);
    assert_eq!(world.stamp(&stamper).await.timbrados, 2);
    let names: Vec<String> =
        stamper.sent().iter().map(|xml| Cfdi::read(xml).expect("a document").receptor.nombre).collect();
    assert_eq!(names, ["ANA MARÍA", "ANA MARÍA"]);
}

#[tokio::test]
async fn sales_without_a_possible_document_are_not_invoiced() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let table: [(&'static str, &'static str, &str); 3] = [
        (
            "UPDATE productos SET objeto_impuesto = '07' WHERE clave = 4",
            "UPDATE productos SET objeto_impuesto = '01' WHERE clave = 4",
            "renglón 2: el objeto de impuesto 07 exige desglosar IEPS",
        ),
        (
            "UPDATE empresas SET regimen = NULL",
            "UPDATE empresas SET regimen = 601",
            "la empresa no tiene régimen fiscal",
        ),
        (
            "WITH s AS (UPDATE sucursales SET cp = NULL) UPDATE empresas SET cp = NULL",
            "WITH s AS (UPDATE sucursales SET cp = '06700') UPDATE empresas SET cp = '06700'",
            "la empresa no tiene un código postal válido en el lugar de expedición",
        ),
    ];
    for (wrong, right, message) in table {
        world.run(wrong).await;
        world.clock.advance(TimeDelta::seconds(6));
        let lines = [line(NAIL, "1", "10"), line(super::UNTAXED, "1", "10")];
        let venta = shop.actor.post("/ventas", order(&lines)).await.ok(201)["venta"].clone();
        let refused = shop.actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await;
        refused.fails(422, "documento_invalido");
        assert!(refused.mensaje().starts_with(message), "{}", refused.mensaje());
        world.run(right).await;
        world.clock.advance(TimeDelta::seconds(6));
    }
    let free = shop.actor.post("/ventas", order(&[line(NAIL, "1", "0")])).await.ok(201)["venta"].clone();
    let refused = shop.actor.post(&format!("/ventas/{free}/facturar"), json!({})).await;
    refused.fails(422, "documento_invalido");
    assert_eq!(refused.mensaje(), "renglón 1: el precio unitario debe ser mayor que cero");
    assert_eq!([world.count("facturas").await, world.count("timbrados").await, world.count("cxc").await], [0; 3]);
    assert_eq!(world.count("movimientos_inventario").await, 0);
    let (_, first) = shop.invoice(nails()).await;
    assert_eq!(shop.factura(first).await["folio"], "1", "a refusal takes no folio");
}

#[tokio::test]
async fn a_payment_is_recorded_even_if_its_document_is_incomplete() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.invoice(nails()).await;
    world.stamp(&Stub::new(accept)).await;
    world.run("UPDATE empresas SET regimen = NULL").await;
    world.clock.advance(TimeDelta::seconds(6));
    let pago = shop.pay(1, "100.00", "SPEI 1").await;
    assert_eq!(shop.one(&format!("/cxc-pagos?clave={pago}")).await["complemento"], "encolado");
    assert_eq!(world.count("timbrados WHERE documento IS NULL").await, 1);
    assert_eq!(world.stamp(&Stub::new(accept)).await, with!(report(), rechazados: 1));
    assert_eq!(shop.one(&format!("/cxc-pagos?clave={pago}")).await["complemento"], "error");
}
