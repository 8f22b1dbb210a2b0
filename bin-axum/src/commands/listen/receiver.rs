//! Receives notices, and forwards those with a valid signature.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::any;
use http::{HeaderMap, Method, StatusCode};
use serde::Serialize;
use serde_json::value::RawValue;
use svc_core::domain::clock::{Clock, SystemClock};
use svc_core::webhooks::verify;
use tokio::net::TcpListener;
use tokio::sync::mpsc::Sender;

/// A notice with a valid signature.
#[derive(Serialize)]
pub(super) struct ReceivedNotice {
    entrega: Option<i64>,
    /// The number of the attempt.
    intento: Option<u32>,
    /// The notice's body, unchanged.
    aviso: Box<RawValue>,
}

struct Receiver {
    secret: String,
    notices: Sender<ReceivedNotice>,
}

/// Answers until it is dropped; valid notices go to `notices`.
pub(super) async fn receive(listener: TcpListener, secret: String, notices: Sender<ReceivedNotice>) -> io::Result<()> {
    let receiver = Arc::new(Receiver { secret, notices });
    let app = Router::new().fallback(any(answer)).with_state(receiver);
    axum::serve(listener, app).await
}

async fn answer(
    State(receiver): State<Arc<Receiver>>,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, &'static str) {
    if method != Method::POST {
        return (StatusCode::METHOD_NOT_ALLOWED, "svc listen takes notices: POST");
    }
    if let Err(error) = verify(&headers, &body, &[&receiver.secret], SystemClock.now()) {
        eprintln!("refused what somebody sent: {error}");
        return (StatusCode::UNAUTHORIZED, "not genuine");
    }
    let Ok(aviso) = serde_json::from_slice(&body) else {
        eprintln!("refused a notice that is no JSON");
        return (StatusCode::BAD_REQUEST, "no JSON");
    };
    let notice = ReceivedNotice {
        entrega: number(&headers, "x-svc-entrega"),
        intento: number(&headers, "x-svc-intento"),
        aviso,
    };
    match receiver.notices.send(notice).await {
        Ok(()) => (StatusCode::OK, ""),
        // The command is ending.
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, ""),
    }
}

fn number<T: std::str::FromStr>(headers: &HeaderMap, name: &str) -> Option<T> {
    headers.get(name)?.to_str().ok()?.parse().ok()
}
