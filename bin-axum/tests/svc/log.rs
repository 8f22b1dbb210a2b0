//! The log of requests (`svc log`), the lines of JSON logs, and what describes the command line.

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::harness::{Demo, Svc};

fn logged(svc: &Svc, args: &[&str]) -> Vec<Value> {
    let output = svc.run(&[&["log", "--company", "1"], args].concat(), "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn server(svc: &Svc) -> Demo {
    svc.ok(&["company", "create", "--name", "Empresa"]);
    svc.ok(&["company", "create", "--name", "Otra"]);
    let key = svc.ok(&["key", "create", "--company", "1", "--scopes", "clientes:read,clientes:write"]);
    let mut command = svc.command(&["serve", "--listen", "127.0.0.1:0", "--trusted-proxies", "127.0.0.1"]);
    Svc::start(command.env("SVC_LOG_FORMAT", "json"), key)
}

#[test]
fn the_log_tells_a_company_s_last_requests_without_their_content() {
    let svc = Svc::new();
    let demo = server(&svc);
    demo.get("/clientes?rfc=XAXX010101000");
    let (status, _) = demo.post("/clientes", "llave-secreta", r#"{"nombre":"Zutana"}"#);
    assert_eq!(status, 201);
    let proxied = demo.head("GET", "/productos", "X-Forwarded-For: 203.0.113.5, 198.51.100.7\r\n");
    assert_eq!(demo.try_send(&proxied).unwrap().0, 403);
    assert_eq!(demo.try_send(&demo.head("GET", "/nada", "")).unwrap().0, 404);
    // Ending the server writes what it still holds.
    let (key_id, lines) = (demo.printed["key_id"].clone(), demo.log.clone());
    demo.stop(Signal::SIGTERM);
    let all = logged(&svc, &[]);
    let told = |line: &Value| {
        assert_eq!(line["llave"], key_id);
        assert!(line["duracion_ms"].as_f64().is_some_and(|time| time > 0.0), "{line}");
        let text = |field: &str| line[field].as_str().unwrap_or("-").to_owned();
        format!("{} {} {} {} {}", text("metodo"), text("ruta"), line["estado"], text("codigo"), text("direccion"))
    };
    assert_eq!(
        all.iter().map(told).collect::<Vec<_>>(),
        [
            "GET /clientes 200 - 127.0.0.1",
            "POST /clientes 201 - 127.0.0.1",
            "GET /productos 403 sin_permiso 198.51.100.7"
        ]
    );
    assert_eq!(logged(&svc, &["--last", "1"]), all[2..]);
    let written = serde_json::to_string(&all).unwrap();
    for secret in ["XAXX010101000", "Zutana", "llave-secreta"] {
        assert!(!written.contains(secret), "{written}");
    }
    let other = svc.run(&["log", "--company", "2"], "");
    assert!(other.status.success() && other.stdout.is_empty());
    let missing = svc.run(&["log", "--company", "9"], "");
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("la empresa 9 no existe"));

    // The lines of the process's own log are JSON whose fields are fields.
    let lines: Vec<Value> = lines.lines().iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let answered: Vec<&Value> = lines.iter().filter(|line| line["message"] == "answered").collect();
    let refused = answered.iter().find(|line| line["codigo"] == "sin_permiso").expect("a line");
    let span = &refused["span"];
    assert_eq!([&span["llave"], &span["direccion"], &span["empresa"]], [&key_id, &json!("198.51.100.7"), &json!(1)]);
    assert_eq!((&span["operation"], &span["status"]), (&json!("GET /productos"), &json!(403)));
    assert!(refused["duration_ms"].is_number() && span["peticion"].is_string());
}

#[test]
fn shells_and_the_manual_know_every_command() {
    let svc = Svc::new();
    for (args, said) in [
        (&["completions", "bash"][..], "complete -F _svc"),
        (&["completions", "zsh"], "#compdef svc"),
        (&["completions", "fish"], "complete -c svc"),
        (&["man"], ".TH svc 1"),
        (&["man"], "Exit status: 0"),
        (&["--help"], "Exit status: 0"),
    ] {
        let output = svc.run(args, "");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains(said), "{args:?}");
        assert!(text.contains("restore-check") || text.contains("restore\\-check"), "{args:?}");
    }
    let dir = svc.dir.path().join("man");
    assert!(svc.run(&["man", "--dir", dir.to_str().unwrap()], "").status.success());
    for page in ["svc.1", "svc-company-create.1", "svc-log.1"] {
        assert!(dir.join(page).exists(), "{page}");
    }
    let unknown = svc.run(&["completions", "tcsh"], "");
    assert_eq!(unknown.status.code(), Some(2));
}
