//! The document's `webhooks`: the notice of each event, with its headers.

use http::HeaderName;
use http::header::USER_AGENT;
use schemars::Schema;
use serde_json::{Map, Value, json};

use super::language::Language;
use super::schemas::Schemas;
use super::{Writer, examples, headers};
use crate::domain::event::{EventId, EventKind};
use crate::domain::time::Timestamp;
use crate::webhooks::{AGENT, ATTEMPT, DELIVERY, EVENT, EVENT_ID, SIGNATURE};

impl Writer<'_> {
    /// Every notice, under its event's name.
    pub(super) fn notices(&mut self) -> Value {
        EventKind::ALL.iter().map(|kind| (kind.word().to_owned(), self.notice(*kind))).collect::<Map<_, _>>().into()
    }

    fn notice(&mut self, kind: EventKind) -> Value {
        let name = format!("{kind:?}Notice");
        let mut datos = kind.datos_schema(self.schemas.given()).to_value();
        self.texts.describe(&format!("{kind:?}"), &mut datos);
        let schema = self.notice_schema(kind, &datos);
        self.schemas.insert(&name, schema);
        let language = self.language;
        let mut said = self.texts.section(kind.word());
        if let Some(scope) = kind.scope() {
            let subscribe = language.say("Subscribing to it needs the scope", "Suscribirse a él requiere el permiso");
            said.extend(["\n\n", subscribe, " `", scope.word(), "`."]);
        }
        if kind.is_grouped() {
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
            "operationId": format!("receive{kind:?}"),
            "summary": kind.word(),
            "description": said,
            "tags": ["webhooks"],
            "security": [],
            "parameters": notice_headers(kind, language),
            "requestBody": {
                "required": true,
                "content": { "application/json": { "schema": Schemas::refer(&name), "example": examples::notice(kind) } },
            },
            "responses": { "2XX": { "description": answer } },
        } })
    }

    fn notice_schema(&mut self, kind: EventKind, datos: &Value) -> Value {
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
                "tipo": { "type": "string", "const": kind.word() },
                "creado": described(at, language.say("When it happened.", "Cuándo ocurrió.")),
                "empresa": { "type": "integer", "description": language.say(
                    "The company, the same number that begins a key's id.",
                    "La empresa, el mismo número con que empieza el id de una llave.",
                ) },
                "datos": datos,
                "recurso": {
                    "type": "object",
                    "required": ["tipo", "clave", "url"],
                    "properties": {
                        "tipo": { "type": "string", "const": kind.resource() },
                        "clave": { "type": "integer", "format": "int64" },
                        "url": { "type": "string", "format": "uri", "description": url },
                    },
                },
            },
        })
    }
}

fn notice_headers(kind: EventKind, language: Language) -> Value {
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
        header(EVENT, json!({ "type": "string", "const": kind.word() }), "The event's type.", "El tipo del evento."),
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
