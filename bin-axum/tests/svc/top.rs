//! `svc top`, and the page of charts.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::admin::get;
use crate::harness::Svc;

fn view(admin: &str) -> Value {
    let (status, text) = get(admin, "/top.json");
    assert_eq!(status, 200, "{text}");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn operators_see_what_a_server_is_doing() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    let key = svc.ok(&["key", "create", "--company", "1"]);
    let server = svc.serve(&["--admin-listen", "127.0.0.1:0"], key);
    let admin = server.admin();
    for _ in 0..3 {
        server.get("/clientes");
    }
    assert_eq!(server.post("/clientes", "a", r#"{"nombre":"Ana","rfc":"malo"}"#).0, 422);
    let first = view(&admin);
    assert_eq!((&first["since_start"], &first["version"]), (&json!(true), &json!(env!("CARGO_PKG_VERSION"))));
    assert_eq!(first["operations"][0]["operation"], "GET /clientes");
    assert_eq!((&first["companies"][0]["empresa"], &first["database"]["max"]), (&json!(1), &json!(20.0)));
    let rates = &first["requests"];
    assert!(rates["per_second"].as_f64().unwrap() > rates["refused"].as_f64().unwrap(), "{rates}");
    assert!(rates["refused"].as_f64().unwrap() > 0.0 && rates["p99"].as_f64().unwrap() > 0.0, "{rates}");
    assert!(get(&admin, "/metrics").1.contains("svc_company_requests_total{empresa=\"1\"} 4\n"));

    // Those who ask together get one answer.
    std::thread::sleep(Duration::from_millis(1_100));
    let ask = |_| {
        let admin = admin.clone();
        std::thread::spawn(move || view(&admin))
    };
    let asking: Vec<_> = (0..8).map(ask).collect();
    let answers: Vec<_> = asking.into_iter().map(|asked| asked.join().unwrap()).collect();
    assert!(answers.windows(2).all(|two| two[0] == two[1]), "{answers:?}");
    assert_eq!((&answers[0]["since_start"], &answers[0]["requests"]["failed"]), (&json!(false), &json!(0.0)));

    let url = format!("http://{admin}");
    let once = svc.ok(&["top", "--url", &url, "--every", "1s", "--once"]);
    assert_eq!(once["since_start"], false, "{once}");
    assert!(once["uptime"].as_f64() > first["uptime"].as_f64());

    let (status, page) = get(&admin, "/top");
    assert!(status == 200 && page.contains("<title>svc top</title>"), "{page}");
    server.stop(Signal::SIGTERM);
}

#[test]
fn top_goes_on_when_the_server_stops_and_starts() {
    let svc = Svc::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let serve = || svc.serve(&["--admin-listen", &free], json!({"key_id": "1_a", "api_key": "b"}));
    let server = serve();
    server.admin();
    // The address of the server's own setting is enough.
    let mut top = svc.command(&["top", "--every", "1s"]);
    let mut top = top.env("SVC_ADMIN_LISTEN", &free).stdin(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(top.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut said = BufReader::new(top.stderr.take().unwrap()).lines().map(Result::unwrap);
    let before: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
    assert_eq!(before["version"], env!("CARGO_PKG_VERSION"));
    server.stop(Signal::SIGTERM);
    assert!(said.next().unwrap().starts_with(&format!("svc: no answer from http://{free}, trying again: ")));
    let server = serve();
    let uptimes = lines.by_ref().map(|line| serde_json::from_str::<Value>(&line).unwrap()["uptime"].as_f64().unwrap());
    let mut last = before["uptime"].as_f64().unwrap();
    for uptime in uptimes {
        if uptime < last {
            break;
        }
        last = uptime;
    }
    kill(Pid::from_raw(top.id().try_into().unwrap()), Signal::SIGINT).unwrap();
    assert!(top.wait().unwrap().success());
    server.stop(Signal::SIGTERM);
}

#[test]
fn a_server_that_cannot_be_asked_once_is_an_error() {
    let svc = Svc::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (url, said) in [(format!("http://{free}"), "onnection refused"), ("127.0.0.1:9090".to_owned(), "a URL like")] {
        let output = svc.run(&["top", "--once", "--url", &url], "");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), stderr.lines().count()), (Some(1), 1), "{stderr}");
        assert!(stderr.starts_with("svc: ") && stderr.contains(said), "{stderr}");
    }
    assert_eq!(svc.run(&["top", "--every", "0s"], "").status.code(), Some(2));
}
