//! The answer: status, headers, body.

use std::fmt::Write as _;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode, header};
use serde::Serialize;

use crate::error::{Code, Error};
use crate::operation::{Answer, Head};

const PETICION: HeaderName = HeaderName::from_static("x-svc-peticion");
const AVISO: HeaderName = HeaderName::from_static("x-svc-aviso");
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// A success. It is not formatted: a secret may be in it.
pub(crate) struct Reply {
    head: Head,
    body: Bytes,
    replayed: bool,
}

impl Reply {
    pub(super) fn new(status: StatusCode, body: Bytes) -> Self {
        Self { head: Head::of(status), body, replayed: false }
    }

    /// What a write answers.
    pub(super) fn answered(answer: Answer) -> Self {
        Self { head: answer.head, body: answer.body, replayed: false }
    }

    /// A stored answer, byte for byte.
    pub(super) fn replayed(body: Bytes) -> Self {
        Self { head: Head::of(StatusCode::OK), body, replayed: true }
    }
}

/// What notice mode announces: the errors that will be (contract §5).
#[derive(Debug, Default)]
pub(crate) struct Notices(String);

impl Notices {
    /// Announces that `code` will be answered once limits are enforced; `text` is ASCII.
    pub(super) fn announce(&mut self, code: Code, text: &str) {
        if !self.0.is_empty() {
            self.0.push_str(" | ");
        }
        let _ = write!(self.0, "{}; {text}", code.codigo());
    }
}

pub(super) fn response(outcome: Result<Reply, Error>, peticion: &str, notices: &Notices) -> Response<Bytes> {
    let mut response = match outcome {
        Ok(reply) => {
            let mut response = Response::new(reply.body);
            *response.status_mut() = reply.head.status;
            if let Some(location) = &reply.head.location {
                insert(response.headers_mut(), header::LOCATION, location);
            }
            if let Some(seconds) = reply.head.retry_after {
                response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
            }
            if reply.replayed {
                response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
            }
            response
        }
        Err(error) => refusal(&error, peticion),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // Business data and secrets: no cache may keep them.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    insert(headers, PETICION, peticion);
    if !notices.0.is_empty() {
        insert(headers, AVISO, &notices.0);
    }
    response
}

/// The answer to a request whose handling panicked: a fault of ours like any other.
pub(crate) fn panicked(peticion: &str) -> Response<Bytes> {
    response(Err(Error::internal("the request's handling panicked")), peticion, &Notices::default())
}

fn refusal(error: &Error, peticion: &str) -> Response<Bytes> {
    #[derive(Serialize)]
    struct Body<'a> {
        ok: bool,
        error: Fields<'a>,
    }
    #[derive(Serialize)]
    struct Fields<'a> {
        codigo: &'a str,
        mensaje: &'a str,
        peticion: &'a str,
    }
    if let Some(cause) = error.cause() {
        tracing::error!(peticion, codigo = error.code().codigo(), cause = %cause, "request failed");
    }
    let fields = Fields { codigo: error.code().codigo(), mensaje: error.mensaje(), peticion };
    // Three strings and a boolean cannot fail to serialise.
    let body = serde_json::to_vec(&Body { ok: false, error: fields }).unwrap_or_default();
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = error.status();
    let headers = response.headers_mut();
    if let Some(methods) = error.allowed_methods() {
        insert(headers, header::ALLOW, methods);
    }
    if let Some(seconds) = error.retry_after_seconds() {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    if error.status() == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// All our values are visible ASCII; one that is not is left out rather than failing the answer.
fn insert(headers: &mut http::HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
