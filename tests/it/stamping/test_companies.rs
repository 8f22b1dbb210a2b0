//! Test companies are the sandbox's, all others the provider's, and wait where there is none.

use std::sync::Mutex;

use async_trait::async_trait;
use chrono::TimeDelta;
use serde_json::json;
use svc_core::domain::cfdi::{Cfdi, StampedXml};
use svc_core::domain::words::CancellationReason;
use svc_core::json::Json;
use svc_core::operations::CancelInvoice;
use svc_core::stamping::{
    CancelReceipt, CancelRequest, DocumentStatus, StampFailure, StampRequest, Stamper, cancel_asked,
};
use svc_core::store::QueueStore as _;
use svc_tests::{BASE_URL, Resource, World, secrets_key, with};

use super::{NAIL, Shop, accept, line, nails, order, own, report};
use crate::documents::UUIDS;

/// A provider that does everything and records the ids of its requests, by kind.
#[derive(Default)]
struct Recorder(Mutex<Vec<String>>);

impl Recorder {
    fn record(&self, kind: &str, id: &str) {
        self.0.lock().unwrap().push(format!("{kind} {}", own(id)));
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

#[async_trait]
impl Stamper for Recorder {
    async fn stamp(&self, request: &StampRequest) -> Result<StampedXml, StampFailure> {
        self.record("stamp", &request.id);
        accept(request)
    }

    async fn earlier(&self, request: &StampRequest) -> Result<Option<StampedXml>, StampFailure> {
        self.record("earlier", &request.id);
        Ok(None)
    }

    async fn cancel(&self, request: &CancelRequest) -> Result<CancelReceipt, StampFailure> {
        self.record("cancel", &request.id);
        Ok(CancelReceipt::default())
    }

    async fn status(&self, request: &CancelRequest) -> Result<DocumentStatus, StampFailure> {
        self.record("status", &request.id);
        Ok(DocumentStatus::Pending)
    }
}

/// A real company and a test company, each with a customer who does not answer cancellations.
async fn shops(world: &World) -> [Shop; 2] {
    let shops = [Shop::new(world).await, Shop::of(world.test_company().await).await];
    let silent =
        json!({"nombre": "No responde", "rfc": "XAXX010101000", "regimen": 616, "cp": "06700", "uso_cfdi": "S01"});
    for shop in &shops {
        shop.company.load(Resource::Clientes, std::slice::from_ref(&silent)).await;
    }
    shops
}

async fn cancel(shop: &Shop, factura: i64) {
    let (motivo, uuid_sustitucion, requiere_aceptacion) = (CancellationReason::Wrong, None, None);
    let cancel = CancelInvoice { factura, motivo, uuid_sustitucion, requiere_aceptacion };
    shop.company.run(&cancel).await.expect("a cancellation");
}

async fn estatus(shop: &Shop, factura: i64) -> String {
    shop.factura(factura).await["estatus"].as_str().expect("a status").to_owned()
}

#[tokio::test]
async fn each_company_has_its_own_stamper_for_everything() {
    let world = World::new().await;
    let [real, test] = shops(&world).await;
    let (ours, theirs) = (real.company.id.0, test.company.id.0);
    let mut silent = order(&[line(NAIL, "1", "10")]);
    silent["cliente"] = json!(5);
    for shop in [&real, &test] {
        shop.invoice(nails()).await;
        shop.invoice(silent.clone()).await;
    }
    let provider = Recorder::default();
    assert_eq!(world.stamp(&provider).await, with!(report(), timbrados: 4));
    let mut sent = provider.take();
    sent.sort_unstable();
    assert_eq!(sent, [format!("stamp {ours}-1"), format!("stamp {ours}-2")], "nothing of company {theirs}");
    let invoice = async |shop: &Shop| {
        let xml = shop.actor.get("/facturas/1/xml").await.body;
        (Cfdi::read(std::str::from_utf8(&xml).unwrap()).unwrap(), shop.factura(1).await["uuid"].clone())
    };
    let ((_, of_provider), (_, of_sandbox)) = (invoice(&real).await, invoice(&test).await);
    assert!(of_provider.as_str().unwrap().starts_with("5ad427b5"), "{of_provider}");
    assert!(!of_sandbox.as_str().unwrap().starts_with("5ad427b5"), "{of_sandbox}");

    // Cancellations, and the questions about them.
    for shop in [&real, &test] {
        cancel(shop, 1).await;
        cancel(shop, 2).await;
    }
    let expected = with!(report(), cancelados: 1, cancelaciones_en_proceso: 3);
    assert_eq!(world.stamp(&provider).await, expected);
    assert_eq!((estatus(&real, 1).await, estatus(&test, 1).await), ("vigente".to_owned(), "cancelada".to_owned()));
    world.clock.advance(TimeDelta::minutes(6));
    assert_eq!(world.stamp(&provider).await, with!(report(), cancelaciones_en_proceso: 3));
    let asked = provider.take();
    assert_eq!(asked.iter().filter(|one| one.starts_with("cancel ")).count(), 2, "{asked:?}");
    assert_eq!(asked.iter().filter(|one| one.starts_with("status ")).count(), 4, "{asked:?}");
    assert!(asked.iter().all(|one| one.contains(&format!(" {ours}-"))), "{asked:?}");
}

#[tokio::test]
async fn an_outage_in_the_sandbox_reaches_no_provider_either() {
    let world = World::new().await;
    let [_, test] = shops(&world).await;
    let customer =
        json!({"nombre": "Sin servicio", "rfc": "XAXX010101000", "regimen": 616, "cp": "06700", "uso_cfdi": "S01"});
    test.company.load(Resource::Clientes, &[customer]).await;
    let mut sale = order(&[line(NAIL, "1", "10")]);
    sale["cliente"] = json!(6);
    test.invoice(sale).await;
    let provider = Recorder::default();
    assert_eq!(world.stamp(&provider).await, with!(report(), pospuestos: 1));
    world.clock.advance(TimeDelta::hours(80));
    assert_eq!(world.stamp(&provider).await, with!(report(), pospuestos: 1), "an old one too");
    assert_eq!(provider.take(), [""; 0]);
}

#[tokio::test]
async fn without_a_provider_documents_wait_untouched_and_are_stamped_later() {
    let world = World::new().await;
    let [real, test] = shops(&world).await;
    let provider = Recorder::default();
    real.invoice(nails()).await;
    assert_eq!(world.stamp(&provider).await.timbrados, 1);
    provider.take();
    cancel(&real, 1).await;
    real.invoice(nails()).await;
    real.pay(2, "100", "SPEI 1").await;
    test.invoice(nails()).await;
    let untouched =
        "SELECT jsonb_agg(jsonb_build_array(factura, intentos, token, arrendado, ultimo_error, proximo = creado)
                                      ORDER BY factura)::text
                     FROM timbrados WHERE empresa = 1";
    let before = world.json(untouched).await;
    assert_eq!(world.stamp_without_provider().await, with!(report(), timbrados: 1));
    assert_eq!(estatus(&test, 1).await, "vigente");
    assert_eq!(world.stamp_without_provider().await, report());
    assert_eq!(world.json(untouched).await, before, "nothing was leased or attempted");
    assert_eq!(world.count("facturas_xml WHERE NOT timbrado").await, 0, "nothing was sealed");
    assert_eq!(world.store.waiting_for_provider().await.unwrap(), 3, "an invoice, a complement, a cancellation");
    assert_eq!(estatus(&real, 2).await, "en_espera");

    // As long as it takes.
    world.clock.advance(TimeDelta::hours(100));
    assert_eq!(world.stamp_without_provider().await, report());
    // The complement may be looked at before its invoice.
    let done = with!(world.stamp(&provider).await, en_espera: 0);
    assert_eq!(done, with!(report(), timbrados: 2, cancelaciones_en_proceso: 1));
    assert_eq!(estatus(&real, 2).await, "vigente");
    assert!(provider.take().contains(&"cancel 1-1".to_owned()));
}

#[tokio::test]
async fn a_command_without_a_provider_leaves_a_cancellation_to_wait() {
    let world = World::new().await;
    let [real, test] = shops(&world).await;
    for shop in [&real, &test] {
        shop.invoice(nails()).await;
    }
    world.stamp(&Recorder::default()).await;
    let office = svc_core::Context::builder(world.store.clone(), BASE_URL).clock(world.clock.clone());
    let office = office.secrets(secrets_key()).build().unwrap();
    for shop in [&real, &test] {
        cancel(shop, 1).await;
        cancel_asked(&office, None, shop.company.id).await.unwrap();
    }
    assert_eq!((estatus(&real, 1).await, estatus(&test, 1).await), ("vigente".to_owned(), "cancelada".to_owned()));
    assert_eq!(world.count("cancelaciones WHERE token IS NULL AND intentos = 0 AND enviada IS NULL").await, 1);

    // A folio alone is a stamp only where the sandbox stamps.
    real.invoice(nails()).await;
    test.invoice(nails()).await;
    let stamped = json!({"factura": 2, "uuid": UUIDS[0]}).to_string();
    let stamped = || Json::parse_object(stamped.as_bytes()).unwrap();
    let refused = office.run_by_name(real.company.id, "invoice.stamped", &stamped()).await.unwrap_err();
    assert_eq!(refused.code().codigo(), "dato_requerido");
    office.run_by_name(test.company.id, "invoice.stamped", &stamped()).await.unwrap();
    assert_eq!((estatus(&real, 2).await, estatus(&test, 2).await), ("en_espera".to_owned(), "vigente".to_owned()));
}

#[tokio::test]
async fn what_a_company_is_stays() {
    let world = World::new().await;
    let (real, test) = (world.company().await, world.test_company().await);
    for company in [&real, &test] {
        company.edit(svc_core::store::CompanyChange { licencias: Some(9), ..Default::default() }).await;
    }
    let kinds = "SELECT jsonb_agg(prueba ORDER BY empresa)::text FROM empresas";
    assert_eq!(world.json(kinds).await, json!([false, true]));
    let key = test.admin().await;
    assert!(world.key(&key.key_id).await.company.prueba);
}
