//! Events that have happened: `/eventos` (contract §10).

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::value::RawValue;

use super::filter::{Filter, any_of, event_kind, from, integer};
use super::value::{FromValue, Kind, Value};
use super::{Condition, List, ListSpec, PageSizes, Query, record};
use crate::domain::event::{EventId, EventKind, KEPT, KnownKind, OwnEventKind, not_permitted};
use crate::domain::scope::Scope;
use crate::domain::time::Timestamp;
use crate::error::Error;
use crate::schema::field_schema;

record! {
    /// An event of the last 30 days, as its notice tells it (contract §10).
    pub struct ListedEvent in "eventos" {
        clave: i64 { list },
        id: EventId { list },
        #[schemars(with = "EventKind")]
        tipo: String { list },
        creado: Timestamp { list },
        datos: EventData { list },
        recurso: EventResource { list },
    }
}

/// The filter that leaves only events that the key may read. No parameter sets it.
pub const READABLE: Filter = any_of("tipos", "tipo", EventKind::SUBSCRIBABLE);

/// The filter of a key that may read all of Svc's kinds. Of other kinds it leaves only those that
/// the key's scopes allow, even if this server does not know them. No parameter sets it.
pub const PERMITTED: Filter = any_of("permisos", "permiso", &[]);

impl List for ListedEvent {
    const LIST: ListSpec = ListSpec::new::<Self>("/eventos", Scope::WebhooksWrite, PageSizes::Enforced)
        .filters(&[integer("clave"), event_kind("tipo", EventKind::SUBSCRIBABLE), from("creado_desde", "creado")])
        .grows();

    /// Limits the query to the events that are kept, and to those whose resource the key may read.
    fn normalize(query: &mut Query) -> Result<(), Error> {
        let oldest = oldest(query.service_now, query.instant("creado_desde"));
        query.set("creado_desde", Value::Instant(oldest));
        let lacks = |scope: &&str| !query.scopes.has_word(scope);
        if let Some(Value::Text(word)) = query.get("tipo") {
            let scope = query.kinds.of(word).and_then(KnownKind::scope);
            return match scope.filter(lacks) {
                None => Ok(()),
                Some(scope) => Err(not_permitted(word, "tipo", scope)),
            };
        }
        let reads = |kind: &EventKind| kind.scope().is_some_and(|scope| query.scopes.has(scope));
        let condition = if EventKind::subscribable().all(|kind| reads(&kind)) {
            let scopes = query.scopes.words().map(str::to_owned).collect();
            Condition { filter: &PERMITTED, value: Value::Texts(scopes) }
        } else {
            let ours = EventKind::subscribable().filter(reads).map(EventKind::word);
            let own = query.kinds.own().iter().filter(|kind| query.scopes.has_word(kind.scope()));
            let words = ours.chain(own.map(OwnEventKind::word)).map(str::to_owned).collect();
            Condition { filter: &READABLE, value: Value::Texts(words) }
        };
        query.conditions.push(condition);
        Ok(())
    }
}

/// The earliest time of the events that are listed: `given`, if it is within the 30 days that
/// events are kept. The clean-up removes them by whole days, and so later.
pub(crate) fn oldest(now: DateTime<Utc>, given: Option<DateTime<Utc>>) -> DateTime<Utc> {
    let kept = now - KEPT;
    given.map_or(kept, |given| given.max(kept))
}

/// A part of a notice's body, byte for byte.
macro_rules! parts {
    ($($(#[doc = $meaning:literal])* $name:ident: $schema:tt)*) => {$(
        $(#[doc = $meaning])*
        #[derive(Debug, Clone, Serialize)]
        pub struct $name(Box<RawValue>);

        field_schema!($name, stringify!($name), $schema);

        impl FromValue for $name {
            const KIND: Kind = Kind::Text;
            type Shown<'r> = Self;

            fn shown(value: Value<'_>) -> Option<Self> {
                match value {
                    Value::Text(text) => RawValue::from_string(text.into_owned()).ok().map(Self),
                    _ => None,
                }
            }

            fn of(shown: Self) -> Self {
                shown
            }
        }
    )*};
}

parts! {
    /// `datos` of a notice: the members depend on its type.
    EventData: { "type": "object" }
    /// `recurso` of a notice.
    EventResource: {
        "type": "object",
        "required": ["tipo", "clave", "url"],
        "properties": {
            "tipo": { "type": "string" },
            "clave": { "type": "integer", "format": "int64" },
            "url": { "type": "string", "format": "uri" },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::scope::Scopes;
    use crate::error::Code;

    fn normalized(scopes: Scopes, tipo: Option<&'static str>, since: Option<&str>) -> Result<Query, Error> {
        let now = "2026-10-12T18:00:00Z".parse().unwrap();
        let mut query = Query { scopes: scopes.into(), ..Query::new(&ListedEvent::LIST, None, 30, now) };
        if let Some(tipo) = tipo {
            query.set("tipo", Value::Text(tipo.into()));
        }
        if let Some(since) = since {
            query.set("creado_desde", Value::Instant(since.parse().unwrap()));
        }
        ListedEvent::normalize(&mut query).map(|()| query)
    }

    #[test]
    fn a_key_reads_the_events_of_its_scopes() {
        let few = Scopes::only(Scope::WebhooksWrite).and(Scope::ClientesRead);
        let readable = |scopes| {
            let query = normalized(scopes, None, None).unwrap();
            let readable = query.conditions.iter().find(|condition| condition.filter.name == READABLE.name);
            readable.map(|condition| condition.value.clone())
        };
        assert_eq!(readable(Scopes::all()), None);
        let customers = ["cliente.creado", "cliente.actualizado"].map(str::to_owned);
        assert_eq!(readable(few), Some(Value::Texts(customers.into())));
        assert_eq!(readable(Scopes::only(Scope::WebhooksWrite)), Some(Value::Texts(Vec::new())));
        let refused = normalized(few, Some("factura.rechazada"), None).map(|_| ()).unwrap_err();
        assert_eq!(refused.code(), Code::SinPermiso);
        assert_eq!(refused.mensaje(), "tipo: factura.rechazada requiere el permiso facturas:read");
        assert!(normalized(few, Some("cliente.creado"), None).is_ok());
    }

    #[test]
    fn events_of_thirty_days_are_listed() {
        let since =
            |given| normalized(Scopes::all(), None, given).unwrap().instant("creado_desde").unwrap().to_string();
        assert_eq!(since(None), "2026-09-12 18:00:00 UTC");
        assert_eq!(since(Some("2026-01-01T00:00:00Z")), "2026-09-12 18:00:00 UTC");
        assert_eq!(since(Some("2026-10-01T00:00:00Z")), "2026-10-01 00:00:00 UTC");
    }
}
