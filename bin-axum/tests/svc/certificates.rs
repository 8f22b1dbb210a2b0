//! `svc certificate load`, and the key that seals secrets.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Output};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::harness::Svc;

pub(crate) const KEY: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn file(name: &str) -> String {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/csd");
    fixtures.join(name).to_str().unwrap().to_owned()
}

/// `svc certificate load`, with the password in the variable `CSD_PASSWORD`.
pub(crate) fn load(svc: &Svc, company: &str, cer: &str, key: &str, password: &str, secrets_key: &str) -> Output {
    let (cer, key) = (file(cer), file(key));
    let args = ["certificate", "load", "--company", company, "--cer", &cer, "--key", &key];
    let mut command = svc.command(&[&args[..], &["--password-env", "CSD_PASSWORD"]].concat());
    with_key(&mut command, secrets_key).env("CSD_PASSWORD", password).output().unwrap()
}

/// The command under this key for secrets, or under none.
pub(crate) fn with_key<'c>(command: &'c mut Command, key: &str) -> &'c mut Command {
    if key.is_empty() { command.env_remove("SVC_SECRETS_KEY") } else { command.env("SVC_SECRETS_KEY", key) }
}

/// Checks that it failed with one line containing this, and that the line holds no secret.
#[track_caller]
fn fails(output: &Output, said: &str, secret: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{stderr}");
    assert!(stderr.contains(said) && stderr.trim_end().lines().count() == 1, "{stderr}");
    assert!(!stderr.contains(secret), "{stderr}");
}

#[test]
fn a_certificate_is_loaded_or_refused_with_one_line() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    let output = load(&svc, "1", "valid.cer", "valid.key", "12345678a", KEY);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("12345678a"));
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(stdout.lines().count(), 1, "{stdout}");
    assert_eq!(
        serde_json::from_str::<Value>(&stdout).unwrap(),
        json!({"numero": "30001000000500003416", "vigente_hasta": "2046-01-01T00:00:00Z"})
    );

    let refused =
        |company, cer, key, password, said| fails(&load(&svc, company, cer, key, password, KEY), said, password);
    refused("1", "valid.cer", "valid.key", "hunter2-wrong", "certificado_rechazado: la contraseña no abre la llave");
    refused("1", "valid.cer", "renewed.key", "12345678a", "key: no es la llave de este certificado");
    refused("1", "other_rfc.cer", "valid.key", "12345678a", "cer: es del RFC CACX7605101P8");
    refused("1", "expired.cer", "valid.key", "12345678a", "cer: venció el 2024-01-01T00:00:00Z");
    refused("9", "valid.cer", "valid.key", "12345678a", "la empresa 9 no existe");
    refused("1", "no-such.cer", "valid.key", "12345678a", "no-such.cer: No such file");

    // If the password is given instead of its variable's name, it is not repeated.
    let (cer, key) = (file("valid.cer"), file("valid.key"));
    let args = ["certificate", "load", "--company", "1", "--cer", &cer, "--key", &key, "--password-env", "hunter2"];
    fails(&svc.run(&args, ""), "the environment variable that --password-env names is not set", "hunter2");
}

#[test]
fn a_wrong_key_for_secrets_is_refused_and_not_shown() {
    let svc = Svc::new();
    for wrong in [&KEY[1..], "not-a-key-at-all", &KEY.replace('f', "g")] {
        let said = "SVC_SECRETS_KEY: a secrets key has 64 hexadecimal digits";
        fails(&load(&svc, "1", "valid.cer", "valid.key", "12345678a", wrong), said, wrong);
        let serve = svc.command(&["serve", "--listen", "127.0.0.1:0", "--secrets-key", wrong]).output().unwrap();
        fails(&serve, said, wrong);
    }
    assert!(!svc.dir.path().join("data").exists(), "nothing was begun");
    let help = svc.command(&["certificate", "load", "--help"]).env("SVC_SECRETS_KEY", KEY).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.contains("SVC_SECRETS_KEY") && !help.contains(KEY), "{help}");
}

/// The stderr of `svc serve` from its start to its end.
fn serve_and_stop(svc: &Svc, secrets_key: &str) -> String {
    let mut command = svc.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut child = with_key(&mut command, secrets_key).spawn().unwrap();
    let mut said = String::new();
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        let line = line.unwrap();
        if let Some((_, address)) = line.split_once("serving address=") {
            // Once it answers, it also handles signals.
            svc.ok(&["healthcheck", "--listen", address]);
            kill(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGTERM).unwrap();
        }
        said = said + &line + "\n";
    }
    assert!(child.wait().unwrap().success(), "{said}");
    said
}

#[test]
fn only_a_key_that_opens_what_is_stored_is_used() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    assert!(load(&svc, "1", "valid.cer", "valid.key", "12345678a", KEY).status.success());
    let create = ["do", "--company", "1", "customer.create", r#"{"nombre":"Ana"}"#];
    let (cer, key) = (file("renewed.cer"), file("renewed.key"));
    let renew = ["certificate", "load", "--company", "1", "--cer", &cer, "--key", &key];
    let renew = [&renew[..], &["--password-env", "CSD_PASSWORD"]].concat();
    for (key, said) in [(KEY.replace('0', "1"), "no stored secret opens"), (String::new(), "SVC_SECRETS_KEY is empty")]
    {
        for args in [&["serve", "--listen", "127.0.0.1:0"][..], &["stamp"], &["deliver"], &create, &renew] {
            let mut command = svc.command(args);
            command.env("SVC_SECRETS_KEY", &key).env("CSD_PASSWORD", "12345678a");
            let output = command.output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && stderr.contains(said), "{args:?}: {stderr}");
            assert!(output.stdout.is_empty(), "{args:?}");
        }
    }
    // What needs no secret needs no key that opens it.
    let list =
        svc.command(&["certificate", "list", "--company", "1"]).env("SVC_SECRETS_KEY", KEY.replace('0', "1")).output();
    assert_eq!(String::from_utf8_lossy(&list.unwrap().stdout).lines().count(), 1, "nothing was loaded");
    serve_and_stop(&svc, KEY);
    let made = svc.command(&create).env("SVC_SECRETS_KEY", KEY).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&made.stdout).trim_end(), r#"{"cliente":1,"folio":"1","rfc":null}"#);
}

#[test]
fn serve_warns_once_without_a_key_for_secrets() {
    for (key, warnings) in [("", 1), (KEY, 0)] {
        let svc = Svc::new();
        let stderr = serve_and_stop(&svc, key);
        let lines = stderr.lines().filter(|line| line.contains("SVC_SECRETS_KEY is not set"));
        assert_eq!(lines.count(), warnings, "{stderr}");
        assert!(!stderr.contains(KEY));
    }
}
