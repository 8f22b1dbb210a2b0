//! `/clientes`

mod comparable;
mod create;
mod cursor;
mod edit;
mod followed;
mod interact;
mod limits;
mod list;

use bytes::Bytes;
use http::{Method, header};
use serde_json::Value;
use svc_tests::{Actor, Reply, World, fresh_key};

/// Sends a body that need not be JSON, with its own Idempotency-Key.
async fn write_raw(actor: &Actor, method: Method, path: &str, body: impl Into<Bytes>) -> Reply {
    let request = actor.request(method, path).header("Idempotency-Key", fresh_key());
    actor.send(request.header(header::CONTENT_TYPE, "application/json"), body).await
}

/// The newest customer's row.
async fn newest(world: &World) -> Value {
    // Without the columns that only repeat others for comparing.
    world
        .json(
            "SELECT (to_jsonb(c) - '{correo_comparable,telefono_comparable,movil_comparable}'::text[])::text
             FROM clientes c ORDER BY empresa DESC, clave DESC LIMIT 1",
        )
        .await
}

/// The body of the last event.
async fn last_event(world: &World) -> Value {
    world.json("SELECT convert_from(cuerpo, 'UTF8') FROM emitidos ORDER BY id DESC LIMIT 1").await
}
