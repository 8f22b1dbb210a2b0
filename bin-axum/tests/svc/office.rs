//! The office at the server: off by default, large imports, and what a killed one leaves.

use std::io::{BufWriter, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use svc_tests::cpu::memory;

use crate::harness::{Demo, Svc};

/// The most memory that an import of [`MANY`] customers may need, in MB (contract §11).
const ROOM: u64 = 64;

const MANY: u32 = 100_000;

/// A server with the office, whose key may run it.
fn office(svc: &Svc) -> Demo {
    svc.ok(&["company", "create", "--name", "Empresa"]);
    let key = svc.ok(&["key", "create", "--company", "1", "--scopes", "oficina,clientes:read"]);
    svc.serve(&["--office"], key)
}

/// The head of a request of the office.
fn head(demo: &Demo, method: &str, path: &str, headers: &str) -> String {
    demo.head(method, "", headers).replacen("/api/v1 ", &format!("/office/v1{path} "), 1)
}

/// Sends an import of customers; stops after `sent` of them if that is fewer.
fn import(demo: &Demo, count: u32, sent: u32) -> TcpStream {
    let line = |number: u32| format!("{{\"nombre\":\"Cliente {number}\",\"correo\":\"c{number}@example.com\"}}\n");
    let length: usize = (0..count).map(|number| line(number).len()).sum();
    let headers = format!("Content-Type: application/x-ndjson\r\nIdempotency-Key: k\r\nContent-Length: {length}\r\n");
    let mut stream = BufWriter::new(TcpStream::connect(&demo.address).unwrap());
    stream.write_all(head(demo, "POST", "/import/clientes", &headers).as_bytes()).unwrap();
    (0..sent).for_each(|number| stream.write_all(line(number).as_bytes()).unwrap());
    stream.into_inner().unwrap()
}

fn answer(mut stream: TcpStream) -> (String, String) {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").map(|(head, body)| (head.to_owned(), body.to_owned())).unwrap()
}

/// The most memory that the process has used, in MB.
fn peak(demo: &Demo) -> u64 {
    memory(&demo.child.id().to_string()).1
}

#[test]
fn the_office_is_off_unless_it_is_switched_on() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Empresa"]);
    let key = svc.ok(&["key", "create", "--company", "1", "--scopes", "oficina"]);
    let paths = ["/office/v1", "/office/v1/", "/office/openapi.json", "/docs/office", "/office/v1/export/marcas"];
    let statuses = |demo: &Demo| -> Vec<String> {
        let status = |path: &&str| {
            let request = demo.head("GET", "", "").replacen("/api/v1 ", &format!("{path} "), 1);
            demo.exchange(&request).unwrap().0.split(' ').nth(1).unwrap().to_owned()
        };
        paths.iter().map(status).collect()
    };
    let without = svc.serve(&[], key.clone());
    assert_eq!(statuses(&without), ["404"; 5]);
    without.stop(Signal::SIGTERM);
    let with = svc.serve(&["--office"], key);
    assert_eq!(statuses(&with), ["200"; 5]);
    let body = json!({"nombre": "Ana"}).to_string();
    let headers = format!("Content-Type: application/json\r\nIdempotency-Key: k\r\nContent-Length: {}\r\n", body.len());
    let (status, created) =
        with.try_send(&format!("{}{body}", head(&with, "POST", "/customer.create", &headers))).unwrap();
    assert_eq!((status, &created["cliente"]), (200, &json!(1)), "{created}");
    with.stop(Signal::SIGTERM);
}

#[test]
fn a_large_import_and_its_export_need_little_memory() {
    let svc = Svc::new();
    let demo = office(&svc);
    assert_eq!(demo.exchange(&head(&demo, "GET", "/export/clientes", "")).unwrap().1, "");
    let before = peak(&demo);
    let (status, body) = answer(import(&demo, MANY, MANY));
    assert!(status.starts_with("HTTP/1.1 200"), "{status}\n{body}");
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["importados"], MANY);
    let used = peak(&demo) - before;
    assert!(used < ROOM, "{used} MB");
    let mut stream = TcpStream::connect(&demo.address).unwrap();
    stream.write_all(head(&demo, "GET", "/export/clientes", "").as_bytes()).unwrap();
    let mut exported = String::new();
    stream.read_to_string(&mut exported).unwrap();
    assert_eq!(exported.matches("{\"clave\":").count(), MANY as usize);
    assert!(exported.ends_with("\r\n0\r\n\r\n"), "it says that it is whole");
    let used = peak(&demo) - before;
    assert!(used < ROOM, "{used} MB");
    demo.stop(Signal::SIGTERM);
}

#[test]
fn an_import_that_is_killed_leaves_nothing() {
    let svc = Svc::new();
    let demo = office(&svc);
    let hanging = import(&demo, 20_000, 10_000);
    std::thread::sleep(Duration::from_millis(500));
    // The client goes.
    drop(hanging);
    let whole = import(&demo, 30_000, 30_000);
    std::thread::sleep(Duration::from_millis(300));
    demo.stop(Signal::SIGKILL);
    drop(whole);
    let key = svc.ok(&["key", "create", "--company", "1", "--scopes", "oficina,clientes:read"]);
    let again = svc.serve(&["--office"], key);
    assert_eq!(again.get("/clientes")["datos"], json!([]));
    let (status, body) = answer(import(&again, 10, 10));
    assert!(status.starts_with("HTTP/1.1 200"), "{status}\n{body}");
    assert_eq!(again.get("/clientes")["datos"][0]["clave"], 1, "not even a clave was used");
    again.stop(Signal::SIGTERM);
}
