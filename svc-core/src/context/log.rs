//! The log of requests.

use std::net::IpAddr;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::Context;
use crate::observe::{EndedRequest, OnEnd};
use crate::store::LoggedRequest;

impl Context {
    /// The function that adds a request to the log when it ends; `None` if no log is kept.
    pub(crate) fn log_at_end(
        &self,
        peticion: &str,
        received: DateTime<Utc>,
        method: &http::Method,
        direccion: Option<IpAddr>,
    ) -> Option<OnEnd> {
        let log = Arc::clone(self.shared.log.as_ref()?);
        let (peticion, method) = (peticion.to_owned(), method.clone());
        Some(Box::new(move |ended: EndedRequest| {
            let name = ended.operation.as_deref().unwrap_or_default();
            // The name of an operation is its method and the template of its path.
            let ruta = name.split_once(' ').map_or(name, |(_, path)| path);
            log.add(LoggedRequest {
                company: ended.sender.company,
                peticion,
                fecha: received,
                metodo: method.to_string(),
                ruta: ruta.to_owned(),
                estado: ended.status,
                codigo: ended.code.map(|code| code.codigo().to_owned()),
                microsegundos: i64::try_from(ended.duration.as_micros()).unwrap_or(i64::MAX),
                llave: Some(ended.sender.llave),
                direccion: direccion.map(|address| address.to_string()),
            });
        }))
    }

    /// Writes what waits to be logged ([`super::ContextBuilder::log_requests`]), as
    /// [`Context::keep_current`] does every two seconds and at its end.
    pub async fn write_log(&self) {
        if let Some(log) = &self.shared.log {
            log.write(self.store()).await;
        }
    }
}
