//! The binary of a host: every command of `svc`, with the host's own part.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use svc_core::domain::scope::KeyScopes;
use svc_core::operations::CreateKey;
use svc_test_kit::{Company, World, any_key};

/// The program of the example, which cargo builds before it runs all tests of this package; before
/// one of them alone it needs `--examples`.
fn program() -> PathBuf {
    let tests = std::env::current_exe().expect("the tests' own program");
    tests.parent().and_then(|deps| deps.parent()).expect("a target folder").join("examples").join("parcels")
}

/// A database, and the program on it.
struct Installation {
    world: World,
    company: Company,
}

impl Installation {
    async fn new() -> Self {
        let world = World::new().await;
        let company = world.company().await;
        let installation = Self { world, company };
        let migrated = installation.done(&["migrate"]);
        assert!(migrated["migraciones"].as_u64() >= Some(1), "its own, after ours: {migrated}");
        installation
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(program());
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("SVC_")) {
            command.env_remove(name);
        }
        command.args(args).env("DATABASE_URL", self.world.database_url()).env("SVC_SECRETS_KEY", "7".repeat(64));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// What a command prints.
    fn done(&self, args: &[&str]) -> Value {
        let output = self.command(args).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {said}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}"))
    }

    /// The line that a command fails with.
    fn failed(&self, args: &[&str]) -> String {
        let output = self.command(args).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn the_command_line_has_the_hosts_actions() {
    let it = Installation::new().await;
    let company = it.company.id.0.to_string();
    let listed = it.done(&["do", "--list"]);
    let names: Vec<_> =
        listed.as_array().expect("actions").iter().filter_map(|action| action["name"].as_str()).collect();
    assert!(names.contains(&"parcel.send") && names.contains(&"sale.capture"), "{names:?}");
    let described = it.done(&["openapi"]);
    assert_eq!(described["info"]["title"], "Paquetería");
    assert_eq!(described["paths"]["/paqueteria/envios"]["post"]["summary"], "Send a parcel");

    let none = it.failed(&["do", "--company", &company, "parcel.send", r#"{"venta": 999, "guia": "1"}"#]);
    assert!(none.starts_with("paqueteria: referencia_invalida") || none.contains("venta"), "{none}");
    let scopes = "clientes:write,paqueteria:write,paqueteria:read,oficina";
    let made = it.done(&["key", "create", "--company", &company, "--scopes", scopes]);
    assert!(made["api_key"].is_string(), "{made}");
    let unknown = it.failed(&["key", "create", "--company", &company, "--scopes", "paqueteria:delete"]);
    assert!(unknown.contains("is no scope") && unknown.contains("paqueteria:read"), "{unknown}");
}

#[tokio::test]
async fn its_server_and_its_tools_have_them_too() {
    let it = Installation::new().await;
    let key = CreateKey { scopes: KeyScopes::of_words(["clientes:read", "paqueteria:read"]), ..any_key() };
    let key = it.company.key(key).await;
    let mut server = it.command(&["serve", "--listen", "127.0.0.1:0", "--office", "--mcp"]);
    let mut server = Running(server.stdin(Stdio::null()).spawn().expect("it runs"));
    let mut said = BufReader::new(server.0.stderr.take().expect("stderr")).lines();
    let line =
        said.find(|line| line.as_ref().is_ok_and(|line| line.contains("serving"))).expect("it serves").expect("text");
    let address = line.rsplit("address=").next().expect("an address").trim().to_owned();

    let mut tools = it.command(&["mcp"]);
    tools.env("SVC_BASE_URL", format!("http://{address}/api/v1"));
    tools.env("SVC_KEY_ID", &key.key_id).env("SVC_API_KEY", &key.api_key);
    let mut tools = Running(tools.spawn().expect("it runs"));
    let mut input = tools.0.stdin.take().expect("stdin");
    let mut output = BufReader::new(tools.0.stdout.take().expect("stdout")).lines();
    let mut ask = |message: Value| {
        writeln!(input, "{message}").expect("it reads");
        let answered = message["id"].is_number();
        if answered { output.next().expect("an answer").expect("text") } else { String::new() }
    };
    let hello = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    let begun = ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }));
    assert!(begun.contains("Paquetería"), "{begun}");
    ask(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let mut call = |id: i32, name: &str, arguments: Value| {
        ask(
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name, "arguments": arguments } }),
        )
    };
    let found = call(2, "find_operations", json!({ "text": "envíos" }));
    assert!(found.contains("listParcels") && !found.contains("sendParcel"), "only what the key may do: {found}");
    let listed = call(3, "run_operation", json!({ "operation": "listParcels" }));
    assert!(listed.contains(r#"\"ok\":true"#) && listed.contains(r#"\"datos\":[]"#), "{listed}");
}
