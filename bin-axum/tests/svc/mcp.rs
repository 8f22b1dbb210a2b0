//! The connector for agents, used by the protocol's own client library, where Python has it (`pip install mcp`; `SVC_PYTHON` names
//! another interpreter than python3).

use std::process::Command;

use serde_json::Value;

use crate::harness::Svc;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/svc/agent.py");

#[test]
fn an_agent_s_client_lists_tools_and_customers_and_is_refused_without_scope() {
    let python = std::env::var("SVC_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if !Command::new(&python).args(["-c", "import mcp"]).output().is_ok_and(|output| output.status.success()) {
        println!("skipped: {python} has no package mcp, so the connector was not used by it");
        return;
    }
    let svc = Svc::new();
    let company = svc.ok(&["company", "create", "--name", "Una"])["empresa"].to_string();
    let key = svc.ok(&["key", "create", "--company", &company, "--scopes", "clientes:read"]);
    let service = svc.serve(&[], key.clone());
    let text = |field: &str| key[field].as_str().unwrap().to_owned();
    let output = svc
        .command(&[])
        .env("SVC", env!("CARGO_BIN_EXE_svc"))
        .env("SVC_BASE_URL", format!("http://{}/api/v1", service.address))
        .env("SVC_KEY_ID", text("key_id"))
        .env("SVC_API_KEY", text("api_key"))
        .get_envs()
        .fold(&mut Command::new(python), |command, (name, value)| match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        })
        .arg(SCRIPT)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let seen: Value = serde_json::from_slice(&output.stdout).unwrap();
    let tools: Vec<_> = seen["tools"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for name in ["listCustomers", "createCustomer", "invoiceSale", "listDeliveries"] {
        assert!(tools.contains(&name), "{tools:?}");
    }
    assert_eq!((&seen["listed"]["ok"], seen["listed"]["datos"].is_array()), (&Value::Bool(true), true), "{seen}");
    assert_eq!(seen["refused"]["error"]["codigo"], "sin_permiso", "{seen}");
}
