//! The operators' address.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use serde_json::json;
use svc_local_postgres::Cluster;
use svc_tests::database_url;

use crate::harness::{Demo, Svc, run};

/// An answer's status and text.
pub(crate) fn get(address: &str, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(15))).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, text) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), text.to_owned())
}

/// Waits until it answers so.
fn becomes(address: &str, status: u16, said: &str) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let began = Instant::now();
        let answer = get(address, "/ready");
        assert!(began.elapsed() < Duration::from_secs(3), "an answer is not waited for: {:?}", began.elapsed());
        if answer == (status, format!("{said}\n")) {
            return;
        }
        assert!(Instant::now() < deadline, "{answer:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn serve(svc: &Svc, database: &str, options: &[&str]) -> Demo {
    let mut command = svc.command(&["serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
    Svc::start(command.args(options).env("DATABASE_URL", database), json!({"key_id": "1_a", "api_key": "b"}))
}

#[test]
fn operators_have_an_address_of_their_own() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    let key = svc.ok(&["key", "create", "--company", "1"]);
    let server = svc.serve(&["--admin-listen", "127.0.0.1:0"], key.clone());
    let admin = server.admin();
    assert_eq!(get(&admin, "/live"), (200, "alive\n".to_owned()));
    becomes(&admin, 200, "ready");
    for _ in 0..2 {
        server.get("/clientes");
    }
    assert_eq!(server.post("/clientes", "a", r#"{"nombre":"Ana","rfc":"malo"}"#).0, 422);
    let (status, text) = get(&admin, "/metrics");
    assert_eq!(status, 200);
    for line in [
        r#"svc_requests_total{operation="GET /clientes",status="200"} 2"#,
        r#"svc_requests_total{operation="POST /clientes",status="422"} 1"#,
        r#"svc_request_duration_seconds_bucket{operation="GET /clientes",le="30"} 2"#,
        r#"svc_request_duration_seconds_count{operation="POST /clientes"} 1"#,
        "# TYPE svc_request_duration_seconds histogram",
        "# HELP svc_requests_total Requests answered, by operation and status",
        "svc_requests_in_flight 0",
        "svc_database_connections_max 20",
        concat!("svc_build_info{version=\"", env!("CARGO_PKG_VERSION"), "\"} 1"),
    ] {
        assert!(text.lines().any(|said| said == line), "{line}: {text}");
    }
    for name in ["process_resident_memory_bytes", "process_cpu_seconds_total", "svc_connections", "process_open_fds"] {
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<f64>().ok());
        assert!(value.is_some(), "{name}: {text}");
    }
    assert!(text.contains(r#"svc_database_connections{state="idle"}"#), "{text}");
    assert!(!text.contains(key["api_key"].as_str().unwrap()) && !text.contains("Ana") && !text.contains("malo"));

    // Neither address serves the other's paths.
    for path in ["/live", "/ready", "/metrics", "/api/v1/metrics", "/api/v1/live"] {
        assert_eq!(ask_once(&server.address, path), 404, "{path}");
    }
    for path in ["/api/v1/health", "/api/v1/clientes", "/"] {
        assert_eq!(get(&admin, path).0, 404, "{path}");
    }
    server.stop(Signal::SIGTERM);
}

#[test]
fn the_healthcheck_asks_the_configured_address() {
    let svc = Svc::new();
    // As in the image: a port on all addresses, and no flags.
    let mut command = svc.command(&["serve"]);
    let server =
        Svc::start(command.env("PORT", "0").env("SVC_LOG_FORMAT", "json"), json!({"key_id": "1_a", "api_key": "b"}));
    let (all, port) = server.address.split_once(':').unwrap();
    assert_eq!(all, "0.0.0.0");
    let check = |port: &str| svc.command(&["healthcheck"]).env("PORT", port).output().unwrap();
    let healthy = check(port);
    assert!(healthy.status.success() && healthy.stdout.starts_with(br#"{"ok":true"#), "{healthy:?}");
    server.stop(Signal::SIGTERM);
    assert_eq!(check(port_of_nobody().as_str()).status.code(), Some(1));
}

/// A free port.
fn port_of_nobody() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string()
}

/// The status of an answer from an address that would keep the connection.
fn ask_once(address: &str, path: &str) -> u16 {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_stalled_scraper_delays_nobody() {
    let svc = Svc::new();
    let server = svc.serve(&["--admin-listen", "127.0.0.1:0"], json!({"key_id": "1_a", "api_key": "b"}));
    let admin = server.admin();
    let said = ["", "GET /metrics HTTP/1.1\r\nHost: x"];
    let stalled: Vec<TcpStream> = (0..160)
        .map(|number| {
            let mut stream = TcpStream::connect(&admin).unwrap();
            stream.write_all(said[number % 2].as_bytes()).unwrap();
            stream
        })
        .collect();
    assert_eq!(ask_once(&server.address, "/api/v1/health"), 200, "the API is none of theirs");
    // A probe gets the place of one that has waited for longer.
    for path in ["/live", "/ready", "/metrics"] {
        let began = Instant::now();
        let (status, text) = get(&admin, path);
        assert_eq!(status, 200, "{path}: {text}");
        assert!(began.elapsed() < Duration::from_millis(1_500), "{path}: {:?}", began.elapsed());
    }
    drop(stalled);
    server.stop(Signal::SIGTERM);
}

#[test]
fn the_server_is_ready_while_the_database_answers() {
    let svc = Svc::new();
    let place = svc.dir.path().join("own");
    let mut cluster = Cluster::open(&place).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(cluster.create_database("svc")).unwrap();
    let url = database_url(&cluster.options("svc"));

    let mut unmigrated = svc.command(&["serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
    unmigrated.env("DATABASE_URL", &url).env("SVC_NO_MIGRATE", "true");
    let early = Svc::start(&mut unmigrated, json!({}));
    becomes(&early.admin(), 503, "the database is not available");
    early.log.wait(|line| line.contains("not ready").then_some(()));
    let server = serve(&svc, &url, &[]);
    let admin = server.admin();
    becomes(&admin, 200, "ready");
    becomes(&early.admin(), 200, "ready");
    cluster.stop().unwrap();
    becomes(&admin, 503, "the database is not available");
    assert_eq!(get(&admin, "/live").0, 200);
    cluster = Cluster::open(&place).unwrap();
    becomes(&admin, 200, "ready");
    early.stop(Signal::SIGTERM);

    // While stopping it keeps serving for a moment, and only operators see that.
    kill(server.pid(), Signal::SIGTERM).unwrap();
    becomes(&admin, 503, "stopping");
    assert_eq!((get(&admin, "/live").0, get(&server.address, "/api/v1/health").0), (200, 200), "its answers part");
    let mut server = server;
    assert!(server.ended(Duration::from_secs(10)).0.success());
    cluster.stop().unwrap();
}

#[test]
fn a_silent_database_does_not_block_readiness() {
    let svc = Svc::new();
    // It accepts connections and does nothing else.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://svc:secreto@{}/svc", silent.local_addr().unwrap());
    let server = serve(&svc, &url, &["--no-migrate", "--no-workers"]);
    let admin = server.admin();
    becomes(&admin, 503, "the database is not available");
    let began = Instant::now();
    let asking: Vec<_> = (0..8)
        .map(|_| {
            std::thread::spawn({
                let admin = admin.clone();
                move || get(&admin, "/ready").0
            })
        })
        .collect();
    assert!(asking.into_iter().all(|asked| asked.join().unwrap() == 503));
    assert!(began.elapsed() < Duration::from_millis(2_500), "they share an answer: {:?}", began.elapsed());
    assert_eq!(get(&admin, "/live").0, 200);
    server.stop(Signal::SIGTERM);
}

#[test]
fn a_clock_beside_the_databases_is_told() {
    let svc = Svc::new();
    svc.ok(&["migrate"]);
    let cluster = Cluster::open(&svc.dir.path().join("data")).unwrap();
    // The database's clock for everybody who does not name its schema.
    run(
        &cluster.options("svc"),
        "CREATE SCHEMA ahead;
         CREATE FUNCTION ahead.clock_timestamp() RETURNS timestamptz LANGUAGE sql
         AS $$ SELECT pg_catalog.clock_timestamp() + interval '2 hours' $$;
         ALTER DATABASE svc SET search_path = public, ahead, pg_catalog",
    );
    let url = database_url(&cluster.options("svc"));
    let server = serve(&svc, &url, &[]);
    let said = "s behind the database's";
    let logged = server.log.wait(|line| line.contains(said).then(|| line.to_owned()));
    assert!(logged.contains("WARN") && logged.contains("one of them is wrong"), "{logged}");
    let (status, text) = get(&server.admin(), "/ready");
    let offset = text.strip_prefix("ready\nthis server's clock is ").and_then(|text| text.split_once(' '));
    let (seconds, rest) = offset.unwrap_or_else(|| panic!("{status}: {text}"));
    assert_eq!((status, rest), (200, "s behind the database's\n"));
    assert!((7_190..=7_200).contains(&seconds.parse().unwrap()), "{text}");
    let doctor = svc.command(&["doctor"]).env("DATABASE_URL", &url).output().unwrap();
    assert!(String::from_utf8_lossy(&doctor.stderr).contains(said), "{doctor:?}");
    run(&cluster.options("svc"), "DROP FUNCTION ahead.clock_timestamp()");
    let doctor = svc.command(&["doctor"]).env("DATABASE_URL", &url).output().unwrap();
    assert!(!String::from_utf8_lossy(&doctor.stderr).contains("clock"), "{doctor:?}");
    server.stop(Signal::SIGTERM);
    cluster.stop().unwrap();
}
