//! Commands print one JSON line, or one clear line of error.

use chrono::{DateTime, TimeDelta, Utc};
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_local_postgres::Cluster;

use crate::certificates::{KEY, load};
use crate::harness::{Svc, run};

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
        (&["key", "create", "--company", "uno"][..], "invalid value 'uno'"),
        (&["user", "create"], "--company <COMPANY> --name <NAME>"),
        (&["do"], "--company <COMPANY> <ACTION> <JSON>"),
        (&["do", "--list", "--company", "1"], "--list"),
        (&["do", "--company", "1", "customer.create"], "<JSON>"),
        (&["company", "clock", "--company", "1", "--forward", "3w"], "a time is a number and s, m, h or d"),
        (&["company", "clock", "--company", "1", "--forward", "3d", "--to", "2027-01-01"], "cannot be used with"),
        (&["company", "create"], "--name <NAME>"),
        (&["serv"], "tip: some similar subcommands exist"),
        (&[], "Usage: svc"),
    ] {
        let output = svc.run(args, "");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}: {stderr}");
        assert!(stderr.contains(said), "{args:?}: {stderr}");
    }

    for (args, said) in [
        (&["company", "edit", "--company", "9"][..], "la empresa 9 no existe"),
        (&["company", "create", "--name", ""], "nombre: no puede estar vacío"),
        (&["company", "create", "--name", "X", "--min-advance", "12.345"], "anticipo_minimo: debe ser un porcentaje"),
        (&["company", "create", "--name", "X", "--rfc", "NO"], "rfc_invalido"),
        (&["company", "create", "--name", "X", "--rfc", "XAXX010101000"], "rfc: es un RFC genérico"),
        (&["user", "disable", "--company", "1", "--user", "7"], "el usuario 7 no existe"),
        (&["key", "create", "--company", "1", "--user", "7"], "usuario: no existe"),
        (&["key", "create", "--company", "1", "--scopes", "todo"], "\"todo\" is no scope"),
        (&["company", "clock", "--company", "9"], "la empresa 9 no existe"),
        (&["company", "fork", "--company", "9", "--name", "X"], "la empresa 9 no existe"),
        (&["company", "fork", "--company", "1", "--name", ""], "nombre: no puede estar vacío"),
        (&["company", "clock", "--company", "1", "--forward", "1d"], "empresa: la empresa 1 no es de prueba"),
        (&["key", "revoke", "--key-id", "1_nada"], "la llave 1_nada no existe"),
        (&["key", "revoke", "--key-id", "nada"], "is no key id"),
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
fn a_database_that_cannot_be_used_is_named_by_host_and_port() {
    let svc = Svc::new();
    for args in [
        &["migrate", "--database-wait", "0"][..],
        &["serve", "--database-wait", "0"],
        &["company", "edit", "--company", "1", "--name", "X"],
        &["key", "revoke", "--key-id", "1_ab12cd"],
        &["do", "--company", "1", "stock.count", "{}"],
        &["import", "--company", "1", "marcas", "/dev/null"],
        &["stamp"],
        &["deliver"],
    ] {
        let output = svc.command(args).env("DATABASE_URL", "postgres://pepe:hunter2@127.0.0.1:1/svc").output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
        assert!(stderr.contains("the database at 127.0.0.1:1: "), "{args:?}: {stderr}");
        assert!(!stderr.contains("hunter2") && !stderr.contains("pepe"), "{args:?}: {stderr}");
    }
}

#[test]
fn an_internal_cause_has_a_line_of_its_own() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    let cluster = Cluster::open(&svc.dir.path().join("data")).unwrap();
    run(&cluster.options("svc"), "DROP TABLE unidades, marcas CASCADE");
    cluster.stop().unwrap();
    for (args, table) in [
        (&["company", "create", "--name", "Dos"][..], "unidades"),
        (&["import", "--company", "1", "marcas", "-"], "marcas"),
    ] {
        let output = svc.run(args, "{\"nombre\":\"Una\"}\n");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{args:?}: {stderr}");
        let [text, cause] = stderr.lines().collect::<Vec<_>>()[..] else { panic!("{args:?}: {stderr}") };
        assert_eq!(text, "svc: error_interno: error del servicio; reintente y reporte el valor de peticion");
        assert!(cause.starts_with("svc: cause: ") && cause.contains(table), "{args:?}: {stderr}");
    }
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let svc = Svc::new();
    for (setting, code, said) in [
        (("SVC_DRAIN_DELAY", "21"), 1, "SVC_DRAIN_DELAY is at most 20 s where SVC_SHUTDOWN_DEADLINE is 25 s"),
        (("SVC_MAX_BODY", "0"), 2, "invalid value '0' for '--max-body"),
        (("SVC_MAX_CLIENTS", "0"), 2, "invalid value '0' for '--max-clients"),
        (("DATABASE_URL", ""), 1, "DATABASE_URL is empty"),
        (("SVC_BASE_URL", "erp.example.com"), 1, "erp.example.com"),
    ] {
        for command in ["serve", "demo"] {
            let mut command = svc.command(&[command, "--listen", "127.0.0.1:0"]);
            let output = command.env(setting.0, setting.1).env("RUST_LOG", "off").output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "{setting:?}: {stderr}");
            assert!(stderr.contains(said), "{setting:?}: {stderr}");
            assert!(code == 2 || stderr.lines().count() == 1, "{setting:?}: {stderr}");
        }
    }
}

#[test]
fn a_database_of_the_former_numbering_is_refused_in_one_line() {
    let svc = Svc::new();
    svc.ok(&["migrate"]);
    let cluster = Cluster::open(&svc.dir.path().join("data")).unwrap();
    run(&cluster.options("svc"), "UPDATE _sqlx_migrations SET description = 'crm' WHERE version = 6");
    cluster.stop().unwrap();
    for args in [&["migrate"][..], &["serve", "--listen", "127.0.0.1:0"], &["company", "create", "--name", "Uno"]] {
        let output = svc.run(args, "");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
        let said = stderr.trim_end().lines().last().unwrap_or_default();
        assert!(said.contains("from before the first release") && said.contains("SVC_DATA_DIR"), "{args:?}: {stderr}");
    }
}

#[test]
fn do_runs_an_action_by_name() {
    let svc = Svc::new();
    let listed = svc.ok(&["do", "--list"]);
    assert!(!svc.dir.path().join("data").exists(), "a list needs no database");
    let create = listed.as_array().unwrap().iter().find(|action| action["name"] == "customer.create").unwrap();
    assert_eq!(
        (&create["summary"], &create["emits"], &create["schema"]["required"]),
        (&json!("Create a customer"), &json!(["cliente.creado"]), &json!(["nombre"]))
    );

    svc.ok(&["company", "create", "--name", "Uno"]);
    let create = |input| ["do", "--company", "1", "customer.create", input];
    let made = svc.ok(&create(r#"{"nombre":"Ana"}"#));
    assert_eq!(made, json!({"cliente": 1, "folio": "1", "rfc": null}));
    let rehearsed = svc.ok(&["do", "--rehearse", "--company", "1", "customer.create", r#"{"nombre":"Eva"}"#]);
    let expected = json!({"cliente": 2, "folio": "2", "rfc": null, "ensayo": true, "eventos": ["cliente.creado"]});
    assert_eq!(rehearsed, expected);
    let output = svc.run(&create("-"), r#"{"nombre":"Beto"}"#);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "{\"cliente\":2,\"folio\":\"2\",\"rfc\":null}\n");

    for (args, said) in [
        (&["do", "--company", "1", "customer.fly", "{}"][..], "\"customer.fly\"; svc do --list"),
        (&["do", "--company", "9", "customer.create", r#"{"nombre":"Ana"}"#], "la empresa 9 no existe"),
        (&create("[1]"), "el cuerpo debe ser un objeto JSON"),
        (&create(r#"{"nombre":"Ana","rfc":"malo"}"#), "rfc_invalido: rfc: "),
        (&create(r#"{"nombre":"Ana","sexo":"F"}"#), "campo_no_permitido: sexo: "),
    ] {
        let output = svc.run(args, "");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{args:?}: {stderr}");
        assert!(stderr.contains(said) && stderr.trim_end().lines().count() == 1, "{args:?}: {stderr}");
    }
}

#[test]
fn a_failed_import_names_the_bad_line_and_writes_nothing() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    let good = "{\"nombre\":\"Cliente\"}
"
    .repeat(2_500);
    let output = svc
        .run(&["import", "--company", "1", "clientes", "-"], &format!("{good}{{\"nombre\":\"X\",\"rfc\":\"malo\"}}\n"));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("línea 2501: rfc: "));
    let output = svc.run(&["import", "--company", "1", "clientes", "-"], &good);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.starts_with("{\"importados\":2500,\"desde\":\"20") && printed.ends_with("Z\"}\n"), "{printed}");
}

#[test]
fn the_clock_of_a_test_company_moves_forward() {
    let svc = Svc::new();
    assert_eq!(svc.ok(&["company", "create", "--name", "Prueba", "--test"])["empresa"], 1);
    let clock = |args: &[&str]| {
        let told = svc.ok(&[&["company", "clock", "--company", "1"], args].concat());
        assert_eq!(told.as_object().unwrap().len(), 1, "{told}");
        told["ahora"].as_str().unwrap().parse::<DateTime<Utc>>().unwrap()
    };
    let start = clock(&[]);
    assert!((start - SystemClock.now()).abs() < TimeDelta::seconds(30));
    let later = clock(&["--forward", "3d"]) - start;
    assert!((TimeDelta::days(3)..TimeDelta::days(3) + TimeDelta::minutes(1)).contains(&later), "{later}");
    assert_eq!(clock(&["--to", "2099-01-01T00:00:00Z"]).to_rfc3339(), "2099-01-01T00:00:00+00:00");
    assert!(clock(&[]).to_rfc3339().starts_with("2099-01-01T00:"));
    // Its copy has the same time.
    assert_eq!(svc.ok(&["company", "fork", "--company", "1", "--name", "Copia"]), json!({ "empresa": 2 }));
    let copy = svc.ok(&["company", "clock", "--company", "2"]);
    assert!(copy["ahora"].as_str().unwrap().starts_with("2099-01-01T00:"), "{copy}");
    assert_eq!(
        svc.ok(&["key", "create", "--company", "2"])["key_id"].as_str().unwrap().split_once('_').unwrap().0,
        "2"
    );
    let back = svc.run(&["company", "clock", "--company", "1", "--to", "2098-01-01"], "");
    let stderr = String::from_utf8_lossy(&back.stderr);
    assert!(back.status.code() == Some(1) && stderr.contains("el reloj solo avanza"), "{stderr}");
}

#[test]
fn lists_say_what_there_is_and_when_it_was_last_used() {
    let svc = Svc::new();
    let lines = |args: &[&str]| -> Vec<Value> {
        let output = svc.run(args, "");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8(output.stdout).unwrap();
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let of = |list: &str, company: &str| lines(&[list, "list", "--company", company]);
    svc.ok(&["company", "create", "--name", "Uno", "--email", "ana@example.com", "--rfc", "EKU9003173C9"]);
    svc.ok(&["company", "create", "--name", "Dos", "--test"]);
    svc.ok(&["user", "create", "--company", "1", "--name", "Beto", "--salesperson"]);
    svc.ok(&["user", "disable", "--company", "1", "--user", "2"]);
    let (expires, scopes) = ("2099-01-01", "clientes:read,ventas:read");
    let used = svc.ok(&["key", "create", "--company", "1", "--scopes", scopes, "--expires", expires]);
    let revoked = svc.ok(&["key", "create", "--company", "1", "--no-terms"]);
    svc.ok(&["key", "revoke", "--key-id", revoked["key_id"].as_str().unwrap()]);
    let demo = svc.serve(&[], used.clone());
    demo.get("/clientes");
    demo.stop(Signal::SIGTERM);
    let today = SystemClock.now().date_naive().to_string();

    let companies = lines(&["company", "list"]);
    let told =
        |company: &Value| json!([company["empresa"], company["nombre"], company["prueba"], company["ultimo_uso"]]);
    let expected = [json!([1, "Uno", false, today]), json!([2, "Dos", true, null])];
    assert_eq!(companies.iter().map(told).collect::<Vec<_>>(), expected);
    let users = of("user", "1");
    let ana = json!({"usuario": 1, "nombre": users[0]["nombre"], "correo": "ana@example.com", "vendedor": true, "activo": true, "ultimo_uso": today});
    let beto =
        json!({"usuario": 2, "nombre": "Beto", "correo": null, "vendedor": true, "activo": false, "ultimo_uso": null});
    assert_eq!(users, [ana, beto]);
    let mut keys = of("key", "1");
    assert_eq!(keys.len(), 2);
    keys.sort_by_key(|key| key["key_id"] != used["key_id"]);
    let [first, second] = [&keys[0], &keys[1]];
    assert_eq!((&first["key_id"], &first["scopes"]), (&used["key_id"], &json!(["clientes:read", "ventas:read"])));
    assert_eq!((&first["vence"], &first["revocada"]), (&json!("2099-01-01T00:00:00Z"), &Value::Null));
    assert_eq!((&first["ultimo_uso"], &first["usuario"]), (&json!(today), &json!(1)));
    assert!(first["terminos"].is_string() && first["creada"].as_str().unwrap().starts_with(&today), "{first}");
    assert_eq!((&second["ultimo_uso"], &second["terminos"]), (&Value::Null, &Value::Null));
    assert!(second["revocada"].as_str().unwrap().starts_with(&today), "{second}");
    let all = format!("{keys:?}");
    assert!(!all.contains(used["api_key"].as_str().unwrap()), "never a secret");

    assert!(of("certificate", "1").is_empty());
    assert!(load(&svc, "1", "valid.cer", "valid.key", "12345678a", KEY).status.success());
    assert!(load(&svc, "1", "renewed.cer", "renewed.key", "12345678a", KEY).status.success());
    let certificates = of("certificate", "1");
    let told = |one: &Value| json!([one["numero"], one["rfc"], one["vigente_hasta"], one["en_uso"]]);
    assert_eq!(told(&certificates[0])[0], "30001000000500003417");
    assert_eq!(told(&certificates[1]), json!(["30001000000500003416", "EKU9003173C9", "2046-01-01T00:00:00Z", false]));
    assert_eq!((&certificates[0]["en_uso"], certificates.len()), (&json!(true), 2));
    assert_eq!((of("user", "2").len(), of("key", "2").len(), of("certificate", "2").len()), (1, 0, 0));
    for list in ["user", "key", "certificate"] {
        let output = svc.run(&[list, "list", "--company", "9"], "");
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("la empresa 9 no existe"));
    }
}

#[test]
fn a_logo_is_on_paper_from_the_command_line() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    let product = r#"{"sku":"A-1","descripcion":"Clavo 中","unidad":1}"#;
    for (resource, line) in [("clientes", r#"{"nombre":"Ana"}"#), ("productos", product)] {
        let imported = svc.run(&["import", "--company", "1", resource, "-"], line);
        assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
    }
    let sale = r#"{"tipo":"venta","cliente":1,"renglones":[{"producto":1,"cantidad":1,"precio_unitario":"10"}]}"#;
    assert_eq!(svc.ok(&["do", "--company", "1", "sale.capture", sale])["venta"], 1);
    let ticket = |fonts: &str| {
        let mut command = svc.command(&["do", "--company", "1", "sale.ticket", r#"{"venta":1}"#]);
        let output = command.env("SVC_FONTS", fonts).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let has = |pdf: &[u8], part: &str| pdf.windows(part.len()).any(|found| found == part.as_bytes());
    let plain = ticket("");
    assert!(plain.starts_with(b"%PDF-") && !has(&plain, "/Subtype /Image") && !has(&plain, "/FontFile2"));

    let logo = svc.dir.path().join("logo.svg");
    let file = logo.to_str().unwrap();
    let circle = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><circle cx="5" cy="5" r="4"/></svg>"#;
    std::fs::write(&logo, circle).unwrap();
    let drawn = json!({ "empresa": 1, "pixeles": [384, 384] });
    assert_eq!(svc.ok(&["company", "logo", "--company", "1", file]), drawn, "the white border is cut off");
    let with_logo = ticket("");
    assert!(has(&with_logo, "/Subtype /Image"));
    let removed = json!({ "empresa": 1, "pixeles": null });
    assert_eq!(svc.ok(&["company", "logo", "--company", "1", "--remove"]), removed);
    assert_eq!(ticket(""), plain);
    // A letter that the embedded fonts lack is in the one that is added.
    let han = concat!(env!("CARGO_MANIFEST_DIR"), "/../svc-core/src/domain/paper/testing/han.ttf");
    assert!(has(&ticket(han), "/FontFile2"));

    std::fs::write(&logo, "no es una imagen").unwrap();
    for (args, said) in [
        (&["--company", "1", file][..], "logo.svg: "),
        (&["--company", "1", "no-such-file"], "cannot read no-such-file"),
        (&["--company", "9", "--remove"], "la empresa 9 no existe"),
    ] {
        let output = svc.run(&[&["company", "logo"], args].concat(), "");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{args:?}: {stderr}");
        assert!(stderr.contains(said) && stderr.trim_end().lines().count() == 1, "{args:?}: {stderr}");
    }
}

#[test]
fn a_company_says_whether_its_documents_are_sent() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    let sends = || svc.ok(&["company", "list"])["enviar_documentos"].clone();
    assert_eq!(sends(), false);
    for (settings, expected) in
        [(&["--send-documents", "on"][..], true), (&["--plan", "pro"], true), (&["--send-documents", "off"], false)]
    {
        assert_eq!(svc.ok(&[&["company", "edit", "--company", "1"], settings].concat()), json!({ "empresa": 1 }));
        assert_eq!(sends(), expected, "{settings:?}");
    }
}

/// Runs a command whose stderr is a terminal, and returns what is drawn there; its stdout is a
/// file.
fn on_a_terminal(svc: &Svc, args: &[&str]) -> String {
    let quoted = svc.command(args);
    let mut script = std::process::Command::new("script");
    let words: Vec<_> = std::iter::once(quoted.get_program())
        .chain(quoted.get_args())
        .map(|word| format!("'{}'", word.to_str().unwrap()))
        .collect();
    let printed = svc.dir.path().join("printed");
    script.args(["-q", "-e", "-c", &format!("{} >'{}'", words.join(" "), printed.display()), "/dev/null"]);
    for (name, value) in quoted.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    let output = script.env("TERM", "xterm").stdin(std::process::Stdio::null()).output().expect("script of util-linux");
    let drawn = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{drawn}");
    drawn
}

#[test]
fn long_work_draws_its_progress_and_what_is_left() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    let lines = (0..1_200).map(|number| format!("{{\"nombre\":\"Cliente {number}\"}}\n")).collect::<Vec<_>>().concat();
    let file = svc.dir.path().join("clientes.ndjson");
    std::fs::write(&file, &lines).unwrap();
    for (args, counted) in [
        (&["import", "--company", "1", "clientes", file.to_str().unwrap()][..], "records"),
        (&["export", "--company", "1", "clientes"], "1,200 records"),
        (&["company", "fork", "--company", "1", "--name", "Copia"], "rows"),
    ] {
        let drawn = on_a_terminal(&svc, args);
        for part in [counted, "/s", " %", " left"] {
            assert!(drawn.contains(part), "{args:?}, {part}: {drawn}");
        }
    }
    let old = "INSERT INTO bitacora (empresa, peticion, fecha, metodo, ruta, estado, microsegundos)
               SELECT 1, lpad(n::text, 32, '0')::uuid, now(), 'GET', '/clientes', 200, 1 FROM generate_series(1, 2500) n";
    let cluster = Cluster::open(&svc.dir.path().join("data")).unwrap();
    run(&cluster.options("svc"), old);
    cluster.stop().unwrap();
    for (svc, args, counted) in [(&svc, "clean-up", "2,500 rows"), (&Svc::new(), "migrate", "migrations")] {
        let drawn = on_a_terminal(svc, &[args]);
        assert!(drawn.contains(counted) && drawn.contains("/s"), "{args}: {drawn}");
        assert_eq!(drawn.contains(" left"), args == "migrate", "{args}: {drawn}");
    }
    // Beside what is printed on the same terminal nothing is drawn.
    assert!(!String::from_utf8_lossy(&svc.run(&["export", "--company", "1", "clientes"], "").stderr).contains("left"));
}
