//! `GET /health`: the process is alive. It does not use the database.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Error;
use crate::operation::{Entry, Http, Method, Spec};

/// The version of the interface (spec, "Versioning").
pub(crate) const API_VERSION: &str = "1.0.0";

pub(crate) const ENTRY: Entry = Entry::open::<Alive>(&Spec::new().http(Http::open(Method::Get, "/health")), answer);

#[derive(JsonSchema, Serialize)]
struct Alive<'a> {
    ok: bool,
    /// The version of the interface.
    version: &'static str,
    /// The request's id.
    peticion: &'a str,
}

fn answer(peticion: &str) -> Result<Bytes, Error> {
    let alive = Alive { ok: true, version: API_VERSION, peticion };
    serde_json::to_vec(&alive).map(Bytes::from).map_err(Error::internal)
}
