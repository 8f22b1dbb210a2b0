//! A receiver of webhooks: what to do with a notice, in the order in which to do it.
//!
//! `WEBHOOK_SECRET=whsec_… cargo run -p svc-examples --example receive_webhooks`
//!
//! After the secret was rotated, `WEBHOOK_SECRET_PREVIOUS` keeps the old one until every notice is
//! signed with the new one, a day later. The registered URL must be public and https: a proxy in
//! front of this one provides both.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use serde_json::Value;
use svc_core::domain::clock::{Clock, SystemClock};
use svc_core::webhooks::verify;
use tokio::sync::mpsc::Sender;

/// Capacity of the queue of notices to be processed.
const WAITING: usize = 1_000;
/// Events that are remembered, to detect repetitions.
const REMEMBERED: usize = 100_000;

struct Receiver {
    secrets: Vec<String>,
    clock: Arc<dyn Clock>,
    seen: Mutex<Seen>,
    work: Sender<Value>,
}

/// The most recent events. This memory ends with the process: a real receiver has a table with a
/// unique index on the event's id, and inserts there in the transaction that handles the event.
#[derive(Default)]
struct Seen {
    ids: HashSet<String>,
    order: VecDeque<String>,
}

impl Seen {
    /// Whether it is new.
    fn insert(&mut self, id: &str) -> bool {
        if !self.ids.insert(id.to_owned()) {
            return false;
        }
        self.order.push_back(id.to_owned());
        if self.order.len() > REMEMBERED {
            self.order.pop_front().map(|oldest| self.ids.remove(&oldest));
        }
        true
    }
}

/// `body` is the raw body: the signature covers its bytes, not what a parser makes of them.
async fn receive(State(receiver): State<Arc<Receiver>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let secrets: Vec<&str> = receiver.secrets.iter().map(String::as_str).collect();
    // Genuine, and at most five minutes old: an older notice may be a replay.
    if let Err(error) = verify(&headers, &body, &secrets, receiver.clock.now()) {
        eprintln!("refused a notice: {error}");
        return StatusCode::UNAUTHORIZED;
    }
    // The same id as in X-Svc-Evento-Id, but signed.
    let notice: Value = serde_json::from_slice(&body).unwrap_or_default();
    let Some(id) = notice["id"].as_str().map(str::to_owned) else { return StatusCode::BAD_REQUEST };
    // Room is reserved first: a refused event must not count as seen, since it is sent again.
    let Ok(room) = receiver.work.try_reserve() else { return StatusCode::SERVICE_UNAVAILABLE };
    // The same event may arrive more than once. Each time it is answered with 2xx, or it would be
    // sent again.
    if receiver.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(&id) {
        room.send(notice);
    }
    // The answer must come within 8 seconds, so the work is done afterwards.
    StatusCode::NO_CONTENT
}

fn app(secrets: Vec<String>, clock: Arc<dyn Clock>, work: Sender<Value>) -> Router {
    let receiver = Receiver { secrets, clock, seen: Mutex::default(), work };
    Router::new().route("/avisos", post(receive)).with_state(Arc::new(receiver))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let previous = std::env::var("WEBHOOK_SECRET_PREVIOUS").ok();
    let secrets = std::iter::once(std::env::var("WEBHOOK_SECRET")?).chain(previous).collect();
    let (work, mut notices) = tokio::sync::mpsc::channel::<Value>(WAITING);
    tokio::spawn(async move {
        while let Some(notice) = notices.recv().await {
            // A notice only names the changed record; its data are read from the API, with a key
            // that has the scope.
            println!("{} changed: GET {}", notice["tipo"], notice["recurso"]["url"]);
        }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3001").await?;
    Ok(axum::serve(listener, app(secrets, Arc::new(SystemClock), work)).await?)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::Request;
    use svc_core::webhooks::{SIGNATURE, signature};
    use tower::ServiceExt as _;

    use super::*;

    /// The answer to an event signed with `secret` this many seconds ago.
    async fn answer(app: &Router, event: &str, secret: &str, ago: i64) -> StatusCode {
        let body = format!(r#"{{"id":"{event}","tipo":"cliente.creado"}}"#);
        let at = SystemClock.now() - std::time::Duration::from_secs(ago.unsigned_abs());
        let signed = signature(&[secret.as_bytes()], at, body.as_bytes());
        let request = Request::post("/avisos").header(SIGNATURE, signed);
        app.clone().oneshot(request.body(Body::from(body)).unwrap()).await.unwrap().status()
    }

    #[tokio::test]
    async fn a_genuine_notice_is_processed_once() {
        let (work, mut notices) = tokio::sync::mpsc::channel(2);
        let app = app(vec!["whsec_new".to_owned(), "whsec_old".to_owned()], Arc::new(SystemClock), work);
        assert_eq!(answer(&app, "evt_1", "whsec_new", 0).await, StatusCode::NO_CONTENT);
        assert_eq!(answer(&app, "evt_2", "whsec_old", 60).await, StatusCode::NO_CONTENT, "rotated");
        assert_eq!(answer(&app, "evt_3", "whsec_new", 0).await, StatusCode::SERVICE_UNAVAILABLE, "no room");
        for expected in ["evt_1", "evt_2"] {
            assert_eq!(notices.recv().await.unwrap()["id"], expected);
        }
        assert_eq!(answer(&app, "evt_1", "whsec_new", 0).await, StatusCode::NO_CONTENT, "again");
        assert_eq!(answer(&app, "evt_4", "whsec_other", 0).await, StatusCode::UNAUTHORIZED);
        assert_eq!(answer(&app, "evt_4", "whsec_new", 301).await, StatusCode::UNAUTHORIZED, "too old");
        assert!(notices.try_recv().is_err());
        assert_eq!(answer(&app, "evt_3", "whsec_new", 0).await, StatusCode::NO_CONTENT, "not seen before");
        assert_eq!(notices.recv().await.unwrap()["id"], "evt_3");
    }
}
