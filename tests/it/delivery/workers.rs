use std::collections::HashMap;

use chrono::TimeDelta;
use futures_util::future::join_all;
use http::Method;
use serde_json::json;
use svc_core::webhooks::DeliveryReport;
use svc_store_postgres::Settings;
use svc_tests::lists::pick;
use svc_tests::with;

use super::*;
use crate::webhooks::bare;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_workers_lose_nothing_and_send_nothing_twice() {
    let world = World::new().await;
    let (company, other) = (world.company().await, world.company().await);
    for _ in 0..4 {
        webhook(&company, &["cliente.creado"]).await;
    }
    webhook(&other, &["cliente.creado"]).await;
    happen(&company, "cliente.creado", 1_000).await;
    happen(&other, "cliente.creado", 1_000).await;
    let receiver =
        Receiver::new(|_: &Post| (Duration::from_millis(2), Outcome::Answered { status: 200, retry_after: None }));
    let reports = join_all((0..4).map(|_| world.deliver(&receiver))).await;
    let total = |of: fn(&DeliveryReport) -> u64| reports.iter().map(of).sum::<u64>();
    assert_eq!((total(|r| r.eventos), total(|r| r.creadas), total(|r| r.entregadas)), (2_000, 5_000, 5_000));
    assert_eq!((total(|r| r.perdidas), count(&world, "entregada").await), (0, 5_000));
    let mut seen: HashMap<(String, String), u32> = HashMap::new();
    for post in receiver.posts() {
        *seen.entry((post.url.clone(), header(&post, "x-svc-evento-id").to_owned())).or_default() += 1;
    }
    // The first webhooks of both companies have the same address.
    assert_eq!(seen.len(), 5_000);
    assert!(seen.values().all(|times| *times == 1));
    let claves: i64 =
        world.sql("SELECT count(DISTINCT (empresa, clave)) FILTER (WHERE clave <= 4000) FROM entregas").await;
    assert_eq!(claves, 5_000, "without gaps");
}

#[tokio::test]
async fn a_deleted_webhook_gets_no_more_of_what_was_claimed() {
    let company = World::new().await.company().await;
    let (world, ana) = (&company.world, company.admin().await);
    for _ in 0..2 {
        webhook(&company, &["cliente.creado"]).await;
    }
    happen(&company, "cliente.creado", 120).await;
    let receiver =
        Receiver::new(|_: &Post| (Duration::from_millis(200), Outcome::Answered { status: 200, retry_after: None }));
    let deleted = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        bare(&ana, Method::DELETE, "/webhooks/1").await.ok(200);
        receiver.posts().len()
    };
    let (report, before) = tokio::join!(world.deliver(&receiver), deleted);
    let first = |post: &&Post| post.url.contains("receptor-1.");
    let (after, all) = (receiver.posts(), report.entregadas);
    let late = after.iter().filter(first).count();
    // Until results are written again, which takes a second or so, more on a busy machine; all
    // would be 120.
    assert!(late < 100, "{late} notices after the webhook was deleted, {before} before");
    assert_eq!(count(world, "pendiente").await, 0, "the other got all, {all}");
}

#[tokio::test]
async fn a_killed_workers_deliveries_are_sent_after_its_lease() {
    let company = World::new().await.company().await;
    let world = &company.world;
    webhook(&company, &["cliente.creado"]).await;
    happen(&company, "cliente.creado", 10).await;
    let silent = Receiver::new(|_: &Post| (Duration::from_mins(10), Outcome::Ours(None)));
    let killed = tokio::time::timeout(Duration::from_millis(500), world.deliver(&silent)).await;
    assert!(killed.is_err() && !silent.posts().is_empty());
    assert!(world.deliver(&answering::<200>()).await.is_empty(), "they are leased");
    world.clock.advance(TimeDelta::minutes(10));
    assert!(world.deliver(&answering::<200>()).await.is_empty(), "this worker's clock does not end them");
    world.end_leases().await;
    assert_eq!(world.deliver(&answering::<200>()).await.entregadas, 10);
    assert!(deliveries(&company).await.iter().all(|row| row["intentos"] == 1), "what nobody knows of is no attempt");
}

/// A receiver that queries the database, like one that reads the resource before it answers.
struct Querying<'a>(&'a World);

#[async_trait]
impl Sender for Querying<'_> {
    async fn send(&self, _: Post) -> Outcome {
        tokio::time::sleep(std::time::Duration::from_millis(600)).await;
        let idle = "pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'
                    AND state_change < clock_timestamp() - interval '0.5 s'";
        let idle = self.0.count(idle).await;
        let status = if idle == 0 { 200 } else { 500 };
        Outcome::Answered { status, retry_after: None }
    }
}

#[tokio::test]
async fn no_connection_is_held_while_a_request_is_out() {
    let world = World::on(with!(Settings::default(), max_connections: 1), |builder| builder).await;
    let company = world.company().await;
    webhook(&company, &["cliente.creado"]).await;
    happen(&company, "cliente.creado", 12).await;
    assert_eq!(world.deliver(&Querying(&world)).await.entregadas, 12);
}

/// A receiver so slow that the lease of its worker expires and another worker delivers meanwhile.
struct Overtaken<'a>(&'a World);

#[async_trait]
impl Sender for Overtaken<'_> {
    async fn send(&self, _: Post) -> Outcome {
        self.0.clock.advance(TimeDelta::minutes(2));
        self.0.end_leases().await;
        assert_eq!(self.0.deliver(&answering::<200>()).await.entregadas, 1);
        Outcome::Answered { status: 500, retry_after: None }
    }
}

#[tokio::test]
async fn a_worker_whose_lease_has_ended_writes_nothing() {
    let company = World::new().await.company().await;
    let world = &company.world;
    webhook(&company, &["cliente.creado"]).await;
    happen(&company, "cliente.creado", 1).await;
    let report = world.deliver(&Overtaken(world)).await;
    let counts = pick(&json!(report), &["perdidas", "pospuestas", "entregadas"]);
    assert_eq!(counts, json!({"perdidas": 1, "pospuestas": 0, "entregadas": 0}));
    let row = &deliveries(&company).await[0];
    assert_eq!(pick(row, &["estado", "intentos", "http"]), json!({"estado": "entregada", "intentos": 1, "http": 200}));
    assert_eq!(webhooks(&company).await[0]["intentos_fallidos"], 0);
}

/// The webhook is deleted while its receiver gets a delivery.
struct Deleted<'a>(&'a Company);

#[async_trait]
impl Sender for Deleted<'_> {
    async fn send(&self, _: Post) -> Outcome {
        change(self.0, "UPDATE webhooks SET eliminado = creado, activo = false WHERE empresa = $1").await;
        let discard =
            "UPDATE entregas SET estado = 'descartada', proximo_intento = NULL, token = NULL, arrendado = NULL
                       WHERE empresa = $1 AND estado = 'pendiente'";
        change(self.0, discard).await;
        Outcome::Answered { status: 200, retry_after: None }
    }
}

#[tokio::test]
async fn a_delivery_discarded_in_flight_stays_discarded() {
    let company = World::new().await.company().await;
    webhook(&company, &["cliente.creado"]).await;
    happen(&company, "cliente.creado", 1).await;
    let report = company.world.deliver(&Deleted(&company)).await;
    assert_eq!((report.perdidas, report.entregadas), (1, 0));
    assert_eq!(deliveries(&company).await[0]["estado"], "descartada");
}

/// A sender that never ends, whatever it says.
struct Endless;

#[async_trait]
impl Sender for Endless {
    async fn send(&self, _: Post) -> Outcome {
        std::future::pending().await
    }

    fn deadline(&self) -> Duration {
        Duration::from_millis(10)
    }
}

#[tokio::test]
async fn a_sender_that_never_ends_holds_up_no_pass() {
    let company = World::new().await.company().await;
    webhook(&company, &["cliente.creado"]).await;
    happen(&company, "cliente.creado", 1).await;
    let report = company.world.deliver(&Endless).await;
    assert_eq!((report.pospuestas, report.entregadas), (1, 0), "{report:?}");
    assert_eq!(deliveries(&company).await[0]["estado"], "pendiente");
}
