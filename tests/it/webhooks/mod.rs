mod create;
mod delete;
mod deliveries;
mod edit;
mod limit;
mod list;
mod recover;
mod resend;
mod rights;
mod secret;
mod trial;

use http::Method;
use serde_json::{Value, json};
use svc_tests::{Actor, Reply, World, fresh_key};

/// A body that creates a webhook.
pub(crate) fn sound() -> Value {
    json!({"url": "https://example.com/avisos", "eventos": ["venta.creada", "cliente.creado"], "descripcion": "Tienda"})
}

/// Creates a webhook; returns its clave.
async fn webhook(actor: &Actor) -> i64 {
    actor.post("/webhooks", sound()).await.ok(201)["clave"].as_i64().expect("a clave")
}

/// Writes without a body.
pub(crate) async fn bare(actor: &Actor, method: Method, path: &str) -> Reply {
    actor.send(actor.request(method, path).header("Idempotency-Key", fresh_key()), "").await
}

/// Sends a test to a webhook; returns the delivery's clave.
async fn probe(actor: &Actor, webhook: i64) -> i64 {
    let queued = bare(actor, Method::POST, &format!("/webhooks/{webhook}/probar")).await.ok(202);
    queued["entrega"].as_i64().expect("a clave")
}

async fn pause(actor: &Actor, webhook: i64) {
    let paused = actor.put(&format!("/webhooks/{webhook}"), json!({"activo": false})).await.ok(200);
    assert_eq!(paused["estado"], "pausado");
}

/// Disables a webhook as the service does after many failures.
async fn disable(world: &World, webhook: i64) {
    let statement = "UPDATE webhooks SET activo = false, motivo_desactivacion = 'fallos', intentos_fallidos = 9,
                         fallos_consecutivos = 15, racha_desde = '2026-10-10T00:00:00Z' WHERE clave = $1";
    sqlx::query(statement).bind(webhook).execute(world.pool()).await.expect("the webhook is disabled");
}

/// Ends every delivery of the world.
async fn end_deliveries(world: &World, estado: &str) {
    let statement =
        "UPDATE entregas SET estado = $1, proximo_intento = NULL, intentos = 1, http = 500, duracion_ms = 42,
                         motivo = 'respuesta_no_2xx', ultimo_intento = '2026-10-12T18:00:01Z'";
    sqlx::query(statement).bind(estado).execute(world.pool()).await.expect("the deliveries end");
}

/// The webhook as the list shows it.
async fn shown(actor: &Actor, webhook: i64) -> Value {
    actor.get(&format!("/webhooks?clave={webhook}")).await.ok(200)["datos"][0].clone()
}
