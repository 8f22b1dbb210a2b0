use chrono::TimeDelta;
use http::Method;
use serde_json::{Value, json};
use svc_tests::World;

use super::{bare, disable, pause, shown, webhook};

#[tokio::test]
async fn an_edit_changes_what_it_sends_and_keeps_the_rest() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    webhook(&ana).await;
    let before = shown(&ana, 1).await;
    world.clock.advance(TimeDelta::minutes(5));
    let mut same = ana.put("/webhooks/1", json!({})).await.ok(200);
    same.as_object_mut().unwrap().remove("ok");
    assert_eq!(same, before, "nothing was sent");
    let as_it_is = json!({"url": before["url"], "eventos": before["eventos"], "descripcion": "Tienda", "activo": true});
    assert_eq!(ana.put("/webhooks/1", as_it_is).await.ok(200)["modificado"], Value::Null, "nothing changes");
    for (body, field, value) in [
        (json!({"url": "https://otra.example.com/x?y=1"}), "url", json!("https://otra.example.com/x?y=1")),
        (json!({"eventos": ["producto.creado"]}), "eventos", json!(["producto.creado"])),
        (json!({"descripcion": " Otra "}), "descripcion", json!("Otra")),
        (json!({"descripcion": ""}), "descripcion", Value::Null),
    ] {
        let mut expected = shown(&ana, 1).await;
        expected[field] = value;
        expected["modificado"] = json!("2026-10-12T18:05:00Z");
        let answered = ana.put("/webhooks/1", body).await.ok(200);
        assert_eq!(shown(&ana, 1).await, expected);
        expected["ok"] = json!(true);
        assert_eq!(answered, expected);
    }
}

#[tokio::test]
async fn every_fault_has_its_code() {
    let world = World::new().await;
    let (ana, bob) = (world.company().await.admin().await, world.company().await.admin().await);
    webhook(&ana).await;
    for (body, codigo) in [
        (json!({"url": "http://example.com/"}), "url_invalida"),
        (json!({"url": null}), "dato_requerido"),
        (json!({"url": ""}), "dato_requerido"),
        (json!({"url": 7}), "dato_invalido"),
        (json!({"eventos": []}), "evento_no_valido"),
        (json!({"eventos": ["venta.borrada"]}), "evento_no_valido"),
        (json!({"eventos": ["webhook.prueba"]}), "evento_no_valido"),
        (json!({"eventos": ["venta.creada", "venta.creada"]}), "evento_no_valido"),
        (json!({"eventos": null}), "dato_requerido"),
        (json!({"eventos": "venta.creada"}), "dato_invalido"),
        (json!({"activo": null}), "dato_requerido"),
        (json!({"activo": "true"}), "dato_invalido"),
        (json!({"activo": 1}), "dato_invalido"),
        (json!({"descripcion": "x".repeat(256)}), "dato_invalido"),
        (json!({"secreto": "whsec_1"}), "campo_no_permitido"),
        (json!({"estado": "activo"}), "campo_no_permitido"),
        (json!({"clave": 2}), "campo_no_permitido"),
    ] {
        ana.put("/webhooks/1", body.clone()).await.fails(400, codigo);
        ana.put("/webhooks/99", body).await.fails(400, codigo);
    }
    for reply in [ana.put("/webhooks/2", json!({})).await, bob.put("/webhooks/1", json!({"activo": false})).await] {
        reply.fails(404, "no_encontrado");
    }
    ana.put("/webhooks/x", json!({})).await.fails(400, "dato_invalido");
    assert_eq!(shown(&ana, 1).await["modificado"], Value::Null);
}

#[tokio::test]
async fn a_paused_webhook_begins_anew_when_it_is_reactivated() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    webhook(&ana).await;
    pause(&ana, 1).await;
    world.clock.advance(TimeDelta::hours(1));
    let active = ana.put("/webhooks/1", json!({"activo": true})).await.ok(200);
    assert_eq!((&active["activo"], &active["estado"]), (&json!(true), &json!("activo")));
    assert!(world.sql::<bool>("SELECT activo_desde = '2026-10-12T19:00:00Z' FROM webhooks").await);
}

#[tokio::test]
async fn a_disabled_webhook_forgets_its_streak_when_it_is_reactivated() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    webhook(&ana).await;
    disable(&world, 1).await;
    let still = ana.put("/webhooks/1", json!({"activo": false})).await.ok(200);
    assert_eq!((&still["estado"], &still["motivo_desactivacion"]), (&json!("desactivado"), &json!("fallos")));
    assert_eq!((&still["fallos_consecutivos"], &still["modificado"]), (&json!(15), &Value::Null));
    let edited = ana.put("/webhooks/1", json!({"descripcion": "Otra"})).await.ok(200);
    assert_eq!((&edited["estado"], &edited["fallos_consecutivos"]), (&json!("desactivado"), &json!(15)));
    world.clock.advance(TimeDelta::hours(1));
    let active = ana.put("/webhooks/1", json!({"activo": true})).await.ok(200);
    assert_eq!((&active["estado"], &active["motivo_desactivacion"]), (&json!("activo"), &Value::Null));
    assert_eq!(active["fallos_consecutivos"], 0);
    let forgotten =
        "SELECT intentos_fallidos = 0 AND racha_desde IS NULL AND activo_desde = '2026-10-12T19:00:00Z' FROM webhooks";
    assert!(world.sql::<bool>(forgotten).await);
}

#[tokio::test]
async fn an_active_webhook_keeps_its_streak() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    webhook(&ana).await;
    disable(&world, 1).await;
    let failing = "UPDATE webhooks SET activo = true, motivo_desactivacion = NULL";
    sqlx::query(failing).execute(world.pool()).await.unwrap();
    world.clock.advance(TimeDelta::hours(1));
    let edited = ana.put("/webhooks/1", json!({"activo": true, "descripcion": "Otra"})).await.ok(200);
    assert_eq!((&edited["estado"], &edited["fallos_consecutivos"]), (&json!("activo"), &json!(15)));
    let kept = "SELECT intentos_fallidos = 9 AND racha_desde IS NOT NULL AND activo_desde = '2026-10-12T18:00:00Z' FROM webhooks";
    assert!(world.sql::<bool>(kept).await);
}

#[tokio::test]
async fn pausing_keeps_pending_deliveries() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    webhook(&ana).await;
    super::probe(&ana, 1).await;
    pause(&ana, 1).await;
    assert_eq!(ana.walk("/webhooks/1/entregas?estado=pendiente").await.len(), 1);
    bare(&ana, Method::POST, "/webhooks/1/secreto").await.ok(200);
}
