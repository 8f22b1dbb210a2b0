use chrono::TimeDelta;
use serde_json::json;
use svc_tests::{Actor, Company, World};

use super::*;

/// A customer whose edits go to a webhook.
async fn edited() -> (Company, Actor, Receiver<Answer>) {
    let company = World::new().await.company().await;
    let ana = company.admin().await;
    webhook(&company, &["cliente.actualizado"]).await;
    ana.post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
    (company, ana, answering::<200>())
}

async fn edit(ana: &Actor, telefono: i64) {
    ana.put("/clientes/1", json!({"telefono": telefono.to_string()})).await.ok(200);
}

#[tokio::test]
async fn changes_become_one_event_after_a_minute_without_another() {
    let (company, ana, receiver) = edited().await;
    let world = &company.world;
    for seconds in [0, 30, 59] {
        world.clock.advance(TimeDelta::seconds(seconds));
        edit(&ana, seconds).await;
        assert_eq!(world.deliver(&receiver).await.agrupados, 0);
    }
    world.clock.advance(TimeDelta::seconds(59));
    assert_eq!(world.deliver(&receiver).await.agrupados, 0);
    world.clock.advance(TimeDelta::seconds(1));
    let report = world.deliver(&receiver).await;
    assert_eq!((report.agrupados, report.entregadas), (1, 1));
    let [post] = receiver.posts().try_into().expect("one notice");
    let body: Value = serde_json::from_slice(&post.body).expect("JSON");
    assert_eq!((&body["tipo"], &body["datos"]), (&json!("cliente.actualizado"), &json!({"cliente": 1})));
    assert_eq!(body["creado"], "2026-10-12T18:02:29Z", "when it became an event");
    assert_eq!(header(&post, "x-svc-evento-id"), body["id"].as_str().expect("an id"));
    let stored = "SELECT creado::text || ' ' || (convert_from(cuerpo, 'UTF8')::jsonb ->> 'id' = 'evt_' || replace(id::text, '-', ''))
                  FROM eventos WHERE tipo = 'cliente.actualizado'";
    assert_eq!(world.sql::<String>(stored).await, "2026-10-12 18:02:29+00 true");
    // The next change is another event.
    edit(&ana, 1).await;
    world.clock.advance(TimeDelta::minutes(1));
    assert_eq!(world.deliver(&receiver).await.entregadas, 1);
}

#[tokio::test]
async fn continuous_changes_are_sent_every_five_minutes() {
    let (company, ana, receiver) = edited().await;
    let world = &company.world;
    let mut sent = Vec::new();
    for second in (0..16 * 60).step_by(20) {
        edit(&ana, second).await;
        if world.deliver(&receiver).await.agrupados > 0 {
            sent.push(second);
        }
        world.clock.advance(TimeDelta::seconds(20));
    }
    // A change that finds its group due is sent with it; the next one begins another.
    assert_eq!(sent, [300, 620, 940]);
    assert_eq!(receiver.posts().len(), 3);
}

#[tokio::test]
async fn each_resource_and_type_has_its_own() {
    let company = World::new().await.company().await;
    let (world, ana, receiver) = (&company.world, company.admin().await, answering::<200>());
    webhook(
        &company,
        &["cliente.creado", "cliente.actualizado", "producto.actualizado", "inventario.existencia_cambiada"],
    )
    .await;
    for nombre in ["Ana", "Eva"] {
        ana.post("/clientes", json!({"nombre": nombre})).await.ok(201);
    }
    assert_eq!(world.deliver(&receiver).await.entregadas, 2, "creations do not wait");
    ana.post("/productos", json!({"sku": "A", "descripcion": "Clavo", "unidad": 1})).await.ok(201);
    ana.put("/productos/1", json!({"descripcion": "Pija"})).await.ok(200);
    for clave in [1, 2] {
        ana.put(&format!("/clientes/{clave}"), json!({"telefono": "1"})).await.ok(200);
    }
    for cantidad in [1, 2, 3] {
        let input = json!({"sku": "A", "almacen": "001", "tipo": "ajuste_entrada", "cantidad": cantidad});
        company.run_by_name("stock.move", &input).await.expect("stock moves");
    }
    world.clock.advance(TimeDelta::minutes(1));
    assert_eq!(world.deliver(&receiver).await.agrupados, 4);
}
