use http::Method;
use serde_json::json;
use svc_tests::World;

use super::{bare, end_deliveries, probe, webhook};

#[tokio::test]
async fn a_deleted_webhook_is_not_found() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    webhook(&ana).await;
    let entrega = probe(&ana, 1).await;
    end_deliveries(&world, "entregada").await;
    assert_eq!(bare(&ana, Method::DELETE, "/webhooks/1").await.ok(200), json!({"ok": true, "webhook": 1}));
    assert_eq!(ana.walk("/webhooks").await.len(), 0);
    ana.get("/webhooks/1/entregas").await.fails(404, "no_encontrado");
    ana.put("/webhooks/1", json!({"activo": true})).await.fails(404, "no_encontrado");
    bare(&ana, Method::DELETE, "/webhooks/1").await.fails(404, "no_encontrado");
    for action in ["secreto", "probar", &format!("entregas/{entrega}/reenviar")] {
        bare(&ana, Method::POST, &format!("/webhooks/1/{action}")).await.fails(404, "no_encontrado");
    }
}

#[tokio::test]
async fn deletion_wipes_secrets_and_discards_pending_deliveries() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    for _ in 0..2 {
        webhook(&ana).await;
        bare(&ana, Method::POST, "/webhooks/1/secreto").await.ok(200);
    }
    probe(&ana, 1).await;
    end_deliveries(&world, "entregada").await;
    probe(&ana, 1).await;
    probe(&ana, 2).await;
    let leased = "UPDATE entregas SET token = gen_random_uuid(), arrendado = '2026-10-12T18:00:30Z' WHERE clave = 2";
    sqlx::query(leased).execute(world.pool()).await.unwrap();
    bare(&ana, Method::DELETE, "/webhooks/1").await.ok(200);
    let wiped = "SELECT secreto = '' AND secreto_anterior IS NULL AND secreto_anterior_hasta IS NULL AND NOT activo
                        AND eliminado = '2026-10-12T18:00:00Z' FROM webhooks WHERE clave = 1";
    assert!(world.sql::<bool>(wiped).await);
    let states = "SELECT string_agg(estado, ' ' ORDER BY clave) FROM entregas";
    assert_eq!(world.sql::<String>(states).await, "entregada descartada pendiente");
    assert!(world.sql::<bool>("SELECT token IS NULL AND arrendado IS NULL FROM entregas WHERE clave = 2").await);
    assert!(
        world.sql::<bool>("SELECT length(secreto) > 64 FROM webhooks WHERE clave = 2").await,
        "the other one lives"
    );
}

#[tokio::test]
async fn a_repetition_is_replayed_and_others_are_refused() {
    let world = World::new().await;
    let (ana, bob) = (world.company().await.admin().await, world.company().await.admin().await);
    webhook(&ana).await;
    bare(&bob, Method::DELETE, "/webhooks/1").await.fails(404, "no_encontrado");
    bare(&ana, Method::DELETE, "/webhooks/2").await.fails(404, "no_encontrado");
    let delete = || ana.request(Method::DELETE, "/webhooks/1").header("Idempotency-Key", "una");
    let first = ana.send(delete(), "").await;
    // No body and an empty object mean the same.
    let again = ana.send(delete(), "{}").await;
    assert_eq!((first.status, again.status, &first.body), (200, 200, &again.body));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
}
