//! The headers of responses. Their names are the constants that the pipeline sends.

use http::HeaderName;
use http::header::{ALLOW, DATE, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use serde_json::{Map, Value, json};

use super::language::Language;
use crate::pipeline::{rehearsal, respond};

struct Header {
    name: HeaderName,
    schema: Value,
    english: &'static str,
    spanish: &'static str,
}

/// Every response to a request with a key has these.
pub(super) static KEYED: [HeaderName; 9] = [
    respond::SCOPES,
    respond::RATE_LIMIT,
    respond::RATE_REMAINING,
    respond::RATE_RESET,
    respond::QUOTA_LIMIT,
    respond::QUOTA_REMAINING,
    respond::QUOTA_RESET,
    respond::POLICY,
    respond::LEFT,
];

/// All headers, as the document's components.
pub(super) fn components(language: Language) -> Value {
    let header = |Header { name, schema, english, spanish }| {
        (shown(&name), json!({ "description": language.say(english, spanish), "schema": schema }))
    };
    all().into_iter().chain(rehearsals()).map(header).collect::<Map<_, _>>().into()
}

/// References to the components of those headers.
pub(super) fn refer<'a>(names: impl IntoIterator<Item = &'a HeaderName>) -> Map<String, Value> {
    let refer = |name: &HeaderName| {
        let name = shown(name);
        let reference = json!({ "$ref": format!("#/components/headers/{name}") });
        (name, reference)
    };
    names.into_iter().map(refer).collect()
}

/// A header's name in its usual capitals: `X-Svc-Peticion`.
pub(super) fn shown(name: &HeaderName) -> String {
    let capital = |word: &str| match word.split_at_checked(1) {
        Some((first, rest)) => format!("{}{rest}", first.to_uppercase()),
        None => String::new(),
    };
    let words: Vec<_> = name.as_str().split('-').map(capital).collect();
    words.join("-").replace("Www-", "WWW-").replace("Ratelimit", "RateLimit")
}

fn integer(example: i64) -> Value {
    json!({ "type": "integer", "minimum": 0, "examples": [example] })
}

fn text(example: &str) -> Value {
    json!({ "type": "string", "examples": [example] })
}

fn header(name: HeaderName, schema: Value, english: &'static str, spanish: &'static str) -> Header {
    Header { name, schema, english, spanish }
}

fn rehearsals() -> [Header; 2] {
    [
        header(
            rehearsal::REHEARSAL,
            json!({ "type": "string", "const": "true" }),
            "The request was a rehearsal: nothing was written.",
            "La petición fue un ensayo: no se escribió nada.",
        ),
        header(
            rehearsal::REHEARSED_EVENTS,
            text("venta.creada"),
            "Of a rehearsal: the types of the events that the write would emit, each once, in order, with commas between.",
            "De un ensayo: los tipos de los eventos que la escritura emitiría, cada uno una vez, en orden, separados por comas.",
        ),
    ]
}

fn all() -> Vec<Header> {
    vec![
        header(
            respond::PETICION,
            text("0199d8f2-a4c0-7b3e-9a55-c1d2e3f40516"),
            "The request's id, the same as `peticion` in an error. Log it, and quote it to support.",
            "El id de la petición, el mismo que `peticion` en un error. Regístrelo y cítelo a soporte.",
        ),
        header(
            DATE,
            text("Mon, 12 Oct 2026 18:00:00 GMT"),
            "When the request came, by the company's clock, which writes `modificado`. To synchronise, note that of a walk's first page.",
            "Cuándo llegó la petición, por el reloj de la empresa, que escribe `modificado`. Para sincronizar, anote el de la primera página del recorrido.",
        ),
        header(
            respond::AVISO,
            text("limite_invalido; pages of this list will hold at most 30 records"),
            "Only in notice mode: what will be refused once limits are enforced, as `code; text`; several are joined by ` | `.",
            "Solo en modo de aviso: lo que se rechazará cuando los límites se apliquen, como `código; texto`; varios se unen con ` | `.",
        ),
        header(
            respond::SCOPES,
            text("clientes:read, ventas:read"),
            "The scopes of the key, with commas between.",
            "Los permisos de la llave, separados por comas.",
        ),
        header(
            respond::RATE_LIMIT,
            integer(150),
            "Requests that the key may make in a minute.",
            "Peticiones por minuto que la llave puede hacer.",
        ),
        header(
            respond::RATE_REMAINING,
            integer(149),
            "Requests that the key has left in this minute.",
            "Peticiones que le quedan a la llave en este minuto.",
        ),
        header(
            respond::RATE_RESET,
            integer(42),
            "Seconds until the minute ends.",
            "Segundos hasta que termina el minuto.",
        ),
        header(
            respond::QUOTA_LIMIT,
            integer(5000),
            "Operations that the company may make in a month.",
            "Operaciones por mes que la empresa puede hacer.",
        ),
        header(
            respond::QUOTA_REMAINING,
            integer(4821),
            "Operations that the company has left in this month.",
            "Operaciones que le quedan a la empresa en este mes.",
        ),
        header(
            respond::QUOTA_RESET,
            json!({ "type": "string", "format": "date", "examples": ["2026-11-01"] }),
            "The first day of the next month, in Mexico's time.",
            "El primer día del mes siguiente, en hora de México.",
        ),
        header(
            respond::POLICY,
            text(r#""minuto";q=150;w=60, "mes";q=5000;w=2678400"#),
            "Both limits in the form that the IETF is standardising.",
            "Ambos límites en la forma que la IETF está normando.",
        ),
        header(
            respond::LEFT,
            text(r#""minuto";r=149;t=42, "mes";r=4821;t=1620000"#),
            "What is left of both limits in the form that the IETF is standardising.",
            "Lo que queda de ambos límites en la forma que la IETF está normando.",
        ),
        header(
            respond::REPLAYED,
            json!({ "type": "string", "const": "true" }),
            "The answer is the stored one of an earlier request with the same Idempotency-Key.",
            "La respuesta es la guardada de una petición anterior con la misma Idempotency-Key.",
        ),
        header(
            LOCATION,
            json!({ "type": "string", "format": "uri", "examples": ["https://erp.example.com/api/v1/facturas?clave=7"] }),
            "Where the state of what was requested is read.",
            "Dónde se lee el estado de lo solicitado.",
        ),
        header(
            RETRY_AFTER,
            integer(5),
            "Seconds to wait before the next attempt.",
            "Segundos que hay que esperar antes del siguiente intento.",
        ),
        header(ALLOW, text("GET, POST"), "The methods of this path.", "Los métodos de esta ruta."),
        header(WWW_AUTHENTICATE, text("Bearer"), "How to authenticate.", "Cómo autenticarse."),
    ]
}
