//! `svc stamp`, and the stamper's settings.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::stamping::{SandboxStamper, StampRequest};

use crate::certificates::{KEY, load};
use crate::harness::{Demo, Svc};

/// A company that can invoice, with a customer and a product; returns a key.
pub(crate) fn company(svc: &Svc) -> Value {
    svc.ok(&["company", "create", "--name", "Uno", "--rfc", "EKU9003173C9", "--regimen", "601", "--cp", "06700"]);
    assert!(load(svc, "1", "valid.cer", "valid.key", "12345678a", KEY).status.success());
    let customer = r#"{"nombre":"Ana","rfc":"XIA190128J61","regimen":601,"cp":"06700","uso_cfdi":"G03"}"#;
    svc.ok(&["do", "--company", "1", "customer.create", customer]);
    svc.ok(&["do", "--company", "1", "product.create", r#"{"sku":"A-1","descripcion":"Clavo","unidad":1}"#]);
    svc.ok(&["key", "create", "--company", "1"])
}

/// The fiscal folio of simulated providers.
pub(crate) const UUID: &str = "5ad427b5-2b1e-4d3c-9f0a-1b2c3d4e5f60";

/// A sealed document as a provider returns it.
pub(crate) fn stamped(xml: &str) -> String {
    let request = StampRequest::new(String::new(), xml.to_owned());
    SandboxStamper::sign(&request, UUID.parse().unwrap(), SystemClock.now()).unwrap().xml
}

/// Orders and invoices that.
pub(crate) fn invoice(server: &Demo) {
    let order = r#"{"tipo":"pedido","cliente":1,"renglones":[{"producto":1,"cantidad":2,"precio_unitario":"10.00"}],
                    "metodo_pago_sat":"PUE","forma_pago_sat":"03"}"#;
    assert_eq!(server.post("/ventas", "a", order).0, 201);
    let (status, asked) = server.post("/ventas/1/facturar", "b", "{}");
    assert_eq!((status, &asked["estatus"]), (202, &json!("timbrando")), "{asked}");
}

#[test]
fn one_pass_stamps_what_is_due() {
    let svc = Svc::new();
    let key = company(&svc);
    let nothing = json!({"timbrados": 0, "rechazados": 0, "pospuestos": 0, "detenidos": 0, "en_espera": 0, "cancelados": 0,
               "cancelaciones_rechazadas": 0, "cancelaciones_en_proceso": 0, "perdidos": 0, "fallidos": 0});
    assert_eq!(svc.ok(&["stamp", "--secrets-key", KEY]), nothing);
    let server = svc.serve(&["--no-workers"], key);
    invoice(&server);
    sleep(Duration::from_millis(1_500));
    assert_eq!(server.get("/facturas?clave=1")["datos"][0]["estatus"], "en_espera", "nobody works");
    server.stop(Signal::SIGTERM);

    let mut done = nothing.clone();
    done["timbrados"] = json!(1);
    assert_eq!(svc.ok(&["stamp", "--secrets-key", KEY]), done);
    let file = |name: &str| svc.command(&["do", "--company", "1", name, r#"{"factura":1}"#]).output().unwrap();
    let (xml, pdf) = (file("invoice.xml"), file("invoice.pdf"));
    assert!(xml.status.success() && pdf.status.success());
    let xml = String::from_utf8(xml.stdout).unwrap();
    assert!(xml.starts_with("<?xml ") && xml.ends_with("</cfdi:Comprobante>"), "{xml}");
    assert!(pdf.stdout.starts_with(b"%PDF-"));
    assert_eq!(svc.ok(&["stamp", "--secrets-key", KEY]), nothing);
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
