//! The events of Svc, those of a host, and the body of a notice (spec, "Events").

mod catalogue;
mod own;

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Serialize, Serializer};
use serde_json::Value;
use uuid::Uuid;

pub use catalogue::{Event, EventKind};
pub use own::{EventKinds, OwnEvent, OwnEventKind};
pub(crate) use own::{KnownKind, area};

use super::company::CompanyId;
use super::time::Timestamp;
use crate::error::{Code, Error};
use crate::schema::field_schema;

/// How long events are kept, and the log of their deliveries (spec, "Limits").
pub(crate) const KEPT: TimeDelta = TimeDelta::days(30);

/// The lowest clave that an event of that time may have, its milliseconds. So the events since a
/// time are found by their claves, although these ascend in the order of the commits.
pub fn min_clave(creado: DateTime<Utc>) -> i64 {
    creado.timestamp_millis()
}

/// The text before the time in a notice's body, where it occurs first: there the
/// store writes the time of a group of changes when it becomes an event.
pub const CREADO: &str = "\"creado\":\"";

impl Event {
    /// Whether changes of one resource that follow each other become one event (spec, "Event
    /// catalogue").
    pub(crate) fn is_grouped(&self) -> bool {
        self.kind().is_grouped()
    }

    /// The wire name of the event's type.
    pub fn tipo(&self) -> &'static str {
        self.kind().word()
    }

    /// Where the resource is read: below the API's address, one record. Sales are listed by type,
    /// so theirs names it.
    fn path(&self) -> String {
        let (tipo, clave) = self.recurso();
        match self {
            Self::VentaCreada { tipo: kind, .. } => format!("{tipo}?clave={clave}&tipo={}", kind.word()),
            _ => format!("{tipo}?clave={clave}"),
        }
    }

    /// What its notice says.
    pub(crate) fn notice(&self) -> NoticeContent {
        NoticeContent { tipo: self.tipo(), recurso: self.recurso(), datos: self.datos(), path: self.path() }
    }
}

/// What a notice says of an event, apart from when and for whom it happened.
pub(crate) struct NoticeContent {
    pub(crate) tipo: &'static str,
    /// The resource: its path without the slash, and the record's clave.
    pub(crate) recurso: (&'static str, i64),
    pub(crate) datos: Value,
    /// Where the resource is read, below the API's address.
    pub(crate) path: String,
}

impl NoticeContent {
    /// The notice of a host's event. Fails if its fields are no JSON object.
    pub(crate) fn of_own<E: OwnEvent>(event: &E) -> Result<Self, Error> {
        let datos = serde_json::to_value(event).map_err(Error::internal)?;
        let (word, resource, clave) = (E::KIND.word(), E::KIND.resource(), event.clave());
        if !datos.is_object() {
            return Err(Error::internal(format!("the fields of {word} are no object")));
        }
        Ok(Self { tipo: word, recurso: (resource, clave), datos, path: format!("{resource}?clave={clave}") })
    }

    /// The body of the notice, fixed when the event is made: every attempt and re-send sends these
    /// bytes (contract §6).
    pub(crate) fn body(
        &self,
        id: Uuid,
        creado: Timestamp,
        empresa: CompanyId,
        base_url: &str,
    ) -> Result<Vec<u8>, serde_json::Error> {
        #[derive(Serialize)]
        struct EventBody<'a> {
            id: EventId,
            tipo: &'a str,
            creado: Timestamp,
            empresa: CompanyId,
            datos: &'a Value,
            recurso: EventResource<'a>,
        }
        #[derive(Serialize)]
        struct EventResource<'a> {
            tipo: &'a str,
            clave: i64,
            url: String,
        }
        let (tipo, clave) = self.recurso;
        serde_json::to_vec(&EventBody {
            id: EventId(id),
            tipo: self.tipo,
            creado,
            empresa,
            datos: &self.datos,
            recurso: EventResource { tipo, clave, url: format!("{base_url}/{}", self.path) },
        })
    }
}

/// The refusal of `field`, which names the kind of events `word`: the key lacks `scope`.
pub(crate) fn not_permitted(word: &str, field: &str, scope: &str) -> Error {
    Error::field(Code::SinPermiso, field, format_args!("{word} requiere el permiso {scope}"))
}

/// An event's public id: `evt_` and 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventId(pub Uuid);

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "evt_{}", self.0.simple())
    }
}

impl Serialize for EventId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

field_schema!(EventId, "EventId", { "type": "string", "pattern": "^evt_[0-9a-f]{32}$", "examples": ["evt_0199d8f2a4c07b3e9a55c1d2e3f40516"] });

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::money::Money;
    use crate::domain::words::{OpportunityStatus, SaleKind};

    #[test]
    fn a_notice_has_the_specified_fields() {
        let body = Event::ClienteCreado { cliente: 7 }
            .notice()
            .body(
                Uuid::nil(),
                Timestamp::parse("2026-10-09T08:07:06Z").unwrap(),
                CompanyId(3),
                "https://api.example.com/api/v1",
            )
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
        // Where a group's time is written.
        let body = String::from_utf8(body).unwrap();
        let (before, after) = body.split_once(CREADO).unwrap();
        assert!(
            before.ends_with("\"tipo\":\"cliente.creado\",") && after.starts_with("2026-10-09T08:07:06Z\","),
            "{body}"
        );
    }

    #[test]
    fn every_event_has_its_data_and_its_resource() {
        let uuid = "6f0c8bd6-5f0a-4c3c-9d4c-1f8f3c1f0a11".to_owned();
        let (sku, almacen) = (Some("A-1".to_owned()), "001".to_owned());
        let importe = Money::parse("1160.5").unwrap();
        let events = [
            (
                Event::VentaCreada { venta: 1, tipo: SaleKind::Pedido },
                json!({"venta": 1, "tipo": "pedido"}),
                "ventas?clave=1&tipo=pedido",
            ),
            (
                Event::FacturaTimbrada { factura: 2, venta: Some(1), uuid: uuid.clone() },
                json!({"factura": 2, "venta": 1, "uuid": uuid}),
                "facturas?clave=2",
            ),
            (
                Event::FacturaCancelada { factura: 2, venta: Some(1), uuid: uuid.clone() },
                json!({"factura": 2, "venta": 1, "uuid": uuid}),
                "facturas?clave=2",
            ),
            (
                Event::FacturaRechazada { factura: 2, venta: None, codigo: "CFDI40145".to_owned() },
                json!({"factura": 2, "venta": null, "codigo": "CFDI40145"}),
                "facturas?clave=2",
            ),
            (
                Event::PagoAplicado { pago: 3, cxc: 4, importe },
                json!({"pago": 3, "cxc": 4, "importe": "1160.50"}),
                "cxc-pagos?clave=3",
            ),
            (Event::ClienteCreado { cliente: 5 }, json!({"cliente": 5}), "clientes?clave=5"),
            (Event::ClienteActualizado { cliente: 5 }, json!({"cliente": 5}), "clientes?clave=5"),
            (
                Event::ProductoCreado { producto: 6, sku: sku.clone() },
                json!({"producto": 6, "sku": "A-1"}),
                "productos?clave=6",
            ),
            (
                Event::ProductoActualizado { producto: 6, sku: None },
                json!({"producto": 6, "sku": null}),
                "productos?clave=6",
            ),
            (
                Event::ExistenciaCambiada { existencia: 7, producto: 6, almacen },
                json!({"existencia": 7, "producto": 6, "almacen": "001"}),
                "inventario?clave=7",
            ),
            (
                Event::OportunidadCreada { oportunidad: 8, etapa: 1 },
                json!({"oportunidad": 8, "etapa": 1}),
                "oportunidades?clave=8",
            ),
            (
                Event::EtapaCambiada {
                    oportunidad: 8,
                    etapa_anterior: 1,
                    etapa: 2,
                    estatus: OpportunityStatus::Ganada,
                },
                json!({"oportunidad": 8, "etapa_anterior": 1, "etapa": 2, "estatus": "ganada"}),
                "oportunidades?clave=8",
            ),
            (Event::WebhookPrueba { webhook: 9 }, json!({"webhook": 9}), "webhooks?clave=9"),
        ];
        let tipos: Vec<_> = events.iter().map(|(event, ..)| event.tipo()).collect();
        assert_eq!(tipos, EventKind::WORDS);
        let at = Timestamp::parse("2026-10-09T08:07:06Z").unwrap();
        for (event, datos, path) in events {
            let body = event.notice().body(Uuid::nil(), at, CompanyId(3), "https://api.example.com/api/v1").unwrap();
            let notice: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!((&notice["tipo"], &notice["datos"]), (&json!(event.tipo()), &datos));
            assert_eq!(notice["recurso"]["url"], format!("https://api.example.com/api/v1/{path}"));
            let (tipo, rest) = path.split_once("?clave=").unwrap();
            let clave: i64 = rest.split('&').next().unwrap().parse().unwrap();
            assert_eq!((&notice["recurso"]["tipo"], &notice["recurso"]["clave"]), (&json!(tipo), &json!(clave)));
        }
    }
}
