//! The demo, and what it leaves behind.

use std::collections::{HashMap, HashSet};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use chrono::TimeDelta;
use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};
use svc_core::domain::cfdi::Cfdi;
use svc_core::domain::clock::{Clock as _, SystemClock};

use crate::harness::{Demo, Svc};

#[test]
fn the_demo_answers_what_it_prints_and_leaves_no_process() {
    let svc = Svc::new();
    let demo = svc.new_demo();
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
    // The imported ones and one from abroad.
    assert_eq!(seen.len(), 480 + 1);
    assert!(demo.get("/productos?buscar=torn%C3%ADllo")["datos"].as_array().unwrap().len() > 5);
    let base = format!("http://{}/api/v1/", demo.address);
    let urls: Vec<Value> = demo.walk("/eventos").into_iter().map(|event| event["recurso"]["url"].clone()).collect();
    assert!(urls.len() > 50 && urls.iter().all(|url| url.as_str().unwrap().starts_with(&base)), "{base}: {urls:?}");
    paste_all(&demo, (201, 202));
    let health = svc.ok(&["healthcheck", "--listen", &demo.address]);
    assert_eq!(health["ok"], true);

    let printed = demo.printed.clone();
    demo.stop(Signal::SIGTERM);
    assert!(svc.server_is_gone());
    let again = svc.new_demo();
    assert_eq!(again.printed["api_key"], printed["api_key"], "the company is made once");
    paste_all(&again, (200, 200));
    again.stop(Signal::SIGKILL);
    assert!(svc.server_is_gone(), "a killed demo leaves no PostgreSQL behind");
    assert_eq!(svc.run(&["healthcheck", "--listen", "127.0.0.1:9"], "").status.code(), Some(1));
}

#[test]
fn the_quickstart_is_filled_in_with_the_demo_s_key() {
    let svc = Svc::new();
    let demo = svc.demo();
    let [key_id, api_key] = ["key_id", "api_key"].map(|part| demo.printed[part].as_str().unwrap());
    let page = |query: &str, host: &str| {
        let request = format!("GET /docs{query} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let (head, page) = demo.exchange(&request).expect("an answer");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        page
    };
    for (query, heading) in [("", "id=\"quickstart\""), ("?lang=es", "id=\"inicio-rápido\"")] {
        let page = page(query, &demo.address);
        let (_, quickstart) = page.split_once(heading).expect("a quickstart");
        // The text without the marks that colour it.
        let text: String =
            quickstart.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
        let address = &demo.address;
        let filled =
            format!("export BASE=http://{address}/api/v1\nexport SVC_KEY_ID={key_id}\nexport SVC_API_KEY={api_key}\n");
        assert!(text.contains(&filled), "{filled}: {text}");
    }
    // A page elsewhere that leads here under a name of its own gets no key.
    assert!(!page("", "example.com").contains(api_key));
    demo.stop(Signal::SIGTERM);
}

#[test]
fn the_demo_keeps_away_from_a_database_that_is_set() {
    let svc = Svc::new();
    let mut command = svc.command(&["demo", "--listen", "127.0.0.1:0"]);
    let output = command.env("DATABASE_URL", "postgres://svc:hunter2@db.invalid/svc").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && stderr.contains("private PostgreSQL only"), "{stderr}");
    assert!(!stderr.contains("hunter2") && output.stdout.is_empty(), "{stderr}");
}

/// Pastes every request, in order, twice. The last eight are a sale from the order to its payment,
/// and its invoice as XML and as PDF. `first` has the statuses of the first pass; the second
/// replays every answer.
fn paste_all(demo: &Demo, first: (u16, u16)) {
    let curls: Vec<&str> = demo.printed["curl"].as_array().unwrap().iter().map(|curl| curl.as_str().unwrap()).collect();
    let (others, sale) = curls.split_at(curls.len() - 8);
    for (made, asked) in [first, (200, 200)] {
        for curl in others {
            let (status, body) = demo.paste(curl);
            let is_error = curl.contains("demo-2");
            assert_eq!(status >= 400, is_error, "one shows an error: {curl}: {body}");
        }
        let (status, order) = demo.paste(sale[0]);
        assert_eq!((status, &order["total"]), (made, &json!("1160.00")), "{order}");
        let (status, invoice) = demo.paste(sale[1]);
        assert_eq!((status, &invoice["venta"]), (asked, &order["venta"]), "{invoice}");
        let record = demo.wait_for(sale[2], "estatus", "vigente");
        assert_eq!((&record["clave"], record["uuid"].is_string()), (&invoice["factura"], true), "{record}");
        let (_, owed) = demo.paste(sale[3]);
        assert_eq!((&owed["datos"][0]["total"], &owed["datos"][0]["uuid"]), (&json!("1160.00"), &record["uuid"]));
        let (status, paid) = demo.paste(sale[4]);
        assert_eq!(
            (status, &paid["saldo"], &paid["cxc"]),
            (made, &json!("0.00"), &owed["datos"][0]["clave"]),
            "{paid}"
        );
        let payment = demo.wait_for(sale[5], "complemento", "timbrado");
        assert_eq!((&payment["clave"], payment["uuid"].is_string()), (&paid["pago"], true), "{payment}");
        assert!(sale[6].ends_with(" -o factura.xml") && sale[7].ends_with(" -o factura.pdf"), "{sale:?}");
        let (head, xml) = demo.download(sale[6]);
        assert!(head.contains("content-type: application/xml"), "{head}");
        let xml = String::from_utf8(xml).unwrap();
        let document = Cfdi::read(&xml).unwrap();
        assert_eq!((document.total.to_string().as_str(), xml.contains("<tfd:TimbreFiscalDigital ")), ("1160.00", true));
        assert!(xml.contains(record["uuid"].as_str().unwrap()), "{xml}");
        let (head, pdf) = demo.download(sale[7]);
        assert!(head.contains("content-type: application/pdf") && pdf.starts_with(b"%PDF-"), "{head}");
    }
}

#[test]
fn every_invoice_of_the_last_three_months_can_be_downloaded() {
    let svc = Svc::new();
    let demo = svc.demo();
    let since = (SystemClock.now() - TimeDelta::days(92)).date_naive();
    let invoices = demo.walk(&format!("/facturas?fecha_desde={since}"));
    for (tipo, estatus, least) in [("factura", "vigente", 100), ("factura", "cancelada", 1), ("pago", "vigente", 30)] {
        let count = invoices.iter().filter(|invoice| invoice["tipo"] == tipo && invoice["estatus"] == estatus).count();
        assert!(count >= least, "{count} of {tipo} {estatus}");
    }
    let sales = ["false", "true"].map(|cancelled| demo.walk(&format!("/ventas?tipo=factura&cancelada={cancelled}")));
    let mut named = 0;
    let sales: HashMap<i64, Value> =
        sales.into_iter().flatten().map(|sale| (sale["clave"].as_i64().unwrap(), sale)).collect();
    for invoice in &invoices {
        let (head, xml) = demo.download(&format!("'/api/v1/facturas/{}/xml'", invoice["clave"]));
        assert!(head.starts_with("HTTP/1.1 200"), "{invoice}: {head}");
        let xml = String::from_utf8(xml).unwrap();
        assert!(xml.contains("<tfd:TimbreFiscalDigital ") && xml.contains(invoice["uuid"].as_str().unwrap()), "{xml}");
        let document = Cfdi::read(&xml).unwrap();
        assert_eq!(Value::from(document.serie), invoice["serie"], "{invoice}");
        assert_eq!(Value::from(document.folio), invoice["folio"], "{invoice}");
        // The stamped document agrees with the registry and the sale.
        assert_eq!((&invoice["fecha_timbrado"], &invoice["error_codigo"]), (&invoice["fecha"], &Value::Null));
        // A credit note is about part of its sale, and a substitute has taken the place of another.
        let sale = invoice["venta"].as_i64().and_then(|venta| sales.get(&venta));
        if let Some(sale) = sale.filter(|sale| sale["factura"] == invoice["clave"]) {
            named += 1;
            assert_eq!(sale["total"], document.total.to_string(), "{invoice}");
            assert_eq!(
                (&sale["uuid"], &sale["cancelada"]),
                (&invoice["uuid"], &(invoice["estatus"] == "cancelada").into())
            );
        }
        let (head, pdf) = demo.download(&format!("'/api/v1/facturas/{}/pdf'", invoice["clave"]));
        assert!(head.starts_with("HTTP/1.1 200") && pdf.starts_with(b"%PDF-"), "{invoice}: {head}");
    }
    let of_sales = invoices.iter().filter(|invoice| invoice["tipo"] == "factura" && !invoice["venta"].is_null());
    // All of them but the invoice that was substituted and that of the advance, which is no sale.
    assert_eq!(named, of_sales.count() - 2);
    demo.stop(Signal::SIGTERM);
}

/// What a document of each kind contains.
const KINDS: &[(&str, &[&str])] = &[
    ("paid at once", &["TipoDeComprobante=\"I\"", "MetodoPago=\"PUE\""]),
    ("on credit", &["MetodoPago=\"PPD\"", "FormaPago=\"99\""]),
    ("a payment complement", &["<pago20:DoctoRelacionado "]),
    ("a credit note", &["TipoDeComprobante=\"E\"", "TipoRelacion=\"01\""]),
    ("a return", &["TipoDeComprobante=\"E\"", "TipoRelacion=\"03\""]),
    ("an advance", &["TipoDeComprobante=\"I\"", "Descripcion=\"Anticipo del bien o servicio\""]),
    ("what an advance was paid for", &["TipoDeComprobante=\"I\"", "TipoRelacion=\"07\""]),
    ("the application of an advance", &["TipoDeComprobante=\"E\"", "TipoRelacion=\"07\"", "FormaPago=\"30\""]),
    ("a global invoice", &["Nombre=\"PUBLICO EN GENERAL\"", "<cfdi:InformacionGlobal "]),
    ("a substitute", &["TipoDeComprobante=\"I\"", "TipoRelacion=\"04\""]),
    ("a foreign customer", &["Moneda=\"USD\"", "ResidenciaFiscal=\"USA\"", "NumRegIdTrib="]),
    ("the border region", &["LugarExpedicion=\"22000\"", "TasaOCuota=\"0.080000\""]),
    ("a retention", &["<cfdi:Retencion ", "TasaOCuota=\"0.040000\""]),
    ("a customs declaration", &["<cfdi:InformacionAduanera "]),
    ("a property account", &["<cfdi:CuentaPredial "]),
];

#[test]
fn the_demo_has_one_document_of_each_kind() {
    let svc = Svc::new();
    let demo = svc.demo();
    let since = (SystemClock.now() - TimeDelta::days(2)).date_naive();
    let invoices = demo.walk(&format!("/facturas?fecha_desde={since}"));
    let xml = |invoice: &Value| {
        let (_, xml) = demo.download(&format!("'/api/v1/facturas/{}/xml'", invoice["clave"]));
        String::from_utf8(xml).unwrap()
    };
    let documents: Vec<String> = invoices.iter().map(xml).collect();
    for (kind, parts) in KINDS {
        let is_one = |document: &&String| parts.iter().all(|part| document.contains(part));
        assert!(documents.iter().any(|document| is_one(&document)), "{kind}");
    }
    let cancelled = invoices.iter().find(|invoice| invoice["motivo_cancelacion"] == "01").expect("a cancelled one");
    assert_eq!(cancelled["estatus"], "cancelada");
    let states: Vec<&Value> = invoices.iter().map(|invoice| &invoice["estatus"]).collect();
    assert!(states.iter().all(|state| **state == "vigente" || **state == "cancelada"), "{states:?}");
    let ticket =
        invoices.iter().filter(|invoice| invoice["tipo"] == "factura" && !invoice["venta"].is_null()).find(|invoice| {
            let sale = demo.get(&format!("/ventas?tipo=venta&clave={}", invoice["venta"]));
            sale["datos"].as_array().is_some_and(|sales| sales.len() == 1)
        });
    assert!(ticket.is_some(), "a ticket's own invoice");
    if let Some(folder) = std::env::var_os("SVC_TEST_DOCUMENTS") {
        std::fs::create_dir_all(&folder).unwrap();
        for (document, invoice) in documents.iter().zip(&invoices) {
            let name = format!("demo-{}.xml", invoice["clave"]);
            std::fs::write(std::path::Path::new(&folder).join(name), document).unwrap();
        }
    }
    demo.stop(Signal::SIGTERM);
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
        &format!(
            "Content-Type: application/json\r\nIdempotency-Key: fin\r\nExpect: 100-continue\r\nContent-Length: {}\r\n",
            body.len()
        ),
    );
    stream.write_all(head.as_bytes()).unwrap();
    // Once the server asks for the body, the request is in progress.
    let mut leave = [0; 25];
    stream.read_exact(&mut leave).unwrap();
    assert_eq!(&leave, b"HTTP/1.1 100 Continue\r\n\r\n");
    kill(demo.pid(), Signal::SIGTERM).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    stream.write_all(body.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
}
