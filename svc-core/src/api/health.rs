//! `GET /health`: the process is alive. It asks nothing of the database.

use serde::Serialize;

use crate::operation::{Method, OpenOperation, Spec};

/// The version of the interface (spec, "Versioning").
pub const API_VERSION: &str = "1.0.0";

/// Says that the process is alive.
pub struct Health;

/// The answer of [`Health`].
#[derive(Debug, Serialize)]
pub struct Alive {
    version: &'static str,
    peticion: String,
}

impl OpenOperation for Health {
    const SPEC: Spec = Spec::open(Method::Get, "/health").summary("Say that the process is alive");
    type Output = Alive;

    fn run(peticion: &str) -> Alive {
        Alive { version: API_VERSION, peticion: peticion.to_owned() }
    }
}
