//! Cancellations are sent and followed, and final only by the authority's word.

use std::sync::Mutex;

use async_trait::async_trait;
use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::domain::cfdi::{Cfdi, TipoRelacion};
use svc_core::domain::words::{CancellationReason, Held};
use svc_core::operations::{CancelInvoice, CancelPayment};
use svc_core::stamping::{
    CancelReceipt, CancelRequest, DocumentStatus, SandboxStamper, StampFailure, StampRequest, StampedXml, Stamper,
};
use svc_core::store::QueueStore as _;
use svc_tests::lists::pick;
use svc_tests::{Resource, World, books, with};

use super::{NAIL, Shop, accept, line, nails, order, report};

type StampAnswer<T> = Result<T, StampFailure>;

/// Stamps everything, answers cancellations as configured, and records the requests.
struct Authority {
    received: Mutex<StampAnswer<CancelReceipt>>,
    status: Mutex<StampAnswer<DocumentStatus>>,
    cancelled: Mutex<Vec<CancelRequest>>,
    asked: Mutex<u32>,
}

impl Authority {
    fn new() -> Self {
        let receipt = CancelReceipt { acuse: Some("<Acuse/>".to_owned()) };
        Self {
            received: Mutex::new(Ok(receipt)),
            status: Mutex::new(Ok(DocumentStatus::Pending)),
            cancelled: Mutex::default(),
            asked: Mutex::default(),
        }
    }

    fn receives(&self, answer: StampAnswer<CancelReceipt>) {
        *self.received.lock().unwrap() = answer;
    }

    fn says(&self, answer: StampAnswer<DocumentStatus>) {
        *self.status.lock().unwrap() = answer;
    }

    fn sent(&self) -> usize {
        self.cancelled.lock().unwrap().len()
    }
}

#[async_trait]
impl Stamper for Authority {
    async fn stamp(&self, request: &StampRequest) -> StampAnswer<StampedXml> {
        accept(request)
    }

    async fn cancel(&self, request: &CancelRequest) -> StampAnswer<CancelReceipt> {
        self.cancelled.lock().unwrap().push(request.clone());
        self.received.lock().unwrap().clone()
    }

    async fn status(&self, _: &CancelRequest) -> StampAnswer<DocumentStatus> {
        *self.asked.lock().unwrap() += 1;
        self.status.lock().unwrap().clone()
    }
}

fn cancel(factura: i64) -> CancelInvoice {
    CancelInvoice { factura, motivo: CancellationReason::Wrong, uuid_sustitucion: None, requiere_aceptacion: None }
}

/// A shop with a stamped invoice whose cancellation was requested: returns sale and invoice.
async fn asked(world: &World) -> (Shop, i64, i64) {
    let shop = Shop::new(world).await;
    let (venta, factura) = shop.invoice(nails()).await;
    assert_eq!(world.stamp(&Authority::new()).await, with!(report(), timbrados: 1));
    shop.company.run(&cancel(factura)).await.unwrap();
    (shop, venta, factura)
}

fn unreachable<T>() -> StampAnswer<T> {
    Err(StampFailure::Unreachable("nobody there".to_owned()))
}

#[tokio::test]
async fn nothing_changes_before_the_final_answer() {
    let world = World::new().await;
    let (shop, venta, factura) = asked(&world).await;
    let authority = Authority::new();
    assert_eq!(world.stamp(&authority).await, with!(report(), cancelaciones_en_proceso: 1));
    for minutes in [5, 15, 60, 60] {
        assert_eq!(world.stamp(&authority).await, report(), "it is not asked again before");
        world.clock.advance(TimeDelta::minutes(minutes));
        assert_eq!(world.stamp(&authority).await, with!(report(), cancelaciones_en_proceso: 1), "{minutes}");
    }
    assert_eq!((authority.sent(), *authority.asked.lock().unwrap()), (1, 5), "sent once, asked about often");
    let sale = shop.one(&format!("/ventas?tipo=factura&clave={venta}")).await;
    let record = shop.factura(factura).await;
    assert_eq!((&record["estatus"], &sale["cancelada"]), (&json!("vigente"), &json!(false)));
    assert_eq!(world.count("eventos WHERE tipo = 'factura.cancelada'").await, 0);
    books::check(&world, &shop.company).await;

    let request = authority.cancelled.lock().unwrap()[0].clone();
    let xml = request.signed().unwrap();
    let uuid = record["uuid"].as_str().unwrap().to_uppercase();
    assert!(xml.contains(&format!("Motivo=\"02\" UUID=\"{uuid}\"")) && xml.contains("<SignatureValue>"), "{xml}");
    let document = &request.document;
    assert_eq!((document.receptor.as_str(), document.total.as_deref()), ("XIA190128J61", Some("1160.00")));
    assert!(document.sello.is_some() && document.proveedor.is_some());

    world.clock.advance(TimeDelta::hours(1));
    authority.says(Ok(DocumentStatus::Cancelled));
    assert_eq!(world.stamp(&authority).await, with!(report(), cancelados: 1));
    let record = shop.factura(factura).await;
    assert_eq!((&record["estatus"], &record["motivo_cancelacion"]), (&json!("cancelada"), &json!("02")));
    assert_eq!(shop.actor.get("/ventas?tipo=factura&cancelada=true").await.ok(200)["datos"][0]["clave"], venta);
    assert_eq!(world.count("eventos WHERE tipo = 'factura.cancelada'").await, 1);
    assert_eq!(world.count("facturas_acuses").await, 1);
    assert_eq!(world.count("cancelaciones").await, 0);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_refused_cancellation_leaves_the_invoice_valid_and_can_be_repeated() {
    let world = World::new().await;
    let (shop, _, factura) = asked(&world).await;
    let authority = Authority::new();
    authority.says(Ok(DocumentStatus::Refused));
    assert_eq!(world.stamp(&authority).await, with!(report(), cancelaciones_en_proceso: 1), "an earlier refusal");
    world.clock.advance(TimeDelta::minutes(6));
    assert_eq!(world.stamp(&authority).await, with!(report(), cancelaciones_rechazadas: 1));
    let record = shop.factura(factura).await;
    assert_eq!((&record["estatus"], &record["motivo_cancelacion"]), (&json!("vigente"), &Value::Null));
    books::check(&world, &shop.company).await;

    shop.company.run(&cancel(factura)).await.unwrap();
    let not = StampFailure::Rejected { codigo: "no_cancelable".to_owned(), mensaje: "Hay relacionados.".to_owned() };
    authority.receives(Err(not));
    assert_eq!(world.stamp(&authority).await, with!(report(), cancelaciones_rechazadas: 1));
    let record = shop.factura(factura).await;
    assert_eq!((&record["estatus"], &record["error_codigo"]), (&json!("vigente"), &json!("no_cancelable")));

    shop.company.run(&cancel(factura)).await.unwrap();
    assert_eq!(shop.factura(factura).await["error_codigo"], Value::Null);
    assert_eq!(world.stamp(&SandboxStamper).await, with!(report(), cancelados: 1));
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_document_that_others_relate_to_is_refused_by_the_authoritys_status() {
    let world = World::new().await;
    let (shop, _, factura) = asked(&world).await;
    let authority = Authority::new();
    authority.says(Ok(DocumentStatus::NotCancellable));
    let early = with!(report(), cancelaciones_en_proceso: 1);
    assert_eq!(world.stamp(&authority).await, early, "it may be from before the request");
    world.clock.advance(TimeDelta::minutes(6));
    assert_eq!(world.stamp(&authority).await, with!(report(), cancelaciones_rechazadas: 1));
    let record = shop.factura(factura).await;
    assert_eq!(
        pick(&record, &["estatus", "motivo_cancelacion", "error_codigo"]),
        json!({"estatus": "vigente", "motivo_cancelacion": null, "error_codigo": "no_cancelable"})
    );
    assert_eq!(world.count("cancelaciones").await, 0);
    // Nothing is blocked any longer, and it can be asked for again.
    shop.pay(1, "100.00", "SPEI 1").await;
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn an_imported_document_is_asked_about_with_its_own_total() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let sold = json!({"tipo": "factura", "serie": "V", "folio": 7, "cliente": 1, "subtotal": "1000.00",
                      "impuestos": "160.00", "total": "1160.00", "condicion_pago": "credito",
                      "metodo_pago_sat": "PPD", "forma_pago_sat": "99", "uso_cfdi": "G03"});
    shop.company.load(Resource::Ventas, &[sold]).await;
    let uuid = |last: u32| format!("6e1b6d30-3f0f-4b53-8cd2-2e0d0b8f6a{last:02}");
    let document = |tipo: &str, folio: u32, venta: Value| json!({"tipo": tipo, "venta": venta, "cliente": 1, "uuid": uuid(folio), "serie": "V", "folio": folio.to_string()});
    let documents = [
        document("factura", 7, json!(1)),
        document("nota_credito", 8, json!(1)),
        document("pago", 9, json!(1)),
        document("factura", 10, Value::Null),
    ];
    shop.company.load(Resource::Facturas, &documents).await;
    let owed = json!({"venta": 1, "factura": 1, "uuid": uuid(7), "total": "1160.00", "pagado": "100.00"});
    shop.company.load(Resource::Cxc, &[owed]).await;
    let paid = json!({"cxc": 1, "importe": "100.00", "cuenta_bancaria": 1, "factura": 3, "uuid": uuid(9),
                      "complemento": "timbrado", "saldo_anterior": "1160.00"});
    shop.company.load(Resource::CxcPagos, &[paid]).await;
    shop.company.run(&CancelPayment { pago: 1, motivo: None }).await.unwrap();
    for factura in [2, 4] {
        shop.company.run(&cancel(factura)).await.unwrap();
    }
    let authority = Authority::new();
    world.stamp(&authority).await;
    let mut totals: Vec<_> = authority
        .cancelled
        .lock()
        .unwrap()
        .iter()
        .map(|request| (request.document.uuid.to_string(), request.document.total.clone()))
        .collect();
    totals.sort();
    // The note's own total is in no record, nor is that of an invoice without its sale.
    assert_eq!(totals, [(uuid(8), None), (uuid(9), Some("0".to_owned())), (uuid(10), None)]);
}

#[tokio::test]
async fn a_cancellation_is_sent_until_it_is_received_and_again_if_it_gets_lost() {
    let world = World::new().await;
    let (shop, _, factura) = asked(&world).await;
    let authority = Authority::new();
    authority.receives(unreachable());
    assert_eq!(world.stamp(&authority).await, with!(report(), pospuestos: 1));
    world.clock.advance(TimeDelta::minutes(1));
    authority.receives(Err(StampFailure::Misconfigured("no credit".to_owned())));
    assert_eq!(world.stamp(&authority).await, with!(report(), detenidos: 1));
    assert_eq!(world.store.held().await.unwrap(), [(Held::Misconfigured, 1)]);
    world.clock.advance(TimeDelta::minutes(2));
    authority.receives(Ok(CancelReceipt::default()));
    authority.says(unreachable());
    assert_eq!(world.stamp(&authority).await, with!(report(), cancelaciones_en_proceso: 1));
    assert_eq!(world.store.held().await.unwrap(), []);
    // Received, but without a trace for days: it is sent again.
    authority.says(Ok(DocumentStatus::Valid));
    world.clock.advance(TimeDelta::hours(90));
    assert_eq!(world.stamp(&authority).await, with!(report(), cancelaciones_en_proceso: 1));
    assert_eq!(authority.sent(), 3);
    world.clock.advance(TimeDelta::hours(10));
    world.stamp(&authority).await;
    world.clock.advance(TimeDelta::hours(1));
    authority.says(Ok(DocumentStatus::Cancelled));
    assert_eq!(world.stamp(&authority).await, with!(report(), cancelados: 1));
    assert_eq!(authority.sent(), 4);
    assert_eq!(shop.factura(factura).await["estatus"], "cancelada");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn the_sandbox_plays_receivers() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let names = ["Quien acepta", "Quien rechaza", "Quien no responde", "No cancelable", "Sin servicio"];
    let customers = names.map(
        |nombre| json!({"nombre": nombre, "rfc": "XAXX010101000", "regimen": 616, "cp": "06700", "uso_cfdi": "S01"}),
    );
    shop.company.load(Resource::Clientes, &customers).await;
    for cliente in 5..10 {
        let mut sale = order(&[line(NAIL, "1", "10")]);
        sale["cliente"] = json!(cliente);
        shop.invoice(sale).await;
    }
    assert_eq!(world.stamp(&Authority::new()).await, with!(report(), timbrados: 5));
    for factura in 1..=5 {
        shop.company.run(&cancel(factura)).await.unwrap();
    }
    let first = with!(report(), cancelaciones_en_proceso: 3, cancelaciones_rechazadas: 1, pospuestos: 1);
    assert_eq!(world.stamp(&SandboxStamper).await, first);
    assert_eq!(shop.factura(4).await["error_codigo"], "no_cancelable");
    world.clock.advance(TimeDelta::minutes(6));
    let second = with!(report(), cancelaciones_en_proceso: 2, cancelaciones_rechazadas: 1, pospuestos: 1);
    assert_eq!(world.stamp(&SandboxStamper).await, second);
    world.clock.advance(TimeDelta::hours(1));
    assert_eq!(world.stamp(&SandboxStamper).await.cancelados, 1);
    assert_eq!(shop.factura(1).await["estatus"], "cancelada");
    world.clock.advance(TimeDelta::hours(72));
    assert_eq!(world.stamp(&SandboxStamper).await.cancelados, 1);
    assert_eq!(shop.factura(3).await["estatus"], "cancelada");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_complement_goes_first_and_its_payment_with_it() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = shop.invoice(nails()).await;
    let pago = shop.pay(1, "100.00", "SPEI 1").await;
    let authority = Authority::new();
    assert_eq!(world.stamp(&authority).await.timbrados, 2);
    let refused = shop.company.run(&cancel(factura)).await.unwrap_err();
    assert_eq!(refused.code().codigo(), "estado_invalido");

    let motivo = Some(CancellationReason::NotCarriedOut);
    shop.company.run(&CancelPayment { pago, motivo }).await.unwrap();
    assert_eq!(world.stamp(&authority).await, with!(report(), cancelaciones_en_proceso: 1));
    assert_eq!(shop.one("/cxc?clave=1").await["saldo"], "1060.00", "nothing moves before the final word");
    let again = shop.company.run(&CancelPayment { pago, motivo: None }).await.unwrap_err();
    assert!(again.to_string().contains("su cancelación ya se solicitó"), "{again}");
    assert!(shop.company.run(&cancel(factura)).await.is_err(), "the complement is valid yet");
    books::check(&world, &shop.company).await;

    authority.says(Ok(DocumentStatus::Cancelled));
    world.clock.advance(TimeDelta::minutes(5));
    assert_eq!(world.stamp(&authority).await, with!(report(), cancelados: 1));
    assert_eq!(shop.one("/cxc?clave=1").await["saldo"], "1160.00");
    let complement = shop.one("/facturas?tipo=pago").await;
    assert_eq!((&complement["estatus"], &complement["motivo_cancelacion"]), (&json!("cancelada"), &json!("03")));
    books::check(&world, &shop.company).await;
    shop.company.run(&cancel(factura)).await.unwrap();
    assert_eq!(world.stamp(&authority).await, with!(report(), cancelados: 1));
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_sale_returns_to_its_invoice_if_the_substitute_is_cancelled_instead() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, old) = shop.invoice(nails()).await;
    world.stamp(&SandboxStamper).await;
    let run = async |action: &str, input: Value| shop.company.run_by_name(action, &input).await;
    let sale = async || shop.one(&format!("/ventas?tipo=factura&clave={venta}")).await;
    let before = sale().await;
    let new = run("invoice.substitute", json!({"factura": old})).await.unwrap()["factura"].clone();
    world.stamp(&SandboxStamper).await;
    let uuid = sale().await["uuid"].clone();
    assert_ne!(uuid, before["uuid"]);
    let booked = "SELECT factura FROM polizas WHERE venta IS NOT NULL";
    assert_eq!(json!(world.sql::<i64>(booked).await), new);
    // The receiver refuses to have the first one cancelled.
    let cancel = json!({"factura": old, "motivo": "01", "uuid_sustitucion": uuid, "requiere_aceptacion": true});
    run("invoice.cancel", cancel).await.unwrap();
    run("invoice.cancel-rejected", json!({"factura": old})).await.unwrap();
    run("invoice.cancel", json!({"factura": new, "motivo": "02"})).await.unwrap();
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(new.as_i64().unwrap()).await["estatus"], "cancelada");
    let shown = ["factura", "uuid", "serie", "folio", "cancelada", "saldo"];
    assert_eq!(pick(&sale().await, &shown), pick(&before, &shown));
    let receivable = shop.one(&format!("/cxc?venta={venta}")).await;
    assert_eq!(
        pick(&receivable, &["factura", "folio", "estatus"]),
        json!({"factura": old, "folio": "F1", "estatus": "pendiente"})
    );
    assert_eq!(world.count("movimientos_inventario WHERE tipo = 'cancelacion_venta'").await, 0);
    assert_eq!(world.sql::<i64>(booked).await, old);
    books::check(&world, &shop.company).await;

    // One that changed the sale goes only once the first one is cancelled.
    let line = json!({"producto": NAIL, "cantidad": 3, "precio_unitario": "100.00"});
    let new =
        run("invoice.substitute", json!({"factura": old, "cambios": {"renglones": [line]}})).await.unwrap()["factura"]
            .clone();
    world.stamp(&SandboxStamper).await;
    let error = run("invoice.cancel", json!({"factura": new, "motivo": "02"})).await.unwrap_err().to_string();
    assert!(error.contains(&format!("sustituye con correcciones a la factura {old}")), "{error}");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_substitute_takes_the_place_of_an_invoice() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, old) = shop.invoice(nails()).await;
    world.stamp(&SandboxStamper).await;
    let before = shop.one(&format!("/ventas?tipo=factura&clave={venta}")).await;
    shop.company.run_by_name("customer.edit", &json!({"clave": 1, "nombre": "Ana Corregida"})).await.unwrap();
    let made = shop.company.run_by_name("invoice.substitute", &json!({"factura": old})).await.unwrap();
    let new = made["factura"].as_i64().unwrap();
    let refused = async |action: &str, input: Value, text: &str| {
        let error = shop.company.run_by_name(action, &input).await.unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    };
    refused("invoice.substitute", json!({"factura": old}), "ya tiene una factura que la sustituye").await;
    refused("invoice.substitute", json!({"factura": new}), "no está vigente").await;
    refused("invoice.cancel", json!({"factura": old, "motivo": "02"}), "espera timbre").await;
    assert_eq!(world.stamp(&SandboxStamper).await, with!(report(), timbrados: 1));
    books::check(&world, &shop.company).await;

    let record = shop.factura(new).await;
    let reply = shop.actor.get(&format!("/facturas/{new}/xml")).await;
    let xml = String::from_utf8(reply.body.to_vec()).unwrap();
    let document = Cfdi::read(&xml).unwrap();
    let related = &document.cfdi_relacionados[0];
    assert_eq!(related.tipo_relacion, TipoRelacion::Sustitucion);
    assert_eq!(json!(related.cfdi_relacionado[0].uuid.to_string()), shop.factura(old).await["uuid"]);
    assert_eq!((document.folio.as_deref(), document.receptor.nombre.as_str()), (Some("2"), "ANA CORREGIDA"));
    let sale = shop.one(&format!("/ventas?tipo=factura&clave={venta}")).await;
    assert_eq!(pick(&sale, &["factura", "uuid", "folio"]), json!({"factura": new, "uuid": record["uuid"], "folio": 2}));
    let receivable = shop.one(&format!("/cxc?venta={venta}")).await;
    assert_eq!((&receivable["factura"], &receivable["folio"]), (&json!(new), &json!("F2")));
    assert_eq!(sale["total"], before["total"]);

    // Only an invoice that relates to it can replace it.
    let (_, other) = shop.invoice(nails()).await;
    world.stamp(&SandboxStamper).await;
    let foreign = shop.factura(other).await["uuid"].clone();
    let input = json!({"factura": old, "motivo": "01", "uuid_sustitucion": foreign});
    refused("invoice.cancel", input, "no se relaciona con esta como 04").await;
    let uuid = record["uuid"].as_str().unwrap().to_uppercase();
    shop.company
        .run_by_name("invoice.cancel", &json!({"factura": old, "motivo": "01", "uuid_sustitucion": uuid}))
        .await
        .unwrap();
    let replaced = shop.factura(old).await;
    assert_eq!((&replaced["estatus"], &replaced["uuid_sustitucion"]), (&json!("cancelada"), &record["uuid"]));
    let sale = shop.one(&format!("/ventas?tipo=factura&clave={venta}")).await;
    assert_eq!((&sale["cancelada"], &sale["saldo"]), (&json!(false), &json!("1160.00")), "the sale stands");
    assert_eq!(world.count("movimientos_inventario WHERE tipo = 'cancelacion_venta'").await, 0);
    let invoiced = shop.actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(200);
    assert_eq!((&invoiced["factura"], &invoiced["estatus"]), (&json!(new), &json!("vigente")));
    books::check(&world, &shop.company).await;
}
