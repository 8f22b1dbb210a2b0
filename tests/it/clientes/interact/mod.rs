//! `POST /clientes/{clave}/interacciones`

mod body;
mod effect;

use serde_json::{Value, json};
use svc_tests::{Actor, Company, Reply, Resource, World};

const PATH: &str = "/clientes/1/interacciones";

/// A company with one customer, assigned to nobody, and someone with every scope.
async fn one_customer() -> (Company, Actor) {
    let company = World::new().await.company().await;
    company.load(Resource::Clientes, &[reachable("Ñandú")]).await;
    let ana = company.admin().await;
    (company, ana)
}

/// A customer who can be contacted.
fn reachable(nombre: &str) -> Value {
    json!({"nombre": nombre, "telefono": "55 1234 5678"})
}

/// A contact that closes the matter.
fn closing() -> Value {
    json!({"canal": "llamada", "resultado": "contactado", "cierre": "vendido"})
}

/// A contact that plans another.
fn following(day: &str) -> Value {
    json!({"canal": "llamada", "resultado": "contactado", "proximo_fecha": day})
}

/// [`closing`] with another value of `field`.
fn with(field: &str, value: Value) -> Value {
    let mut body = closing();
    body[field] = value;
    body
}

/// Checks that the response is this 400, about this field.
#[track_caller]
fn is_about(reply: &Reply, codigo: &str, field: &str) {
    reply.fails(400, codigo);
    assert!(reply.mensaje().starts_with(&format!("{field}: ")), "{field}: {}", reply.mensaje());
}

/// Checks that the response is this 422, with a text that begins with `said`.
#[track_caller]
fn is_422(reply: &Reply, codigo: &str, start: &str) {
    reply.fails(422, codigo);
    assert!(reply.mensaje().starts_with(start), "{}", reply.mensaje());
}

/// The date of the only customer's next contact, as the list shows it.
async fn next_contact(actor: &Actor) -> Value {
    actor.walk("/clientes").await[0]["proximo_contacto"].clone()
}

/// The newest contact as the database has it.
async fn newest(world: &World) -> Value {
    world.json("SELECT to_jsonb(i)::text FROM interacciones i ORDER BY clave DESC LIMIT 1").await
}

/// How many contacts there are.
async fn logged(world: &World) -> i64 {
    world.sql("SELECT count(*) FROM interacciones").await
}

/// All tasks as the database has them.
async fn tasks(world: &World) -> Vec<Value> {
    let rows: String =
        world.sql("SELECT coalesce(jsonb_agg(to_jsonb(t) ORDER BY clave), '[]')::text FROM tareas t").await;
    serde_json::from_str(&rows).expect("rows")
}

/// Day and user of the open tasks.
async fn open(world: &World) -> Vec<(String, i64)> {
    let tasks = tasks(world).await;
    let open = tasks.iter().filter(|task| task["estado"] == "abierta");
    open.map(|task| (task["fecha"].as_str().unwrap().to_owned(), task["vendedor"].as_i64().unwrap())).collect()
}
