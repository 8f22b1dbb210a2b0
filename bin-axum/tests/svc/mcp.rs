//! The connector for agents, tested with the protocol's own client library for Python (`pip install
//! mcp`; `SVC_PYTHON` names another interpreter than python3).

use std::process::Command;

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::harness::{Demo, Svc};

/// Uses a tool for each operation.
const EACH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/svc/agent.py");
/// Uses the four tools.
const FEW: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/svc/agent_few.py");

/// A Python with the client library.
fn python() -> Option<String> {
    let python = std::env::var("SVC_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if Command::new(&python).args(["-c", "import mcp"]).output().is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    println!("skipped: {python} has no package mcp, so the connector was not used by it");
    None
}

/// Serves the API to a key that may read and write customers and nothing else.
fn serve(svc: &Svc) -> Demo {
    let company = svc.ok(&["company", "create", "--name", "Una"])["empresa"].to_string();
    let key = svc.ok(&["key", "create", "--company", &company, "--scopes", "clientes:read,clientes:write"]);
    svc.serve(&[], key)
}

/// Passes the address and the key of `service` to a command.
fn connect<'c>(command: &'c mut Command, service: &Demo) -> &'c mut Command {
    let text = |field: &str| service.printed[field].as_str().unwrap();
    let url = format!("http://{}/api/v1", service.address);
    command.env("SVC_BASE_URL", url).env("SVC_KEY_ID", text("key_id")).env("SVC_API_KEY", text("api_key"))
}

/// Checks what the client saw, with a key that may only read and write customers.
fn check(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let seen: Value = serde_json::from_slice(&output.stdout).unwrap();
    let tools: Vec<_> = seen["tools"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(
        tools,
        ["readHealth", "listCustomers", "createCustomer", "editCustomer", "listSalespersons"],
        "only what the key may do"
    );
    for (name, hint, value) in [
        ("listCustomers", "readOnlyHint", true),
        ("createCustomer", "idempotentHint", false),
        ("createCustomer", "destructiveHint", false),
        ("editCustomer", "idempotentHint", true),
        ("editCustomer", "destructiveHint", true),
        ("editCustomer", "openWorldHint", false),
    ] {
        assert_eq!(seen["hints"][name][hint], value, "{name} {hint}: {}", seen["hints"]);
    }
    assert_eq!((&seen["listed"]["ok"], seen["listed"]["datos"].is_array()), (&Value::Bool(true), true), "{seen}");
    assert_eq!(seen["refused"]["error"]["codigo"], "sin_permiso", "{seen}");
    let unknown = seen["unknown"].as_str().unwrap();
    assert!(unknown.contains("no argument telefonos") && unknown.contains("telefono, movil"), "{unknown}");
    let made: Vec<_> = seen["made"].as_array().unwrap().iter().collect();
    let claves: Vec<_> = made.iter().map(|made| made["answer"]["cliente"].as_i64().unwrap()).collect();
    assert_eq!(claves, [1, 1, 2, 2, 3], "once a call, a key, and a session: {seen}");
    let repeated: Vec<_> = made.iter().map(|made| made["notes"].to_string().contains("repeated: true")).collect();
    assert_eq!(repeated, [false, true, false, true, false], "{seen}");
    let first = &seen["customers"]["datos"][0];
    assert_eq!(first["correo"], "uno@ejemplo.mx", "an edit back to an earlier value is done: {seen}");
}

/// Runs one of the scripts, which starts `svc mcp` with these settings.
fn agent(svc: &Svc, script: &str, settings: &[&str]) -> Option<Command> {
    let mut client = Command::new(python()?);
    for (name, value) in svc.command(&[]).get_envs() {
        match value {
            Some(value) => client.env(name, value),
            None => client.env_remove(name),
        };
    }
    client.envs(settings.iter().map(|name| (name, "true"))).env("SVC", env!("CARGO_BIN_EXE_svc")).arg(script);
    Some(client)
}

/// What the script for the four tools saw, with each key.
fn seen(command: &mut Command) -> Vec<Value> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn an_agent_s_client_sees_what_its_key_may_do_and_writes_once() {
    let svc = Svc::new();
    let Some(mut client) = agent(&svc, EACH, &["SVC_MCP_EACH"]) else { return };
    let service = serve(&svc);
    check(connect(&mut client, &service));
}

#[test]
fn an_agent_finds_rehearses_and_confirms_with_four_tools() {
    let svc = Svc::new();
    let Some(mut client) = agent(&svc, FEW, &["SVC_MCP_CONFIRM"]) else { return };
    let service = serve(&svc);
    let [seen] = &seen(connect(&mut client, &service))[..] else { panic!("one client") };
    check_few(seen, 1);
    assert!(seen["office"]["texts"].to_string().contains("ruta_no_existe"), "not served: {}", seen["office"]);
}

/// Checks what a client with the four tools saw, in whose company it made that customer.
fn check_few(seen: &Value, cliente: i64) {
    let tools = ["find_operations", "describe_operation", "rehearse_operation", "run_operation"];
    assert_eq!(seen["tools"], serde_json::json!(tools));
    let found: Vec<_> = seen["found"]["read"]["operations"].as_array().unwrap().iter().collect();
    assert_eq!(found[0]["operation"], "createCustomer");
    assert!(!found.iter().any(|found| found["operation"] == "createSale"), "the key may not: {found:?}");
    assert_eq!(seen["described"]["read"]["arguments"]["properties"]["nombre"]["type"], "string");
    assert!(seen["unconfirmed"]["texts"][0].as_str().unwrap().contains("rehearse it"), "{seen}");
    let rehearsed = &seen["rehearsed"]["read"];
    assert_eq!((&rehearsed["cliente"], &rehearsed["events"][0]), (&cliente.into(), &"cliente.creado".into()), "{seen}");
    for (done, repeated) in seen["done"].as_array().unwrap().iter().zip([Value::Null, true.into()]) {
        assert_eq!((&done["read"]["cliente"], &done["read"]["repeated"]), (&cliente.into(), &repeated), "{seen}");
    }
    let listed = seen["listed"]["read"]["datos"].as_array().unwrap();
    assert_eq!(listed.last().unwrap()["clave"], cliente, "{seen}");
}

/// Makes a key in each of two new companies.
fn two_keys(svc: &Svc) -> [Value; 2] {
    ["Una", "Otra"].map(|name| {
        let company = svc.ok(&["company", "create", "--name", name])["empresa"].to_string();
        svc.ok(&["key", "create", "--company", &company, "--scopes", "clientes:read,clientes:write,oficina"])
    })
}

#[test]
fn an_agent_acts_with_each_key_of_a_file() {
    let svc = Svc::new();
    let Some(mut client) = agent(&svc, FEW, &["SVC_MCP_CONFIRM"]) else { return };
    let [una, otra] = two_keys(&svc);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.json");
    std::fs::write(&file, serde_json::json!({ "una": una, "otra": otra }).to_string()).unwrap();
    let service = svc.serve(&["--office"], Value::Null);
    client.env("SVC_BASE_URL", format!("http://{}/api/v1", service.address));
    let seen = seen(client.env("SVC_MCP_KEYS", file).env("AS", "una,otra"));
    assert_eq!(seen.len(), 2);
    for seen in &seen {
        check_few(seen, 1);
    }
}

#[test]
fn a_server_offers_its_tools_to_every_key_for_its_own_company() {
    let svc = Svc::new();
    let Some(python) = python() else { return };
    let keys = two_keys(&svc);
    let service = svc.serve(&["--mcp", "--mcp-confirm", "--office"], Value::Null);
    let mut client = Command::new(python);
    client.args([FEW, &format!("http://{}/mcp", service.address)]);
    for key in keys.iter().chain(&keys[..1]) {
        client.args(["key_id", "api_key"].map(|field| key[field].as_str().unwrap()));
    }
    let seen = seen(&mut client);
    check_few(&seen[0], 1);
    check_few(&seen[1], 1);
    // Its third connection has no session to tell it from the first: the same creation is rehearsed
    // anew, and confirmed anew.
    check_few(&seen[2], 2);
    for seen in &seen {
        assert_eq!(seen["office"]["read"]["nombre"], "Ana", "{}", seen["office"]);
    }
    let asked = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_operations","arguments":{}}}"#;
    let ask = |more: &str, body: &str| {
        let (head, body) = service
            .exchange(&format!(
                "POST /mcp HTTP/1.1\r\nHost: a.example\r\n{more}Connection: close\r\nAccept: application/json, \
                 text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            ))
            .unwrap();
        format!("{} {body}", head.lines().next().unwrap())
    };
    assert!(ask("", asked).contains("llave_invalida"), "{}", ask("", asked));
    let key = format!(
        "Authorization: Bearer {}\r\nX-Svc-Key-Id: {}\r\n",
        keys[0]["api_key"].as_str().unwrap(),
        keys[0]["key_id"].as_str().unwrap()
    );
    assert!(ask(&key, asked).contains("createCustomer"));
    let browser = ask(&format!("{key}Origin: https://example.com\r\n"), asked);
    assert!(browser.contains("navegador_no_permitido"), "{browser}");
    for wrong in ["", "{", "[]", &"x".repeat(1_100_000)] {
        let answer = ask(&key, wrong);
        assert!(answer.starts_with("HTTP/1.1 4"), "{}: {answer}", wrong.len());
    }
    service.stop(Signal::SIGTERM);
}

#[test]
fn a_server_passes_on_what_a_call_says() {
    let svc = Svc::new();
    let [key, _] = two_keys(&svc);
    let service = svc.serve(&["--mcp", "--office"], Value::Null);
    let run = |more: &str, operation: &str, arguments: &str| {
        let (id, secret) = (key["key_id"].as_str().unwrap(), key["api_key"].as_str().unwrap());
        let call = format!(r#"{{"operation":"{operation}","arguments":{arguments}}}"#);
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"run_operation","arguments":{call}}}}}"#
        );
        let (_, body) = service
            .exchange(&format!(
                "POST /mcp HTTP/1.1\r\nHost: a.example\r\nAuthorization: Bearer {secret}\r\nX-Svc-Key-Id: {id}\r\n{more}\
                 Connection: close\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\n\r\n{body}",
                body.len()
            ))
            .unwrap();
        body
    };
    let rehearsed = run("X-Svc-Ensayo: true\r\n", "createCustomer", r#"{"nombre":"Eva"}"#);
    assert!(rehearsed.contains(r#""rehearsed":true"#), "{rehearsed}");
    let made = run("", "createCustomer", r#"{"nombre":"Ana"}"#);
    assert!(made.contains(r#""cliente":1"#) && !made.contains("rehearsed"), "{made}");
    for (header, code) in [("X-CSRF-Token: 1\r\n", "navegador_no_permitido"), ("X-Svc-Ensayo: si\r\n", "dato_invalido")]
    {
        let refused = run(header, "createCustomer", r#"{"nombre":"Luz"}"#);
        assert!(refused.contains(code), "{refused}");
    }
    let repeated = run("", "customer-edit", r#"{"clave":1,"nombre":"Ana","nombre":"Eva"}"#);
    assert!(repeated.contains("json_invalido"), "{repeated}");
    let edited = run("", "customer-edit", r#"{"clave":1,"limite_credito":9007199254740993.25}"#);
    assert!(edited.contains(r#""ok":true"#), "{edited}");
    let read = run("", "customer-get", r#"{"clave":1}"#);
    assert!(read.contains("9007199254740993.25"), "{read}");
    service.stop(Signal::SIGTERM);
}

#[test]
fn mcp_over_http_answers_the_same() {
    let svc = Svc::new();
    let service = serve(&svc);
    let mut command = svc.command(&["mcp", "--listen", "127.0.0.1:0", "--mcp-each"]);
    let connector = Svc::start_saying(connect(&mut command, &service), "offering tools at /mcp", Value::Null);
    if let Some(python) = python() {
        check(Command::new(python).args([EACH, &format!("http://{}/mcp", connector.address)]));
    }
    // A page of another site in a local browser cannot use the key.
    for foreign in ["Origin: https://example.com", "Host: example.com"] {
        let host = if foreign.starts_with("Host") { String::new() } else { format!("Host: {}\r\n", connector.address) };
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let (head, _) = connector
            .exchange(&format!(
                "POST /mcp HTTP/1.1\r\n{host}{foreign}\r\nConnection: close\r\nAccept: application/json, text/event-stream\r\n\
                 Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            ))
            .unwrap();
        assert!(head.starts_with("HTTP/1.1 403 "), "{foreign}: {head}");
    }
    connector.stop(Signal::SIGTERM);
}
