//! The OpenAPI 3.1 document of the office (contract §11): every action, import, export and batches.

use http::header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, StatusCode};
use serde_json::{Map, Value, json};

use super::headers;
use super::language::Language;
use super::schemas::Schemas;
use super::texts::Texts;
use super::{NamedOperation, examples, operations, parameters, responses};
use crate::error::Code;
use crate::operation::{Entry, Handler, JSON, Registry, Shape};
use crate::operations::health::API_VERSION;
use crate::operations::import::Resource;
use crate::pipeline::import::{EXISTING, SKIP};
use crate::pipeline::ndjson::{MAX_LINES_BODY, NDJSON};
use crate::pipeline::rehearsal::{REHEARSAL, REHEARSED_EVENTS};
use crate::pipeline::respond::{PETICION, REPLAYED};
use crate::pipeline::{BatchBody, office};
use crate::schema;

/// The title where the product has no name of its own.
const OFFICE_TITLE: [&str; 2] =
    ["Office of the business operations API", "Oficina de la API de operaciones de negocio"];

/// The statuses of errors that any request may get.
const ANY: [u16; 9] = [400, 401, 402, 403, 404, 405, 429, 500, 503];
/// Those of requests with a body too.
const WITH_BODY: [u16; 4] = [409, 413, 415, 422];

impl Registry {
    /// Returns the OpenAPI 3.1 document of the office over these operations. `base_url` is that of
    /// the API, beside which the office lies.
    pub fn office_openapi(&self, language: Language, base_url: &str) -> Value {
        let title = match self.title() {
            Some(title) => format!("{title}: {}", language.say("office", "oficina")),
            None => language.say(OFFICE_TITLE[0], OFFICE_TITLE[1]).to_owned(),
        };
        let mut schemas = Schemas::default();
        schemas.insert("Error", responses::error_schema(language));
        let mut writer = OfficeWriter { language, title, texts: Texts::of(language), schemas };
        let mut paths = Map::new();
        let ways = [("/", "get", writer.actions()), ("/batch", "post", writer.batch())];
        let named = self
            .named_operations(language)
            .map(|action| (format!("/{}", action.name), "post", self.action(&mut writer, action)))
            .collect::<Vec<_>>();
        let ways = ways.map(|(path, method, operation)| (path.to_owned(), method, operation));
        let resources = Resource::ALL.iter().flat_map(|resource| {
            let name = resource.name();
            [
                (format!("/import/{name}"), "post", writer.import(name)),
                (format!("/export/{name}"), "get", writer.export(name)),
            ]
        });
        for (path, method, operation) in ways.into_iter().chain(resources).chain(named) {
            paths.insert(path, json!({ method: operation }));
        }
        writer.document(&paths, &office::beside(base_url))
    }

    fn action(&self, writer: &mut OfficeWriter, action: NamedOperation) -> Value {
        let NamedOperation { name, summary, emits, mut schema } = action;
        let reads = self.named(name).is_some_and(|entry| entry.spec.reads);
        if self.own().iter().any(|own| own.spec.name == Some(name)) {
            writer.schemas.end_of_ours();
        }
        if let Some(schema) = schema.as_object_mut() {
            schema.remove("$schema");
        }
        let schema = writer.schemas.alone(self.named(name).map_or(name, Entry::type_name), schema);
        let mut content = json!({ "schema": schema });
        if let Some(example) = self.named(name).and_then(examples::input) {
            content["example"] = example;
        }
        let tag = name.split('.').next().unwrap_or(name);
        let mut operation = writer.operation(name, &summary, tag, !reads);
        operation["requestBody"] = json!({ "required": true, "content": { JSON: content } });
        operation["responses"]["200"]["content"] = match self.named(name) {
            Some(Entry { handler: Handler::Download(_), spec, .. }) => {
                spec.contents().map(|content| (content.to_owned(), json!({}))).collect()
            }
            Some(entry @ Entry { shape: Shape { output: Some(output), .. }, .. }) => {
                let ok = writer.language.say("Always true.", "Siempre verdadero.");
                json!({ JSON: { "schema": writer.schemas.answer(&writer.texts, entry, *output, ok) } })
            }
            _ => json!({ JSON: { "schema": result() } }),
        };
        if !emits.is_empty() {
            operation["x-events"] = emits.clone().into();
        }
        operation
    }
}

struct OfficeWriter {
    language: Language,
    title: String,
    texts: Texts,
    /// Those of the answers.
    schemas: Schemas,
}

impl OfficeWriter {
    /// An operation without its body and the content of its success.
    fn operation(&self, id: &str, summary: &str, tag: &str, writes: bool) -> Value {
        let with_body: &[u16] = if summary.is_empty() { &[] } else { &WITH_BODY };
        let statuses = ANY.iter().chain(with_body);
        let mut answers: Map<String, Value> = statuses
            .map(|status| (status.to_string(), json!({ "$ref": format!("#/components/responses/error{status}") })))
            .collect();
        let done = self.language.say("Done.", "Hecho.");
        let of_writes: &[HeaderName] = if writes { &[REPLAYED, REHEARSAL, REHEARSED_EVENTS] } else { &[] };
        let own = headers::refer([PETICION].iter().chain(&headers::KEYED).chain(of_writes));
        answers.insert("200".to_owned(), json!({ "description": done, "headers": own }));
        let mut parameters: Vec<Value> =
            if writes { vec![parameters::idempotency(true), parameters::rehearsal()] } else { Vec::new() };
        parameters.push(parameters::simulation());
        json!({
            "operationId": id.replace(['.', '/'], "-"),
            "summary": summary,
            "tags": [tag],
            "parameters": parameters,
            "responses": answers,
            "x-scopes": ["oficina"],
        })
    }

    fn actions(&self) -> Value {
        let summary = self.language.say("List the actions", "Listar las acciones");
        let mut operation = self.operation("actions", summary, "office", false);
        let action = json!({
            "type": "object",
            "required": ["name", "summary", "emits", "schema"],
            "properties": {
                "name": { "type": "string" },
                "summary": { "type": "string" },
                "emits": { "type": "array", "items": { "type": "string" } },
                "schema": { "type": "object", "additionalProperties": true },
            },
        });
        let mut answer = result();
        answer["properties"]["acciones"] = json!({ "type": "array", "items": action });
        answer["required"] = json!(["ok", "acciones"]);
        operation["responses"]["200"]["content"] = json!({ JSON: { "schema": answer } });
        operation
    }

    fn batch(&self) -> Value {
        let summary = self.language.say(
            "Run several actions in one transaction, all or none",
            "Ejecutar varias acciones en una transacción, todas o ninguna",
        );
        let mut operation = self.operation("batch", summary, "office", true);
        let mut body = schema::of::<BatchBody>().to_value();
        if let Some(body) = body.as_object_mut() {
            body.remove("$schema");
        }
        self.texts.describe_fields(&["BatchBody".to_owned()], &mut body);
        let example = json!({ "acciones": [
            { "accion": "customer.create", "entrada": { "nombre": "Ana" } },
            { "accion": "customer.edit", "entrada": { "clave": { "$": "0.cliente" }, "limite_credito": "5000.00" } },
        ] });
        operation["requestBody"] =
            json!({ "required": true, "content": { JSON: { "schema": body, "example": example } } });
        let mut answer = result();
        answer["properties"]["resultados"] =
            json!({ "type": "array", "items": { "type": "object", "additionalProperties": true } });
        answer["required"] = json!(["ok", "resultados"]);
        operation["responses"]["200"]["content"] = json!({ JSON: { "schema": answer } });
        operation
    }

    fn import(&self, name: &str) -> Value {
        let summary = self.language.say("Import records, all or none", "Importar registros, todos o ninguno");
        let mut operation = self.operation(&format!("import/{name}"), summary, "import", true);
        let said = self.language.say(
            "Pass over lines whose clave is taken, instead of refusing them.",
            "Pasar por alto las líneas cuya clave ya existe, en vez de rechazarlas.",
        );
        let existing = json!({
            "name": EXISTING, "in": "query", "required": false, "description": said,
            "schema": { "type": "string", "enum": [SKIP] },
        });
        if let Some(parameters) = operation["parameters"].as_array_mut() {
            parameters.push(existing);
        }
        let lines = self.language.say(
            "One record a line, as JSON, of at most 64 MiB in all.",
            "Un registro por línea, en JSON, de 64 MiB en total como máximo.",
        );
        let text = json!({ "type": "string", "description": lines, "maxLength": MAX_LINES_BODY });
        operation["requestBody"] = json!({ "required": true, "content": { NDJSON: { "schema": text } } });
        let mut answer = result();
        answer["properties"]["importados"] = json!({ "type": "integer" });
        answer["properties"]["desde"] = json!({ "type": "string", "format": "date-time" });
        answer["required"] = json!(["ok", "importados", "desde"]);
        operation["responses"]["200"]["content"] = json!({ JSON: { "schema": answer } });
        operation
    }

    fn export(&self, name: &str) -> Value {
        let summary = self.language.say(
            "Export all records, as the import takes them",
            "Exportar todos los registros, como los recibe la importación",
        );
        let mut operation = self.operation(&format!("export/{name}"), summary, "export", false);
        operation["responses"]["200"]["content"] = json!({ NDJSON: { "schema": { "type": "string" } } });
        operation
    }

    fn document(self, paths: &Map<String, Value>, url: &str) -> Value {
        let Self { language, title, texts, schemas } = self;
        let schemas = schemas.into_components(&texts);
        let answers: Map<String, Value> =
            ANY.iter().chain(&WITH_BODY).map(|status| (format!("error{status}"), refusal(*status))).collect();
        let mut document = json!({
            "openapi": "3.1.0",
            "info": {
                "title": title,
                "version": API_VERSION,
                "summary": language.say(
                    "The back office's actions over HTTP, for keys with the scope oficina",
                    "Las acciones de la oficina por HTTP, para llaves con el permiso oficina",
                ),
                "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            },
            "jsonSchemaDialect": "https://spec.openapis.org/oas/3.1/dialect/base",
            "servers": [{ "url": url, "description": language.say("This installation", "Esta instalación") }],
            "security": [operations::credentials()],
            "paths": paths,
            "components": {
                "schemas": schemas,
                "responses": answers,
                "headers": headers::components(language),
                "parameters": parameters::components(language),
                "securitySchemes": operations::security_schemes(language),
            },
        });
        drop_unused(&mut document, &["headers", "parameters"]);
        document
    }
}

/// Drops the components of those kinds to which nothing refers.
fn drop_unused(document: &mut Value, kinds: &[&str]) {
    let text = document.to_string();
    for kind in kinds {
        if let Some(components) = document["components"][kind].as_object_mut() {
            components.retain(|name, _| text.contains(&format!("\"#/components/{kind}/{name}\"")));
        }
    }
}

/// What an action answers: `ok`, and the members of its result.
fn result() -> Value {
    json!({
        "type": "object",
        "required": ["ok"],
        "properties": { "ok": { "type": "boolean", "const": true } },
    })
}

/// The response of an error with that status.
fn refusal(status: u16) -> Value {
    let codes: Vec<&str> = Code::ALL.iter().filter(|code| code.status() == status).map(|code| code.codigo()).collect();
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    let own: &[HeaderName] = match status {
        401 => &[WWW_AUTHENTICATE],
        405 => &[ALLOW],
        409 | 429 | 503 => &[RETRY_AFTER],
        _ => &[],
    };
    json!({
        "description": reason.unwrap_or_default(),
        "headers": headers::refer([PETICION].iter().chain(own)),
        "content": { JSON: { "schema": Schemas::refer("Error") } },
        "x-codes": codes,
    })
}
