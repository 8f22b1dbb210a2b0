//! Complements and addendas that a host gives to documents.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use chrono::TimeDelta;
use serde_json::json;
use svc_core::domain::cfdi::{ComplementNode, DocumentParts};
use svc_core::domain::words::InvoiceKind;
use svc_core::stamping::{SandboxStamper, StampFailure};
use svc_core::{AttachmentFault, Attachments, UnsealedDocument};
use svc_tests::{World, authority, books, with};

use super::credit_notes::document;
use super::{NAIL, Shop, Stub, accept, line, nails, order, report};

/// What a host was asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Question {
    company: i64,
    factura: i64,
    tipo: InvoiceKind,
    venta: Option<i64>,
    cliente: Option<i64>,
    receiver: String,
    total: String,
}

type Given = Result<DocumentParts, AttachmentFault>;

/// A host that gives prepared answers, then a donation, and records what it was asked.
struct Host {
    asked: Mutex<Vec<Question>>,
    answers: Mutex<VecDeque<Box<dyn Fn() -> Given + Send>>>,
    pause: Duration,
}

impl Host {
    fn new(answers: Vec<Box<dyn Fn() -> Given + Send>>) -> Arc<Self> {
        Self::slow(answers, Duration::ZERO)
    }

    fn slow(answers: Vec<Box<dyn Fn() -> Given + Send>>, pause: Duration) -> Arc<Self> {
        Arc::new(Self { asked: Mutex::default(), answers: Mutex::new(answers.into()), pause })
    }

    fn asked(&self) -> Vec<Question> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Attachments for Host {
    async fn attach(&self, about: &UnsealedDocument<'_>) -> Given {
        self.asked.lock().unwrap().push(Question {
            company: about.company.0,
            factura: about.factura,
            tipo: about.tipo,
            venta: about.venta,
            cliente: about.cliente,
            receiver: about.document.receptor.nombre.clone(),
            total: about.document.total.to_string(),
        });
        tokio::time::sleep(self.pause).await;
        let answer = self.answers.lock().unwrap().pop_front();
        answer.map_or_else(|| Ok(donation()), |answer| answer())
    }

    fn deadline(&self) -> Duration {
        Duration::from_millis(1_500)
    }
}

/// The complement "Donatarias", with characters that XML escapes, and an addenda.
fn donation() -> DocumentParts {
    let complement = ComplementNode {
        prefix: "donat".to_owned(),
        namespace: "http://www.sat.gob.mx/donat".to_owned(),
        schema: "http://www.sat.gob.mx/sitio_internet/cfd/donat/donat11.xsd".to_owned(),
        xml: "<donat:Donatarias version=\"1.1\" noAutorizacion=\"325 &amp; &quot;9&quot;\" fechaAutorizacion=\"2026-01-15\" leyenda=\"Niños  y  jóvenes\"/>"
            .to_owned(),
        cadena: ["1.1", "325 & \"9\"", "2026-01-15", "Niños  y  jóvenes"].map(str::to_owned).to_vec(),
    };
    DocumentParts { complements: vec![complement], addenda: Some(ADDENDA.to_owned()) }
}

const ADDENDA: &str = "<t:Tienda xmlns:t=\"urn:tienda\" proveedor=\"7\">orden 12</t:Tienda>";

fn attached(shop: &Shop, host: &Arc<Host>) -> World {
    shop.world().with_attachments(host.clone())
}

/// The document without what the schemas cannot know.
fn without_addenda(xml: &str) -> String {
    xml.replace(&format!("<cfdi:Addenda>{ADDENDA}</cfdi:Addenda>"), "")
}

async fn xml(shop: &Shop, factura: i64) -> String {
    let reply = shop.actor.get(&format!("/facturas/{factura}/xml")).await;
    String::from_utf8(reply.body.to_vec()).expect("a text")
}

#[tokio::test]
async fn a_complement_is_sealed_and_an_addenda_added_after_the_stamp() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let host = Host::new(Vec::new());
    let lodging = json!([{"tipo": "traslado", "nombre": "ISH", "tasa": "0.03"}]);
    let mut night = line(NAIL, "1", "1000");
    night["impuestos_locales"] = lodging;
    let (venta, factura) = shop.invoice(order(&[night])).await;
    let (_, plain) = shop.invoice(nails()).await;
    let stamper = Stub::new(accept);
    assert_eq!(attached(&shop, &host).stamp(&stamper).await.timbrados, 2);
    for (sent, factura) in stamper.sent().iter().zip([factura, plain]) {
        assert!(!sent.contains("Addenda") && sent.contains("<donat:Donatarias"), "{sent}");
        let kept = xml(&shop, factura).await;
        let end = format!("</cfdi:Complemento><cfdi:Addenda>{ADDENDA}</cfdi:Addenda></cfdi:Comprobante>");
        assert!(kept.ends_with(&end), "{kept}");
        assert!(
            kept.contains("http://www.sat.gob.mx/donat http://www.sat.gob.mx/sitio_internet/cfd/donat/donat11.xsd")
        );
        authority::validate("attached", &without_addenda(&kept));
        assert_eq!(shop.actor.get(&format!("/facturas/{factura}/pdf")).await.status, 200);
    }
    assert!(xml(&shop, factura).await.contains("</implocal:ImpuestosLocales><donat:Donatarias"), "its own come first");
    let question = |factura: i64, venta: i64, total: &str| Question {
        company: shop.company.id.0,
        factura,
        tipo: InvoiceKind::Factura,
        venta: Some(venta),
        cliente: Some(1),
        receiver: "ANA".to_owned(),
        total: total.to_owned(),
    };
    let mut asked = host.asked();
    asked.sort_by_key(|question| question.factura);
    assert_eq!(asked, [question(factura, venta, "1190.00"), question(plain, venta + 1, "1160.00")]);
    // A payment complement has the host's beside its own.
    shop.pay(1, "1190.00", "SPEI 1").await;
    attached(&shop, &host).stamp(&stamper).await;
    let last = host.asked().pop().unwrap();
    assert_eq!((last.tipo, last.venta, last.cliente), (InvoiceKind::Pago, None, Some(1)));
    let paid = xml(&shop, last.factura).await;
    assert!(paid.contains("</pago20:Pagos><donat:Donatarias"), "{paid}");
    authority::validate("attached payment", &without_addenda(&paid));
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_host_is_asked_once_and_the_same_bytes_are_sent_again() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let host = Host::new(Vec::new());
    shop.invoice(nails()).await;
    let lost = Stub::new(super::unreachable);
    attached(&shop, &host).stamp(&lost).await;
    world.clock.advance(TimeDelta::hours(1));
    let again = Stub::new(accept);
    attached(&shop, &host).stamp(&again).await;
    assert_eq!((lost.sent(), host.asked().len()), (again.sent(), 1));
    assert!(xml(&shop, 1).await.contains(ADDENDA), "it was kept with the document");
}

#[tokio::test]
async fn what_a_host_cannot_give_rejects_the_document_until_it_is_reissued() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let malformed = || {
        let mut parts = donation();
        parts.complements[0].xml = "<donat:Donatarias".to_owned();
        Ok(parts)
    };
    let broken = || Ok(DocumentParts { addenda: Some("</cfdi:Addenda>".to_owned()), ..DocumentParts::default() });
    let host = Host::new(vec![
        Box::new(|| Err(AttachmentFault("falta el número de autorización".to_owned()))),
        Box::new(malformed),
        Box::new(broken),
        Box::new(|| panic!("a mistake of the host's")),
    ]);
    let (venta, factura) = shop.invoice(nails()).await;
    let attached = attached(&shop, &host);
    for text in ["falta el número de autorización", "donat: ", "addenda: ", "error interno"] {
        assert_eq!(attached.stamp(&SandboxStamper).await, with!(report(), rechazados: 1));
        let record = shop.factura(factura).await;
        assert_eq!((&record["estatus"], &record["error_codigo"]), (&json!("error"), &json!("complemento_invalido")));
        assert!(record["error_mensaje"].as_str().unwrap().contains(text), "{record}");
        assert_eq!(world.count("facturas_xml").await, 0, "nothing was sealed");
        shop.company.run_by_name("invoice.restamp", &json!({"factura": factura})).await.unwrap();
    }
    assert_eq!(attached.stamp(&SandboxStamper).await.timbrados, 1);
    assert_eq!(shop.one(&format!("/ventas?tipo=factura&clave={venta}")).await["factura"], json!(factura));
    // One that is given up leaves nothing behind.
    let late = Host::slow(Vec::new(), Duration::from_mins(1));
    let (_, factura) = shop.invoice(nails()).await;
    assert_eq!(shop.world().with_attachments(late).stamp(&SandboxStamper).await, with!(report(), rechazados: 1));
    assert!(shop.factura(factura).await["error_mensaje"].as_str().unwrap().contains("a tiempo"));
    shop.company.run_by_name("document.discard", &json!({"factura": factura})).await.unwrap();
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_document_that_changes_meanwhile_is_asked_about_again() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.invoice(nails()).await;
    // While the host thinks, the document is to be made anew, of another customer's name.
    let host = Host::slow(Vec::new(), Duration::from_millis(800));
    let pass = async { attached(&shop, &host).stamp(&SandboxStamper).await };
    let change = async {
        while host.asked().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        shop.actor.put("/clientes/1", json!({"nombre": "Ana María"})).await.ok(200);
        world.run("UPDATE timbrados SET documento = NULL").await;
    };
    let (done, ()) = tokio::join!(pass, change);
    assert_eq!(done.timbrados, 1);
    let names: Vec<String> = host.asked().into_iter().map(|question| question.receiver).collect();
    assert_eq!(names, ["ANA", "ANA MARÍA"]);
    assert!(xml(&shop, 1).await.contains("Nombre=\"ANA MARÍA\""));
}

#[tokio::test]
async fn a_provider_that_loses_a_complement_has_not_stamped_the_document() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let host = Host::new(Vec::new());
    shop.invoice(nails()).await;
    let loses = Stub::new(|request| {
        let stamped = accept(request)?;
        let start = stamped.xml.find("<donat:").expect("the complement");
        let end = start + stamped.xml[start..].find("/>").expect("its end") + 2;
        request.stamped([&stamped.xml[..start], &stamped.xml[end..]].concat())
    });
    assert_eq!(attached(&shop, &host).stamp(&loses).await, with!(report(), pospuestos: 1));
    world.clock.advance(TimeDelta::hours(1));
    // One that writes the same in another way has.
    let rewrites = Stub::new(|request| {
        let stamped = accept(request)?;
        let moved = stamped.xml.replace(
            "<donat:Donatarias version=\"1.1\"",
            "<donat:Donatarias  xmlns:donat=\"http://www.sat.gob.mx/donat\"",
        );
        let moved = moved.replace("leyenda=", "version='1.1' leyenda=");
        request.stamped(moved).map_err(|error| StampFailure::Misconfigured(error.to_string()))
    });
    assert_eq!(attached(&shop, &host).stamp(&rewrites).await.timbrados, 1);
}

#[tokio::test]
async fn without_a_host_nothing_is_asked_or_added() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.invoice(nails()).await;
    world.stamp(&SandboxStamper).await;
    assert!(!document(&shop, 1).await.contains("Addenda"));
}
