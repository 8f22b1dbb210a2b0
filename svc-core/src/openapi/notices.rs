//! The document's `webhooks`: the notice of each event, with its headers.

use http::HeaderName;
use http::header::USER_AGENT;
use schemars::Schema;
use serde_json::{Map, Value, json};

use super::language::Language;
use super::schemas::Schemas;
use super::{Writer, examples, headers};
use crate::domain::event::{EventId, EventKind, OwnEventKind};
use crate::domain::scope::Scope;
use crate::domain::time::Timestamp;
use crate::webhooks::{AGENT, ATTEMPT, DELIVERY, EVENT, EVENT_ID, SIGNATURE};

/// What the description says of a kind of events.
struct DescribedKind {
    /// The name of its type.
    name: String,
    word: &'static str,
    resource: &'static str,
    scope: Option<&'static str>,
    is_grouped: bool,
    /// When it happens.
    said: String,
    datos: Value,
    example: Value,
}

impl Writer<'_> {
    /// Every notice of Svc's events, under the event's name.
    pub(super) fn notices(&mut self) -> Map<String, Value> {
        let of = |kind: &EventKind| {
            let name = format!("{kind:?}");
            let mut datos = kind.datos_schema(self.schemas.given()).to_value();
            self.texts.describe(&name, &mut datos);
            let described = DescribedKind {
                name,
                word: kind.word(),
                resource: kind.resource(),
                scope: kind.scope().map(Scope::word),
                is_grouped: kind.is_grouped(),
                said: self.texts.section(kind.word()),
                datos,
                example: examples::notice(*kind),
            };
            (kind.word().to_owned(), self.notice(described))
        };
        EventKind::ALL.iter().map(of).collect()
    }

    /// Every notice of the host's events, under the event's name. Its types document themselves.
    pub(super) fn own_notices(&mut self) -> Map<String, Value> {
        let kinds = self.registry.kinds().clone();
        let of = |kind: &OwnEventKind| {
            let [english, spanish] = kind.texts();
            let said = self.language.say(english, spanish);
            let described = DescribedKind {
                name: kind.type_name().to_owned(),
                word: kind.word(),
                resource: kind.resource(),
                scope: Some(kind.scope()),
                is_grouped: kind.is_grouped(),
                said: if said.is_empty() { kind.documentation() } else { said.to_owned() },
                datos: self.schemas.own_data(|generator| kind.datos_schema(generator)),
                example: own_example(kind),
            };
            (kind.word().to_owned(), self.notice(described))
        };
        kinds.own().iter().map(of).collect()
    }

    fn notice(&mut self, kind: DescribedKind) -> Value {
        let schema = self.notice_schema(&kind);
        let name = self.schemas.insert(&format!("{}Notice", kind.name), schema);
        let language = self.language;
        let mut said = kind.said;
        if let Some(scope) = kind.scope {
            let subscribe = language.say("Subscribing to it needs the scope", "Suscribirse a él requiere el permiso");
            said.extend(["\n\n", subscribe, " `", scope, "`."]);
        }
        if kind.is_grouped {
            said.push_str("\n\n");
            said.push_str(language.say(
                "Changes of one resource that follow each other within a minute are one notice.",
                "Los cambios de un mismo recurso que se siguen dentro de un minuto son un solo aviso.",
            ));
        }
        let answer = language.say(
            "Any 2xx within 8 seconds: the notice has arrived. Anything else is retried.",
            "Cualquier 2xx dentro de 8 segundos: el aviso llegó. Todo lo demás se reintenta.",
        );
        json!({ "post": {
            "operationId": format!("receive{}", kind.name),
            "summary": kind.word,
            "description": said,
            "tags": ["webhooks"],
            "security": [],
            "parameters": notice_headers(kind.word, language),
            "requestBody": {
                "required": true,
                "content": { "application/json": { "schema": Schemas::refer(&name), "example": kind.example } },
            },
            "responses": { "2XX": { "description": answer } },
        } })
    }

    fn notice_schema(&mut self, kind: &DescribedKind) -> Value {
        let language = self.language;
        let generator = self.schemas.given();
        let (id, at) = (generator.subschema_for::<EventId>(), generator.subschema_for::<Timestamp>());
        let described = |schema: Schema, said: &str| {
            let mut schema = schema.to_value();
            schema["description"] = said.into();
            schema
        };
        let url = language.say("Where the resource is read.", "Dónde se lee el recurso.");
        json!({
            "type": "object",
            "required": ["id", "tipo", "creado", "empresa", "datos", "recurso"],
            "properties": {
                "id": described(id, language.say(
                    "The event's id, the same in all attempts and re-sends: recognise repetitions by it.",
                    "El id del evento, el mismo en todos los intentos y reenvíos: reconozca por él las repeticiones.",
                )),
                "tipo": { "type": "string", "const": kind.word },
                "creado": described(at, language.say("When it happened.", "Cuándo ocurrió.")),
                "empresa": { "type": "integer", "description": language.say(
                    "The company, the same number that begins a key's id.",
                    "La empresa, el mismo número con que empieza el id de una llave.",
                ) },
                "datos": kind.datos,
                "recurso": {
                    "type": "object",
                    "required": ["tipo", "clave", "url"],
                    "properties": {
                        "tipo": { "type": "string", "const": kind.resource },
                        "clave": { "type": "integer", "format": "int64" },
                        "url": { "type": "string", "format": "uri", "description": url },
                    },
                },
            },
        })
    }
}

/// The notice of a host's event, with the example of its data.
fn own_example(kind: &OwnEventKind) -> Value {
    let resource = kind.resource();
    json!({
        "id": "evt_0199d8f2a4c07b3e9a55c1d2e3f40516",
        "tipo": kind.word(),
        "creado": "2026-10-09T08:07:06Z",
        "empresa": 1,
        "datos": kind.sample(),
        "recurso": {
            "tipo": resource, "clave": 1, "url": format!("https://api.example.com/api/v1/{resource}?clave=1"),
        },
    })
}

/// Adds the names of the host's kinds to every list of Svc's kinds in the document: of a webhook's
/// events, of the types of events and deliveries, and of the filters by type.
pub(super) fn extend_kinds(document: &mut Value, own: &[OwnEventKind]) {
    match document {
        Value::Array(items) => {
            let is =
                |words: &[&str]| items.len() == words.len() && items.iter().zip(words).all(|(item, word)| item == word);
            if is(EventKind::WORDS) || is(EventKind::SUBSCRIBABLE) {
                items.extend(own.iter().map(|kind| Value::from(kind.word())));
            } else {
                for item in items {
                    extend_kinds(item, own);
                }
            }
        }
        Value::Object(members) => {
            for (_, member) in members {
                extend_kinds(member, own);
            }
        }
        _ => {}
    }
}

fn notice_headers(word: &str, language: Language) -> Value {
    let header = |name: HeaderName, schema: Value, english: &str, spanish: &str| {
        json!({
            "name": headers::shown(&name), "in": "header", "required": true,
            "description": language.say(english, spanish), "schema": schema,
        })
    };
    let number = json!({ "type": "integer", "minimum": 1, "examples": [1] });
    json!([
        header(
            SIGNATURE,
            json!({
                "type": "string", "pattern": r"^t=\d+(,v1=[0-9a-f]{64}){1,2}$",
                "examples": [format!("t=1791828000,v1={}", "0123456789abcdef".repeat(4))],
            }),
            "`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>` with the webhook's secret; two `v1` during a rotation.",
            "`t=<segundos unix>,v1=<hex>`: HMAC-SHA256 de `<t>.<cuerpo tal cual>` con el secreto del webhook; dos `v1` durante una rotación.",
        ),
        header(EVENT, json!({ "type": "string", "const": word }), "The event's type.", "El tipo del evento."),
        header(
            EVENT_ID,
            json!({ "type": "string", "pattern": "^evt_[0-9a-f]{32}$" }),
            "The event's id, as in the body.",
            "El id del evento, como en el cuerpo.",
        ),
        header(DELIVERY, number.clone(), "The delivery's `clave`.", "La `clave` de la entrega."),
        header(ATTEMPT, number, "The attempt's number, from 1 on.", "El número del intento, desde 1."),
        header(USER_AGENT, json!({ "type": "string", "const": AGENT }), "The sender.", "Quien envía."),
    ])
}
