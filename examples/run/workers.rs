//! The examples that do background work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use svc_core::Providers;
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::mail::notify_due;
use svc_core::operations::import::Resource;
use svc_core::stamping::{Budget, Stamper, stamp_due};
use svc_core::webhooks::{Outcome, Post, Sender};
use svc_test_kit::{Actor, Company, World};
use tokio::sync::oneshot;

use crate::own_providers::{Chat, OurStamper};

/// A company with an order that can be invoiced, and a client of it.
async fn shop(world: &World) -> (Company, Actor) {
    let company = world.company().await;
    company.load_certificate().await;
    let ana = json!({"nombre": "Ana", "rfc": "XIA190128J61", "regimen": 601, "cp": "06700", "uso_cfdi": "G03"});
    let nail = json!({"sku": "A-1", "descripcion": "Clavo", "unidad": 1, "iva_venta": "16", "codigo_sat": "31161620"});
    company.import(Resource::Clientes, &[ana]).await.expect("a customer");
    company.import(Resource::Productos, &[nail]).await.expect("a product");
    let actor = company.admin().await;
    let order = json!({"tipo": "pedido", "cliente": 1, "forma_pago_sat": "03", "metodo_pago_sat": "PUE",
                       "renglones": [{"producto": 1, "cantidad": 2, "precio_unitario": "100.00"}]});
    actor.post("/ventas", order).await.ok(201);
    actor.post("/ventas/1/facturar", json!({})).await.ok(202);
    (company, actor)
}

async fn stamped(actor: &Actor) -> bool {
    actor.get("/facturas").await.ok(200)["datos"][0]["uuid"].is_string()
}

#[tokio::test]
async fn through_a_provider_and_a_notifier_of_our_own() {
    let world = World::new().await;
    let (company, actor) = shop(&world).await;
    let done = stamp_due(world.api.context(), Some(&OurStamper::default()), Budget::unlimited()).await.expect("a pass");
    assert_eq!(done.timbrados, 1, "{done:?}");
    assert!(stamped(&actor).await);

    let mail = "INSERT INTO avisos (empresa, clave, para, asunto, texto, proximo, creado)
                VALUES ($1, 1, 'ana@example.com', 'Aviso', 'Su webhook', $2, $2)";
    let now = world.clock.now();
    sqlx::query(mail).bind(company.id.0).bind(now).execute(world.pool()).await.expect("an e-mail");
    let (chat, mut said) = tokio::sync::mpsc::unbounded_channel();
    let report = notify_due(world.api.context(), &Chat(chat), Budget::unlimited()).await.expect("a pass");
    assert_eq!(report.enviados, 1, "{report:?}");
    assert_eq!(said.recv().await.as_deref(), Some("@ana@example.com: Aviso\nSu webhook"));
}

/// A receiver that counts.
#[derive(Default)]
struct Receiver(AtomicU64);

#[async_trait]
impl Sender for Receiver {
    async fn send(&self, _: Post) -> Outcome {
        self.0.fetch_add(1, Ordering::SeqCst);
        Outcome::Answered { status: 200, retry_after: None }
    }
}

#[tokio::test]
async fn all_background_work_runs_as_one_future() {
    let world = World::new().await;
    // Background work uses the context's clock, and removes what is a month old by it.
    world.clock.advance(SystemClock.now() - world.clock.now());
    let (_, actor) = shop(&world).await;
    let hook = json!({"url": "https://example.com/avisos", "eventos": ["factura.timbrada"]});
    actor.post("/webhooks", hook).await.ok(201);
    let receiver = Arc::new(Receiver::default());
    let (stamper, sender): (Arc<dyn Stamper>, Arc<dyn Sender>) = (Arc::new(OurStamper::default()), receiver.clone());
    let (stop, stopped) = oneshot::channel::<()>();
    let context = world.api.context().clone();
    let outside = Providers::default().stamper(stamper).sender(sender);
    let work = tokio::spawn(async move { context.work(outside, async { stopped.await.unwrap_or_default() }).await });
    for _ in 0..200 {
        if stamped(&actor).await && receiver.0.load(Ordering::SeqCst) == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(stamped(&actor).await && receiver.0.load(Ordering::SeqCst) == 1, "stamped, and sent once");
    let sent = 5 + world.sql::<i64>("SELECT coalesce(sum(usadas), 0)::bigint FROM cupos").await;
    for _ in 0..5 {
        actor.get("/clientes").await.ok(200);
    }
    drop(stop);
    work.await.expect("work ends");
    let used = world.sql::<i64>("SELECT sum(usadas)::bigint FROM cupos").await;
    assert!(used >= sent, "what was used last is kept: {used} of {sent}");
}
