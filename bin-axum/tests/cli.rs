//! The binary as its users run it: commands, the demo, and what is left when it ends.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tempfile::TempDir;

#[test]
fn commands_print_one_json_line_and_fail_with_one_clear_line() {
    let svc = Svc::new();
    assert!(svc.ok(&["migrate"])["migraciones"].as_u64().is_some_and(|done| done > 0));
    assert_eq!(svc.ok(&["migrate"]), json!({ "migraciones": 0 }));
    assert_eq!(
        svc.ok(&["company", "create", "--name", "Uno", "--plan", "none"]),
        json!({ "empresa": 1, "usuario": 1 })
    );
    assert_eq!(svc.ok(&["company", "edit", "--company", "1", "--plan", "pro"]), json!({ "empresa": 1 }));
    assert_eq!(
        svc.ok(&["user", "create", "--company", "1", "--name", "Beto", "--salesperson"]),
        json!({ "usuario": 2 })
    );
    let key = svc.ok(&["key", "create", "--company", "1", "--user", "2", "--scopes", "clientes:read", "--no-terms"]);
    let key_id = key["key_id"].as_str().unwrap();
    assert!(key["api_key"].as_str().unwrap().len() >= 64);
    assert_eq!(svc.ok(&["key", "accept-terms", "--key-id", key_id]), json!({ "key_id": key_id }));
    assert_eq!(svc.ok(&["key", "revoke", "--key-id", key_id]), json!({ "key_id": key_id }));
    assert_eq!(svc.ok(&["user", "disable", "--company", "1", "--user", "2"]), json!({ "usuario": 2 }));

    for (args, said) in [
        (&["company", "edit", "--company", "9"][..], "la empresa 9 no existe"),
        (&["company", "create"], "nombre: es obligatorio"),
        (&["company", "create", "--name", "X", "--rfc", "NO"], "rfc_invalido"),
        (&["user", "disable", "--company", "1", "--user", "7"], "el usuario 7 no existe"),
        (&["key", "create", "--company", "1", "--user", "7"], "usuario: no existe"),
        (&["key", "create", "--company", "1", "--scopes", "todo"], "\"todo\" is no scope"),
        (&["key", "revoke", "--key-id", "1_nada"], "la llave 1_nada no existe"),
        (&["key", "revoke", "--key-id", "nada"], "is no key id"),
        (&["key", "create", "--company", "uno"], "invalid value 'uno'"),
        (&["user", "create"], "--company <COMPANY> --name <NAME>"),
        (&["import", "--company", "1", "nubes", "-"], "\"nubes\" cannot be imported"),
        (&["import", "--company", "1", "clientes", "no-such-file"], "cannot read no-such-file"),
    ] {
        let output = svc.run(args, "");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{args:?}: {stderr}");
        assert!(stderr.contains(said) && stderr.trim_end().lines().count() == 1, "{args:?}: {stderr}");
    }
}

#[test]
fn an_import_names_the_bad_line_and_leaves_nothing() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    let good = "{\"nombre\":\"Cliente\"}
"
    .repeat(2_500);
    let output = svc
        .run(&["import", "--company", "1", "clientes", "-"], &format!("{good}{{\"nombre\":\"X\",\"rfc\":\"malo\"}}\n"));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("line 2501: rfc: "));
    let output = svc.run(&["import", "--company", "1", "clientes", "-"], &good);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "{\"importados\":2500}\n");
}

#[test]
fn the_demo_answers_what_it_prints_and_leaves_no_process() {
    let svc = Svc::new();
    let demo = svc.demo();
    let first = demo.get("/clientes");
    assert_eq!(first["datos"].as_array().unwrap().len(), 30);
    let mut seen = HashSet::new();
    let mut page = first;
    loop {
        for customer in page["datos"].as_array().unwrap() {
            assert!(seen.insert(customer["clave"].as_i64().unwrap()), "{customer} twice");
        }
        match page["siguiente"].as_str() {
            Some(cursor) => page = demo.get(&format!("/clientes?cursor={cursor}")),
            None => break,
        }
    }
    assert_eq!(seen.len(), 480);
    assert!(demo.get("/productos?buscar=torn%C3%ADllo")["datos"].as_array().unwrap().len() > 5);
    for curl in demo.printed["curl"].as_array().unwrap() {
        assert!(curl.as_str().unwrap().contains(demo.printed["api_key"].as_str().unwrap()));
    }
    let health = svc.ok(&["healthcheck", "--listen", &demo.address]);
    assert_eq!(health["ok"], true);

    let printed = demo.printed.clone();
    demo.stop(Signal::SIGTERM);
    assert!(svc.server_is_gone());
    let again = svc.demo();
    assert_eq!(again.printed["api_key"], printed["api_key"], "the company is made once");
    again.stop(Signal::SIGKILL);
    assert!(svc.server_is_gone(), "a killed demo leaves no PostgreSQL behind");
    assert_eq!(svc.run(&["healthcheck", "--listen", "127.0.0.1:9"], "").status.code(), Some(1));
}

#[test]
fn sigterm_lets_the_request_under_way_end() {
    let svc = Svc::new();
    let demo = svc.demo();
    let body = r#"{"nombre":"Último"}"#;
    let mut stream = TcpStream::connect(&demo.address).unwrap();
    let head = demo.head(
        "POST",
        "/clientes",
        &format!("Content-Type: application/json\r\nIdempotency-Key: fin\r\nContent-Length: {}\r\n", body.len()),
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&body.as_bytes()[..5]).unwrap();
    // The server has the head once it has answered another connection.
    demo.get("/clientes?limite=1");
    kill(demo.pid(), Signal::SIGTERM).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    stream.write_all(&body.as_bytes()[5..]).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
}

/// A data directory, and the binary run on it.
struct Svc {
    dir: TempDir,
}

impl Svc {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        // The private server runs as another user when we are root.
        std::fs::set_permissions(dir.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        Self { dir }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc"));
        command.args(args).env("SVC_DATA_DIR", self.dir.path().join("data"));
        for name in ["DATABASE_URL", "PORT", "SVC_LISTEN", "SVC_BASE_URL", "SVC_LIMITS", "RUST_LOG"] {
            command.env_remove(name);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str], input: &str) -> Output {
        let mut child = self.command(args).spawn().unwrap();
        // A command that does not read its input may have gone by now.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    fn ok(&self, args: &[&str]) -> Value {
        let output = self.run(args, "");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert_eq!(stdout.lines().count(), 1, "{stdout}");
        serde_json::from_str(&stdout).unwrap()
    }

    fn demo(&self) -> Demo {
        let mut child = self.command(&["demo", "--listen", "127.0.0.1:0"]).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let printed: Value = serde_json::from_str(&line).unwrap();
        let base = printed["base_url"].as_str().unwrap();
        let address = base.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/api/v1")).unwrap().to_owned();
        Demo { child, printed, address }
    }

    /// Whether no PostgreSQL serves the data directory any more; it is given a moment to go.
    fn server_is_gone(&self) -> bool {
        let cluster = self.dir.path().join("data/cluster").to_string_lossy().into_owned();
        let deadline = Instant::now() + Duration::from_secs(10);
        while Instant::now() < deadline {
            let serving = std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
                std::fs::read(entry.path().join("cmdline"))
                    .is_ok_and(|line| String::from_utf8_lossy(&line).split('\0').any(|argument| argument == cluster))
            });
            if !serving {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }
}

/// A demo that is being served.
struct Demo {
    child: Child,
    printed: Value,
    address: String,
}

impl Demo {
    fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().try_into().unwrap())
    }

    fn head(&self, method: &str, path: &str, headers: &str) -> String {
        let (id, secret) = (self.printed["key_id"].as_str().unwrap(), self.printed["api_key"].as_str().unwrap());
        format!(
            "{method} /api/v1{path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {secret}\r\nX-Svc-Key-Id: {id}\r\n{headers}\r\n",
            self.address
        )
    }

    fn get(&self, path: &str) -> Value {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(self.head("GET", path, "").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
        serde_json::from_str(body).unwrap()
    }

    fn stop(mut self, signal: Signal) {
        kill(self.pid(), signal).unwrap();
        let status = self.child.wait().unwrap();
        assert_eq!(status.success(), signal == Signal::SIGTERM, "{status}");
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
