//! A dump of the database is restored elsewhere, and goes on there (docs/operating/backup.md).

use std::process::Command;

use nix::sys::signal::Signal;
use serde_json::json;
use svc_core::operations::import::Resource;
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

#[test]
fn the_private_database_is_dumped_by_the_printed_commands() {
    if Command::new("pg_dump").arg("--version").output().is_err() {
        println!("skipped: pg_dump is not on this machine's path");
        return;
    }
    let page = include_str!("../../../docs/operating/backup.md");
    let (_, block) = page.split_once("```sh\npid=").expect("the commands");
    let (block, _) = block.split_once("```").expect("their end");
    let svc = Svc::new();
    let served = svc.serve(&["--no-workers"], json!(null));
    let folder = svc.dir.path();
    std::os::unix::fs::symlink(folder.join("data"), folder.join(".svc")).unwrap();
    run(Command::new("sh").arg("-ec").arg(format!("pid={block}")).current_dir(folder));
    assert!(std::fs::read(folder.join("svc.dump")).unwrap().starts_with(b"PGDMP"));
    served.stop(Signal::SIGTERM);
}

#[test]
fn a_company_goes_to_a_new_one_by_the_printed_loop() {
    let page = include_str!("../../../docs/operating/backup.md");
    let (_, block) = page.split_once("```sh\nfor resource in").expect("a loop");
    let (block, _) = block.split_once("```").expect("its end");
    let words: Vec<&str> =
        block.split_whitespace().take_while(|word| *word != "do").filter(|word| *word != "\\").collect();
    let names: Vec<&str> = Resource::ALL.iter().map(|resource| resource.name()).collect();
    assert_eq!(words, names, "each resource, in order");
    let svc = Svc::new();
    for name in ["Uno", "Dos"] {
        svc.ok(&["company", "create", "--name", name]);
    }
    for (resource, record) in [
        ("unidades", r#"{"clave":900,"nombre":"Bulto","clave_sat":"XPK"}"#),
        ("productos", r#"{"clave":7,"sku":"A-1","descripcion":"Clavo","unidad":900}"#),
        ("clientes", r#"{"clave":5,"nombre":"Ana"}"#),
    ] {
        let loaded = svc.run(&["import", "--company", "1", resource, "-"], record);
        assert!(loaded.status.success(), "{resource}: {}", String::from_utf8_lossy(&loaded.stderr));
    }
    // The script finds the program under test, with the settings of this installation.
    let settings = svc.command(&[]);
    let mut script = Command::new("sh");
    script
        .arg("-ec")
        .arg(format!("svc() {{ '{}' \"$@\"; }}\nfor resource in{block}", settings.get_program().display()));
    script.envs(settings.get_envs().filter_map(|(name, value)| Some((name, value?))));
    run(script.current_dir(svc.dir.path()));
    let exported = |company: &str, resource: &str| {
        let output = svc.run(&["export", "--company", company, resource], "");
        String::from_utf8(output.stdout).unwrap()
    };
    for resource in ["unidades", "productos", "clientes"] {
        let of_first = exported("1", resource);
        assert!(!of_first.is_empty() && exported("2", resource) == of_first, "{resource}: {of_first}");
    }
}
