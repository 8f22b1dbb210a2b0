//! The OpenAPI 3.1 document of the interface, built from the code.
//!
//! Operations, scopes, statuses, errors and filters come from [`crate::registry`], events from
//! their catalogue. schemars derives the JSON Schemas of bodies and records from the types that are
//! read and written. Headers are the constants that are sent. What people read is in `texts/`,
//! under stable keys: what an operation does, what a field means, what to do about an error, and
//! examples.
//!
//! Tests check that everything has a text and every text a subject, that every example is valid,
//! and that the copies in `docs/` are current.

mod described;
mod examples;
mod groups;
mod headers;
mod language;
mod named;
mod notices;
mod office;
mod operations;
mod own_types;
mod parameters;
mod references;
mod responses;
mod schemas;
#[cfg(test)]
mod tests;
mod texts;

use std::collections::HashSet;

use serde_json::{Value, json};

#[cfg(test)]
pub(crate) use examples::input as example;
#[cfg(feature = "pages")]
pub(crate) use groups::TAG_GROUPS;
pub use language::Language;
pub use named::NamedOperation;
#[cfg(all(test, feature = "mcp"))]
pub(crate) use own_types::tests::registry as own_registry;
use schemas::Schemas;
use texts::Texts;
pub use texts::{meaning, remedy};

use crate::error::Code;
use crate::operation::{Entry, Registry};
use crate::operations::health::API_VERSION;

struct Writer<'r> {
    registry: &'r Registry,
    /// The operations that HTTP reaches.
    reached: Vec<&'r Entry>,
    /// How many of them are Svc's own; they come first.
    built_in: usize,
    language: Language,
    texts: Texts,
    schemas: Schemas,
}

/// Returns the OpenAPI 3.1 document of Svc's own operations in `language`.
///
/// `base_url` ends with the version's segment (`/api/v1`). If it is only a path, clients resolve it
/// against the server that gave them the document.
pub fn openapi(language: Language, base_url: &str) -> Value {
    Registry::default().openapi(language, base_url)
}

impl Registry {
    /// Returns the OpenAPI 3.1 document of these operations, as [`openapi()`] does of Svc's own.
    pub fn openapi(&self, language: Language, base_url: &str) -> Value {
        let is_reached = |entry: &&Entry| entry.spec.http.is_some();
        let own = self.own().iter().filter(is_reached).count();
        let reached: Vec<_> = self.entries().iter().filter(is_reached).collect();
        let built_in = reached.len() - own;
        let (texts, schemas) = (Texts::of(language), Schemas::default());
        document(Writer { registry: self, reached, built_in, language, texts, schemas }, base_url)
    }
}

fn document(mut writer: Writer<'_>, base_url: &str) -> Value {
    writer.schemas.insert("Error", responses::error_schema(writer.language));
    let mut webhooks = writer.notices();
    let mut paths = writer.paths();
    writer.schemas.end_of_ours();
    webhooks.extend(writer.own_notices());
    let tags = writer.tags();
    let own = own_group(writer.registry, writer.language);
    let tag_groups = groups::groups(&tags, writer.language, &own);
    let Writer { registry, reached, language, texts, schemas, .. } = writer;
    let schemas = schemas.into_components(&texts);
    examples::fill(&mut paths);
    let responses = responses::share(&mut paths);
    let errors: HashSet<_> = reached.iter().flat_map(|entry| registry.errors(entry)).collect();
    let own = errors.iter().filter(|code| matches!(code, Code::Own(_)));
    let examples = responses::examples(Code::ALL.iter().filter(|code| errors.contains(code)).chain(own), language);
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": registry.title().unwrap_or(language.say("Business operations API", "API de operaciones de negocio")),
            "version": API_VERSION,
            "summary": language.say(
                "Server-to-server JSON API of an ERP and CRM with Mexican invoicing",
                "API JSON, de servidor a servidor, de un ERP y CRM con facturación mexicana",
            ),
            "description": texts.section("introduction"),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "jsonSchemaDialect": "https://spec.openapis.org/oas/3.1/dialect/base",
        "servers": [{ "url": base_url, "description": language.say("This installation", "Esta instalación") }],
        "security": [operations::credentials()],
        "tags": tags,
        "x-tagGroups": tag_groups,
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "schemas": schemas,
            "responses": responses,
            "examples": examples,
            "headers": headers::components(language),
            "parameters": parameters::components(language),
            "securitySchemes": operations::security_schemes(language),
        },
    });
    notices::extend_kinds(&mut document, registry.kinds().own());
    document
}

/// What the group of a host's tags is called.
fn own_group(registry: &Registry, language: Language) -> String {
    registry.title().unwrap_or(language.say("Further operations", "Otras operaciones")).to_owned()
}
