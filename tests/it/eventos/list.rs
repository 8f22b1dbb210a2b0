use chrono::TimeDelta;
use http::Method;
use serde_json::{Value, json};
use svc_core::domain::scope::Scope;
use svc_core::{clean_up, domain::clock::Clock as _};
use svc_tests::lists::{claves, has_fields, refuses};
use svc_tests::{Actor, Company, World, in_notice_mode};

use super::{next, told};
use crate::delivery::answering;
use crate::webhooks::bare;

async fn customer(actor: &Actor, nombre: &str) -> i64 {
    actor.post("/clientes", json!({"nombre": nombre})).await.ok(201)["cliente"].as_i64().expect("a clave")
}

async fn product(actor: &Actor, sku: &str) {
    actor.post("/productos", json!({"sku": sku, "descripcion": sku, "unidad": 1})).await.ok(201);
}

async fn company() -> Company {
    World::new().await.company().await
}

#[tokio::test]
async fn an_event_is_as_its_notice_tells_it() {
    let company = company().await;
    let ana = company.admin().await;
    customer(&ana, "Ana").await;
    let reply = ana.get("/eventos").await;
    has_fields(&reply, &["clave", "id", "tipo", "creado", "datos", "recurso"]);
    let page = reply.ok(200);
    assert_eq!((page["datos"].as_array().map(Vec::len), &page["hay_mas"]), (Some(1), &json!(false)));
    let event = &page["datos"][0];
    let notice: String = company.world.sql("SELECT convert_from(cuerpo, 'UTF8') FROM eventos").await;
    let notice: Value = serde_json::from_str(&notice).expect("JSON");
    for field in ["id", "tipo", "creado", "datos", "recurso"] {
        assert_eq!(event[field], notice[field], "{field}");
    }
    assert_eq!(event["datos"], json!({"cliente": 1}));
    assert_eq!(
        event["recurso"],
        json!({"tipo": "clientes", "clave": 1, "url": format!("{}/clientes?clave=1", svc_tests::BASE_URL)})
    );
    assert_eq!(event["creado"], "2026-10-12T18:00:00Z");
    assert_eq!(event["clave"], json!(company.world.clock.now().timestamp_millis()), "no less than its time");
    let text = String::from_utf8(reply.body.to_vec()).expect("UTF-8");
    assert!(text.contains(r#""recurso":{"tipo":"clientes","clave":1,"url":"#), "the notice's own bytes: {text}");
}

#[tokio::test]
async fn a_reader_goes_on_where_it_read_to() {
    let company = company().await;
    let ana = company.admin().await;
    let mut cursor = String::new();
    assert!(next(&ana, &mut cursor).await.is_empty(), "nothing has happened");
    customer(&ana, "Ana").await;
    customer(&ana, "Eva").await;
    assert_eq!(told(&next(&ana, &mut cursor).await), ["cliente.creado 1", "cliente.creado 2"]);
    let end = cursor.clone();
    assert!(next(&ana, &mut cursor).await.is_empty());
    assert_eq!(cursor, end, "it stays where it is");
    company.world.clock.advance(TimeDelta::days(20));
    product(&ana, "A").await;
    assert_eq!(told(&next(&ana, &mut cursor).await), ["producto.creado 1"]);
    // One by one, and with a filter.
    let whole = ana.walk("/eventos").await;
    assert_eq!(ana.walk("/eventos?limite=1").await, whole);
    assert_eq!(
        told(&ana.walk("/eventos?limite=1&tipo=cliente.creado").await),
        ["cliente.creado 1", "cliente.creado 2"]
    );
    assert!(claves(&whole).is_sorted_by(|one, other| one < other));
    let page = ana.get("/eventos?limite=2").await.ok(200);
    assert_eq!((page["hay_mas"].clone(), page["datos"].as_array().map(Vec::len)), (json!(true), Some(2)));
    let other = ana.get(&format!("/eventos?tipo=cliente.creado&cursor={cursor}")).await;
    other.fails(400, "cursor_invalido");
}

#[tokio::test]
async fn a_key_sees_the_events_whose_resource_it_reads() {
    let company = company().await;
    let ana = company.admin().await;
    customer(&ana, "Ana").await;
    for sku in ["A", "B", "C"] {
        product(&ana, sku).await;
    }
    customer(&ana, "Eva").await;
    let clerk = company.actor(&[Scope::WebhooksWrite, Scope::ClientesRead]).await;
    let customers = ["cliente.creado 1", "cliente.creado 2"];
    for query in ["", "?limite=1", "?tipo=cliente.creado", "?creado_desde=2026-10-12&limite=1"] {
        assert_eq!(told(&clerk.walk(&format!("/eventos{query}")).await), customers, "{query}");
    }
    let [first, second, ..] = ana.walk("/eventos").await.try_into().map(|all: [Value; 5]| all).expect("five");
    let found = |event: &Value| format!("/eventos?clave={}", event["clave"]);
    assert_eq!(told(&clerk.walk(&found(&first)).await), ["cliente.creado 1"]);
    assert!(clerk.walk(&found(&second)).await.is_empty(), "a product's event");
    assert_eq!(told(&ana.walk(&found(&second)).await), ["producto.creado 1"]);
    let refused = clerk.get("/eventos?tipo=producto.creado").await;
    refused.fails(403, "sin_permiso");
    assert_eq!(refused.mensaje(), "tipo: producto.creado requiere el permiso productos:read");
    let nobody = company.actor(&[Scope::WebhooksWrite]).await;
    let page = nobody.get("/eventos").await.ok(200);
    assert_eq!((&page["datos"], page["siguiente"].is_string()), (&json!([]), true));
    company.actor(&[Scope::ClientesRead]).await.get("/eventos").await.fails(403, "sin_permiso");
}

#[tokio::test]
async fn a_test_is_no_event_of_the_company() {
    let company = company().await;
    let ana = company.admin().await;
    ana.post("/webhooks", crate::webhooks::sound()).await.ok(201);
    bare(&ana, Method::POST, "/webhooks/1/probar").await.ok(202);
    customer(&ana, "Ana").await;
    assert_eq!(told(&ana.walk("/eventos").await), ["cliente.creado 1"]);
    refuses(&ana, "/eventos", &[("tipo=webhook.prueba", "filtro_invalido"), ("limite=31", "limite_invalido")]).await;
    let notice = company.world.company_with(in_notice_mode()).await.admin().await;
    notice.get("/eventos?limite=500").await.ok(200);
}

#[tokio::test]
async fn grouped_events_appear_when_they_leave() {
    let company = company().await;
    let (world, ana) = (&company.world, company.admin().await);
    customer(&ana, "Ana").await;
    let mut cursor = String::new();
    next(&ana, &mut cursor).await;
    for telefono in ["1", "2"] {
        ana.put("/clientes/1", json!({"telefono": telefono})).await.ok(200);
    }
    assert!(next(&ana, &mut cursor).await.is_empty());
    // Another event overtakes the group.
    world.clock.advance(TimeDelta::seconds(30));
    customer(&ana, "Eva").await;
    assert_eq!(told(&next(&ana, &mut cursor).await), ["cliente.creado 2"]);
    world.clock.advance(TimeDelta::seconds(30));
    // Without any webhook.
    assert_eq!(world.deliver(&answering::<200>()).await.agrupados, 1);
    let events = next(&ana, &mut cursor).await;
    assert_eq!(told(&events), ["cliente.actualizado 1"]);
    assert_eq!(events[0]["creado"], "2026-10-12T18:01:00Z");
    let both = ["cliente.creado 2", "cliente.actualizado 1"];
    assert_eq!(told(&ana.walk("/eventos?creado_desde=2026-10-12T18:00:30Z").await), both);
    assert_eq!(told(&ana.walk("/eventos?creado_desde=2026-10-12T18:00:31Z").await), both[1..]);
    assert!(ana.walk("/eventos?creado_desde=2026-10-13").await.is_empty());
    assert_eq!(ana.walk("/eventos?creado_desde=2020-01-01&limite=2").await.len(), 3);
}

#[tokio::test]
async fn events_are_shown_for_thirty_days_and_kept_no_less() {
    let world = World::new().await;
    let company = world.company().await;
    let ana = company.admin().await;
    // A group that no worker turned into an event for twenty days.
    world.clock.set_to_present(TimeDelta::days(-60));
    customer(&ana, "Ana").await;
    ana.put("/clientes/1", json!({"telefono": "1"})).await.ok(200);
    world.clock.set_to_present(TimeDelta::days(-40));
    world.deliver(&answering::<200>()).await;
    ana.put("/clientes/1", json!({"telefono": "2"})).await.ok(200);
    for (days, nombre) in [(31, "Eva"), (29, "Luis"), (1, "Sara")] {
        world.clock.set_to_present(TimeDelta::days(-days));
        customer(&ana, nombre).await;
    }
    world.clock.set_to_present(TimeDelta::days(-20));
    world.deliver(&answering::<200>()).await;
    world.clock.set_to_present(TimeDelta::zero());
    let shown = ["cliente.creado 3", "cliente.creado 4", "cliente.actualizado 1"];
    assert_eq!(told(&ana.walk("/eventos").await), shown);
    assert_eq!(told(&ana.walk("/eventos?limite=1&creado_desde=2020-01-01").await), shown);
    // The clean-up removes what is not shown any more, and never the group, whose id is older.
    assert_eq!(clean_up(world.api.context()).await.expect("a clean-up"), 3);
    assert_eq!(told(&ana.walk("/eventos").await), shown);
    assert_eq!(world.count("eventos").await, 3);
}

#[tokio::test]
async fn a_company_sees_only_its_own_events() {
    let world = World::new().await;
    let (ours, theirs) = (world.company().await, world.company().await);
    let (ana, bob) = (ours.admin().await, theirs.admin().await);
    customer(&ana, "Ana").await;
    product(&bob, "B").await;
    customer(&ana, "Eva").await;
    assert_eq!(told(&ana.walk("/eventos").await), ["cliente.creado 1", "cliente.creado 2"]);
    let theirs = bob.walk("/eventos").await;
    assert_eq!(told(&theirs), ["producto.creado 1"]);
    let cursor = bob.get("/eventos").await.json()["siguiente"].as_str().expect("a cursor").to_owned();
    ana.get(&format!("/eventos?cursor={cursor}")).await.fails(400, "cursor_invalido");
    let found = ana.walk(&format!("/eventos?clave={}", theirs[0]["clave"])).await;
    assert!(found.iter().all(|event| event["tipo"] == "cliente.creado"), "{found:?}");
}
