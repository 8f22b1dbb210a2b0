//! `svc doctor`: what is wrong with an installation.

use std::net::TcpListener;
use std::process::{Command, Output};

use nix::unistd::geteuid;
use serde_json::{Value, json};
use svc_local_postgres::Cluster;
use svc_tests::database_url;

use crate::certificates::{KEY, load};
use crate::harness::{Svc, run};

/// What it prints, which has no secret in it.
fn findings(output: &Output) -> Value {
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!stdout.contains("hunter2") && !stderr.contains("hunter2"), "{stdout}{stderr}");
    assert_eq!(stdout.lines().count(), 1, "{stdout}{stderr}");
    let printed: Value = serde_json::from_str(&stdout).unwrap();
    let is_well = printed["avisos"].as_array().unwrap().is_empty();
    assert_eq!((printed["bien"].as_bool(), output.status.success()), (Some(is_well), is_well), "{stdout}");
    for finding in printed["avisos"].as_array().unwrap() {
        assert!(stderr.contains(finding.as_str().unwrap()), "{finding}: {stderr}");
    }
    printed
}

/// Whether it finds just this, in any order.
#[track_caller]
fn finds(command: &mut Command, expected: &[&str]) {
    let printed = findings(&command.output().unwrap());
    let found = printed["avisos"].as_array().unwrap();
    assert_eq!(found.len(), expected.len(), "{printed:#}");
    for part in expected {
        assert!(found.iter().any(|finding| finding.as_str().unwrap().contains(part)), "{part}: {printed:#}");
    }
}

const NO_PROVIDER: &str = "stamping: no provider";
const NO_KEY: &str = "SVC_SECRETS_KEY is not set";

#[test]
fn a_machine_without_a_database_is_told_so_and_gets_none() {
    let svc = Svc::new();
    let doctor = || svc.command(&["doctor"]);
    let no_database = "DATABASE_URL is not set, and ";
    finds(&mut doctor(), &[no_database, NO_PROVIDER, NO_KEY]);
    assert!(!svc.dir.path().join("data/cluster").exists());
    let unreachable = "postgres://svc:hunter2@127.0.0.1:1/svc";
    finds(doctor().env("DATABASE_URL", unreachable), &["the database at 127.0.0.1:1: ", NO_PROVIDER, NO_KEY]);
    let elsewhere = "postgres://svc:hunter2@db.invalid/svc";
    let mut private = doctor();
    private.env("DATABASE_URL", elsewhere).env("SVC_DATABASE_PRIVATE_HOSTS", "db.invalid");
    finds(&mut private, &["the database at db.invalid:5432: ", NO_PROVIDER, NO_KEY]);
    let unverified = "the certificate of the database at db.invalid is not verified";
    finds(
        doctor().env("DATABASE_URL", elsewhere),
        &[unverified, "the database at db.invalid:5432: ", NO_PROVIDER, NO_KEY],
    );
    let mut misspelt = doctor();
    // The proxy's setting in the same file is none of its own.
    misspelt.env("SVC_DOMAIN", "erp.example.com");
    misspelt.env("SVC_STAMPR", "hunter2").env("SVC_SERVICE_HOST", "10.0.0.1").env("SVC_SECRETS_KEY", "hunter2");
    let wrong_key = "SVC_SECRETS_KEY: a secrets key has 64 hexadecimal digits";
    finds(&mut misspelt, &["SVC_STAMPR is no setting", no_database, NO_PROVIDER, wrong_key]);
    let listens = doctor().args(["--listen", "0.0.0.0:8080"]).output().unwrap();
    assert!(
        findings(&listens).to_string().contains("SVC_BASE_URL is not set: links in notices begin with http://0.0.0.0")
    );
}

#[test]
fn an_installation_is_well_until_something_is_wrong_with_it() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    assert!(load(&svc, "1", "valid.cer", "valid.key", "12345678a", KEY).status.success());
    let somebody = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", somebody.local_addr().unwrap());
    let doctor = || {
        let mut command = svc.command(&["doctor"]);
        command.env("SVC_SECRETS_KEY", KEY).env("SVC_STAMPER", &address).env("SVC_STAMPER_TOKEN", "hunter2");
        command.env("SVC_BASE_URL", format!("{address}/api/v1"));
        command
    };
    let output = doctor().output().unwrap();
    assert_eq!(findings(&output), json!({"bien": true, "avisos": []}));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));

    let closed = "1 stored secrets do not open: the secret is sealed";
    finds(doctor().env("SVC_SECRETS_KEY", KEY.replace('0', "1")), &[closed]);
    finds(doctor().env_remove("SVC_SECRETS_KEY"), &[NO_KEY, closed]);
    finds(doctor().env_remove("SVC_STAMPER"), &["stamping: no provider, 0 documents wait"]);
    finds(doctor().env("SVC_STAMPER", "sandbox"), &["SVC_STAMPER is sandbox: "]);
    finds(doctor().env_remove("SVC_STAMPER_TOKEN"), &["SVC_STAMPER_TOKEN: "]);
    finds(
        doctor().env("SVC_STAMPER", "http://127.0.0.1:1").env("SVC_BASE_URL", "http://127.0.0.1:1/api/v1"),
        &["SVC_STAMPER: nobody can be reached at 127.0.0.1:1", "SVC_BASE_URL: nobody can be reached at 127.0.0.1:1"],
    );

    let mail_server = format!("smtp://ana:hunter2@{}", somebody.local_addr().unwrap());
    finds(doctor().env("SVC_SMTP_URL", &mail_server), &[]);
    let unreachable = "SVC_SMTP_URL: nobody can be reached at 127.0.0.1:1";
    finds(doctor().env("SVC_SMTP_URL", "smtp://ana:hunter2@127.0.0.1:1"), &[unreachable]);
    svc.ok(&["company", "edit", "--company", "1", "--send-documents", "on"]);
    finds(&mut doctor(), &["mail: no server (SVC_SMTP_URL is not set), 0 e-mails wait"]);
    finds(doctor().env("SVC_SMTP_URL", &mail_server), &[]);
}

#[test]
fn root_finds_the_database_that_lies_elsewhere() {
    if !geteuid().is_root() {
        return;
    }
    let svc = Svc::new();
    let data = svc.dir.path().join("data");
    // The server's user cannot enter it.
    std::fs::set_permissions(svc.dir.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let elsewhere = Cluster::location(&data).unwrap();
    assert_ne!(elsewhere, data);
    svc.ok(&["company", "create", "--name", "Uno"]);
    let found = svc.command(&["doctor"]).output().unwrap();
    std::fs::remove_dir_all(elsewhere).unwrap();
    let printed = findings(&found);
    let notes = printed["avisos"].as_array().unwrap();
    assert!(notes.iter().all(|note| !note.as_str().unwrap().contains("DATABASE_URL")), "{printed:#}");
    assert_eq!(notes.len(), 2, "{printed:#}");
}

#[test]
fn ending_certificates_an_older_schema_and_dead_addresses_are_found() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    for name in ["valid", "renewed"] {
        let (cer, key) = (format!("{name}.cer"), format!("{name}.key"));
        assert!(load(&svc, "1", &cer, &key, "12345678a", KEY).status.success());
    }
    let cluster = Cluster::open(&svc.dir.path().join("data")).unwrap();
    let doctor = || {
        let mut command = svc.command(&["doctor"]);
        command.env("DATABASE_URL", database_url(&cluster.options("svc"))).env("SVC_SECRETS_KEY", KEY);
        command
    };
    let url = database_url(&cluster.options("svc"));
    let (read_only, nobody) =
        (format!("{url}&options[default_transaction_read_only]=on"), "postgres://svc:hunter2@127.0.0.1:1/svc");
    finds(doctor().env("DATABASE_DIRECT_URL", &url).env("DATABASE_REPLICA_URL", read_only), &[NO_PROVIDER]);
    let another = database_url(&cluster.options("postgres"));
    finds(
        doctor().env("DATABASE_DIRECT_URL", another),
        &[NO_PROVIDER, "DATABASE_DIRECT_URL: the database at localhost:5432: the schema is older than this program"],
    );
    finds(
        doctor().env("DATABASE_DIRECT_URL", nobody).env("DATABASE_REPLICA_URL", nobody),
        &[
            NO_PROVIDER,
            "DATABASE_DIRECT_URL: the database at 127.0.0.1:1: ",
            "DATABASE_REPLICA_URL: the database at 127.0.0.1:1: ",
        ],
    );
    let ends_in = "UPDATE certificados SET hasta = now() + interval '31 days'";
    run(&cluster.options("svc"), ends_in);
    finds(&mut doctor(), &[NO_PROVIDER]);
    run(&cluster.options("svc"), "UPDATE certificados SET hasta = hasta - interval '2 days'");
    // The former certificate signs nothing, so its end is nobody's concern.
    let ends = "the certificate 30001000000500003417 of company 1 ends on 20";
    finds(&mut doctor(), &[NO_PROVIDER, ends]);

    run(
        &cluster.options("svc"),
        "DELETE FROM _sqlx_migrations WHERE version = (SELECT max(version) FROM _sqlx_migrations)",
    );
    finds(&mut doctor(), &[NO_PROVIDER, "the schema is older than this program: svc migrate"]);
    cluster.stop().unwrap();
}
