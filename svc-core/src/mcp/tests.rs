use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response};
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::{Value, json};

use super::catalogue::OperationIndex;
use super::connector::Own;
use super::*;
use crate::domain::clock::{SystemClock, SystemRandom};
use crate::operation::Registry;
use crate::service::ClientAddress;

fn catalogue() -> OperationIndex {
    OperationIndex::of(&Registry::default())
}

fn offer() -> Offer {
    Offer::of(&Registry::default(), Arc::new(SystemClock), Arc::new(SystemRandom))
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(members) => members,
        other => panic!("{other} is no object"),
    }
}

/// Answers every request with success, and keeps it.
#[derive(Default)]
struct Recorder(Mutex<Vec<(Surface, Request<Bytes>)>>);

#[async_trait]
impl Upstream for Recorder {
    async fn send(&self, surface: Surface, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        let answer = Response::builder().header("content-type", "application/json");
        let answer = answer.header("x-svc-permisos", "clientes:read, clientes:write");
        self.0.lock().unwrap().push((surface, request));
        Ok(answer.body(Bytes::from_static(br#"{"ok":true}"#)).unwrap())
    }
}

impl Recorder {
    fn last(&self) -> (Surface, Method, String, HeaderMap, Value) {
        let sent = self.0.lock().unwrap();
        let (surface, request) = sent.last().unwrap();
        let body = serde_json::from_slice(request.body()).unwrap_or_default();
        (*surface, request.method().clone(), request.uri().to_string(), request.headers().clone(), body)
    }

    fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

fn over(offer: Offer) -> (Arc<Recorder>, Connector) {
    let recorder = Arc::new(Recorder::default());
    (Arc::clone(&recorder), Connector::new(offer, recorder))
}

async fn call(connector: &Connector, tool: &str, given: Value) -> CallToolResult {
    connector.call(tool, object(given), &Own::default()).await.unwrap()
}

fn text(result: &CallToolResult) -> String {
    serde_json::to_value(&result.content).unwrap()[0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn hints_say_what_an_operation_does() {
    let catalogue = catalogue();
    for (name, read_only, destructive, idempotent, open_world) in [
        ("listCustomers", true, false, true, false),
        ("readInvoicePdf", true, false, true, false),
        ("createCustomer", false, false, false, false),
        ("createLead", false, false, false, false),
        ("editCustomer", false, true, true, false),
        // The new commitment takes the place of the former one.
        ("logInteraction", false, true, false, false),
        ("createSale", false, false, false, false),
        // A sale is invoiced once, whatever the keys are.
        ("invoiceSale", false, true, true, true),
        ("payReceivable", false, false, false, true),
        ("deleteWebhook", false, true, true, false),
        ("rotateSecret", false, true, false, false),
        ("tryWebhook", false, false, false, true),
        ("resendDelivery", false, false, false, true),
        ("customer.get", true, false, true, false),
        ("invoice.cancel", false, true, false, true),
        ("batch", false, true, false, true),
    ] {
        let offered = catalogue.find(name).unwrap_or_else(|| panic!("no operation {name}"));
        let hints = offered.described.annotations.as_ref().unwrap();
        let hints = [hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint];
        assert_eq!(hints, [read_only, destructive, idempotent, open_world].map(Some), "{name}");
    }
}

#[test]
fn names_of_tools_are_unique_and_plain() {
    let catalogue = catalogue();
    let mut names: Vec<&str> = catalogue.all().iter().map(|offered| offered.described.name.as_ref()).collect();
    assert!(names.len() > 100, "the API's and the office's: {}", names.len());
    for name in &names {
        assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{name}");
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), catalogue.all().len());
}

#[test]
fn every_write_describes_its_key_and_every_operation_what_it_answers() {
    for offered in catalogue().all() {
        let name = &offered.described.name;
        let key = &offered.described.input_schema["properties"]["idempotency_key"];
        assert_eq!(key.is_object(), offered.writes, "{name}");
        assert!(key["enum"].is_null(), "{name}");
        let is_file = ["Pdf", "Xml", "pdf", "xml", "ticket", "export"].iter().any(|word| name.ends_with(word));
        assert_eq!(offered.answer.is_some(), !is_file, "{name}");
    }
}

#[test]
fn an_unknown_argument_names_the_allowed_ones() {
    let catalogue = catalogue();
    for offered in catalogue.all() {
        let refused = offered.call(object(json!({ "otro_campo": 1 }))).err().unwrap();
        assert!(refused.starts_with("there is no argument otro_campo; allowed are: "), "{refused}");
    }
    let edit = catalogue.find("editCustomer").unwrap();
    let refused = edit.call(object(json!({ "clave": 1, "Nombre": "x" }))).err().unwrap();
    assert!(refused.contains("clave, idempotency_key, nombre"), "{refused}");
    assert!(edit.call(object(json!({ "nombre": "x" }))).err().unwrap().contains("clave"));
}

#[tokio::test]
async fn only_what_repeats_with_an_effect_has_the_session_s_key() {
    let (recorder, connector) = over(offer().each(true));
    let catalogue = catalogue();
    for offered in catalogue.all().iter().filter(|offered| offered.writes) {
        let mut keys = Vec::new();
        for _ in 0..2 {
            let given = json!({ "clave": 1, "entrega": 1 });
            let given: JsonObject = object(given)
                .into_iter()
                .filter(|(name, _)| offered.described.input_schema["properties"].get(name).is_some())
                .collect();
            call(&connector, &offered.described.name, given.into()).await;
            keys.push(recorder.last().3["idempotency-key"].clone());
        }
        assert_eq!(keys[0] == keys[1], !offered.each_time, "{}", offered.described.name);
    }
}

#[tokio::test]
async fn what_sets_a_state_and_a_batch_of_nothing_else_are_done_each_time() {
    let (recorder, connector) = over(offer());
    let step = |accion: &str| json!({ "accion": accion, "entrada": {} });
    let batch =
        |actions: &[&str]| ("batch", json!({ "acciones": actions.iter().map(|one| step(one)).collect::<Vec<_>>() }));
    for ((operation, arguments), each_time) in [
        (("customer.edit", json!({ "clave": 1 })), true),
        (("stock.count", json!({ "producto": 1 })), true),
        (("order.invoice", json!({ "venta": 1 })), true),
        (("ledger.close-year", json!({ "ejercicio": 2025 })), true),
        (("rotateSecret", json!({ "clave": 1 })), true),
        (("customer.create", json!({ "nombre": "Ana" })), false),
        (batch(&["product.get", "ledger.balance"]), true),
        (batch(&["product.get", "customer.edit"]), true),
        (batch(&["product.get", "customer.create"]), false),
        (batch(&["unknown"]), false),
    ] {
        let mut keys = Vec::new();
        for _ in 0..2 {
            let given = json!({ "operation": operation, "arguments": arguments });
            call(&connector, "run_operation", given).await;
            keys.push(recorder.last().3["idempotency-key"].clone());
        }
        assert_eq!(keys[0] != keys[1], each_time, "{operation} {arguments}");
    }
}

#[tokio::test]
async fn a_misnamed_argument_of_the_four_tools_names_the_allowed_ones() {
    let (_, connector) = over(offer());
    for (tool, given, allowed) in [
        ("find_operations", json!({ "query": "customer" }), "query; allowed are: text"),
        ("describe_operation", json!({ "operation": "createCustomer", "x": 1 }), "x; allowed are: operation"),
        (
            "run_operation",
            json!({ "operation": "createCustomer", "args": {} }),
            "operation, arguments, idempotency_key, digest",
        ),
    ] {
        let refused = call(&connector, tool, given).await;
        assert!(refused.is_error == Some(true) && text(&refused).contains(allowed), "{}", text(&refused));
    }
}

#[tokio::test]
async fn an_operation_is_found_described_rehearsed_and_run() {
    let (recorder, connector) = over(offer());
    for words in ["create customer", "crear clientes", "CREAR CLIENTE"] {
        let found = call(&connector, "find_operations", json!({ "text": words })).await.structured_content.unwrap();
        assert_eq!(found["operations"][0]["operation"], "createCustomer", "{words}: {found}");
        assert_eq!(found["operations"][0]["writes"], true);
        assert!(!found.to_string().contains("listProducts"), "the key may not: {found}");
    }
    let described = call(&connector, "describe_operation", json!({ "operation": "createCustomer" })).await;
    let described = described.structured_content.unwrap();
    assert_eq!(described["scopes"], json!(["clientes:write"]));
    assert_eq!(described["arguments"]["properties"]["nombre"]["type"], "string", "{described}");
    assert!(described["arguments"]["properties"]["idempotency_key"].is_null() && described["answer"].is_object());
    let unknown = call(&connector, "describe_operation", json!({ "operation": "newCustomer" })).await;
    assert!(unknown.is_error == Some(true) && text(&unknown).contains("createCustomer"), "{}", text(&unknown));

    let given = json!({ "operation": "createCustomer", "arguments": { "nombre": "Ana" } });
    let rehearsed = call(&connector, "rehearse_operation", given.clone()).await.structured_content.unwrap();
    let (surface, method, path, headers, body) = recorder.last();
    assert_eq!((surface, method, path.as_str()), (Surface::Api, Method::POST, "/clientes"));
    assert_eq!((&headers["x-svc-ensayo"], headers.contains_key("idempotency-key")), (&"true".parse().unwrap(), false));
    assert_eq!((body, &rehearsed["rehearsed"]), (json!({ "nombre": "Ana" }), &json!(true)));

    let mut confirmed = given.clone();
    confirmed["digest"] = rehearsed["digest"].clone();
    for key in [json!(null), json!("otra-vez")] {
        confirmed["idempotency_key"] = key;
        call(&connector, "run_operation", confirmed.clone()).await;
        let (.., headers, _) = recorder.last();
        let key = headers["idempotency-key"].to_str().unwrap().to_owned();
        assert_eq!(
            key,
            format!("mcp-{}", rehearsed["digest"].as_str().unwrap()),
            "once, however often it is confirmed"
        );
        assert!(!headers.contains_key("x-svc-ensayo"));
    }

    let named = json!({ "operation": "customer.get", "arguments": { "clave": 7 } });
    call(&connector, "run_operation", named.clone()).await;
    let (surface, method, path, _, body) = recorder.last();
    assert_eq!(
        (surface, method, path.as_str(), body),
        (Surface::Office, Method::POST, "/customer.get", json!({ "clave": 7 }))
    );
    let refused = call(&connector, "rehearse_operation", named).await;
    assert!(text(&refused).contains("only reads"), "{}", text(&refused));
}

#[tokio::test]
async fn where_writes_are_confirmed_none_runs_without_its_rehearsal() {
    for each in [false, true] {
        let (recorder, connector) = over(offer().confirmed(true).each(each));
        let given = |name: &str, more: Value| {
            let mut given = if each {
                json!({ "nombre": name })
            } else {
                json!({ "operation": "createCustomer", "arguments": { "nombre": name } })
            };
            given.as_object_mut().unwrap().extend(object(more));
            given
        };
        let (run, rehearse) = if each {
            ("createCustomer", ("createCustomer", json!({ "rehearse": true })))
        } else {
            ("run_operation", ("rehearse_operation", json!({})))
        };
        let refused = call(&connector, run, given("Ana", json!({}))).await;
        assert!(refused.is_error == Some(true) && text(&refused).contains("rehearse it"), "{}", text(&refused));
        assert_eq!(recorder.count(), 0);
        let rehearsed = call(&connector, rehearse.0, given("Ana", rehearse.1)).await.structured_content.unwrap();
        let digest = json!({ "digest": rehearsed["digest"] });
        let other = call(&connector, run, given("Eva", digest.clone())).await;
        assert!(text(&other).contains("no rehearsal of this operation"), "{}", text(&other));
        let foreign = over(offer().confirmed(true).each(each)).1;
        let elsewhere = call(&foreign, run, given("Ana", digest.clone())).await;
        assert_eq!(elsewhere.is_error, Some(true), "another key's rehearsal");
        assert_eq!(recorder.count(), 1);
        let done = call(&connector, run, given("Ana", digest)).await;
        assert_ne!(done.is_error, Some(true));
        assert_eq!(recorder.count(), 2);
    }
}

#[tokio::test]
async fn a_reader_writes_nothing() {
    for each in [false, true] {
        let (recorder, connector) = over(offer().read_only(true).each(each));
        if each {
            assert!(connector.call("createCustomer", JsonObject::new(), &Own::default()).await.is_err());
        } else {
            let given = json!({ "operation": "createCustomer", "arguments": { "nombre": "Ana" } });
            let refused = call(&connector, "run_operation", given).await;
            assert_eq!(refused.is_error, Some(true));
            assert!(connector.call("rehearse_operation", JsonObject::new(), &Own::default()).await.is_err());
            let listed = json!({ "operation": "listCustomers", "arguments": { "limite": 2, "correo": "ana & eva" } });
            call(&connector, "run_operation", listed).await;
            assert_eq!(recorder.last().2, "/clientes?correo=ana%20%26%20eva&limite=2");
        }
    }
}

#[tokio::test]
async fn arguments_of_the_wrong_kind_are_refused() {
    let (recorder, connector) = over(offer());
    for (tool, given) in [
        ("find_operations", json!({ "text": 1 })),
        ("find_operations", json!({ "texto": "a" })),
        ("describe_operation", json!({})),
        ("describe_operation", json!({ "operation": ["x"] })),
        ("run_operation", json!({ "operation": "listCustomers", "arguments": [] })),
        ("run_operation", json!({ "operation": "createCustomer", "arguments": {}, "idempotency_key": 1 })),
        ("run_operation", json!({ "operation": "createCustomer", "arguments": {}, "idempotency_key": "ñ\n" })),
        ("run_operation", json!({ "operation": "createCustomer", "arguments": {}, "rehearse": true })),
    ] {
        let refused = call(&connector, tool, given.clone()).await;
        assert_eq!(refused.is_error, Some(true), "{tool} {given}");
    }
    assert_eq!(recorder.count(), 0);
    assert!(connector.call("listNothing", JsonObject::new(), &Own::default()).await.is_err(), "no such tool");
    call(&connector, "listCustomers", json!({ "limite": 1 })).await;
    assert_eq!(recorder.last().2, "/clientes?limite=1", "an operation is a tool to a client that knows its name");
}

#[tokio::test]
async fn an_agent_names_the_key_that_acts() {
    let one = r#"{"key_id": "1_a", "api_key": "svc_one"}"#;
    let two = r#"{"key_id": "2_b", "api_key": "svc_two"}"#;
    let both = NamedKeys::from_json(format!(r#"{{"norte": {one}, "sur": {two}}}"#).as_bytes()).unwrap();
    let (recorder, connector) = over(offer());
    let connector = connector.with_keys(both.clone());
    let run = |more: Value| {
        let mut given = object(json!({ "operation": "createCustomer", "arguments": { "nombre": "Ana" } }));
        given.extend(object(more));
        Value::from(given)
    };
    for (name, key_id, secret) in [("norte", "1_a", "Bearer svc_one"), ("sur", "2_b", "Bearer svc_two")] {
        call(&connector, "run_operation", run(json!({ "as": name }))).await;
        let (.., headers, body) = recorder.last();
        assert_eq!(
            (&headers["x-svc-key-id"], &headers["authorization"]),
            (&key_id.parse().unwrap(), &secret.parse().unwrap())
        );
        assert_eq!(body, json!({ "nombre": "Ana" }));
    }
    let sent = recorder.count();
    for (given, said) in [
        (run(json!({})), "as is missing; it is one of norte, sur"),
        (run(json!({ "as": "este" })), "\"este\" is none of norte, sur"),
        (run(json!({ "as": 1 })), "as must be a string"),
    ] {
        let refused = call(&connector, "run_operation", given).await;
        assert!(refused.is_error == Some(true) && text(&refused).contains(said), "{}", text(&refused));
    }
    assert_eq!(recorder.count(), sent);

    let rehearsed = call(&connector, "rehearse_operation", run(json!({ "as": "norte" }))).await;
    let digest = rehearsed.structured_content.unwrap()["digest"].clone();
    let other = call(&connector, "run_operation", run(json!({ "as": "sur", "digest": digest }))).await;
    assert!(text(&other).contains("no rehearsal of this operation"), "{}", text(&other));

    let own = HeaderMap::from_iter([(http::header::AUTHORIZATION, "Bearer svc_own".parse().unwrap())]);
    let client = Some(ClientAddress("203.0.113.7".parse().unwrap()));
    let own = Own { headers: Cow::Borrowed(&own), client };
    connector.call("run_operation", object(run(json!({}))), &own).await.unwrap();
    assert_eq!(recorder.0.lock().unwrap().last().unwrap().1.extensions().get(), client.as_ref());
    assert_eq!(recorder.last().3["authorization"], "Bearer svc_own", "a request's own key needs no name");

    let tools = super::few::tools(&offer());
    let only = NamedKeys::from_json(format!(r#"{{"norte": {one}}}"#).as_bytes()).unwrap();
    for (keys, required) in [(both, true), (only.clone(), false)] {
        for tool in &tools {
            let schema = keys.added_to(tool.clone()).input_schema;
            assert_eq!(schema["properties"]["as"]["type"], "string", "{}", tool.name);
            assert_eq!(schema["required"].as_array().unwrap().contains(&json!("as")), required, "{}", tool.name);
        }
    }
    let (recorder, connector) = over(offer());
    call(&connector.with_keys(only), "run_operation", run(json!({}))).await;
    assert_eq!(recorder.last().3["x-svc-key-id"], "1_a", "there is one");
}

#[test]
fn faults_of_a_file_of_keys_show_nothing_of_it() {
    for (text, said) in [
        ("", "line 1, column 0"),
        ("{}", "no key is named"),
        (r#"{"norte": "svc_secret"}"#, "line 1, column"),
        (r#"{"norte": {"key_id": "1_a", "api_key": "svc_secret", "svc_secret": 1}}"#, "line 1, column"),
        (r#"{"norte": {"key_id": "1_a", "api_key": "svc_secret\n"}}"#, "\"norte\" has characters"),
    ] {
        let fault = NamedKeys::from_json(text.as_bytes()).unwrap_err();
        assert!(fault.contains(said) && !fault.contains("secret"), "{text}: {fault}");
    }
    let keys = NamedKeys::from_json(br#"{"norte": {"key_id": "1_a", "api_key": "svc_secret"}}"#).unwrap();
    assert_eq!(format!("{keys:?}"), r#"NamedKeys("norte")"#);
}

/// The arguments of a call as the connector gets them from an agent's message.
fn received(arguments: &str) -> JsonObject {
    let message =
        format!(r#"{{"jsonrpc":"2.0","id":1.10,"method":"tools/call","params":{{"arguments":{arguments}}}}}"#);
    let message = with_exact_numbers(Bytes::from(message));
    assert!(message.starts_with(br#"{"jsonrpc":"2.0","id":1.10,"method""#), "{message:?}");
    object(serde_json::from_slice::<Value>(&message).unwrap()["params"]["arguments"].take())
}

#[tokio::test]
async fn a_number_reaches_the_api_as_the_agent_wrote_it_where_a_float_would_change_it() {
    let (recorder, connector) = over(offer());
    let body = |recorder: &Recorder| {
        let sent = recorder.0.lock().unwrap();
        String::from_utf8(sent.last().unwrap().1.body().to_vec()).unwrap()
    };
    for (given, sent) in [
        ("12345678901.123456", "12345678901.123456"),
        ("9007199254740993.25", "9007199254740993.25"),
        ("-99999999999999999.123458", "-99999999999999999.123458"),
        ("18446744073709551616", "18446744073709551616"),
        ("1e400", "1e400"),
        ("0.1", "0.1"),
        ("1160.00", "1160.0"),
        ("9223372036854775807", "9223372036854775807"),
        (r#""12345678901.123456""#, r#""12345678901.123456""#),
    ] {
        let entrada = |number: &str| format!(r#"{{"clave":2,"precio":{number}}}"#);
        let arguments = format!(r#"{{"operation":"price-edit","arguments":{}}}"#, entrada(given));
        connector.call("run_operation", received(&arguments), &Own::default()).await.unwrap();
        assert_eq!(body(&recorder), entrada(sent));
        connector.call("price-edit", received(&entrada(given)), &Own::default()).await.unwrap();
        assert_eq!(body(&recorder), entrada(sent), "as a tool of its own");
        let batch =
            |number: &str| format!(r#"{{"acciones":[{{"accion":"price.edit","entrada":{}}}]}}"#, entrada(number));
        let arguments = format!(r#"{{"operation":"batch","arguments":{}}}"#, batch(given));
        connector.call("run_operation", received(&arguments), &Own::default()).await.unwrap();
        assert_eq!(body(&recorder), batch(sent));
    }
    let listed = received(r#"{"operation":"listCustomers","arguments":{"clave":12345678901234567890123}}"#);
    connector.call("run_operation", listed, &Own::default()).await.unwrap();
    assert_eq!(recorder.last().2, "/clientes?clave=12345678901234567890123");
    let key = received(r#"{"operation":"createCustomer","idempotency_key":12345678901234567890123}"#);
    let refused = connector.call("run_operation", key, &Own::default()).await.unwrap();
    assert_eq!(text(&refused), "idempotency_key must be a string");
}

#[tokio::test]
async fn two_amounts_that_are_one_float_are_two_calls() {
    let (recorder, connector) = over(offer());
    let mut keys = Vec::new();
    for importe in ["9007199254740992.25", "9007199254740992.26", "9007199254740992.25"] {
        let arguments = format!(r#"{{"operation":"payReceivable","arguments":{{"clave":1,"importe":{importe}}}}}"#);
        connector.call("run_operation", received(&arguments), &Own::default()).await.unwrap();
        keys.push(recorder.last().3["idempotency-key"].clone());
    }
    assert!(keys[0] != keys[1] && keys[0] == keys[2], "{keys:?}");
}

#[tokio::test]
async fn a_repeated_key_in_the_arguments_is_refused() {
    let (recorder, connector) = over(offer());
    for arguments in [
        r#"{"operation":"price-edit","arguments":{"clave":2,"precio":1.5,"precio":2.5}}"#,
        r#"{"operation":"price-edit","arguments":{"clave":2},"arguments":{"clave":3}}"#,
    ] {
        let refused = connector.call("run_operation", received(arguments), &Own::default()).await.unwrap();
        assert_eq!(refused.is_error, Some(true));
        assert!(text(&refused).starts_with("json_invalido: la clave "), "{}", text(&refused));
    }
    assert_eq!(recorder.count(), 0);
}

#[test]
fn an_answer_that_floats_would_change_is_given_as_text_alone() {
    for (body, is_structured) in [
        (r#"{"ok":true,"existencia":12.5,"costo":"123456789012.123457"}"#, true),
        (r#"{"ok":true,"datos":[{"existencia":123456789012.123457}]}"#, false),
    ] {
        let answer = Response::builder().header("content-type", "application/json").body(Bytes::from(body)).unwrap();
        let result = answer::of("svc:/inventario", answer, None, false);
        assert_eq!(text(&result), body);
        assert_eq!(result.structured_content, is_structured.then(|| serde_json::from_str(body).unwrap()), "{body}");
    }
}

fn headers(headers: &[(&'static str, &str)]) -> HeaderMap {
    headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
}

#[tokio::test]
async fn what_an_agent_s_request_asks_of_the_api_is_passed_on() {
    // Its catalogue takes a moment to make.
    let offer = offer();
    let key = r#"{"norte": {"key_id": "1_a", "api_key": "svc_one"}}"#;
    for (name, value) in [
        ("authorization", "Bearer svc_own"),
        ("x-svc-key-id", "3_c"),
        ("origin", "https://example.com"),
        ("x-svc-ensayo", "si"),
        ("x-svc-simular", "ocupado"),
        ("x-csrf-token", "1"),
        ("x-xsrf-token", "1"),
        ("x-csrftoken", "1"),
        ("requestverificationtoken", "1"),
    ] {
        let own = headers(&[(name, value)]);
        let own = Own { headers: Cow::Borrowed(&own), client: None };
        let given = || object(json!({ "operation": "createCustomer", "arguments": { "nombre": "Ana" } }));
        for tool in ["run_operation", "rehearse_operation"] {
            let (recorder, connector) = over(offer.clone());
            connector.call(tool, given(), &own).await.unwrap();
            assert_eq!(recorder.last().3[name], value, "{tool}");
            let connector = connector.with_keys(NamedKeys::from_json(key.as_bytes()).unwrap());
            let mut named = given();
            named.insert("as".to_owned(), "norte".into());
            connector.call(tool, named, &own).await.unwrap();
            let sent = recorder.last().3;
            assert_eq!(sent["authorization"], "Bearer svc_one", "{name}");
            if !["authorization", "x-svc-key-id"].contains(&name) {
                assert_eq!(sent[name], value, "{tool} with a named key");
            }
        }
    }
}

#[tokio::test]
async fn a_rehearsal_that_the_agent_s_request_asks_for_is_one_as_by_argument() {
    let own = headers(&[("x-svc-ensayo", "true")]);
    let own = Own { headers: Cow::Borrowed(&own), client: None };
    let given = |more: Value| {
        let mut given = object(json!({ "operation": "createCustomer", "arguments": { "nombre": "Ana" } }));
        given.extend(object(more));
        given
    };
    for confirmed in [false, true] {
        let (recorder, connector) = over(offer().confirmed(confirmed));
        let rehearsed = connector.call("run_operation", given(json!({})), &own).await.unwrap();
        let (.., sent, _) = recorder.last();
        assert_eq!((&sent["x-svc-ensayo"], sent.contains_key("idempotency-key")), (&"true".parse().unwrap(), false));
        let rehearsed = rehearsed.structured_content.unwrap();
        assert_eq!(rehearsed["rehearsed"], true);
        let digest = json!({ "digest": rehearsed["digest"] });
        let done = connector.call("run_operation", given(digest), &Own::default()).await.unwrap();
        assert_ne!(done.is_error, Some(true));
        assert!(recorder.last().3.contains_key("idempotency-key"), "its digest confirms the write");
    }
    let (recorder, connector) = over(offer().each(true));
    let given = object(json!({ "nombre": "Ana", "rehearse": false }));
    let rehearsed = connector.call("createCustomer", given, &own).await.unwrap();
    assert_eq!(rehearsed.structured_content.unwrap()["rehearsed"], true);
    let read = connector.call("listCustomers", JsonObject::new(), &own).await.unwrap();
    assert!(read.structured_content.unwrap()["rehearsed"].is_null() && recorder.count() == 2, "a read is done");
}

/// Answers every request with a PDF.
struct Printer(Option<&'static str>);

#[async_trait]
impl Upstream for Printer {
    async fn send(&self, _: Surface, _: Request<Bytes>) -> Result<Response<Bytes>, String> {
        let answer = Response::builder().header("content-type", "application/pdf");
        Ok(answer.body(Bytes::from_static(b"%PDF-1.7\n\xff")).unwrap())
    }

    fn base_url(&self, surface: Surface) -> Option<String> {
        Some(surface.url(self.0?))
    }
}

#[tokio::test]
async fn a_file_has_an_absolute_uri() {
    for (base_url, uri) in [
        (Some("https://erp.example/api/v1"), "https://erp.example/api/v1/facturas/7/pdf"),
        (Some("/api/v1"), "svc:/facturas/7/pdf"),
        (None, "svc:/facturas/7/pdf"),
    ] {
        let connector = Connector::new(offer(), Arc::new(Printer(base_url)));
        let given = json!({ "operation": "readInvoicePdf", "arguments": { "clave": 7 } });
        let answer = serde_json::to_value(call(&connector, "run_operation", given).await.content).unwrap();
        let resource = &answer[0]["resource"];
        assert_eq!((&resource["uri"], &resource["mimeType"]), (&json!(uri), &json!("application/pdf")), "{answer}");
    }
}

#[test]
fn a_hosts_type_that_contains_itself_is_described() {
    let catalogue = OperationIndex::of(&crate::openapi::own_registry());
    for (name, has_path) in [("node", false), ("mio.tree", false), ("count", true)] {
        let offered = catalogue.find(name).unwrap_or_else(|| panic!("no operation {name}"));
        let properties = &offered.described.input_schema["properties"];
        assert_eq!(properties["clave"].is_object(), has_path, "{name}: {properties}");
        if !has_path {
            assert_eq!(properties["children"]["items"]["type"], "object", "{name}: {properties}");
        }
    }
    let answer = catalogue.find("node").unwrap().answer.clone().unwrap();
    assert_eq!(answer["properties"]["children"]["items"]["type"], "object", "{answer}");
}
