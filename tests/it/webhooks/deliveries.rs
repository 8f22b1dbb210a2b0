use std::collections::HashSet;

use serde_json::json;
use svc_tests::World;
use svc_tests::lists::{finds, has_fields};

use super::{end_deliveries, probe, webhook};

const PATH: &str = "/webhooks/1/entregas";

#[tokio::test]
async fn a_delivery_has_its_fields() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    webhook(&ana).await;
    probe(&ana, 1).await;
    end_deliveries(&world, "fallida").await;
    let page = ana.get(PATH).await;
    let fields = [
        "clave",
        "webhook",
        "evento",
        "tipo",
        "estado",
        "intentos",
        "http",
        "motivo",
        "duracion_ms",
        "creado",
        "ultimo_intento",
        "proximo_intento",
    ];
    has_fields(&page, &fields);
    let delivery = &page.json()["datos"][0];
    assert_eq!((&delivery["http"], &delivery["intentos"]), (&json!(500), &json!(1)));
    assert_eq!((&delivery["motivo"], &delivery["duracion_ms"]), (&json!("respuesta_no_2xx"), &json!(42)));
    assert_eq!(delivery["ultimo_intento"], "2026-10-12T18:00:01Z");
}

#[tokio::test]
async fn filters() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    for webhook_of_it in [webhook(&ana).await, webhook(&ana).await] {
        for _ in 0..3 {
            probe(&ana, webhook_of_it).await;
        }
    }
    let states =
        "UPDATE entregas SET estado = CASE clave WHEN 1 THEN 'entregada' ELSE 'fallida' END, tipo = 'venta.creada',
                      proximo_intento = NULL WHERE clave IN (1, 2)";
    sqlx::query(states).execute(world.pool()).await.unwrap();
    finds(
        &ana,
        PATH,
        &[
            ("", &[1, 2, 3]),
            ("clave=2", &[2]),
            ("clave=4", &[]),
            ("estado=pendiente", &[3]),
            ("estado=entregada", &[1]),
            ("estado=fallida", &[2]),
            ("estado=descartada", &[]),
            ("tipo=venta.creada", &[1, 2]),
            ("tipo=webhook.prueba", &[3]),
            ("tipo=venta.creada&estado=fallida", &[2]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_cursor_is_bound_to_its_webhook() {
    let ana = World::new().await.company().await.admin().await;
    for webhook_of_it in [webhook(&ana).await, webhook(&ana).await] {
        probe(&ana, webhook_of_it).await;
        probe(&ana, webhook_of_it).await;
    }
    let page = ana.get("/webhooks/1/entregas?limite=1").await.ok(200);
    let cursor = page["siguiente"].as_str().expect("a cursor");
    for (path, of_it) in
        [("/webhooks/1/entregas", true), ("/webhooks/001/entregas", true), ("/webhooks/2/entregas", false)]
    {
        let reply = ana.get(&format!("{path}?cursor={cursor}")).await;
        if of_it {
            assert_eq!(reply.ok(200)["datos"][0]["clave"], 2, "{path}");
        } else {
            reply.fails(400, "cursor_invalido");
        }
    }
    ana.get(&format!("/webhooks?cursor={cursor}")).await.fails(400, "cursor_invalido");
}

#[tokio::test]
async fn filters_are_validated_after_the_clave_and_before_the_webhook_is_looked_up() {
    let ana = World::new().await.company().await.admin().await;
    ana.get("/webhooks/2/entregas?estado=x").await.fails(400, "filtro_invalido");
    let reply = ana.get("/webhooks/x/entregas?estado=x").await;
    reply.fails(400, "dato_invalido");
    assert!(reply.mensaje().starts_with("clave: "), "{}", reply.mensaje());
}

#[tokio::test]
async fn no_company_sees_the_deliveries_of_another() {
    let world = World::new().await;
    let mut seen = HashSet::new();
    for _ in 0..2 {
        let actor = world.company().await.admin().await;
        webhook(&actor).await;
        for _ in 0..35 {
            probe(&actor, 1).await;
        }
        let deliveries = actor.walk(PATH).await;
        assert_eq!(deliveries.len(), 35);
        for delivery in deliveries {
            assert!(seen.insert(delivery["evento"].to_string()), "{delivery}");
        }
    }
}
