//! `svc stamp` is killed (SIGKILL) again and again while simulated providers stamp and lose
//! answers: each document is stamped once, and each XML kept. A normal test run uses a few
//! documents; at length: `SVC_PROVIDERS=1000 cargo test -p bin-axum --test svc -- providers
//! --nocapture`

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use svc_core::domain::clock::{Clock as _, Random as _, SystemClock, SystemRandom};
use svc_core::stamping::{SandboxStamper, StampRequest};
use svc_tests::{Resource, World};
use uuid::Uuid;

use crate::harness::Svc;

const SHORT: usize = 30;

/// The key of the tests' worlds, as the setting takes it.
const SECRETS_KEY: &str = "0707070707070707070707070707070707070707070707070707070707070707";

/// The documents that a provider has stamped, its number of requests, and its number of lost
/// answers.
#[derive(Default)]
struct Stamped {
    documents: HashMap<String, String>,
    asked: usize,
    lost: usize,
}

/// How a provider reads the document in a request, and answers with a new or earlier stamped one.
#[derive(Clone, Copy)]
struct Protocol {
    scheme: &'static str,
    user: Option<&'static str>,
    document: fn(&str) -> Option<String>,
    answer: fn(request: &str, xml: &str, before: bool) -> String,
}

const SW: Protocol = Protocol {
    scheme: "sw+",
    user: None,
    document: |request| {
        let (_, file) = request.split_once("Content-Type: text/xml\r\n\r\n")?;
        Some(file.rsplit_once("\r\n--")?.0.to_owned())
    },
    answer: |_, xml, before| {
        let message = "307. El comprobante contiene un timbre previo.";
        let body = if before {
            json!({"status": "error", "message": message, "messageDetail": "", "data": {"cfdi": xml}})
        } else {
            json!({"status": "success", "data": {"cfdi": xml}})
        };
        let status = if before { "400 Bad Request" } else { "200 OK" };
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.to_string().len())
    },
};

const FINKOK: Protocol = Protocol {
    scheme: "finkok+",
    user: Some("ana@x.mx"),
    document: |request| {
        let (_, text) = request.split_once("<xml>")?;
        String::from_utf8(STANDARD.decode(text.split_once("</xml>")?.0).ok()?).ok()
    },
    answer: |request, xml, before| {
        let escaped = xml.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let method = if request.contains("<stamped ") { "stamped" } else { "stamp" };
        // If a document was stamped before, `stamp` only says so; `stamped` returns it.
        let fields = if before && method == "stamp" {
            "<i><CodigoError>307</CodigoError><MensajeIncidencia>Timbre previo</MensajeIncidencia></i>".to_owned()
        } else {
            format!("<xml>{escaped}</xml>")
        };
        let body = format!(
            "<s:Envelope xmlns:s=\"x\"><s:Body><{method}Result>{fields}</{method}Result></s:Body></s:Envelope>"
        );
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    },
};

fn dice(sides: u8) -> u8 {
    let mut byte = [0];
    SystemRandom.fill(&mut byte);
    byte[0] % sides
}

/// Reads a request, stamps its document unless that was done before, and loses one answer in four.
fn serve(mut stream: TcpStream, protocol: Protocol, stamped: &Mutex<Stamped>) {
    let mut read = Vec::new();
    let mut buffer = [0; 16_384];
    let request = loop {
        let text = String::from_utf8_lossy(&read);
        let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse::<usize>().ok());
        if text.find("\r\n\r\n").zip(length).is_some_and(|(head, length)| read.len() >= head + 4 + length) {
            break text.into_owned();
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(count) => read.extend_from_slice(&buffer[..count]),
        }
    };
    let Some(document) = (protocol.document)(&request) else { return };
    std::thread::sleep(Duration::from_millis(u64::from(dice(20))));
    let (xml, before) = {
        let mut stamped = stamped.lock().unwrap();
        stamped.asked += 1;
        let before = stamped.documents.get(&document).cloned();
        let uuid = Uuid::from_u128(0x5ad4_27b5_2b1e_4d3c_9f0a_0000_0000_0000 + stamped.documents.len() as u128);
        let sign = || {
            SandboxStamper::sign(&StampRequest::new(String::new(), document.clone()), uuid, SystemClock.now())
                .unwrap()
                .xml
        };
        let xml = before.clone().unwrap_or_else(sign);
        stamped.documents.insert(document, xml.clone());
        if dice(4) == 0 {
            stamped.lost += 1;
            return;
        }
        (xml, before.is_some())
    };
    // The requesting process may be dead by now.
    let _ = stream.write_all((protocol.answer)(&request, &xml, before).as_bytes());
}

/// A company with this many waiting invoices.
async fn invoices(world: &World, count: usize) {
    let company = world.company().await;
    company.load_certificate().await;
    let customer = json!({"nombre": "Ana", "rfc": "XIA190128J61", "regimen": 601, "cp": "06700", "uso_cfdi": "G03"});
    company.load(Resource::Clientes, &[customer]).await;
    company
        .load(Resource::Productos, &[json!({"sku": "A-1", "descripcion": "Clavo", "unidad": 1, "iva_venta": "16"})])
        .await;
    let ana = company.admin().await;
    for _ in 0..count {
        let order = json!({"tipo": "pedido", "cliente": 1, "metodo_pago_sat": "PUE", "forma_pago_sat": "03",
                           "renglones": [{"producto": 1, "cantidad": 2, "precio_unitario": "10.00"}]});
        let venta: Value = ana.post("/ventas", order).await.ok(201)["venta"].clone();
        ana.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202);
    }
}

async fn each_is_stamped_once(protocol: Protocol) {
    let count = std::env::var("SVC_PROVIDERS").ok().and_then(|count| count.parse().ok()).unwrap_or(SHORT);
    let world = World::new().await;
    invoices(&world, count).await;
    let stamped = Arc::new(Mutex::new(Stamped::default()));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("{}http://{}", protocol.scheme, listener.local_addr().unwrap());
    let provider = Arc::clone(&stamped);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let provider = Arc::clone(&provider);
            std::thread::spawn(move || serve(stream, protocol, &provider));
        }
    });
    let svc = Svc::new();
    let mut kills = 0;
    while world.count("timbrados").await > 0 {
        assert!(kills < 40 + count, "{kills} kills, and still something waits");
        let mut worker = svc.command(&["stamp", "--stamper", &url, "--stamper-timeout", "5"]);
        worker
            .env("DATABASE_URL", world.database_url())
            .env("SVC_SECRETS_KEY", SECRETS_KEY)
            .env("SVC_STAMPER_TOKEN", "x");
        if let Some(user) = protocol.user {
            worker.env("SVC_STAMPER_USER", user);
        }
        let mut worker =
            worker.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(250 + 6 * u64::from(dice(250))));
        worker.kill().unwrap();
        worker.wait().unwrap();
        kills += 1;
        // As time would do: leases end, and unfinished records are due again.
        world.end_leases().await;
        world.run("UPDATE timbrados SET proximo = creado").await;
    }
    let expected = i64::try_from(count).unwrap();
    assert_eq!(world.count("facturas WHERE estatus = 'vigente' AND uuid IS NOT NULL").await, expected);
    assert_eq!(world.count("facturas_xml WHERE timbrado").await, expected);
    let kept: i64 = world.sql("SELECT count(DISTINCT uuid) FROM facturas").await;
    assert_eq!(kept, expected);
    assert_eq!(world.count("eventos WHERE tipo = 'factura.timbrada'").await, expected);
    let stamped = stamped.lock().unwrap();
    let Stamped { documents, asked, lost } = &*stamped;
    println!("{}: {count} documents, {asked} requests, {lost} answers lost, {kills} kills", protocol.scheme);
    assert_eq!(documents.len(), count, "no second invoice");
}

#[tokio::test(flavor = "multi_thread")]
async fn sw_stamps_each_document_once() {
    each_is_stamped_once(SW).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn finkok_stamps_each_document_once() {
    each_is_stamped_once(FINKOK).await;
}
