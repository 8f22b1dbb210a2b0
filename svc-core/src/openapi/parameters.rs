//! Parameters: filters, pages and the Idempotency-Key.

use serde_json::{Value, json};

use super::language::Language;
use super::{Writer, headers};
use crate::domain::company::LimitMode;
use crate::domain::time::Edge;
use crate::operation::page::PageLimits;
use crate::pipeline::simulation;
use crate::record::filter::LONGEST;
use crate::record::{Filter, ListSpec, PageSizes, Takes};

const CURSOR: &str = "cursor";
const LIMIT_SHORT: &str = "limitShort";
const LIMIT_LONG: &str = "limitLong";
const KEY: &str = "idempotencyKey";
const OPTIONAL_KEY: &str = "optionalIdempotencyKey";
const REHEARSAL: &str = "rehearsal";
const SIMULATION: &str = "simulation";

fn refer(name: &str) -> Value {
    json!({ "$ref": format!("#/components/parameters/{name}") })
}

/// References to `cursor` and `limite`.
pub(super) fn pages(pages: PageSizes) -> [Value; 2] {
    [refer(CURSOR), refer(if pages == PageSizes::Enforced { LIMIT_SHORT } else { LIMIT_LONG })]
}

/// A reference to the `Idempotency-Key` of a write.
pub(super) fn idempotency(required: bool) -> Value {
    refer(if required { KEY } else { OPTIONAL_KEY })
}

/// A reference to the header that makes a write a rehearsal.
pub(super) fn rehearsal() -> Value {
    refer(REHEARSAL)
}

/// A reference to the header that simulates an answer.
pub(super) fn simulation() -> Value {
    refer(SIMULATION)
}

/// The parameters that several operations share.
pub(super) fn components(language: Language) -> Value {
    let cursor = language.say(
        "`siguiente` of the page before, with the same filters. Without it the list begins at its first record.",
        "`siguiente` de la página anterior, con los mismos filtros. Sin él, la lista empieza en su primer registro.",
    );
    json!({
        CURSOR: {
            "name": "cursor", "in": "query", "description": cursor,
            "schema": { "type": "string", "pattern": "^[A-Za-z0-9_-]+$" },
        },
        LIMIT_SHORT: limit(PageSizes::Enforced, language),
        LIMIT_LONG: limit(PageSizes::Legacy, language),
        KEY: idempotency_key(true, language),
        OPTIONAL_KEY: idempotency_key(false, language),
        REHEARSAL: rehearsal_header(language),
        SIMULATION: simulation_header(language),
    })
}

fn limit(pages: PageSizes, language: Language) -> Value {
    let regime = PageLimits::of(pages, LimitMode::Enforced);
    let notice = PageLimits::of(pages, LimitMode::Notice);
    let said = language.say("Records in a page.", "Registros por página.");
    let aside = language.say(
        "While limits are in notice mode, up to {max}, {default} by default.",
        "Mientras los límites estén en modo de aviso, hasta {max}, {default} si no se dice.",
    );
    let aside = aside.replace("{max}", &notice.max.to_string()).replace("{default}", &notice.default.to_string());
    let said = if regime == notice { said.to_owned() } else { format!("{said} {aside}") };
    json!({
        "name": "limite", "in": "query", "description": said,
        "schema": { "type": "integer", "minimum": 1, "maximum": regime.max, "default": regime.default },
    })
}

fn idempotency_key(required: bool, language: Language) -> Value {
    let said = language.say(
        "A new value for each operation, for example a UUID, and the same one when the request is repeated: the operation is \
         then done once, and the repetition gets the stored answer. Kept for 7 days.",
        "Un valor nuevo por operación, por ejemplo un UUID, y el mismo cuando la petición se repite: así la operación se hace \
         una vez y la repetición recibe la respuesta guardada. Se conserva 7 días.",
    );
    json!({
        "name": "Idempotency-Key", "in": "header", "required": required, "description": said,
        "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" },
        "example": "7b1f3c1e-5f0a-4c3c-9d4c-1f8f3c1f0a11",
    })
}

fn rehearsal_header(language: Language) -> Value {
    let said = language.say(
        "Does everything and undoes it: status, body and errors are those that the write would have, and nothing is written. \
         It needs no `Idempotency-Key`, and counts like any request.",
        "Hace todo y lo deshace: el estado, el cuerpo y los errores son los que la escritura tendría, y no se escribe nada. \
         No necesita `Idempotency-Key`, y cuenta como cualquier petición.",
    );
    json!({
        "name": headers::shown(&crate::pipeline::rehearsal::REHEARSAL), "in": "header", "required": false,
        "description": said, "schema": { "type": "string", "enum": ["true"] },
    })
}

fn simulation_header(language: Language) -> Value {
    let said = language.say(
        "Only of test companies, and ignored for all others: the request is not done, and is answered with this error, its \
         status and its headers; `tarda` does it and answers 9 seconds later. A simulated answer counts for nothing.",
        "Solo de empresas de prueba; en las demás se ignora: la petición no se hace y se responde con este error, su estado y \
         sus encabezados; con `tarda` se hace y la respuesta llega 9 segundos después. Una respuesta simulada no cuenta.",
    );
    json!({
        "name": headers::shown(&simulation::SIMULATION), "in": "header", "required": false,
        "description": said, "schema": { "type": "string", "enum": simulation::SIMULATIONS },
    })
}

impl Writer<'_> {
    pub(super) fn filters(&self, title: &str, list: &ListSpec) -> Vec<Value> {
        list.filters.iter().map(|filter| self.filter(title, list, filter)).collect()
    }

    fn filter(&self, title: &str, list: &ListSpec, filter: &Filter) -> Value {
        let rule = self.rule(filter);
        let said = match self.texts.parameter(title, filter.name) {
            Some(own) => own.to_owned(),
            None => rule.to_owned(),
        };
        json!({
            "name": filter.name, "in": "query", "description": said,
            "required": list.requires == [filter.name],
            "schema": schema(filter),
        })
    }

    /// What the filter's kind says about its value, where the list says nothing of its own.
    fn rule(&self, filter: &Filter) -> &'static str {
        match filter.takes {
            Takes::Integer | Takes::Choice(_) | Takes::EventKind(_) | Takes::Boolean => {
                self.language.say("Only records with this value.", "Solo registros con este valor.")
            }
            Takes::Text { .. } => self.language.say(
                "Only records with exactly this text; there are no wildcards.",
                "Solo registros con exactamente este texto; no hay comodines.",
            ),
            Takes::Uuid => self.language.say(
                "The complete fiscal folio, in any case.",
                "El folio fiscal completo, en mayúsculas o minúsculas.",
            ),
            Takes::Email => self.language.say(
                "The whole e-mail field; case and surplus spaces are ignored.",
                "El campo de correo completo; se ignoran mayúsculas y espacios sobrantes.",
            ),
            Takes::Phone => self.language.say(
                "The last 10 characters of a number, without spaces, hyphens, parentheses and plus sign.",
                "Los últimos 10 caracteres de un número, sin espacios, guiones, paréntesis ni signo más.",
            ),
            Takes::Search => self.language.say(
                "Words to search for, all of which must occur; case and accents are ignored, words of fewer than 3 characters are dropped. At most 10 different words are looked for.",
                "Palabras que se buscan, todas las cuales deben aparecer; se ignoran mayúsculas y acentos, y las palabras de menos de 3 caracteres. Se buscan a lo más 10 palabras distintas.",
            ),
            Takes::Bound(Edge::From) => self.language.say(
                "Equal or later: a date, `YYYY-MM-DD` (from its first instant, UTC), or an instant ending in `Z`.",
                "Igual o posterior: una fecha, `YYYY-MM-DD` (desde su primer instante, UTC), o un instante que termina en `Z`.",
            ),
            Takes::Bound(Edge::Until) => self.language.say(
                "Equal or earlier: a date, `YYYY-MM-DD` (to its last instant, UTC), or an instant ending in `Z`.",
                "Igual o anterior: una fecha, `YYYY-MM-DD` (hasta su último instante, UTC), o un instante que termina en `Z`.",
            ),
        }
    }
}

fn schema(filter: &Filter) -> Value {
    match filter.takes {
        Takes::Integer => json!({ "type": "integer", "format": "int64" }),
        Takes::Text { shortest, longest } => json!({ "type": "string", "minLength": shortest, "maxLength": longest }),
        Takes::Uuid => json!({ "type": "string", "format": "uuid", "minLength": 36, "maxLength": 36 }),
        Takes::Boolean => json!({ "type": "boolean" }),
        Takes::Choice(words) | Takes::EventKind(words) => json!({ "type": "string", "enum": words }),
        Takes::Email | Takes::Phone => json!({ "type": "string", "minLength": 1 }),
        Takes::Search => json!({ "type": "string", "minLength": 3, "maxLength": LONGEST }),
        // No example: viewers would send it, although the filter is optional.
        Takes::Bound(_) => json!({ "type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z)?$" }),
    }
}
