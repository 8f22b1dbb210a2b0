//! What a host's operation must be, checked when the context is built.

use std::collections::HashSet;

use http::HeaderValue;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::query::is_of_page;
use super::{Entry, Handler, Http, JSON, Method, PREFIX, RegistryError};
use crate::domain::scope::Scope;
use crate::record::ListSpec;
use crate::schema;

impl Entry {
    /// Checks a host's entry by itself.
    pub(super) fn validate(&self) -> Result<(), RegistryError> {
        let (spec, type_name) = (self.spec, self.type_name());
        if spec.http.is_none() && spec.name.is_none() {
            return Err(RegistryError::Unreachable(type_name));
        }
        if !self.type_names().all(is_word) {
            return Err(RegistryError::TypeName(type_name));
        }
        if let Some(name) = spec.name.filter(|name| !is_name(name)) {
            return Err(RegistryError::NameForm(name, type_name));
        }
        let scope = spec.http.as_ref().and_then(|http| http.scopes.of_host());
        if let Some(scope) = scope.filter(|scope| Scope::of(scope.word()).is_some()) {
            return Err(RegistryError::Scope(scope.word(), type_name));
        }
        self.validate_types()?;
        if let Some(fault) = self.file_fault() {
            return Err(RegistryError::File(type_name, fault));
        }
        if let Some((list, fault)) = self.declared_list().and_then(|list| Some((list, list_fault(list)?))) {
            return Err(RegistryError::List(list.path, type_name, fault));
        }
        match spec.http.as_ref().and_then(|http| Some((http, self.path_fault(http)?))) {
            Some((http, fault)) => Err(RegistryError::Path(http.path, type_name, fault)),
            None => Ok(()),
        }
    }

    /// Checks that input and answer are objects, to which the path and `ok` add members.
    fn validate_types(&self) -> Result<(), RegistryError> {
        let type_name = self.type_name();
        let has_fields = |input: &Value| input["properties"].is_object() || !input["additionalProperties"].is_object();
        if self.schema().is_some_and(|input| input["type"] != "object" || !has_fields(&input)) {
            return Err(RegistryError::Input(type_name));
        }
        let Some(output) = self.shape.output else { return Ok(()) };
        if !schema::is_object(output) {
            return Err(RegistryError::Answer(type_name));
        }
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let mut generator = settings.with(|settings| settings.inline_subschemas = true).into_generator();
        let is_operation = matches!(self.handler, Handler::Operation(_));
        if is_operation && output(&mut generator).pointer("/properties/ok").is_some() {
            return Err(RegistryError::AnswerOk(type_name));
        }
        Ok(())
    }

    /// What is wrong with the content types, in words that follow "the file of" the type.
    fn file_fault(&self) -> Option<&'static str> {
        let Self { spec, handler, .. } = self;
        if !matches!(handler, Handler::Download(_)) {
            return spec
                .contents()
                .any(|content| content != JSON)
                .then_some("is declared, but the type is no Download");
        }
        if spec.http.is_some_and(|http| http.method != Method::Get) {
            return Some("has a route that is not a GET");
        }
        if spec.contents().any(|content| content == JSON) {
            return Some("has no content type, or that of every answer");
        }
        let is_type = |content: &str| content.contains('/') && HeaderValue::from_str(content).is_ok();
        (!spec.contents().all(is_type)).then_some("has a content type that is none")
    }

    /// What is wrong with the path, in words that follow "the path".
    fn path_fault(&self, http: &Http) -> Option<&'static str> {
        let Some(below) = http.path.strip_prefix('/') else { return Some("does not begin with /") };
        let parameter = |segment: &'static str| segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        if below.split('/').next().is_some_and(|first| parameter(first).is_some()) {
            return Some("begins with a parameter");
        }
        if http.path.strip_prefix(PREFIX).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
            return Some("begins with the path of every API, below which it is already");
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let is_segment = |segment: &'static str| match parameter(segment) {
            Some(name) => is_word(name),
            None => segment.bytes().all(is_plain) && segment.bytes().any(|byte| byte != b'.'),
        };
        if !below.split('/').all(is_segment) {
            return Some("has a segment that is neither letters, digits, -, _ and . nor a name in braces");
        }
        let names: Vec<&str> = below.split('/').filter_map(parameter).collect();
        if names.iter().collect::<HashSet<_>>().len() < names.len() {
            return Some("has a parameter twice");
        }
        match (self.declared_list(), self.schema()) {
            (Some(list), _) => match (names.len(), list.parent) {
                (0, None) | (1, Some(_)) => None,
                (0, Some(_)) => Some("lacks a parameter for the record that the list is under"),
                (_, None) => Some("has a parameter, but the list is under no record"),
                (_, Some(_)) => Some("has more parameters than the record that the list is under"),
            },
            (None, Some(input)) => parameter_fault(&names, &input, http.method),
            _ => None,
        }
    }
}

/// What is wrong with a list, in words that follow its path.
fn list_fault(list: &ListSpec) -> Option<&'static str> {
    if list.columns.first() != Some(&"clave") {
        return Some("has records whose first field is not clave");
    }
    let names: Vec<&str> = list.filters.iter().map(|filter| filter.name).collect();
    if names.iter().any(|name| is_of_page(name)) {
        return Some("has a filter that is called as what every page takes");
    }
    if !list.requires.iter().all(|name| names.contains(name)) {
        return Some("requires a filter that it does not have");
    }
    let is_twice = names.iter().collect::<HashSet<_>>().len() < names.len();
    is_twice.then_some("has a filter twice")
}

fn parameter_fault(names: &[&str], input: &Value, method: Method) -> Option<&'static str> {
    let is_integer = |name: &&str| {
        let kind = &input["properties"][*name]["type"];
        kind == "integer" || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "integer"))
    };
    if !names.iter().all(is_integer) {
        return Some("has a parameter that is no integer field of the input");
    }
    let mut required = input["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if method == Method::Get && required.any(|field| !names.contains(&field)) {
        return Some("lacks a required field of the input, which a GET has nowhere else");
    }
    None
}

/// Whether it is a name in programs and in the description: letters of ASCII, digits and `_`.
pub(super) fn is_word(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether it is a subject, a dot and an action, which may have dots itself.
fn is_name(name: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.split('-').all(is_word);
    name.split('.').count() >= 2 && name.split('.').all(is_part)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use http::StatusCode;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::domain::scope::{OwnScope, Scopes};
    use crate::error::{Code, Error, OwnCode};
    use crate::operation::{Cx, Download, File, Operation, Registry, Spec};
    use crate::record::List;
    use crate::record::customer::Customer;
    use crate::record::filter::exact;
    use crate::store::Reader;

    const SCOPES: Scopes = Scopes::own(OwnScope::new("mio:read"));

    const fn post(path: &'static str) -> Spec {
        Spec::new().http(Http::new(Method::Post, path, SCOPES))
    }

    const fn get(path: &'static str) -> Spec {
        Spec::new().http(Http::new(Method::Get, path, SCOPES))
    }

    /// Why a context with the operation is not built; "" if it is.
    macro_rules! refusal {
        ($spec:expr, $input:item => $output:ty) => {{
            #[derive(Deserialize, JsonSchema)]
            #[expect(dead_code, reason = "only its schema counts")]
            $input
            refusal!(Own: $spec => $output)
        }};
        ($type:ident: $spec:expr => $output:ty) => {{
            impl Operation for $type {
                const SPEC: Spec = $spec;
                type Output = $output;

                async fn run(&self, _: &mut Cx<'_>) -> Result<$output, Error> {
                    Err(Code::NoEncontrado.into())
                }
            }
            let refused = Registry::default().operation::<$type>().router().err();
            refused.map_or_else(String::new, |error| error.to_string())
        }};
    }

    #[derive(Serialize, JsonSchema)]
    struct Done {
        n: i64,
    }

    #[derive(Serialize, JsonSchema)]
    struct Judged {
        ok: bool,
    }

    #[test]
    fn a_path_is_one_that_requests_can_have() {
        assert_eq!(refusal!(post("/mio/{clave}/hecho"), struct Own { clave: i64, n: i64 } => Done), "");
        assert_eq!(refusal!(get("/mio/a-b_c/{n}"), struct Own { n: Option<i64> } => Done), "");
        let begins = "the path mio/cosa of Own does not begin with /";
        assert_eq!(refusal!(post("mio/cosa"), struct Own { n: i64 } => Done), begins);
        let first = "the path /{clave}/x of Own begins with a parameter";
        assert_eq!(refusal!(post("/{clave}/x"), struct Own { clave: i64 } => Done), first);
        assert!(refusal!(post("/{*rest}"), struct Own { n: i64 } => Done).contains("begins with a parameter"));
        assert!(refusal!(post("/mio?x=1"), struct Own { n: i64 } => Done).contains("has a segment that is neither"));
        assert!(refusal!(post("/mio/ñu"), struct Own { n: i64 } => Done).contains("has a segment that is neither"));
        assert!(refusal!(post("/mio/.."), struct Own { n: i64 } => Done).contains("has a segment that is neither"));
        assert!(refusal!(post("/mio/"), struct Own { n: i64 } => Done).contains("has a segment that is neither"));
        assert!(
            refusal!(post("/api/v1/mio"), struct Own { n: i64 } => Done).contains("begins with the path of every API")
        );
        assert!(refusal!(post("/mio/{n}/{n}"), struct Own { n: i64 } => Done).contains("has a parameter twice"));
        let field = "has a parameter that is no integer field of the input";
        assert!(refusal!(post("/mio/{id}"), struct Own { clave: i64 } => Done).ends_with(field));
        assert!(refusal!(post("/mio/{clave}"), struct Own { clave: String } => Done).ends_with(field));
        let nowhere = "lacks a required field of the input, which a GET has nowhere else";
        assert!(refusal!(get("/mio/{n}"), struct Own { n: i64, m: i64 } => Done).ends_with(nowhere));
    }

    #[test]
    fn a_list_is_read_in_pages_of_its_claves() {
        let list = <Customer as List>::LIST;
        assert_eq!(list_fault(&list), None);
        let fault = |filters| list_fault(&ListSpec { filters, ..list }).unwrap_or_default();
        assert_eq!(fault(const { &[exact("limite")] }), "has a filter that is called as what every page takes");
        assert_eq!(fault(const { &[exact("rfc"), exact("rfc")] }), "has a filter twice");
        let required = ListSpec { requires: &["folio_x"], ..list };
        assert_eq!(list_fault(&required), Some("requires a filter that it does not have"));
        let unnumbered = ListSpec { columns: &["numero"], ..list };
        assert_eq!(list_fault(&unnumbered), Some("has records whose first field is not clave"));
    }

    #[test]
    fn inputs_and_answers_are_objects_and_names_plain() {
        #[derive(Deserialize, JsonSchema)]
        struct Órden {}

        let input = "the input of Own is no struct with named fields";
        assert_eq!(refusal!(post("/mio/a"), enum Own { A { n: i64 }, B } => Done), input);
        assert_eq!(refusal!(post("/mio/a"), struct Own(HashMap<String, i64>); => Done), input);
        assert_eq!(
            refusal!(post("/mio/a"), struct Own { n: i64 } => Judged),
            "the answer of Own has a member ok, which every answer has"
        );
        assert!(
            refusal!(post("/mio/a").named("mio.a b"), struct Own { n: i64 } => Done).starts_with("an operation's name")
        );
        assert!(
            refusal!(post("/mio/a").named("mio"), struct Own { n: i64 } => Done).starts_with("an operation's name")
        );
        assert_eq!(refusal!(post("/mio/a").named("mio.de-a_2"), struct Own { n: i64 } => Done), "");
        let name = "the name of Órden has other characters than ASCII letters, digits and _";
        assert_eq!(refusal!(Órden: post("/mio/a") => Done), name);
    }

    #[test]
    fn a_file_has_a_content_type_and_a_get() {
        macro_rules! refused {
            ($spec:expr) => {{
                #[derive(Deserialize, JsonSchema)]
                struct Own {}

                impl Download for Own {
                    const SPEC: Spec = $spec;

                    async fn read(&self, _: &dyn Reader) -> Result<File, Error> {
                        Err(Code::NoEncontrado.into())
                    }
                }
                let refused = Registry::default().download::<Own>().router().err();
                refused.map_or_else(String::new, |error| error.to_string())
            }};
        }
        assert_eq!(refused!(get("/mio/a").file("text/csv").or(&["application/zip"])), "");
        assert_eq!(refused!(Spec::new().named("mio.a").file("text/csv; charset=utf-8")), "");
        let none = "the file of Own has no content type, or that of every answer";
        assert_eq!(refused!(get("/mio/a")), none);
        assert_eq!(refused!(get("/mio/a").file("text/csv").or(&[JSON])), none);
        assert_eq!(refused!(get("/mio/a").file("csv")), "the file of Own has a content type that is none");
        assert_eq!(refused!(get("/mio/a").file("text/c\nsv")), "the file of Own has a content type that is none");
        assert_eq!(refused!(post("/mio/a").file("text/csv")), "the file of Own has a route that is not a GET");
        let declared = "the file of Own is declared, but the type is no Download";
        assert_eq!(refusal!(get("/mio/{n}").file("text/csv"), struct Own { n: i64 } => Done), declared);
    }

    #[test]
    fn a_code_is_that_of_one_error() {
        static TAKEN: OwnCode = OwnCode::new(409, "no_encontrado", "no", "no");
        static LOOSE: OwnCode = OwnCode::new(409, "no hay", "no", "no");
        static ONE: OwnCode = OwnCode::new(409, "agotado", "no", "no");
        static OTHER: OwnCode = OwnCode::new(422, "agotado", "no", "no");
        const OURS: &[Code] = &[Code::Own(&TAKEN)];
        const NO_WORD: &[Code] = &[Code::Own(&LOOSE)];
        const TWO: &[Code] = &[Code::Own(&ONE), Code::Own(&OTHER)];
        const SAME: &[Code] = &[Code::Own(&ONE), Code::Own(&ONE)];
        let text = |code: &str| format!("the error {code} of Own has the code of another, or no word as its code");
        assert_eq!(refusal!(post("/mio/a").errors(OURS), struct Own { n: i64 } => Done), text("no_encontrado"));
        assert_eq!(refusal!(post("/mio/a").errors(NO_WORD), struct Own { n: i64 } => Done), text("no hay"));
        assert_eq!(refusal!(post("/mio/a").errors(TWO), struct Own { n: i64 } => Done), text("agotado"));
        assert_eq!(refusal!(post("/mio/a").errors(SAME), struct Own { n: i64 } => Done), "");
    }

    #[test]
    #[should_panic(expected = "a success is 200, 201 or 202")]
    fn a_success_has_a_body() {
        let _ = Http::new(Method::Delete, "/mio/{clave}", SCOPES).status(StatusCode::NO_CONTENT);
    }
}
