//! Faults for an operator, and documents whose outcome is unknown.

use async_trait::async_trait;
use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::domain::cfdi::Cfdi;
use svc_core::domain::words::Held;
use svc_core::stamping::{SandboxStamper, StampFailure, StampRequest, StampedXml, Stamper};
use svc_core::store::QueueStore as _;
use svc_tests::{World, with};

use super::{NAIL, Shop, Stub, accept, line, nails, order, report, unreachable};

/// Refuses every document for its age, and reports earlier stamps as configured.
struct TooOld(fn(&StampRequest) -> Result<Option<StampedXml>, StampFailure>);

#[async_trait]
impl Stamper for TooOld {
    async fn stamp(&self, _: &StampRequest) -> Result<StampedXml, StampFailure> {
        Err(StampFailure::Rejected { codigo: "401".to_owned(), mensaje: "Más de 72 horas.".to_owned() })
    }

    async fn earlier(&self, request: &StampRequest) -> Result<Option<StampedXml>, StampFailure> {
        (self.0)(request)
    }
}

fn nobody_knows(_: &StampRequest) -> Result<Option<StampedXml>, StampFailure> {
    Err(StampFailure::Unknown("the portal tells".to_owned()))
}

/// A world with an invoice that was sent once without an answer and is too old now, and with the
/// document sent.
async fn lost() -> (World, Shop, String) {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.invoice(nails()).await;
    let first = Stub::new(unreachable);
    assert_eq!(world.stamp(&first).await, with!(report(), pospuestos: 1));
    world.clock.advance(TimeDelta::hours(73));
    (world, shop, first.sent().remove(0))
}

#[tokio::test]
async fn a_document_of_unknown_fate_waits_as_it_is() {
    let (world, shop, sent) = lost().await;
    assert_eq!(world.stamp(&TooOld(nobody_knows)).await, with!(report(), detenidos: 1));
    assert_eq!(world.store.held().await.unwrap(), [(Held::Stuck, 1)]);
    let record = shop.factura(1).await;
    assert_eq!((&record["estatus"], &record["error_codigo"]), (&json!("en_espera"), &Value::Null));
    // The same bytes are sent again now and then, in case the provider knows more by then.
    world.clock.advance(TimeDelta::hours(7));
    let later = Stub::new(accept);
    assert_eq!(world.stamp(&later).await, with!(report(), timbrados: 1));
    assert_eq!(later.sent(), [sent]);
    assert_eq!(world.store.held().await.unwrap(), []);
}

#[tokio::test]
async fn an_earlier_stamp_is_used_and_unstamped_documents_get_a_new_date() {
    let (world, shop, _) = lost().await;
    let stamped = TooOld(|request| accept(request).map(Some));
    assert_eq!(world.stamp(&stamped).await, with!(report(), timbrados: 1));
    assert_eq!(shop.factura(1).await["estatus"], "vigente");

    let (world, shop, sent) = lost().await;
    assert_eq!(world.stamp(&TooOld(|_| Ok(None))).await.pospuestos, 1);
    let anew = Stub::new(accept);
    assert_eq!(world.stamp(&anew).await, with!(report(), timbrados: 1));
    let (before, after) = (Cfdi::read(&sent).unwrap(), anew.document());
    assert!(after.fecha - before.fecha > TimeDelta::hours(72));
    assert_eq!((after.serie, after.folio), (before.serie, before.folio));
    assert_eq!(shop.factura(1).await["estatus"], "vigente");
}

#[tokio::test]
async fn a_first_refusal_for_its_age_is_a_refusal() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.invoice(nails()).await;
    assert_eq!(world.stamp(&TooOld(nobody_knows)).await, with!(report(), rechazados: 1));
    assert_eq!(shop.factura(1).await["error_codigo"], "401");
}

#[tokio::test]
async fn a_refused_account_makes_documents_wait() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let customer = json!({"nombre": "Sin timbres", "rfc": "XAXX010101000", "regimen": 616, "cp": "06700",
                                      "uso_cfdi": "S01"});
    shop.company.load(svc_tests::Resource::Clientes, &[customer]).await;
    let mut sale = order(&[line(NAIL, "1", "10")]);
    sale["cliente"] = json!(5);
    shop.invoice(sale).await;
    assert_eq!(world.stamp(&SandboxStamper).await, with!(report(), detenidos: 1));
    assert_eq!(world.store.held().await.unwrap(), [(Held::Misconfigured, 1)]);
    assert_eq!(shop.factura(1).await["estatus"], "en_espera", "no document is marked for that");
    world.clock.advance(TimeDelta::minutes(1));
    assert_eq!(world.stamp(&Stub::new(accept)).await, with!(report(), timbrados: 1));
    assert_eq!(world.store.held().await.unwrap(), []);
}
