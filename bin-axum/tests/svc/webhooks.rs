//! A notice, from the change that causes it to a receiver that verifies it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use http::HeaderMap;
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::webhooks::verify;

use crate::harness::Svc;

/// A received notice: the headers and the raw body.
struct Got {
    headers: HeaderMap,
    body: Vec<u8>,
}

/// Waits for a notice and answers 204.
fn receive(listener: &TcpListener) -> Got {
    listener.set_nonblocking(true).unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    let stream = loop {
        match listener.accept() {
            Ok((stream, _)) => break stream,
            Err(_) => assert!(Instant::now() < deadline, "no notice came"),
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    stream.set_nonblocking(false).unwrap();
    let mut reader = BufReader::new(&stream);
    let (mut line, mut headers) = (String::new(), HeaderMap::new());
    reader.read_line(&mut line).unwrap();
    assert!(line.starts_with("POST /avisos HTTP/1.1"), "{line}");
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.append(http::HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
    }
    let mut body = vec![0; headers["content-length"].to_str().unwrap().parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    (&stream).write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").unwrap();
    Got { headers, body }
}

fn check(got: &Got, secret: &str, cliente: &Value) {
    let id = verify(&got.headers, &got.body, &[secret], SystemClock.now()).unwrap().unwrap();
    let notice: Value = serde_json::from_slice(&got.body).unwrap();
    assert_eq!((notice["id"].as_str(), &notice["tipo"]), (Some(id), &json!("cliente.creado")));
    assert_eq!(&notice["datos"]["cliente"], cliente);
    assert_eq!(
        (&got.headers["x-svc-evento"], &got.headers["x-svc-intento"]),
        (&"cliente.creado".parse().unwrap(), &"1".parse().unwrap())
    );
    assert_eq!(got.headers["user-agent"], "Svc-Webhooks/1.0");
}

#[test]
fn a_server_delivers_what_happens() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    let key = svc.ok(&["key", "create", "--company", "1"]);
    let receiver = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://localhost:{}/avisos", receiver.local_addr().unwrap().port());
    // Webhooks may reach this machine.
    let server = svc.serve(&["--webhook-allow-nets", "127.0.0.0/8,::1/128"], key);
    let hook = json!({"url": url, "eventos": ["cliente.creado"]});
    let (status, webhook) = server.post("/webhooks", "a", &hook.to_string());
    assert_eq!(status, 201, "{webhook}");
    let (status, created) = server.post("/clientes", "b", r#"{"nombre":"Ana"}"#);
    assert_eq!(status, 201, "{created}");
    check(&receive(&receiver), webhook["secreto"].as_str().unwrap(), &created["cliente"]);
    server.stop(Signal::SIGTERM);
}
