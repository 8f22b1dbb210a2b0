//! Receives notices, verifies them, and passes them on.

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

use super::forward::Forward;

/// A notice with a valid signature.
#[derive(Serialize)]
pub(super) struct ReceivedNotice {
    entrega: Option<i64>,
    /// The number of the attempt.
    intento: Option<u32>,
    /// The status that the program answered; none if the notice was not passed on, or not answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    respuesta: Option<u16>,
    /// The notice's body, unchanged.
    aviso: Box<RawValue>,
}

struct Receiver {
    secret: String,
    forward: Option<Forward>,
    notices: Sender<ReceivedNotice>,
}

/// Answers until it is dropped; valid notices go to `notices`.
pub(super) async fn receive(
    listener: TcpListener,
    secret: String,
    forward: Option<Forward>,
    notices: Sender<ReceivedNotice>,
) -> io::Result<()> {
    let receiver = Arc::new(Receiver { secret, forward, notices });
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
    let entrega = number(&headers, "x-svc-entrega");
    let passed = match &receiver.forward {
        Some(forward) => Some(passed_on(forward, entrega, &headers, body).await),
        None => None,
    };
    let respuesta = passed.flatten().map(|status| status.as_u16());
    let notice = ReceivedNotice { entrega, intento: number(&headers, "x-svc-intento"), respuesta, aviso };
    match (receiver.notices.send(notice).await, passed) {
        // The command is ending.
        (Err(_), _) => (StatusCode::SERVICE_UNAVAILABLE, ""),
        (Ok(()), None) => (StatusCode::OK, ""),
        (Ok(()), Some(status)) => (status.unwrap_or(StatusCode::BAD_GATEWAY), ""),
    }
}

/// Passes a notice on; returns the status of the answer, if there is one. The API sends again what
/// is not answered with success.
async fn passed_on(forward: &Forward, entrega: Option<i64>, headers: &HeaderMap, body: Bytes) -> Option<StatusCode> {
    let answered = forward.send(headers, body).await;
    let (to, entrega) = (forward.to(), entrega.unwrap_or_default());
    match &answered {
        Ok(status) if status.is_success() => {}
        Ok(status) => eprintln!("delivery {entrega}: {to} answered {status}"),
        Err(cause) => eprintln!("delivery {entrega}: {to}: {cause}"),
    }
    answered.ok()
}

fn number<T: std::str::FromStr>(headers: &HeaderMap, name: &str) -> Option<T> {
    headers.get(name)?.to_str().ok()?.parse().ok()
}
