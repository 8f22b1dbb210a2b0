//! Answers are compressed for clients that ask for it, and say the same.

use std::io::Read as _;
use std::process::Command;

use chrono::TimeDelta;
use flate2::read::GzDecoder;
use nix::sys::signal::Signal;
use svc_core::domain::clock::{Clock as _, SystemClock};

use crate::harness::{Demo, Svc};

/// The head, in lower case, and the body of the answer to curl, as sent.
fn fetched(demo: &Demo, path: &str, takes: Option<&str>) -> (String, Vec<u8>) {
    let field = |name: &str| demo.printed[name].as_str().unwrap().to_owned();
    let mut curl = Command::new("curl");
    curl.args(["-sSi", &format!("http://{}{path}", demo.address)]);
    curl.args(["-H", &format!("Authorization: Bearer {}", field("api_key"))]);
    curl.args(["-H", &format!("X-Svc-Key-Id: {}", field("key_id"))]);
    if let Some(takes) = takes {
        curl.args(["-H", &format!("Accept-Encoding: {takes}")]);
    }
    let mut answer = curl.output().unwrap().stdout;
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
    let body = answer.split_off(end + 4);
    (String::from_utf8(answer).unwrap().to_lowercase(), body)
}

fn encoding(head: &str) -> Option<&str> {
    head.lines().find_map(|line| line.strip_prefix("content-encoding: "))
}

#[test]
fn answers_are_compressed_for_those_who_ask_for_it() {
    let svc = Svc::new();
    let demo = svc.demo();
    let page = "/api/v1/clientes?limite=30";
    let (head, plain) = fetched(&demo, page, None);
    assert_eq!(encoding(&head), None);
    assert!(head.contains(&format!("content-length: {}\r\n", plain.len())), "{head}");
    assert!(head.contains("vary: accept-encoding\r\n"), "{head}");

    let (head, packed) = fetched(&demo, page, Some("gzip, deflate, br"));
    assert_eq!(encoding(&head), Some("gzip"));
    let mut unpacked = Vec::new();
    GzDecoder::new(&*packed).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain);
    assert!(packed.len() * 3 < plain.len(), "{} of {}", packed.len(), plain.len());

    let (head, packed) = fetched(&demo, page, Some("gzip;q=0.5, zstd"));
    assert_eq!(encoding(&head), Some("zstd"));
    assert_eq!(zstd::decode_all(&*packed).unwrap(), plain);
    assert!(packed.len() * 3 < plain.len(), "{} of {}", packed.len(), plain.len());

    let since = (SystemClock.now() - TimeDelta::days(60)).date_naive();
    let invoices = demo.get(&format!("/facturas?fecha_desde={since}&limite=1"));
    let invoice = invoices["datos"][0]["clave"].as_i64().unwrap();
    let pdf = format!("/api/v1/facturas/{invoice}/pdf");
    for (path, takes) in [
        ("/api/v1/health", "gzip"),
        (&pdf, "gzip"),
        (page, "br"),
        (page, "gzip;q=0, zstd;q=0"),
        (page, "identity;q=0"),
        (page, "br, *;q=0.000"),
        ("/api/v1/health", "br;q=1, identity;Q=0"),
    ] {
        let (head, _) = fetched(&demo, path, Some(takes));
        assert!(head.starts_with("http/1.1 200"), "{path}: {head}");
        assert_eq!(encoding(&head), None, "{path}: {takes}");
    }
    let (head, packed) = fetched(&demo, page, Some("zstd;q=0, identity;q=0, gzip"));
    assert_eq!(encoding(&head), Some("gzip"));
    assert!(packed.len() * 3 < plain.len(), "{} of {}", packed.len(), plain.len());
    demo.stop(Signal::SIGTERM);
}
