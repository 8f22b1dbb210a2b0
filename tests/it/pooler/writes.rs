//! Writes, worker passes and usage counting, all concurrently.

use std::time::Duration;

use async_trait::async_trait;
use chrono::TimeDelta;
use futures_util::future::join_all;
use http::Method;
use serde_json::json;
use svc_core::clean_up;
use svc_core::stamping::SandboxStamper;
use svc_core::webhooks::{Outcome, Post, Sender};
use svc_store_postgres::Settings;
use svc_tests::{Actor, Reply, World, books};

use super::{left_as_found, pooled};
use crate::ventas::shop::{made, on_credit, ready, shop, stock};

/// The number of clients that do the same concurrently.
const AT_ONCE: i64 = 20;

/// The events that a webhook gets.
const EVENTS: [&str; 4] = ["cliente.creado", "venta.creada", "factura.timbrada", "inventario.existencia_cambiada"];

/// A receiver that accepts everything.
struct AcceptingReceiver;

#[async_trait]
impl Sender for AcceptingReceiver {
    async fn send(&self, _: Post) -> Outcome {
        tokio::time::sleep(Duration::from_millis(5)).await;
        Outcome::Answered { status: 200, retry_after: None }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_writes_with_one_idempotency_key_are_one() {
    let Some(world) = pooled(Settings::default()).await else { return };
    let ana = world.company().await.admin().await;
    for round in 0..5 {
        let key = format!("ronda-{round}");
        let send = async |_| ana.write(Method::POST, "/clientes", &key, json!({"nombre": key})).await;
        let replies = join_all((0..AT_ONCE).map(send)).await;
        assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 1);
        for reply in &replies {
            assert!(matches!(reply.status, 200 | 201), "{}", reply.json());
            assert_eq!(reply.body, replies[0].body);
        }
    }
    assert_eq!(ana.walk("/clientes").await.len(), 5);
    left_as_found(&world).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_business_leaves_the_books_in_order() {
    let Some(world) = pooled(Settings::default()).await else { return };
    // The clean-up goes by the database's clock.
    world.clock.set_to_present(TimeDelta::zero());
    let company = shop(&world).await;
    let ana = company.admin().await;
    let hook = json!({"url": "https://receptor.example.com/avisos", "eventos": EVENTS});
    ana.post("/webhooks", hook).await.ok(201);
    let mut sales = Vec::new();
    for at in 0..AT_ONCE {
        sales.push(made(&ana, &if at % 2 == 0 { ready() } else { on_credit() }).await);
    }
    let clients = join_all((0..AT_ONCE).map(|at| client(&ana, sales[at as usize % sales.len()], at)));
    let workers = join_all((0..4).map(|_| work(&world)));
    let (replies, ()) = tokio::join!(clients, async {
        workers.await;
    });
    for reply in replies.iter().flatten() {
        assert!(reply.status < 400, "{}", reply.json());
    }
    // Makes the workers' remaining records due.
    world.clock.advance(TimeDelta::minutes(10));
    work(&world).await;
    world.clock.advance(TimeDelta::minutes(10));
    work(&world).await;
    books::check(&world, &company).await;
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(-2 * AT_ONCE), json!(0))));
    let stamped = "SELECT count(*) FROM facturas WHERE estatus = 'vigente'";
    assert_eq!(world.sql::<i64>(stamped).await, AT_ONCE);
    let undelivered = "SELECT count(*) FROM entregas WHERE estado <> 'entregada'";
    assert_eq!(world.sql::<i64>(undelivered).await, 0);
    let delivered = "SELECT count(DISTINCT evento) FROM entregas";
    assert_eq!(world.sql::<i64>(delivered).await, world.count("eventos").await);
    left_as_found(&world).await;
}

/// One client: reads, has a sale invoiced twice, creates a customer and reads again.
async fn client(ana: &Actor, venta: i64, at: i64) -> Vec<Reply> {
    let key = format!("factura-{at}");
    let path = format!("/ventas/{venta}/facturar");
    let invoice = async || ana.write(Method::POST, &path, &key, json!({})).await;
    let (list, first, again, customer) = tokio::join!(
        ana.get("/ventas?limite=5"),
        invoice(),
        invoice(),
        ana.post("/clientes", json!({"nombre": format!("Cliente {at}")})),
    );
    vec![list, first, again, customer, ana.get("/inventario?sku=A-1").await]
}

/// A pass of every worker.
async fn work(world: &World) {
    let (_, _, merged, cleaned) = tokio::join!(
        world.stamp(&SandboxStamper),
        world.deliver(&AcceptingReceiver),
        world.api.context().merge_usage(),
        clean_up(world.api.context()),
    );
    merged.expect("merged");
    cleaned.expect("cleaned up");
}
