//! Slow clients get their answer at once and cost little until they are cut.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use serde_json::Value;

use crate::harness::{Demo, Svc};

const MEBIBYTE: usize = 1_048_576;

fn serve(options: &[&str]) -> (Svc, Demo) {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    let key = svc.ok(&["key", "create", "--company", "1"]);
    let server = svc.serve(&[&["--no-workers"], options].concat(), key);
    (svc, server)
}

fn connect(server: &Demo) -> TcpStream {
    let stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(10))).unwrap();
    stream
}

/// The head of a write on a kept-alive connection, with or without the key, and with these headers.
fn head(server: &Demo, method: &str, known: bool, headers: &str) -> String {
    let headers = format!("Content-Type: application/json\r\nIdempotency-Key: k\r\n{headers}");
    let head = server.head(method, "/clientes", &headers).replacen("Connection: close\r\n", "", 1);
    if known { head } else { head.replacen("Bearer svc_", "Bearer xvc_", 1) }
}

/// An answer: status, whether the server closes the connection, the rest of the head, the body.
#[derive(Debug)]
struct Answer {
    status: u16,
    closes: bool,
    head: String,
    body: Value,
}

/// Reads an answer, which must arrive within `within`.
fn answer(stream: &mut TcpStream, within: Duration) -> Answer {
    let began = Instant::now();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).expect("an answer");
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let mut body = vec![0; field("content-length:").map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).expect("all of the answer");
    assert!(began.elapsed() < within, "{:?}: {head}", began.elapsed());
    let status = head[9..12].parse().unwrap();
    let closes = field("connection:") == Some("close");
    Answer { status, closes, body: serde_json::from_slice(&body).unwrap_or_default(), head }
}

/// Whether the server has ended its side.
fn ended(stream: &mut TcpStream) -> bool {
    matches!(stream.read(&mut [0]), Ok(0))
}

#[test]
fn a_refusal_does_not_wait_for_the_body() {
    let (_svc, server) = serve(&[]);
    let large = format!("Content-Length: {}\r\n", 3 * MEBIBYTE);
    let cases = [
        ("POST", false, "Content-Length: 100\r\n", 401),
        ("POST", false, "Transfer-Encoding: chunked\r\n", 401),
        ("POST", true, &large, 413),
        ("PATCH", true, &large, 405),
        ("POST", false, "Content-Length: 100\r\nExpect: 100-continue\r\n", 401),
    ];
    let server = &server;
    std::thread::scope(|scope| {
        for (method, known, headers, status) in cases {
            scope.spawn(move || {
                let mut stream = connect(server);
                stream.write_all(head(server, method, known, headers).as_bytes()).unwrap();
                let refused = answer(&mut stream, Duration::from_secs(1));
                assert_eq!((refused.status, refused.closes), (status, true), "{headers}: {refused:?}");
                assert!(ended(&mut stream), "{headers}");
                // The server drains further data for a while, then stops.
                let began = Instant::now();
                while stream.write_all(b"x").is_ok() {
                    assert!(began.elapsed() < Duration::from_secs(7), "{headers}");
                    std::thread::sleep(Duration::from_millis(100));
                }
                assert!(began.elapsed() > Duration::from_secs(4), "{headers}: {:?}", began.elapsed());
            });
        }
    });
}

#[test]
fn a_client_that_sends_everything_first_still_reads_the_refusal() {
    let (_svc, server) = serve(&[]);
    let body = vec![b' '; 3 * MEBIBYTE];
    let announced = format!("Content-Length: {}\r\n", body.len());
    let chunked = [format!("{:x}\r\n", body.len()).as_bytes(), &body, b"\r\n0\r\n\r\n"].concat();
    for (known, headers, body, status) in [
        (true, announced.as_str(), &body, 413),
        (true, "Transfer-Encoding: chunked\r\n", &chunked, 413),
        (false, announced.as_str(), &body, 401),
    ] {
        let mut stream = connect(&server);
        stream.write_all(head(&server, "POST", known, headers).as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        // A reset would have discarded the unread part of the answer.
        std::thread::sleep(Duration::from_millis(200));
        let refused = answer(&mut stream, Duration::from_secs(1));
        assert_eq!((refused.status, refused.closes), (status, true), "{headers}");
        assert!(ended(&mut stream));
    }
}

#[test]
fn a_refused_complete_request_keeps_the_connection_open() {
    let (_svc, server) = serve(&[]);
    let mut stream = connect(&server);
    for _ in 0..3 {
        let refused = head(&server, "POST", false, "Content-Length: 16\r\n") + r#"{"nombre":"Ana"}"#;
        stream.write_all(refused.as_bytes()).unwrap();
        let refused = answer(&mut stream, Duration::from_secs(1));
        assert_eq!((refused.status, refused.closes), (401, false));
    }
}

#[test]
fn an_oversized_head_gets_a_response() {
    let (_svc, server) = serve(&[]);
    let mut stream = connect(&server);
    let long = format!("X-Long: {}\r\n", "x".repeat(MEBIBYTE));
    stream.write_all(head(&server, "POST", true, &long).as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(answer(&mut stream, Duration::from_secs(1)).status, 431);
    assert!(ended(&mut stream));
}

#[test]
fn a_body_must_arrive_in_time() {
    let (_svc, server) = serve(&["--body-timeout", "1"]);
    let mut stream = connect(&server);
    stream.write_all(head(&server, "POST", true, "Content-Length: 100\r\n").as_bytes()).unwrap();
    let mut slow = stream.try_clone().unwrap();
    let sending = std::thread::spawn(move || {
        for _ in 0..12 {
            slow.write_all(b" ").unwrap();
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    let late = answer(&mut stream, Duration::from_secs(2));
    assert_eq!((late.status, &late.body["error"]["codigo"]), (400, &Value::from("json_invalido")), "{late:?}");
    assert!(late.closes && late.body["error"]["mensaje"].as_str().unwrap().contains("1 s"), "{late:?}");
    sending.join().unwrap();
}

/// Connections with an unanswered request whose body has not arrived.
fn busy(server: &Demo, connections: &mut [TcpStream], key: &str) {
    for (number, stream) in connections.iter_mut().enumerate() {
        let head = head(server, "POST", true, "Content-Length: 16\r\n");
        let head = head.replacen("Idempotency-Key: k", &format!("Idempotency-Key: {key}{number}"), 1);
        stream.write_all(head.as_bytes()).unwrap();
    }
    std::thread::sleep(Duration::from_millis(300));
}

#[test]
fn connections_beyond_the_maximum_get_a_response() {
    let (_svc, server) = serve(&["--max-clients", "3"]);
    let list = server.head("GET", "/clientes", "").replacen("Connection: close\r\n", "", 1);
    let mut held: Vec<TcpStream> = (0..3).map(|_| connect(&server)).collect();
    busy(&server, &mut held, "a");
    for request in [list.as_str(), ""] {
        let mut stream = connect(&server);
        stream.write_all(request.as_bytes()).unwrap();
        let refused = answer(&mut stream, Duration::from_secs(2));
        assert_eq!((refused.status, refused.closes), (503, true), "{refused:?}");
        let error = &refused.body["error"];
        assert_eq!(error["codigo"], "no_disponible", "{refused:?}");
        assert!(refused.head.contains("retry-after: 1"), "{refused:?}");
        assert!(refused.head.contains(&format!("x-svc-peticion: {}", error["peticion"].as_str().unwrap())));
        assert!(ended(&mut stream));
    }
    // Connections that have a place keep it.
    for stream in &mut held {
        stream.write_all(br#"{"nombre":"Ana"}"#).unwrap();
        assert_eq!(answer(stream, Duration::from_secs(2)).status, 201);
    }
    let mut newcomer = connect(&server);
    newcomer.write_all(list.as_bytes()).unwrap();
    assert_eq!(answer(&mut newcomer, Duration::from_secs(2)).status, 200);
    assert!(ended(&mut held[0]), "it had been idle for longest");
    held[0] = newcomer;
    busy(&server, &mut held, "b");
    // Many at once: each is answered, or sees its connection closed.
    let mut crowd: Vec<TcpStream> = (0..600).map(|_| connect(&server)).collect();
    let answered = crowd.iter_mut().filter_map(|stream| {
        let mut text = String::new();
        match stream.read_to_string(&mut text) {
            Ok(_) => Some(text),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
                None
            }
        }
    });
    let answered: Vec<String> = answered.collect();
    assert!(answered.iter().filter(|text| text.contains("no_disponible")).count() >= 500, "{}", answered.len());
    drop(held);
    server.stop(Signal::SIGTERM);
}

#[test]
fn strangers_with_idle_connections_lock_nobody_out() {
    let (_svc, server) = serve(&["--max-clients", "50"]);
    let list = server.head("GET", "/clientes", "").replacen("Connection: close\r\n", "", 1);
    let health = format!("GET /api/v1/health HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    let mut early = connect(&server);
    early.write_all(list.as_bytes()).unwrap();
    assert_eq!(answer(&mut early, Duration::from_secs(2)).status, 200);
    let strangers: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = connect(&server);
            stream.write_all(health.as_bytes()).unwrap();
            assert_eq!(answer(&mut stream, Duration::from_secs(2)).status, 200);
            stream
        })
        .collect();
    for stream in [&mut early, &mut connect(&server)] {
        stream.write_all(list.as_bytes()).unwrap();
        assert_eq!(answer(stream, Duration::from_secs(2)).status, 200);
    }
    drop(strangers);
}

#[test]
fn as_many_connections_as_there_may_be_can_wait_to_be_accepted() {
    let (_svc, server) = serve(&["--max-clients", "3000"]);
    let address = server.address.parse().unwrap();
    // The system cuts longer queues.
    let system = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap();
    let many = 2_500.min(system.trim().parse::<usize>().unwrap());
    kill(server.pid(), Signal::SIGSTOP).unwrap();
    let waiting: Vec<_> = (0..many).map(|_| TcpStream::connect_timeout(&address, Duration::from_millis(900))).collect();
    kill(server.pid(), Signal::SIGCONT).unwrap();
    let connected = waiting.iter().filter(|stream| stream.is_ok()).count();
    assert_eq!(connected, many, "net.core.somaxconn is {}", system.trim());
}

#[test]
fn idle_connections_and_unfinished_heads_cost_little_memory() {
    const MANY: usize = 1_000;
    /// The server's limit, and KiB for each.
    const HEADS: (usize, usize) = (1_024, 40);
    let (_svc, server) = serve(&[]);
    let list = server.head("GET", "/clientes", "").replacen("Connection: close\r\n", "", 1);
    let resident = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap()
    };
    server.get("/clientes");
    let start = resident();
    let idle: Vec<TcpStream> = (0..MANY)
        .map(|_| {
            let mut stream = connect(&server);
            stream.write_all(list.as_bytes()).unwrap();
            assert_eq!(answer(&mut stream, Duration::from_secs(5)).status, 200);
            stream
        })
        .collect();
    let each_idle = (resident() - start) / MANY;
    // The longest possible head, without an end.
    let half = list.trim_end().to_owned() + "\r\nX-Long: " + &"x".repeat(15 * 1024);
    let unfinished: Vec<TcpStream> = (0..3 * MANY)
        .map(|_| {
            let mut stream = connect(&server);
            stream.write_all(half.as_bytes()).unwrap();
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_millis(500));
    let heads = (resident() - start).saturating_sub(each_idle * MANY);
    println!("KiB: an idle connection {each_idle}, all unfinished heads {heads}");
    assert!(each_idle <= 12 && heads <= HEADS.0 * HEADS.1, "KiB: {each_idle} {heads}");
    drop((idle, unfinished));
}
