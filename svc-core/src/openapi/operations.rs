//! Paths, tags and authentication.

use serde_json::{Map, Value, json};

use super::described::{Described, tag};
use super::language::Language;
use super::{Writer, examples, groups, parameters};
use crate::domain::scope::Scope;
use crate::operation::{BodyNeed, Http, Idempotency, Method, Repetition};

/// The extension that names filters when one of them is required: OpenAPI can require a parameter,
/// but not one of several.
const ONE_OF: &str = "x-requires-one-of";

impl Writer<'_> {
    /// The `paths` of the document.
    pub(super) fn paths(&mut self) -> Value {
        let mut paths = Map::new();
        for (place, entry) in self.reached.clone().into_iter().enumerate() {
            if place == self.built_in {
                self.schemas.end_of_ours();
            }
            let Some(http) = &entry.spec.http else { continue };
            let operation = self.operation(&Described { entry, http, title: entry.title() });
            let path = paths.entry(http.path).or_insert_with(|| json!({}));
            path[http.method.name().to_lowercase()] = operation;
        }
        paths.into()
    }

    fn operation(&mut self, described: &Described<'_>) -> Value {
        let Described { entry, http, .. } = described;
        let names: Vec<&str> = http.path.split(['{', '}']).skip(1).step_by(2).collect();
        let has_body = http.method != Method::Get && http.body != BodyNeed::None;
        let input = entry.shape.input.map(|shape| self.schemas.input(&self.texts, entry, shape, &names, has_body));
        let (body, in_path) = input.unwrap_or_default();
        let mut operation = json!({
            "operationId": entry.operation_id(),
            "summary": self.texts.summary_of(entry),
            "description": self.description(described),
            "tags": [tag(http)],
            "parameters": self.parameters(described, &names, &in_path),
        });
        if has_body {
            operation["requestBody"] = request_body(described, &body);
        }
        operation["responses"] = self.responses(described);
        if http.scopes.is_empty() {
            operation["security"] = json!([]);
        } else {
            operation["x-scopes"] = http.scopes.words().collect();
        }
        if let Some(list) = entry.declared_list().filter(|list| list.requires.len() > 1) {
            operation[ONE_OF] = list.requires.into();
        }
        if entry.spec.emitted_words().next().is_some() {
            operation["x-events"] = entry.spec.emitted_words().collect();
        }
        operation
    }

    /// The operation's section in `texts/`, followed by its scopes and events.
    fn description(&self, described: &Described<'_>) -> String {
        let Described { entry, http, .. } = described;
        let code = |name: &str| format!("`{name}`");
        let mut said = self.texts.section_of(entry);
        let scopes: Vec<_> = http.scopes.words().map(code).collect();
        if !scopes.is_empty() {
            let (word, or) = (self.language.say("Scope", "Permiso"), self.language.say(" or ", " o "));
            said.extend(["\n\n**", word, "**: ", &scopes.join(or)]);
        }
        let events: Vec<_> = entry.spec.emitted_words().map(code).collect();
        if !events.is_empty() {
            said.extend(["\n\n**", self.language.say("Events", "Eventos"), "**: ", &events.join(", ")]);
        }
        said.trim().to_owned()
    }

    fn parameters(&self, described: &Described<'_>, names: &[&str], in_path: &Map<String, Value>) -> Value {
        let Described { entry, http, title } = described;
        let mut all: Vec<Value> = names.iter().map(|name| self.path_parameter(title, name, in_path)).collect();
        if let Some(list) = entry.declared_list() {
            all.extend(self.filters(title, list));
            all.extend(parameters::pages(list.pages));
        }
        if http.method != Method::Get {
            all.push(parameters::idempotency(http.idempotency == Idempotency::Required));
            all.push(parameters::rehearsal());
        }
        if !http.scopes.is_empty() {
            all.push(parameters::simulation());
        }
        all.into()
    }

    fn path_parameter(&self, title: &str, name: &str, in_path: &Map<String, Value>) -> Value {
        let said = self.texts.parameter(title, &format!("{{{name}}}"));
        let said = said.or_else(|| in_path.get(name)?.get("description")?.as_str());
        let mut parameter = json!({ "name": name, "in": "path", "required": true });
        if let Some(said) = said {
            parameter["description"] = said.into();
        }
        parameter["schema"] = json!({ "type": "integer", "format": "int64", "examples": [1] });
        parameter
    }

    /// The tags, in the order of their first operation.
    pub(super) fn tags(&self) -> Value {
        let mut tags: Vec<Value> = Vec::new();
        for http in self.reached.iter().filter_map(|entry| entry.spec.http.as_ref()) {
            let name = tag(http);
            if tags.iter().all(|tag| tag["name"] != name) {
                let said = match self.texts.section(name) {
                    said if said.is_empty() => self.own_tag(),
                    said => said,
                };
                let mut tag = json!({ "name": name });
                if let Some(title) = groups::title(name, self.language) {
                    tag["x-displayName"] = title.into();
                }
                tag["description"] = said.into();
                tags.push(tag);
            }
        }
        tags.into()
    }

    /// The description of a host's tag.
    fn own_tag(&self) -> String {
        match self.registry.title() {
            Some(title) => format!("{} {title}.", self.language.say("Operations of", "Operaciones de")),
            None => self.language.say("This installation's own.", "Propias de esta instalación.").to_owned(),
        }
    }
}

fn request_body(described: &Described<'_>, schema: &Value) -> Value {
    let Described { http, title, .. } = described;
    let mut content = json!({ "schema": schema });
    if let Some(example) = examples::request(title) {
        content["example"] = example;
    }
    json!({ "required": http.body == BodyNeed::Required, "content": { "application/json": content } })
}

/// Whether a repeated request is answered with the current state instead of the stored answer.
pub(super) fn answers_anew(http: &Http) -> bool {
    http.repetition == Repetition::Answered
}

/// The security requirement of every operation. Scopes are an extension of each operation
/// (`x-scopes`), because linters take scopes here for OAuth's.
pub(super) fn credentials() -> Value {
    json!({ "key": [], "keyId": [] })
}

/// The two headers that hold a key's halves.
pub(super) fn security_schemes(language: Language) -> Value {
    let scopes: Vec<_> = Scope::ALL.iter().map(|scope| format!("`{}`", scope.word())).collect();
    let key = language.say(
        "The key's secret, shown once when the key is made. Its scopes are:",
        "El secreto de la llave, que se muestra una vez al crearla. Sus permisos son:",
    );
    let id = language.say(
        "The key's public identifier, `<company>_<suffix>`. Both headers go with every request.",
        "El identificador público de la llave, `<empresa>_<sufijo>`. Ambos encabezados van en cada petición.",
    );
    json!({
        "key": { "type": "http", "scheme": "bearer", "description": format!("{key} {}.", scopes.join(", ")) },
        "keyId": { "type": "apiKey", "in": "header", "name": "X-Svc-Key-Id", "description": id },
    })
}
