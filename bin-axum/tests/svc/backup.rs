//! A dump of the database is restored elsewhere, and goes on there (docs/operating/backup.md).

use std::process::Command;

use serde_json::json;
use svc_local_postgres::Cluster;

use crate::harness::Svc;

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_dump_is_restored_and_goes_on() {
    if Command::new("pg_dump").arg("--version").output().is_err() {
        println!("skipped: pg_dump is not on this machine's path");
        return;
    }
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    svc.ok(&["do", "--company", "1", "customer.create", r#"{"nombre":"Antes"}"#]);
    let cluster = Cluster::open(&svc.dir.path().join("data")).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(cluster.create_database("restored")).unwrap();
    let url = |name: &str| {
        let options = cluster.options(name);
        let socket = options.get_socket().unwrap().display().to_string().replace('/', "%2F");
        let user = options.get_username();
        format!("postgres://{user}@localhost:{}/{name}?host={socket}", options.get_port())
    };
    let dump = svc.dir.path().join("svc.dump");
    run(Command::new("pg_dump").arg("-Fc").arg("-f").arg(&dump).arg(url("svc")));
    run(Command::new("pg_restore").args(["-d", &url("restored"), "--no-owner", "-j", "2"]).arg(&dump));

    let on = |name: &str, args: &[&str]| {
        let output = svc.command(args).env("DATABASE_URL", format!("{}&sslmode=disable", url(name))).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    // What is written to the original afterwards is not in it.
    on("svc", &["do", "--company", "1", "customer.create", r#"{"nombre":"Después"}"#]);
    assert_eq!(on("restored", &["migrate"]), "{\"migraciones\":0}\n");
    let check: serde_json::Value = serde_json::from_str(&on("restored", &["restore-check"])).unwrap();
    assert_eq!(check, json!({"documentos": 0, "cancelaciones": 0, "entregas": 0, "correos": 0}));
    let made = on("restored", &["do", "--company", "1", "customer.create", r#"{"nombre":"Sigue"}"#]);
    assert!(made.starts_with("{\"cliente\":2,"), "{made}");
    let exported = on("restored", &["export", "--company", "1", "clientes"]);
    assert_eq!(exported.lines().count(), 2, "{exported}");
    assert!(exported.contains("Antes") && exported.contains("Sigue") && !exported.contains("Después"), "{exported}");
    cluster.stop().unwrap();
}
