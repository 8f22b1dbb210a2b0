//! Traces, with a minimal collector that accepts everything and keeps the bytes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::thread::spawn;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};

use crate::harness::Svc;

/// The received paths and bodies, and the collector's address.
fn collector() -> (String, Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, received) = channel();
    spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, sender) = (BufReader::new(stream.unwrap()), sender.clone());
            spawn(move || {
                let mut line = String::new();
                while stream.read_line(&mut line).unwrap_or(0) > 0 {
                    let path = line.split(' ').nth(1).unwrap().to_owned();
                    let mut length = 0;
                    while line != "\r\n" {
                        line.clear();
                        stream.read_line(&mut line).unwrap();
                        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
                            length = value.trim_end().parse().unwrap();
                        }
                    }
                    let mut body = vec![0; length];
                    stream.read_exact(&mut body).unwrap();
                    stream.get_mut().write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
                    sender.send((path, body)).unwrap();
                    line.clear();
                }
            });
        }
    });
    (url, received)
}

fn holds(body: &[u8], text: &str) -> bool {
    body.windows(text.len()).any(|part| part == text.as_bytes())
}

#[test]
fn traces_are_sent_up_to_the_last_request() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    let key = svc.ok(&["key", "create", "--company", "1"]);
    let (url, received) = collector();
    let mut command = svc.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut server = Svc::start(command.env("OTEL_EXPORTER_OTLP_ENDPOINT", url), key.clone());
    assert_eq!(server.post("/clientes", "a", r#"{"nombre":"Zutana"}"#).0, 201);
    server.get("/clientes?rfc=XIA190128J61");
    // Batches are sent every few seconds, the last at shutdown.
    kill(server.pid(), Signal::SIGTERM).unwrap();
    assert!(server.ended(Duration::from_secs(10)).0.success());
    let batches: Vec<_> = received.try_iter().collect();
    assert!(!batches.is_empty() && batches.iter().all(|(path, _)| path == "/v1/traces"), "{batches:?}");
    let all: Vec<u8> = batches.into_iter().flat_map(|(_, body)| body).collect();
    for said in
        ["POST /clientes", "GET /clientes", "service.name", "svc", "http.response.status_code", "peticion", "answered"]
    {
        assert!(holds(&all, said), "{said}");
    }
    for hidden in ["Zutana", "XIA190128J61", key["api_key"].as_str().unwrap()] {
        assert!(!holds(&all, hidden), "{hidden}");
    }
}

#[test]
fn a_missing_collector_delays_nothing() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    let key = svc.ok(&["key", "create", "--company", "1"]);
    // It accepts connections and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = svc.command(&["serve", "--listen", "127.0.0.1:0", "--shutdown-deadline", "6"]);
    let url = format!("http://{}", silent.local_addr().unwrap());
    let mut server = Svc::start(command.env("OTEL_EXPORTER_OTLP_ENDPOINT", url), key);
    server.get("/clientes");
    kill(server.pid(), Signal::SIGTERM).unwrap();
    let (status, took) = server.ended(Duration::from_secs(10));
    assert!(status.success() && took < Duration::from_secs(6), "{status} {took:?}");
}
