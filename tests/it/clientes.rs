//! `/clientes`

use serde_json::json;
use svc_tests::World;

#[tokio::test]
async fn a_customer_is_created_and_listed() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let created = ana
        .post("/clientes", json!({"nombre": "Ferretería Ñandú", "rfc": "eku9003173c9", "regimen": 601}))
        .await
        .ok(201);
    assert_eq!(created, json!({"ok": true, "cliente": 1, "folio": "1", "rfc": "EKU9003173C9"}));
    let listed = ana.walk("/clientes").await;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["nombre"], "Ferretería Ñandú");
}
