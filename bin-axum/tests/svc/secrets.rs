//! `svc secrets rotate`, the demo's own key, and the warning about an unverified database.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Output;

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::certificates::{KEY, load, with_key};
use crate::harness::Svc;

const NEXT: &str = "89abcdef0123456789abcdef0123456789abcdef0123456789abcdef01234567";

/// `svc secrets rotate` with these keys.
fn rotate(svc: &Svc, more: &[&str], key: &str, old: &str) -> Output {
    let mut command = svc.command(&[&["secrets", "rotate"], more].concat());
    let output = with_key(&mut command, key).env("SVC_SECRETS_KEY_OLD", old).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!stderr.contains(KEY) && !stderr.contains(NEXT), "{stderr}");
    output
}

/// Checks its output, and that it failed if secrets are left.
#[track_caller]
fn did(output: &Output, resellados: u64, pendientes: u64) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"));
    assert_eq!(printed, json!({"resellados": resellados, "pendientes": pendientes}), "{stderr}");
    assert_eq!(output.status.code(), Some(i32::from(pendientes > 0)), "{stderr}");
    let said = format!("{pendientes} secrets are not under SVC_SECRETS_KEY");
    assert_eq!(stderr.contains(&said), pendientes > 0, "{stderr}");
}

#[test]
fn rotation_seals_secrets_under_the_new_key() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    assert!(load(&svc, "1", "valid.cer", "valid.key", "12345678a", KEY).status.success());
    did(&rotate(&svc, &[], NEXT, ""), 0, 1);
    did(&rotate(&svc, &[], NEXT, KEY), 1, 0);
    did(&rotate(&svc, &[], NEXT, ""), 0, 0);
    let none = rotate(&svc, &[], "", "");
    let stderr = String::from_utf8_lossy(&none.stderr);
    assert_eq!((none.status.code(), none.stdout.len()), (Some(1), 0), "{stderr}");
    assert!(stderr.contains("SVC_SECRETS_KEY") && stderr.trim_end().lines().count() == 1, "{stderr}");
}

#[test]
fn a_service_without_a_secrets_key_can_adopt_one() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    assert!(load(&svc, "1", "valid.cer", "valid.key", "12345678a", "").status.success());
    let server = svc.serve(&["--no-workers"], svc.ok(&["key", "create", "--company", "1"]));
    let webhook = r#"{"url":"https://example.com/avisos","eventos":["venta.creada"]}"#;
    assert_eq!(server.post("/webhooks", "a", webhook).0, 201);
    server.stop(Signal::SIGTERM);

    let output = rotate(&svc, &[], NEXT, "");
    did(&output, 0, 2);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("webhooks.secreto") && stderr.contains("--accept-plain"), "{stderr}");
    did(&rotate(&svc, &["--accept-plain"], NEXT, ""), 2, 0);
    did(&rotate(&svc, &[], NEXT, ""), 0, 0);
}

/// Runs the demo until it has answered.
fn serve_demo(svc: &Svc) {
    let demo = svc.demo();
    demo.get("/webhooks");
    demo.stop(Signal::SIGTERM);
}

#[test]
fn the_demo_keeps_a_key_of_its_own() {
    let svc = Svc::new();
    serve_demo(&svc);
    let file = svc.dir.path().join("data/secrets.key");
    let key = std::fs::read_to_string(&file).unwrap();
    assert_eq!((key.len(), file.metadata().unwrap().permissions().mode() & 0o777), (64, 0o600));
    // Other commands on its database use that key: its secrets open.
    did(&rotate(&svc, &[], "", ""), 0, 0);
    serve_demo(&svc);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), key);
    did(&rotate(&svc, &[], NEXT, ""), 1, 0);
}

#[test]
fn serve_warns_of_a_database_on_another_machine_that_is_not_verified() {
    let svc = Svc::new();
    for (mode, warned) in [("", true), ("?sslmode=require", true), ("?sslmode=verify-full", false)] {
        let url = format!("postgres://svc:hunter2@db.invalid/svc{mode}");
        let replica = format!("postgres://svc:hunter2@replica.invalid/svc{mode}");
        let mut command = svc.command(&["serve", "--listen", "127.0.0.1:0", "--database-url", &url]);
        let output = command.env("DATABASE_REPLICA_URL", replica).env("SVC_DATABASE_WAIT", "0").output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        let warnings: Vec<_> = stderr.lines().filter(|line| line.contains("certificate is not verified")).collect();
        assert_eq!(warnings.len(), usize::from(warned), "{stderr}");
        for part in ["db.invalid", "replica.invalid", "sslmode=verify-full"] {
            assert!(warnings.iter().all(|line| line.contains(part)), "{stderr}");
        }
        assert!(!stderr.contains("hunter2"), "{stderr}");
    }
    for (private, warned) in [("db.invalid", true), ("replica.invalid, db.invalid", false)] {
        let mut command = svc.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.env("DATABASE_URL", "postgres://db.invalid/svc").env("SVC_DATABASE_PRIVATE_HOSTS", private);
        command.env("DATABASE_REPLICA_URL", "postgres://replica.invalid/svc").env("SVC_DATABASE_WAIT", "0");
        let stderr = String::from_utf8_lossy(&command.output().unwrap().stderr).into_owned();
        let warnings: Vec<_> = stderr.lines().filter(|line| line.contains("certificate is not verified")).collect();
        assert_eq!(warnings.len(), usize::from(warned), "{private}: {stderr}");
        assert!(warnings.iter().all(|line| !line.contains("db.invalid")), "{private}: {stderr}");
    }
}
