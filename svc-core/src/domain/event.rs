//! What happened: the closed list of events and the body of a notice (spec, "Events").

use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::time::Timestamp;

/// Something that happened to a resource of a company. It carries keys and little else: never names or e-mails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A customer was created, from any channel; CRM prospects do not emit it.
    ClienteCreado {
        /// The customer's clave.
        cliente: i64,
    },
    /// A customer's data were edited.
    ClienteActualizado {
        /// The customer's clave.
        cliente: i64,
    },
    /// A product was created.
    ProductoCreado {
        /// The product's clave.
        producto: i64,
        /// Its SKU.
        sku: Option<String>,
    },
    /// A product's data were edited; prices and stock have their own queries.
    ProductoActualizado {
        /// The product's clave.
        producto: i64,
        /// Its SKU.
        sku: Option<String>,
    },
}

impl Event {
    /// The wire name of the event's type.
    pub fn tipo(&self) -> &'static str {
        match self {
            Self::ClienteCreado { .. } => "cliente.creado",
            Self::ClienteActualizado { .. } => "cliente.actualizado",
            Self::ProductoCreado { .. } => "producto.creado",
            Self::ProductoActualizado { .. } => "producto.actualizado",
        }
    }

    /// The resource it is about: its path without the slash, and the record's clave.
    pub fn recurso(&self) -> (&'static str, i64) {
        match *self {
            Self::ClienteCreado { cliente } | Self::ClienteActualizado { cliente } => ("clientes", cliente),
            Self::ProductoCreado { producto, .. } | Self::ProductoActualizado { producto, .. } => {
                ("productos", producto)
            }
        }
    }

    fn datos(&self) -> Value {
        match self {
            Self::ClienteCreado { cliente } | Self::ClienteActualizado { cliente } => json!({ "cliente": cliente }),
            Self::ProductoCreado { producto, sku } | Self::ProductoActualizado { producto, sku } => {
                json!({ "producto": producto, "sku": sku })
            }
        }
    }

    /// The body of the notice, fixed when the event is made: every attempt and re-send sends these bytes (contract §6).
    pub fn body(
        &self,
        id: Uuid,
        creado: Timestamp,
        empresa: i64,
        base_url: &str,
    ) -> Result<Vec<u8>, serde_json::Error> {
        #[derive(Serialize)]
        struct Notice<'a> {
            id: String,
            tipo: &'a str,
            creado: Timestamp,
            empresa: i64,
            datos: Value,
            recurso: Resource<'a>,
        }
        #[derive(Serialize)]
        struct Resource<'a> {
            tipo: &'a str,
            clave: i64,
            url: String,
        }
        let (tipo, clave) = self.recurso();
        serde_json::to_vec(&Notice {
            id: event_id(id),
            tipo: self.tipo(),
            creado,
            empresa,
            datos: self.datos(),
            recurso: Resource { tipo, clave, url: format!("{base_url}/{tipo}?clave={clave}") },
        })
    }
}

/// An event's public id: `evt_` and 32 hexadecimal digits.
pub fn event_id(id: Uuid) -> String {
    format!("evt_{}", id.simple())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_has_the_specified_fields() {
        let body = Event::ClienteCreado { cliente: 7 }
            .body(Uuid::nil(), Timestamp::parse("2026-10-09T08:07:06Z").unwrap(), 3, "https://api.example.com/api/v1")
            .unwrap();
        let expected = json!({
            "id": "evt_00000000000000000000000000000000",
            "tipo": "cliente.creado",
            "creado": "2026-10-09T08:07:06Z",
            "empresa": 3,
            "datos": { "cliente": 7 },
            "recurso": { "tipo": "clientes", "clave": 7, "url": "https://api.example.com/api/v1/clientes?clave=7" },
        });
        assert_eq!(serde_json::from_slice::<Value>(&body).unwrap(), expected);
    }
}
