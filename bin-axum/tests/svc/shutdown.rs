//! On SIGTERM no accepted request is lost, and the process ends in time whatever client stalls.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};

use crate::admin::get;
use crate::harness::{Demo, Svc};

/// Connections that send one request after the other.
const CLIENTS: usize = 24;

/// How long they do so before the signal.
const LOAD: Duration = Duration::from_millis(700);

fn company(svc: &Svc) -> Value {
    svc.ok(&["company", "create", "--name", "Uno", "--limits", "notice", "--licences", "1000"]);
    svc.ok(&["key", "create", "--company", "1"])
}

/// The outcome of a request.
enum Sent {
    /// A complete answer, and whether the connection stays open.
    Answered(u16, Value, bool),
    /// The connection ended before the first byte of an answer.
    Untaken,
}

/// Sends a request and reads the answer. A truncated answer fails the test.
fn exchange(stream: &mut BufReader<TcpStream>, request: &str) -> Sent {
    if stream.get_mut().write_all(request.as_bytes()).is_err() {
        return Sent::Untaken;
    }
    let (mut line, mut length, mut stays) = (String::new(), 0, true);
    if !matches!(stream.read_line(&mut line), Ok(1..)) {
        return Sent::Untaken;
    }
    let status = line.split(' ').nth(1).unwrap().parse().unwrap();
    loop {
        line.clear();
        assert_ne!(stream.read_line(&mut line).expect("the answer does not break off"), 0);
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap(),
            "connection" => stays = value != "close",
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).expect("the answer does not break off");
    Sent::Answered(status, serde_json::from_slice(&body).unwrap(), stays)
}

/// A POST that keeps the connection open.
fn write(server: &Demo, key: &str) -> String {
    let body = json!({"nombre": format!("Cliente {key}")}).to_string();
    server.writing("/clientes", key, &body).replacen("Connection: close\r\n", "", 1)
}

/// Sends writes, on a new connection whenever one ends, until the server is gone; records the
/// outcome of each.
fn client(server: &Demo, number: usize, noted: &Mutex<BTreeMap<String, Option<Value>>>) {
    let mut count = 0;
    while let Ok(stream) = TcpStream::connect(&server.address) {
        let mut stream = BufReader::new(stream);
        loop {
            let key = format!("{number}-{count}");
            count += 1;
            let sent = exchange(&mut stream, &write(server, &key));
            let (answer, stays) = match sent {
                Sent::Answered(status, answer, stays) => {
                    assert_eq!(status, 201, "{answer}");
                    (Some(answer["cliente"].clone()), stays)
                }
                Sent::Untaken => (None, false),
            };
            noted.lock().unwrap().insert(key, answer);
            if !stays {
                let end = stream.read(&mut [0]);
                assert!(!matches!(end, Ok(1..)), "after its last answer a connection says nothing");
                break;
            }
        }
    }
}

/// Sends load, signals the server meanwhile, and continues until it is gone; returns the requests
/// and the duration of the shutdown.
fn storm(server: &mut Demo, within: Duration) -> (BTreeMap<String, Option<Value>>, Duration) {
    let noted = Mutex::new(BTreeMap::new());
    let pid = server.pid();
    scope(|scope| {
        let (server, noted) = (&*server, &noted);
        for number in 0..CLIENTS {
            scope.spawn(move || client(server, number, noted));
        }
        sleep(LOAD);
        kill(pid, Signal::SIGTERM).unwrap();
    });
    let (status, took) = server.ended(within);
    assert!(status.success(), "{status}: {}", server.log.lines().join("\n"));
    (noted.into_inner().unwrap(), took)
}

/// Repeats every request: an answered one is replayed, any other runs now, and each record exists
/// once.
fn nothing_is_lost(svc: &Svc, key: Value, sent: &BTreeMap<String, Option<Value>>) {
    let server = svc.serve(&["--no-workers"], key);
    for (key, answered) in sent {
        let mut stream = BufReader::new(TcpStream::connect(&server.address).unwrap());
        let Sent::Answered(status, again, _) = exchange(&mut stream, &write(&server, key)) else { panic!("{key}") };
        match answered {
            Some(cliente) => assert_eq!((status, &again["cliente"]), (200, cliente), "{key}"),
            None => assert!(matches!(status, 200 | 201), "{key}: {again}"),
        }
    }
    let named: Vec<String> = server
        .walk("/clientes")
        .iter()
        .filter_map(|it| it["nombre"].as_str()?.strip_prefix("Cliente ").map(str::to_owned))
        .collect();
    let mut sorted = named.clone();
    sorted.sort();
    assert_eq!(sorted, sent.keys().cloned().collect::<Vec<_>>(), "each is there once");
    server.stop(Signal::SIGTERM);
}

#[test]
fn no_request_is_lost_under_load() {
    let svc = Svc::new();
    let key = company(&svc);
    let mut server = svc.serve(&[], key.clone());
    let (sent, _) = storm(&mut server, Duration::from_secs(10));
    let answered = sent.values().flatten().count();
    assert!(answered > CLIENTS, "there was load: {answered}");
    // A client has at most one request in progress when the server ends.
    assert!(sent.len() - answered <= 2 * CLIENTS, "{answered} of {}", sent.len());
    nothing_is_lost(&svc, key, &sent);
}

#[test]
fn with_a_drain_delay_clients_disconnect_before_the_end() {
    let svc = Svc::new();
    let key = company(&svc);
    let mut server = svc.serve(&["--admin-listen", "127.0.0.1:0", "--drain-delay", "2"], key.clone());
    let admin = server.admin();
    let mut kept = BufReader::new(TcpStream::connect(&server.address).unwrap());
    assert!(matches!(exchange(&mut kept, &write(&server, "antes")), Sent::Answered(201, _, true)));
    kill(server.pid(), Signal::SIGTERM).unwrap();
    server.log.wait(|line| line.contains("told to stop").then_some(()));
    assert_eq!(get(&admin, "/ready"), (503, "stopping\n".to_owned()));
    // It still answers old and new connections, and closes each with its answer.
    assert!(matches!(exchange(&mut kept, &write(&server, "durante")), Sent::Answered(201, _, false)));
    let mut new = BufReader::new(TcpStream::connect(&server.address).unwrap());
    assert!(matches!(exchange(&mut new, &write(&server, "nueva")), Sent::Answered(201, _, false)));
    let (status, took) = server.ended(Duration::from_secs(10));
    assert!(status.success() && took > Duration::from_secs(1), "{status} {took:?}");
}

#[test]
fn a_stalled_client_is_cut_at_the_deadline() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno", "--limits", "notice"]);
    let key = svc.ok(&["key", "create", "--company", "1"]);
    let mut server = svc.serve(&["--shutdown-deadline", "5"], key);
    let connect = || TcpStream::connect(&server.address).unwrap();
    let whole = write(&server, "a");
    // Half a head, half a body, and a client that sends much and reads nothing.
    let (mut head, mut body, mut deaf) = (connect(), connect(), connect());
    head.write_all(&whole.as_bytes()[..60]).unwrap();
    body.write_all(&whole.as_bytes()[..whole.len() - 5]).unwrap();
    let list = server.head("GET", "/clientes", "").replacen("Connection: close\r\n", "", 1);
    deaf.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    let flood = list.repeat(64);
    while deaf.write_all(flood.as_bytes()).is_ok() {}
    kill(server.pid(), Signal::SIGTERM).unwrap();
    let (status, took) = server.ended(Duration::from_secs(8));
    assert!(status.success(), "{status}");
    assert!((Duration::from_secs(1)..Duration::from_millis(5_500)).contains(&took), "{took:?}");
    let lines = server.log.lines().join("\n");
    assert!(lines.contains("the rest is cut") && !lines.contains("panicked"), "{lines}");
    // Incomplete requests got no answer.
    for mut stalled in [head, body] {
        let mut answer = Vec::new();
        let _ = stalled.read_to_end(&mut answer);
        assert!(answer.is_empty(), "{}", String::from_utf8_lossy(&answer));
    }
}

#[test]
fn idle_connections_do_not_delay_shutdown() {
    let svc = Svc::new();
    let key = company(&svc);
    let mut server = svc.serve(&[], key);
    let silent = TcpStream::connect(&server.address).unwrap();
    let mut kept = BufReader::new(TcpStream::connect(&server.address).unwrap());
    assert!(matches!(exchange(&mut kept, &write(&server, "a")), Sent::Answered(201, _, true)));
    kill(server.pid(), Signal::SIGTERM).unwrap();
    let (status, took) = server.ended(Duration::from_secs(10));
    assert!(status.success() && took < Duration::from_secs(4), "{status} {took:?}");
    drop(silent);
}

#[test]
fn a_second_signal_exits_at_once() {
    let svc = Svc::new();
    let key = company(&svc);
    let mut server = svc.serve(&[], key);
    let whole = write(&server, "a");
    let mut stalled = TcpStream::connect(&server.address).unwrap();
    stalled.write_all(&whole.as_bytes()[..whole.len() - 5]).unwrap();
    sleep(Duration::from_millis(100));
    kill(server.pid(), Signal::SIGINT).unwrap();
    server.log.wait(|line| line.contains("draining").then_some(()));
    sleep(Duration::from_millis(200));
    assert!(server.child.try_wait().unwrap().is_none(), "it waits for the request that has begun");
    kill(server.pid(), Signal::SIGTERM).unwrap();
    let (status, took) = server.ended(Duration::from_secs(5));
    assert_eq!(status.code(), Some(1));
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert!(svc.server_is_gone(), "the private database ends with it");
}

#[test]
fn shutdown_does_not_wait_for_a_stalled_provider_beyond_the_deadline() {
    let svc = Svc::new();
    let key = crate::stamping::company(&svc);
    let provider = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/timbrados", provider.local_addr().unwrap());
    let stamper = ["--secrets-key", crate::certificates::KEY, "--stamper", &url, "--stamper-token", "x"];
    let mut server = svc.serve(&[&stamper[..], &["--shutdown-deadline", "4"]].concat(), key);
    crate::stamping::invoice(&server);
    let asked = provider.accept().unwrap();
    let began = Instant::now();
    kill(server.pid(), Signal::SIGTERM).unwrap();
    let (status, _) = server.ended(Duration::from_secs(8));
    assert!(status.success() && began.elapsed() < Duration::from_millis(4_500), "{status} {:?}", began.elapsed());
    drop(asked);
}
