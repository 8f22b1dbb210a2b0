//! Responses: the successes, and one per status of the operation's errors.

use http::header::{ALLOW, DATE, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, StatusCode};
use serde_json::{Map, Value, json};

use super::described::Described;
use super::language::Language;
use super::operations::answers_anew;
use super::schemas::{Schemas, success};
use super::texts::{meaning, remedy};
use super::{Writer, examples, headers};
use crate::error::Code;
use crate::operation::{Handler, JSON, Method};
use crate::pipeline::rehearsal::{REHEARSAL, REHEARSED_EVENTS};
use crate::pipeline::respond::{AVISO, PETICION, REPLAYED};

/// A `peticion` for examples.
const EXAMPLE_ID: &str = "0199d8f2-a4c0-7b3e-9a55-c1d2e3f40516";

impl Writer<'_> {
    /// The responses of an operation, by status.
    pub(super) fn responses(&mut self, described: &Described<'_>) -> Value {
        let mut all = self.successes(described);
        let mut by_status = std::collections::BTreeMap::<u16, Vec<Code>>::new();
        for code in self.registry.errors(described.entry) {
            by_status.entry(code.status()).or_default().push(code);
        }
        for (status, codes) in by_status {
            all.insert(status.to_string(), self.refusal(described, status, &codes));
        }
        all.into()
    }

    fn successes(&mut self, described: &Described<'_>) -> Map<String, Value> {
        let Described { entry, http, .. } = described;
        let ok = self.language.say("Always true.", "Siempre verdadero.");
        let schema = match (entry.handler, entry.shape.output) {
            (Handler::List(_), Some(shape)) => {
                let language = self.language;
                let grows = entry.declared_list().is_some_and(|list| list.grows);
                Some(self.schemas.page(shape, |record| envelope(language, grows, &record)))
            }
            (_, Some(shape)) => Some(self.schemas.answer(&self.texts, entry, shape, ok)),
            (_, None) => None,
        };
        let content = match &schema {
            Some(schema) => json!({ "schema": schema }),
            // A file has no schema.
            None => json!({}),
        };
        let response = |said: &str, own: &[HeaderName]| {
            let headers = headers_of(described, 200, own);
            let contents: Map<_, _> = entry.spec.contents().map(|kind| (kind.to_owned(), content.clone())).collect();
            json!({ "description": said, "headers": headers, "content": contents })
        };
        let done = self.language.say("Done.", "Hecho.");
        let repeated = self.language.say(
            "Done before: the stored answer of the first request with this Idempotency-Key, byte for byte.",
            "Hecho antes: la respuesta guardada de la primera petición con esta Idempotency-Key, byte por byte.",
        );
        let requested =
            self.language.say("Requested before: what has become of it.", "Solicitado antes: lo que ha sido de ello.");
        let mut all = Map::new();
        let own: &[HeaderName] = if answers_anew(http) { &[LOCATION, RETRY_AFTER] } else { &[] };
        let replayed = &[REPLAYED][..];
        if http.method == Method::Get {
            all.insert("200".to_owned(), response(done, &[]));
        } else if answers_anew(http) {
            all.insert("200".to_owned(), response(requested, own));
        } else if http.status == StatusCode::OK {
            all.insert("200".to_owned(), response(done, replayed));
        } else {
            all.insert("200".to_owned(), response(repeated, replayed));
        }
        if http.status != StatusCode::OK {
            all.insert(http.status.as_u16().to_string(), response(done, own));
        }
        if let Some(links) = examples::links(described, &self.reached) {
            all[http.status.as_str()]["links"] = links;
        }
        all
    }

    /// The response of a status: a list of its codes with their cause and remedy, and an example of
    /// each.
    fn refusal(&self, described: &Described<'_>, status: u16, codes: &[Code]) -> Value {
        let when = |code: &Code| {
            let when = meaning(*code, self.language);
            let remedy = remedy(*code, self.language);
            format!("- `{}`: {} {remedy}", code.codigo(), sentence(when)).trim_end().to_owned()
        };
        let example = |code: &Code| {
            let name = code.codigo();
            (name.to_owned(), json!({ "$ref": format!("#/components/examples/{name}") }))
        };
        let own: &[HeaderName] = match status {
            401 => &[WWW_AUTHENTICATE],
            405 => &[ALLOW],
            409 if described.http.method != Method::Get => &[RETRY_AFTER],
            429 | 503 => &[RETRY_AFTER],
            _ => &[],
        };
        let content = json!({
            "schema": Schemas::refer("Error"),
            "examples": codes.iter().map(example).collect::<Map<_, _>>(),
        });
        json!({
            "description": codes.iter().map(when).collect::<Vec<_>>().join("\n"),
            "headers": headers_of(described, status, own),
            "content": { JSON: content },
            "x-codes": codes.iter().map(|code| code.codigo()).collect::<Vec<_>>(),
        })
    }
}

/// The headers of a response with that status; `own` are those that only this response has.
fn headers_of(described: &Described<'_>, status: u16, own: &[HeaderName]) -> Map<String, Value> {
    let keyed = !matches!(described.entry.handler, Handler::Open(_));
    // Requests that are refused before their key is known have no limits.
    let limited = keyed && !matches!(status, 401 | 405);
    let limits = headers::KEYED.iter().filter(|_| limited);
    let notice = [AVISO].into_iter().filter(|_| keyed).collect::<Vec<_>>();
    let is_write = keyed && described.http.method != Method::Get;
    let rehearsed = [REHEARSAL, REHEARSED_EVENTS].into_iter().filter(|_| is_write && limited).collect::<Vec<_>>();
    headers::refer([PETICION, DATE].iter().chain(own).chain(limits).chain(&notice).chain(&rehearsed))
}

/// The schema of a page whose records have the schema `record`.
fn envelope(language: Language, grows: bool, record: &Value) -> Value {
    let next = if grows {
        language.say(
            "What to send as `cursor` to go on from here, also later: never null.",
            "Lo que se envía como `cursor` para seguir desde aquí, también más tarde: nunca nulo.",
        )
    } else {
        language.say(
            "What to send as `cursor` for the next page; null on the last one.",
            "Lo que se envía como `cursor` para la página siguiente; nulo en la última.",
        )
    };
    let kinds = if grows { json!("string") } else { json!(["string", "null"]) };
    json!({
        "type": "object",
        "required": ["ok", "datos", "siguiente", "hay_mas"],
        "properties": {
            "ok": success(language.say("Always true.", "Siempre verdadero.")),
            "datos": {
                "type": "array", "items": record,
                "description": language.say("The records, by ascending `clave`.", "Los registros, por `clave` ascendente."),
            },
            "siguiente": { "type": kinds, "description": next },
            "hay_mas": {
                "type": "boolean",
                "description": language.say("Whether there is another page.", "Si hay otra página."),
            },
        },
    })
}

/// An example of each error, for the components.
pub(super) fn examples<'c>(codes: impl IntoIterator<Item = &'c Code>, language: Language) -> Map<String, Value> {
    let example = |code: &Code| {
        let summary = sentence(meaning(*code, language));
        (code.codigo().to_owned(), json!({ "summary": summary, "value": error(*code) }))
    };
    codes.into_iter().map(example).collect()
}

/// Moves responses that occur more than once to the components, and returns these.
pub(super) fn share(paths: &mut Value) -> Value {
    fn responses(paths: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
        let paths = paths.as_object_mut().into_iter().flatten();
        let operations = paths.filter_map(|(_, path)| path.as_object_mut()).flatten();
        operations.filter_map(|(_, operation)| operation["responses"].as_object_mut()).flatten()
    }
    let mut found: Vec<(String, Value, u32)> = Vec::new();
    for (status, response) in responses(paths).filter(|(status, _)| !status.starts_with('2')) {
        match found.iter_mut().find(|(_, other, _)| other == response) {
            Some((.., times)) => *times += 1,
            None => found.push((status.clone(), response.clone(), 1)),
        }
    }
    found.retain(|(.., times)| *times > 1);
    let mut shared = Map::new();
    for (status, response, _) in found {
        let named = shared.keys().filter(|name: &&String| name.starts_with(&format!("error{status}"))).count();
        let name = if named == 0 { format!("error{status}") } else { format!("error{status}-{}", named + 1) };
        let alike = responses(paths).map(|(_, other)| other).filter(|other| **other == response);
        alike.for_each(|other| *other = json!({ "$ref": format!("#/components/responses/{name}") }));
        shared.insert(name, response);
    }
    shared.into()
}

/// The body of an error.
fn error(code: Code) -> Value {
    let fields = json!({ "codigo": code.codigo(), "mensaje": code.mensaje(), "peticion": EXAMPLE_ID });
    json!({ "ok": false, "error": fields })
}

/// The schema of every error's body.
pub(super) fn error_schema(language: Language) -> Value {
    let text = |said| json!({ "type": "string", "description": said });
    let code = language.say(
        "What went wrong, for programs. New codes may be added.",
        "Qué falló, para programas. Puede haber códigos nuevos.",
    );
    let message = language.say(
        "What went wrong, for people, in Spanish; it begins with the field's name where one is at fault. It may change.",
        "Qué falló, para personas, en español; empieza con el nombre del campo si uno tiene la culpa. Puede cambiar.",
    );
    let id = language.say("The request's id, to quote to support.", "El id de la petición, para citarlo a soporte.");
    json!({
        "type": "object",
        "description": language.say("An error.", "Un error."),
        "required": ["ok", "error"],
        "properties": {
            "ok": { "type": "boolean", "const": false, "description": language.say("Always false.", "Siempre falso.") },
            "error": {
                "type": "object",
                "description": language.say("What went wrong.", "Qué falló."),
                "required": ["codigo", "mensaje", "peticion"],
                "properties": { "codigo": text(code), "mensaje": text(message), "peticion": text(id) },
            },
        },
    })
}

/// Adds a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", characters.as_str().trim_end_matches('.'))
}
