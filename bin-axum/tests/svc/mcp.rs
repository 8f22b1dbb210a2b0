//! The connector for agents, tested with the protocol's own client library for Python (`pip install
//! mcp`; `SVC_PYTHON` names another interpreter than python3).

use std::process::Command;

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::harness::{Demo, Svc};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/svc/agent.py");

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

#[test]
fn an_agent_s_client_sees_what_its_key_may_do_and_writes_once() {
    let Some(python) = python() else { return };
    let svc = Svc::new();
    let service = serve(&svc);
    let mut client = Command::new(python);
    for (name, value) in svc.command(&[]).get_envs() {
        match value {
            Some(value) => client.env(name, value),
            None => client.env_remove(name),
        };
    }
    check(connect(&mut client, &service).env("SVC", env!("CARGO_BIN_EXE_svc")).arg(SCRIPT));
}

#[test]
fn mcp_over_http_answers_the_same() {
    let svc = Svc::new();
    let service = serve(&svc);
    let mut command = svc.command(&["mcp", "--listen", "127.0.0.1:0"]);
    let connector = Svc::start_saying(connect(&mut command, &service), "offering tools at /mcp", Value::Null);
    if let Some(python) = python() {
        check(Command::new(python).args([SCRIPT, &format!("http://{}/mcp", connector.address)]));
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
