//! What the descriptions say of a host's own operations and types.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Language;
use crate::domain::event::{OwnEvent, OwnEventKind};
use crate::domain::scope::{Scope, Scopes};
use crate::error::{Code, Error};
use crate::operation::{Cx, Http, Method, Operation, Registry, Spec};
use crate::record::{List, ListSpec, PageSizes, record};

const ADDRESS: &str = "https://api.example.com/api/v1";

/// Declares an operation of a host that answers its default.
macro_rules! own {
    ($type:ty, $method:ident $path:literal $(, $name:literal)? => $output:ty) => {
        impl Operation for $type {
            const SPEC: Spec = Spec::new()$(.named($name))?
                .http(Http::new(Method::$method, $path, Scopes::only(Scope::ClientesWrite)));
            type Output = $output;

            async fn run(&self, _: &mut Cx<'_>) -> Result<$output, Error> {
                Ok(<$output>::default())
            }
        }
    };
}

#[derive(Deserialize, JsonSchema)]
struct Ping {}

#[derive(Default, Serialize, JsonSchema)]
struct Pong {
    n: i64,
}
own!(Ping, Post "/mio/ping", "mio.ping" => Pong);

/// Has the name of a record of Svc's, with other fields.
#[derive(Default, Deserialize, Serialize, JsonSchema)]
struct Customer {
    shoe_size: i64,
}

/// Has the name of the line of an order.
#[derive(Default, Deserialize, Serialize, JsonSchema)]
struct LineBody {
    taste: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Dress {
    #[expect(dead_code, reason = "only its schema counts")]
    customer: Customer,
    #[expect(dead_code, reason = "only its schema counts")]
    address: Address,
}

#[derive(Deserialize, JsonSchema)]
struct Address {
    #[expect(dead_code, reason = "only its schema counts")]
    street: String,
}

mod another {
    #[derive(Default, serde::Serialize, schemars::JsonSchema)]
    pub(super) struct Address {
        pub(super) door: i64,
    }
}

#[derive(Default, Serialize, JsonSchema)]
struct Dressed {
    lines: Vec<LineBody>,
    address: another::Address,
}
own!(Dress, Post "/mio/dress" => Dressed);

/// Contains itself.
#[derive(Default, Deserialize, Serialize, JsonSchema)]
struct Node {
    name: String,
    #[serde(default)]
    children: Vec<Node>,
}
own!(Node, Put "/mio/tree", "mio.tree" => Node);

/// Contains itself, and has a field in the path.
#[derive(Deserialize, JsonSchema)]
struct Bough {
    #[expect(dead_code, reason = "only its schema counts")]
    clave: i64,
    #[expect(dead_code, reason = "only its schema counts")]
    twigs: Vec<Bough>,
}
own!(Bough, Put "/mio/boughs/{clave}" => Pong);

/// Is another type where it is written: there its cell has a number that may be left out.
#[derive(Default, Deserialize, Serialize, JsonSchema)]
struct Row {
    cell: Cell,
}

#[derive(Default, Deserialize, Serialize, JsonSchema)]
struct Cell {
    #[serde(default)]
    n: i64,
}
own!(Row, Post "/mio/row" => Row);

#[derive(Deserialize, JsonSchema)]
struct Count {
    #[expect(dead_code, reason = "only its schema counts")]
    clave: i64,
}
own!(Count, Get "/mio/{clave}/count" => HashMap<String, i64>);

#[derive(Deserialize, JsonSchema)]
struct Label {}
own!(Label, Post "/mio/label" => HashMap<String, String>);

pub(crate) fn registry() -> Registry {
    Registry::default()
        .operation::<Ping>()
        .operation::<Dress>()
        .operation::<Node>()
        .operation::<Bough>()
        .operation::<Row>()
        .operation::<Count>()
        .operation::<Label>()
}

/// Every reference of a document.
fn references(value: &Value) -> Vec<&str> {
    match value {
        Value::Object(members) => {
            let own = members.get("$ref").and_then(Value::as_str);
            own.into_iter().chain(members.values().flat_map(references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

/// Follows the reference of a schema.
fn target<'d>(document: &'d Value, schema: &Value) -> &'d Value {
    document.pointer(&schema["$ref"].as_str().expect("a reference")[1..]).expect("a component")
}

fn body<'d>(document: &'d Value, path: &str) -> &'d Value {
    target(document, &document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"])
}

#[test]
fn the_descriptions_are_valid_with_types_of_every_shape() {
    let registry = registry();
    registry.router().unwrap_or_else(|error| panic!("{error}"));
    for language in [Language::English, Language::Spanish] {
        for document in [registry.openapi(language, ADDRESS), registry.office_openapi(language, ADDRESS)] {
            for reference in references(&document) {
                assert!(document.pointer(&reference[1..]).is_some_and(|_| reference.len() > 1), "{reference}");
            }
            let text = document.to_string();
            assert!(!text.contains("\"description\":null") && !text.contains("\"properties\":null"));
        }
    }
}

#[test]
fn what_has_no_fields_is_an_empty_object() {
    let document = registry().openapi(Language::English, ADDRESS);
    assert_eq!(body(&document, "/mio/ping")["type"], "object");
}

#[test]
fn types_of_one_name_are_different_components() {
    let (ours, document) = (Registry::default(), registry().openapi(Language::English, ADDRESS));
    let without = ours.openapi(Language::English, ADDRESS);
    let all: BTreeMap<&String, &Value> = document["components"]["schemas"].as_object().unwrap().iter().collect();
    for (name, schema) in without["components"]["schemas"].as_object().unwrap() {
        assert_eq!(all.get(name), Some(&schema), "{name} of Svc's own");
    }
    let dress = &body(&document, "/mio/dress")["properties"];
    assert_eq!(target(&document, &dress["customer"])["required"], json!(["shoe_size"]));
    assert_eq!(target(&document, &dress["address"])["required"], json!(["street"]));
    let answer = &document["paths"]["/mio/dress"]["post"]["responses"]["201"]["content"]["application/json"]["schema"];
    let dressed = &target(&document, answer)["properties"];
    assert_eq!(target(&document, &dressed["lines"]["items"])["required"], json!(["taste"]));
    assert_eq!(target(&document, &dressed["address"])["required"], json!(["door"]));
}

#[test]
fn a_body_lacks_what_is_in_the_path_and_the_type_within_has_it() {
    let document = registry().openapi(Language::English, ADDRESS);
    let body = &document["paths"]["/mio/boughs/{clave}"]["put"]["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(body["$ref"], "#/components/schemas/Bough");
    let body = target(&document, body);
    assert_eq!(body["required"], json!(["twigs"]));
    assert_eq!(target(&document, &body["properties"]["twigs"]["items"])["required"], json!(["clave", "twigs"]));
}

#[test]
fn a_type_is_another_if_what_it_contains_is_another() {
    let document = registry().openapi(Language::English, ADDRESS);
    let cell = |schema: &Value| target(&document, &target(&document, schema)["properties"]["cell"])["required"].clone();
    let row = &document["paths"]["/mio/row"]["post"];
    assert_eq!(cell(&row["requestBody"]["content"]["application/json"]["schema"]), Value::Null);
    assert_eq!(cell(&row["responses"]["201"]["content"]["application/json"]["schema"]), json!(["n"]));
}

#[test]
fn answers_without_a_type_of_their_own_are_named_by_the_operation() {
    let document = registry().openapi(Language::English, ADDRESS);
    let kind = |path: &str, method: &str, status: &str| {
        let answer = &document["paths"][path][method]["responses"][status]["content"]["application/json"]["schema"];
        target(&document, answer)["additionalProperties"]["type"].clone()
    };
    assert_eq!(kind("/mio/{clave}/count", "get", "200"), "integer");
    assert_eq!(kind("/mio/label", "post", "201"), "string");
}

#[test]
fn a_read_answers_no_errors_of_a_body_or_a_key_of_repetition() {
    let document = registry().openapi(Language::English, ADDRESS);
    let statuses: Vec<&String> =
        document["paths"]["/mio/{clave}/count"]["get"]["responses"].as_object().unwrap().keys().collect();
    assert!(!statuses.iter().any(|status| ["409", "413", "415"].contains(&status.as_str())), "{statuses:?}");
}

/// Answers errors that none of Svc's own operations over HTTP answers.
#[derive(Deserialize, JsonSchema)]
struct Lend {}

impl Operation for Lend {
    const SPEC: Spec =
        Spec::new().http(Http::new(Method::Post, "/mio/lend", Scopes::only(Scope::ClientesWrite))).errors(&[
            Code::SaldoInsuficiente,
            Code::UuidDuplicado,
            Code::LineaInvalida,
            Code::EstadoInvalido,
            Code::ReferenciaInvalida,
            Code::AlmacenConExistencia,
            Code::CertificadoRechazado,
        ]);
    type Output = Pong;

    async fn run(&self, _: &mut Cx<'_>) -> Result<Pong, Error> {
        Ok(Pong::default())
    }
}

#[test]
fn an_error_of_the_back_office_is_described_where_a_host_answers_it() {
    for language in Language::ALL {
        let document = Registry::default().operation::<Lend>().openapi(language, ADDRESS);
        let responses = &document["paths"]["/mio/lend"]["post"]["responses"];
        for code in Lend::SPEC.errors {
            let said = responses[code.status().to_string()]["description"].as_str().expect("a description");
            let line = said.lines().find_map(|line| line.strip_prefix(&format!("- `{}`: ", code.codigo())));
            assert!(line.is_some_and(|line| line.len() > 20), "{code:?} ({}): {line:?}", language.code());
        }
    }
}

/// Signs a lease. The house
/// is then taken.
///
/// A lease lasts a year.
#[derive(Deserialize, JsonSchema)]
struct SignLease {
    /// The house.
    #[expect(dead_code, reason = "only its schema counts")]
    house: i64,
}
own!(SignLease, Post "/mio/leases", "mio.lease" => Pong);

record! {
    /// A house. Its door is blue.
    pub struct House in "casas" {
        /// Its key.
        clave: i64 { list },
    }
}

impl List for House {
    const LIST: ListSpec = ListSpec::of::<Self>("/mio/houses", Scopes::only(Scope::ClientesRead), PageSizes::Enforced);
}

/// A lease ended.
#[derive(Serialize, JsonSchema)]
struct LeaseEnded {
    lease: i64,
}

impl OwnEvent for LeaseEnded {
    const KIND: OwnEventKind = OwnEventKind::new::<Self>("mio.ended", Scopes::only(Scope::ClientesRead), "mio/leases");

    fn clave(&self) -> i64 {
        self.lease
    }

    fn sample() -> Self {
        Self { lease: 1 }
    }
}

#[test]
fn what_a_host_says_nothing_of_is_described_by_its_documentation() {
    let registry = Registry::default().operation::<SignLease>().list::<House>().event::<LeaseEnded>();
    for language in Language::ALL {
        let document = registry.openapi(language, ADDRESS);
        let sign = &document["paths"]["/mio/leases"]["post"];
        assert_eq!(sign["summary"], "Signs a lease");
        let said = sign["description"].as_str().expect("a description");
        assert!(said.starts_with("Signs a lease. The house\nis then taken.\n\nA lease lasts a year."), "{said}");
        let list = &document["paths"]["/mio/houses"]["get"];
        assert_eq!(list["summary"], "A house");
        assert!(list["description"].as_str().is_some_and(|said| said.starts_with("A house. Its door is blue.")));
        let notice = document["webhooks"]["mio.ended"]["post"]["description"].as_str().expect("a description");
        assert!(notice.starts_with("A lease ended.\n\n"), "{notice}");
        let office = registry.office_openapi(language, ADDRESS);
        assert_eq!(office["paths"]["/mio.lease"]["post"]["summary"], "Signs a lease");
        let named = registry.named_operations(language).find(|one| one.name == "mio.lease").expect("the operation");
        assert_eq!(named.summary, "Signs a lease");
        assert_eq!(named.schema["properties"]["house"]["description"], "The house.");
    }
}
