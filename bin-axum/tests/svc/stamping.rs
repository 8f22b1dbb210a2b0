//! `svc stamp`, and the stamper's settings.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::stamping::{SandboxStamper, StampRequest};
use svc_local_postgres::Cluster;

use crate::admin::get;
use crate::certificates::{KEY, load};
use crate::harness::{Demo, Svc, run};

/// A company that can invoice, with a customer and a product; returns a key.
pub(crate) fn company(svc: &Svc) -> Value {
    company_with(svc, "1", &[])
}

/// The same, created with these options too, as the company of that number.
fn company_with(svc: &Svc, number: &str, options: &[&str]) -> Value {
    let create = ["company", "create", "--name", "Uno", "--rfc", "EKU9003173C9", "--regimen", "601", "--cp", "06700"];
    assert_eq!(svc.ok(&[&create[..], options].concat())["empresa"].to_string(), number);
    assert!(load(svc, number, "valid.cer", "valid.key", "12345678a", KEY).status.success());
    let customer = r#"{"nombre":"Ana","rfc":"XIA190128J61","regimen":601,"cp":"06700","uso_cfdi":"G03"}"#;
    svc.ok(&["do", "--company", number, "customer.create", customer]);
    svc.ok(&["do", "--company", number, "product.create", r#"{"sku":"A-1","descripcion":"Clavo","unidad":1}"#]);
    svc.ok(&["key", "create", "--company", number])
}

/// The fiscal folio of simulated providers.
pub(crate) const UUID: &str = "5ad427b5-2b1e-4d3c-9f0a-1b2c3d4e5f60";

const ORDER: &str = r#"{"tipo":"pedido","cliente":1,"metodo_pago_sat":"PUE","forma_pago_sat":"03",
                        "renglones":[{"producto":1,"cantidad":2,"precio_unitario":"10.00"}]}"#;

/// A sealed document as a provider returns it.
pub(crate) fn stamped(xml: &str) -> String {
    let request = StampRequest::new(String::new(), xml.to_owned());
    SandboxStamper::sign(&request, UUID.parse().unwrap(), SystemClock.now()).unwrap().xml
}

/// Orders and invoices that.
pub(crate) fn invoice(server: &Demo) {
    assert_eq!(server.post("/ventas", "a", ORDER).0, 201);
    let (status, asked) = server.post("/ventas/1/facturar", "b", "{}");
    assert_eq!((status, &asked["estatus"]), (202, &json!("timbrando")), "{asked}");
}

#[test]
fn one_pass_stamps_what_is_due() {
    let svc = Svc::new();
    let key = company(&svc);
    let nothing = json!({"timbrados": 0, "rechazados": 0, "pospuestos": 0, "detenidos": 0, "en_espera": 0, "cancelados": 0,
               "cancelaciones_rechazadas": 0, "cancelaciones_en_proceso": 0, "perdidos": 0, "fallidos": 0});
    assert_eq!(svc.ok(&["stamp", "--stamper", "sandbox", "--secrets-key", KEY]), nothing);
    let server = svc.serve(&["--no-workers"], key);
    invoice(&server);
    sleep(Duration::from_millis(1_500));
    assert_eq!(server.get("/facturas?clave=1")["datos"][0]["estatus"], "en_espera", "nobody works");
    server.stop(Signal::SIGTERM);

    let mut done = nothing.clone();
    done["timbrados"] = json!(1);
    assert_eq!(svc.ok(&["stamp", "--stamper", "sandbox", "--secrets-key", KEY]), done);
    let file = |name: &str| svc.command(&["do", "--company", "1", name, r#"{"factura":1}"#]).output().unwrap();
    let (xml, pdf) = (file("invoice.xml"), file("invoice.pdf"));
    assert!(xml.status.success() && pdf.status.success());
    let xml = String::from_utf8(xml.stdout).unwrap();
    assert!(xml.starts_with("<?xml ") && xml.ends_with("</cfdi:Comprobante>"), "{xml}");
    assert!(pdf.stdout.starts_with(b"%PDF-"));
    assert_eq!(svc.ok(&["stamp", "--stamper", "sandbox", "--secrets-key", KEY]), nothing);
}

/// Waits until the invoice of the key is in that status.
fn becomes(server: &Demo, estatus: &str) -> Value {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let record = server.get("/facturas?clave=1")["datos"][0].take();
        if record["estatus"] == estatus {
            return record;
        }
        assert!(Instant::now() < deadline, "{record}");
        sleep(Duration::from_millis(100));
    }
}

#[test]
fn without_a_provider_only_test_companies_are_stamped_and_the_others_wait() {
    let svc = Svc::new();
    let (real, test) = (company(&svc), company_with(&svc, "2", &["--test"]));
    let listed = svc.command(&["company", "list"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let listed: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<_> = listed.iter().map(|company| (&company["empresa"], &company["prueba"])).collect();
    assert_eq!(kinds, [(&json!(1), &json!(false)), (&json!(2), &json!(true))]);
    let edit = svc.run(&["company", "edit", "--company", "1", "--test"], "");
    let said = String::from_utf8_lossy(&edit.stderr);
    assert!(!edit.status.success() && said.contains("--test"), "what a company is never changes: {said}");

    let admin = ["--secrets-key", KEY, "--admin-listen", "127.0.0.1:0"];
    let mut server = svc.serve(&admin, real.clone());
    let operators = server.admin();
    invoice(&server);
    server.printed = test;
    invoice(&server);
    becomes(&server, "vigente");
    let (head, pdf) = server.download("'/api/v1/facturas/1/pdf'");
    assert!(head.starts_with("HTTP/1.1 200") && pdf.starts_with(b"%PDF-"), "{head}");
    assert_eq!(get(&operators, "/ready"), (200, "ready\nstamping: no provider, 1 documents wait\n".to_owned()));
    let figures = get(&operators, "/metrics").1;
    assert!(figures.lines().any(|line| line == r#"svc_documents_held{reason="no_provider"} 1"#), "{figures}");
    server.printed = real.clone();
    assert_eq!(becomes(&server, "en_espera")["uuid"], Value::Null);
    server.stop(Signal::SIGTERM);
    let doctor = svc.command(&["doctor", "--secrets-key", KEY]).output().unwrap();
    let said = String::from_utf8_lossy(&doctor.stderr).into_owned();
    assert!(said.lines().any(|line| line == "stamping: no provider, 1 documents wait"), "{said}");
    assert_eq!(svc.ok(&["stamp", "--secrets-key", KEY])["timbrados"], 0);

    // The provider that is set later gets what waited.
    let provider = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/timbrados", provider.local_addr().unwrap());
    let server = svc.serve(&[&admin[..], &["--stamper", &url, "--stamper-token", "x"]].concat(), real);
    let mut request = BufReader::new(provider.accept().unwrap().0);
    let head: Vec<String> = request.by_ref().lines().map(Result::unwrap).take_while(|line| !line.is_empty()).collect();
    let id = head.iter().find_map(|line| line.strip_prefix("idempotency-key: ")).unwrap();
    assert!(id.ends_with("-1-1"), "{id}");
    let length = head.iter().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    let mut xml = vec![0; length];
    request.read_exact(&mut xml).unwrap();
    let answer = stamped(&String::from_utf8(xml).unwrap());
    write!(request.get_mut(), "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{answer}", answer.len()).unwrap();
    assert_eq!(becomes(&server, "vigente")["uuid"], UUID);
    assert_eq!(get(&server.admin(), "/ready"), (200, "ready\n".to_owned()));
    server.stop(Signal::SIGTERM);
}

#[test]
fn a_json_log_has_the_counts_of_a_pass_as_fields() {
    let svc = Svc::new();
    let key = company(&svc);
    let options = ["serve", "--listen", "127.0.0.1:0", "--secrets-key", KEY, "--stamper", "sandbox"];
    let server = Svc::start(svc.command(&options).env("SVC_LOG_FORMAT", "json"), key);
    invoice(&server);
    let pass = server.log.wait(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        (line["message"] == "background work" && line["work"] == "stamping").then_some(line)
    });
    assert_eq!((&pass["timbrados"], &pass["rechazados"]), (&json!(1), &json!(0)), "{pass}");
    server.stop(Signal::SIGTERM);
}

#[test]
fn without_workers_owners_are_told_that_documents_wait_for_a_provider() {
    let svc = Svc::new();
    let key = company_with(&svc, "1", &["--email", "ana@example.com"]);
    let server = svc.serve(&["--no-workers", "--secrets-key", KEY], key);
    invoice(&server);
    server.stop(Signal::SIGTERM);
    let cluster = Cluster::open(&svc.dir.path().join("data")).unwrap();
    run(&cluster.options("svc"), "UPDATE timbrados SET creado = creado - interval '11 minutes'");
    cluster.stop().unwrap();
    // Nobody takes e-mails there, so that they remain to be counted.
    let after = |command: &[&str]| {
        svc.ok(&[command, &["--secrets-key", KEY]].concat());
        svc.ok(&["restore-check"])["correos"].clone()
    };
    assert_eq!(after(&["deliver", "--smtp-url", "smtp://127.0.0.1:1"]), 0, "stamp has the provider's settings");
    assert_eq!(after(&["stamp"]), 1);
    assert_eq!(after(&["stamp"]), 1, "once");
    assert_eq!(after(&["deliver", "--smtp-url", "smtp://127.0.0.1:1"]), 1);

    let cluster = Cluster::open(&svc.dir.path().join("data")).unwrap();
    for (held, said) in [
        ("UPDATE timbrados SET detenido = 'estancado'", "1 documents stuck: nobody can tell whether they were stamped"),
        (
            "UPDATE timbrados SET detenido = 'configuracion'",
            "1 documents held: the stamping provider refuses the account",
        ),
    ] {
        run(&cluster.options("svc"), held);
        let doctor = svc.command(&["doctor", "--secrets-key", KEY]).output().unwrap();
        let stderr = String::from_utf8_lossy(&doctor.stderr).into_owned();
        assert!(stderr.lines().any(|line| line == said), "{stderr}");
    }
    cluster.stop().unwrap();
}

#[test]
fn e_mails_that_wait_for_a_server_are_told() {
    let svc = Svc::new();
    let key = company(&svc);
    let options = ["--secrets-key", KEY, "--stamper", "sandbox", "--admin-listen", "127.0.0.1:0"];
    let server = svc.serve(&options, key);
    let operators = server.admin();
    invoice(&server);
    becomes(&server, "vigente");
    assert_eq!(get(&operators, "/ready").1, "ready\n");
    svc.ok(&["do", "--company", "1", "invoice.send", r#"{"factura":1,"correo":"ana@example.com"}"#]);
    let line = "mail: no server (SVC_SMTP_URL is not set), 1 e-mails wait";
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let (ready, figures) = (get(&operators, "/ready").1, get(&operators, "/metrics").1);
        let age = figures.lines().find_map(|line| line.strip_prefix(r#"svc_queue_age_seconds{queue="mails"} "#));
        let is_due = age.is_some_and(|age| age.parse::<f64>().unwrap() > 0.0);
        if is_due && ready.lines().any(|said| said == line) && ready.contains("\nmails due for ") {
            break;
        }
        assert!(Instant::now() < deadline, "{age:?} {ready}");
        sleep(Duration::from_millis(200));
    }
    let doctor = svc.command(&["doctor", "--secrets-key", KEY, "--stamper", "sandbox"]).output().unwrap();
    let said = String::from_utf8_lossy(&doctor.stderr).into_owned();
    assert!(said.lines().any(|said| said == line), "{said}");
    server.stop(Signal::SIGTERM);
}

#[test]
fn a_copy_of_a_database_sends_nothing_of_the_original() {
    let svc = Svc::new();
    let output = svc.run(&["restore-check", "--as-copy"], "");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && stderr.contains("has no private database"), "{stderr}");
    let key = company(&svc);
    let nothing = json!({"documentos": 0, "cancelaciones": 0, "entregas": 0, "correos": 0});
    assert_eq!(svc.ok(&["restore-check"]), nothing);
    let server = svc.serve(&["--no-workers", "--secrets-key", KEY], key.clone());
    let webhook = r#"{"url":"https://example.com/x","eventos":["venta.creada","factura.timbrada"]}"#;
    assert_eq!(server.post("/webhooks", "w", webhook).0, 201);
    invoice(&server);
    server.stop(Signal::SIGTERM);

    let under_way = json!({"documentos": 1, "cancelaciones": 0, "entregas": 1, "correos": 0});
    assert_eq!(svc.ok(&["restore-check"]), under_way);
    assert_eq!(svc.ok(&["restore-check"]), under_way, "it changes nothing");
    let mut copied = svc.ok(&["restore-check", "--as-copy"]);
    let id = copied.as_object_mut().unwrap().remove("instalacion").unwrap();
    assert_eq!((copied, id.as_str().unwrap().len()), (under_way, 15));
    assert_eq!(svc.ok(&["restore-check"]), nothing);

    let done = svc.ok(&["stamp", "--stamper", "sandbox", "--secrets-key", KEY]);
    assert_eq!((&done["timbrados"], &done["detenidos"]), (&json!(0), &json!(0)), "{done}");
    assert_eq!(svc.ok(&["deliver", "--secrets-key", KEY])["entregadas"], 0);
    let admin = ["--secrets-key", KEY, "--stamper", "sandbox", "--admin-listen", "127.0.0.1:0"];
    let server = svc.serve(&admin, key);
    assert_eq!(get(&server.admin(), "/ready").1, "ready\n1 documents held: the original of this database sends them\n");
    assert_eq!(becomes(&server, "en_espera")["uuid"], Value::Null);
    assert_eq!(server.get("/webhooks?clave=1")["datos"][0]["activo"], false);
    // What the copy does itself is stamped, under its own id.
    assert_eq!(server.post("/ventas", "c", ORDER).0, 201);
    assert_eq!(server.post("/ventas/2/facturar", "d", "{}").0, 202);
    let deadline = Instant::now() + Duration::from_secs(30);
    while server.get("/facturas?clave=2")["datos"][0]["estatus"] != "vigente" {
        assert!(Instant::now() < deadline);
        sleep(Duration::from_millis(100));
    }
    server.stop(Signal::SIGTERM);
    let again = svc.ok(&["restore-check", "--as-copy"]);
    assert_ne!(again["instalacion"], id);
}

#[test]
fn a_signalled_server_waits_for_what_is_being_stamped() {
    let svc = Svc::new();
    let key = company(&svc);
    let provider = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/timbrados", provider.local_addr().unwrap());
    let mut server = svc.serve(&["--secrets-key", KEY, "--stamper", &url, "--stamper-token", "secreto"], key.clone());
    invoice(&server);
    let mut request = BufReader::new(provider.accept().unwrap().0);
    let head: Vec<String> = request.by_ref().lines().map(Result::unwrap).take_while(|line| !line.is_empty()).collect();
    assert!(head.contains(&"authorization: Bearer secreto".to_owned()), "{head:?}");
    let id = head.iter().find_map(|line| line.strip_prefix("idempotency-key: ")).unwrap();
    assert!(id.ends_with("-1-1") && id.len() == "-1-1".len() + 15, "it begins with the installation's: {id}");
    let length = head.iter().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    let mut xml = vec![0; length];
    request.read_exact(&mut xml).unwrap();
    let answer = stamped(&String::from_utf8(xml).unwrap());
    kill(server.pid(), Signal::SIGTERM).unwrap();
    sleep(Duration::from_millis(300));
    write!(request.get_mut(), "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{answer}", answer.len()).unwrap();
    assert!(server.ended(Duration::from_secs(20)).0.success());

    let server = svc.serve(&["--no-workers"], key);
    let record = server.get("/facturas?clave=1")["datos"][0].take();
    assert_eq!((&record["estatus"], &record["uuid"]), (&json!("vigente"), &json!(UUID)));
}

#[test]
fn an_unusable_provider_is_refused_before_a_cancellation_is_written() {
    let svc = Svc::new();
    company(&svc);
    svc.ok(&["do", "--company", "1", "sale.capture", ORDER]);
    svc.ok(&["do", "--company", "1", "order.invoice", r#"{"venta":1}"#]);
    let stamped = svc.ok(&["stamp", "--stamper", "sandbox", "--secrets-key", KEY]);
    assert_eq!(stamped["timbrados"], 1, "{stamped}");
    let cancel = ["do", "--company", "1", "invoice.cancel", r#"{"factura":1,"motivo":"02"}"#, "--secrets-key", KEY];
    let refused = svc.run(&[&cancel[..], &["--stamper", "ftp://pac.example"]].concat(), "");
    let stderr = String::from_utf8_lossy(&refused.stderr);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0), "{stderr}");
    assert!(stderr.contains("SVC_STAMPER: "), "{stderr}");
    let cancelled = svc.ok(&[&cancel[..], &["--stamper", "sandbox"]].concat());
    assert_eq!(cancelled, json!({"factura": 1}), "the first did not request it");
}

#[test]
fn a_provider_that_cannot_be_reached_safely_is_refused() {
    let svc = Svc::new();
    for (url, token, said) in [
        ("ftp://pac.example", "secreto", "SVC_STAMPER: the provider's URL must be https://"),
        ("http://pac.example/timbrar", "secreto", "SVC_STAMPER: the provider's URL must be https; http is for"),
        ("http://localhost:9/timbrar", "", "SVC_STAMPER_TOKEN: the provider's token is empty"),
    ] {
        let mut command = svc.command(&["serve", "--listen", "127.0.0.1:0", "--stamper", url]);
        let output = command.env("SVC_STAMPER_TOKEN", token).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), stderr.lines().count()), (Some(1), 1), "{stderr}");
        assert!(stderr.contains(said) && !stderr.contains("secreto"), "{stderr}");
    }
    assert!(!svc.dir.path().join("data").exists(), "nothing was begun");
    let help = svc.command(&["stamp", "--help"]).env("SVC_STAMPER_TOKEN", "secreto").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.contains("SVC_STAMPER_TOKEN") && !help.contains("secreto"), "{help}");
}
