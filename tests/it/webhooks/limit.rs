//! A company has at most ten webhooks, even under concurrency.

use futures_util::future::join_all;
use http::Method;
use serde_json::json;
use svc_tests::World;

use super::{bare, sound, webhook};

#[tokio::test]
async fn the_eleventh_webhook_is_refused_until_one_is_deleted() {
    let world = World::new().await;
    let (ana, bob) = (world.company().await.admin().await, world.company().await.admin().await);
    for expected in 1..=10 {
        assert_eq!(webhook(&ana).await, expected);
    }
    ana.put("/webhooks/3", json!({"activo": false})).await.ok(200);
    ana.post("/webhooks", sound()).await.fails(422, "limite_webhooks");
    let mut wrong = sound();
    wrong["url"] = json!("http://example.com");
    ana.post("/webhooks", wrong).await.fails(400, "url_invalida");
    assert_eq!(webhook(&bob).await, 1, "another company has its own ten");
    bare(&ana, Method::DELETE, "/webhooks/3").await.ok(200);
    assert_eq!(webhook(&ana).await, 11, "a refusal takes no clave");
    ana.post("/webhooks", sound()).await.fails(422, "limite_webhooks");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_creates_never_exceed_ten_webhooks() {
    let company = World::new().await.company().await;
    let ana = company.admin().await;
    for _ in 0..9 {
        webhook(&ana).await;
    }
    let at_once = (0..20).map(|_| {
        let ana = ana.clone();
        tokio::spawn(async move {
            loop {
                let reply = ana.post("/webhooks", sound()).await;
                // A company has ten requests in flight at most.
                if reply.status != 503 {
                    return reply;
                }
                tokio::task::yield_now().await;
            }
        })
    });
    let mut made = 0;
    for reply in join_all(at_once).await.into_iter().map(|joined| joined.expect("no panic")) {
        match reply.status {
            201 => made += 1,
            _ => reply.fails(422, "limite_webhooks"),
        }
    }
    assert_eq!((made, ana.walk("/webhooks").await.len()), (1, 10));
}
