//! The part with fields and numbers of applications' own.

use serde_json::{Value, json};
use svc_core::operations::ListUsers;
use svc_core::{Api, Context};
use svc_store_postgres::metadata;
use svc_test_kit::{Actor, BASE_URL, World};

use crate::own_part::{key, sale};

async fn with_metadata() -> (World, Context) {
    let world = World::new().await;
    metadata::migrate(&world.store).await.expect("migrated");
    let context = Context::builder(world.used_store().clone(), BASE_URL).clock(world.clock.clone());
    (world, metadata::added_to(context).build().expect("a context"))
}

const SCOPES: [&str; 2] = ["metadatos:read", "metadatos:write"];

async fn customer(actor: &Actor) -> Value {
    actor.post("/clientes", json!({"nombre": "Ana"})).await.ok(201)["cliente"].clone()
}

fn of(recurso: &str, registro: &Value, rest: &Value) -> Value {
    let mut body = json!({"aplicacion": "tienda", "recurso": recurso, "registro": registro});
    body.as_object_mut().expect("an object").extend(rest.as_object().expect("an object").clone());
    body
}

#[tokio::test]
async fn an_application_keeps_fields_of_records_and_finds_records_by_its_numbers() {
    let (world, context) = with_metadata().await;
    let api = Api::new(&context);
    let (company, other) = (world.company().await, world.company().await);
    let (ana, eva) = (key(&company, &SCOPES, &api).await, key(&other, &SCOPES, &api).await);
    let (cliente, venta) = (customer(&ana).await, json!(sale(&ana).await));
    let body = of("clientes", &cliente, &json!({"id_externo": "C-1", "metadatos": {"talla": "M", "color": "rojo"}}));
    assert_eq!(ana.put("/metadatos", body.clone()).await.ok(200)["metadato"], 1);
    ana.put("/metadatos", body.clone()).await.ok(200);
    // What is not named stays; null and "" remove.
    let change = of("clientes", &cliente, &json!({"metadatos": {"talla": null, "nota": "x", "color": ""}}));
    assert_eq!(ana.put("/metadatos", change).await.ok(200)["metadato"], 1);
    ana.put("/metadatos", of("ventas", &venta, &json!({"id_externo": "C-1"}))).await.ok(200);
    let page = ana.get("/metadatos?id_externo=C-1&recurso=clientes").await.ok(200);
    let [found] = &page["datos"].as_array().expect("records")[..] else { panic!("{page}") };
    assert_eq!((&found["registro"], &found["metadatos"]), (&cliente, &json!({"nota": "x"})));
    assert_eq!(ana.get("/metadatos?aplicacion=tienda").await.ok(200)["datos"].as_array().map(Vec::len), Some(2));

    // A number is of one record of the application, and free for others.
    let second = customer(&ana).await;
    ana.put("/metadatos", of("clientes", &second, &json!({"id_externo": "C-1"})))
        .await
        .fails(409, "id_externo_duplicado");
    let mut elsewhere = of("clientes", &second, &json!({"id_externo": "C-1"}));
    elsewhere["aplicacion"] = json!("otra");
    ana.put("/metadatos", elsewhere).await.ok(200);
    ana.put("/metadatos", of("clientes", &cliente, &json!({"id_externo": null}))).await.ok(200);
    ana.put("/metadatos", of("clientes", &second, &json!({"id_externo": "C-1"}))).await.ok(200);

    // Another company has neither the records nor what is kept of them.
    eva.put("/metadatos", body).await.fails(422, "referencia_invalida");
    assert_eq!(eva.get("/metadatos").await.ok(200)["datos"], json!([]));
    let theirs = customer(&eva).await;
    eva.put("/metadatos", of("clientes", &theirs, &json!({"id_externo": "C-1"}))).await.ok(200);

    let events = ana.get("/eventos?tipo=metadatos.cambiados").await.ok(200);
    let events = events["datos"].as_array().expect("events");
    assert_eq!(events.len(), 6, "the repetition changed nothing");
    let first =
        json!({"metadato": 1, "aplicacion": "tienda", "recurso": "clientes", "registro": cliente, "id_externo": "C-1"});
    assert_eq!(events[0]["datos"], first);
}

#[tokio::test]
async fn what_does_not_fit_is_refused() {
    let (world, context) = with_metadata().await;
    let api = Api::new(&context);
    let company = world.company().await;
    let ana = key(&company, &SCOPES, &api).await;
    let cliente = customer(&ana).await;
    let fields = |count: usize| -> Value {
        (0..count).map(|at| (format!("campo {at}"), json!("x"))).collect::<serde_json::Map<_, _>>().into()
    };
    let write = async |body: Value| ana.put("/metadatos", body).await;
    write(of("clientes", &cliente, &json!({"metadatos": fields(51)}))).await.fails(422, "demasiados_metadatos");
    write(of("clientes", &cliente, &json!({"metadatos": fields(50)}))).await.ok(200);
    write(of("clientes", &cliente, &json!({"metadatos": {"uno más": "x"}}))).await.fails(422, "demasiados_metadatos");
    write(of("clientes", &cliente, &json!({"metadatos": {"uno más": "x", "campo 0": null}}))).await.ok(200);
    let long = "ñ".repeat(500);
    write(of("clientes", &cliente, &json!({"metadatos": {"campo 1": long}}))).await.ok(200);
    write(of("clientes", &cliente, &json!({"metadatos": {"campo 1": format!("{long}x")}})))
        .await
        .fails(400, "dato_invalido");
    write(of("clientes", &cliente, &json!({"metadatos": {" ": "x"}}))).await.fails(400, "dato_invalido");
    write(of("clientes", &cliente, &json!({"metadatos": {"a": 1}}))).await.fails(400, "dato_invalido");
    write(of("clientes", &cliente, &json!({"metadatos": "x"}))).await.fails(400, "dato_invalido");
    write(of("llaves", &cliente, &json!({}))).await.fails(400, "dato_invalido");
    write(of("clientes", &json!(99), &json!({}))).await.fails(422, "referencia_invalida");
    write(json!({"recurso": "clientes", "registro": cliente})).await.fails(400, "dato_requerido");

    // A key that cannot read the record cannot find out whether it is there.
    let scopes = svc_core::domain::scope::KeyScopes::of_words(SCOPES);
    let blind = company.key(svc_core::operations::CreateKey { scopes, ..svc_test_kit::any_key() }).await.at(&api);
    for registro in [&cliente, &json!(99)] {
        blind.put("/metadatos", of("clientes", registro, &json!({}))).await.fails(403, "sin_permiso");
    }
    company.admin().await.at(&api).get("/metadatos").await.fails(403, "sin_permiso");
    context.run(company.id, &ListUsers { after: 0, max: 1 }).await.expect("the rest works");
}

#[tokio::test]
async fn concurrent_writes_of_metadata_are_both_kept_or_one_is_refused() {
    let (world, context) = with_metadata().await;
    let ana = key(&world.company().await, &SCOPES, &Api::new(&context)).await;
    let (cliente, second) = (customer(&ana).await, customer(&ana).await);
    let one = ana.put("/metadatos", of("clientes", &cliente, &json!({"metadatos": {"a": "1"}})));
    let two = ana.put("/metadatos", of("clientes", &cliente, &json!({"metadatos": {"b": "2"}})));
    let (one, two) = tokio::join!(one, two);
    assert_eq!(one.ok(200), two.ok(200));
    let page = ana.get("/metadatos").await.ok(200);
    assert_eq!(page["datos"][0]["metadatos"], json!({"a": "1", "b": "2"}));
    let one = ana.put("/metadatos", of("clientes", &cliente, &json!({"id_externo": "X"})));
    let two = ana.put("/metadatos", of("clientes", &second, &json!({"id_externo": "X"})));
    let (one, two) = tokio::join!(one, two);
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
}
