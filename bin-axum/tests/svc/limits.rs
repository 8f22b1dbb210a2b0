//! Counts of the limits outlive the server.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::Value;
use svc_core::domain::clock::{Clock as _, SystemClock};

use crate::harness::{Demo, Svc};

const QUOTA: u64 = 5_000;

fn shop() -> (Svc, Value) {
    let svc = Svc::new();
    let company = svc.ok(&["company", "create", "--name", "Tienda"])["empresa"].to_string();
    let key = svc.ok(&["key", "create", "--company", &company]);
    (svc, key)
}

/// Sends a request; returns its status and the month's usage after it.
fn use_one(server: &Demo) -> (u16, u64) {
    let (head, body) = server.exchange(&server.head("GET", "/clientes", "")).expect("an answer");
    let status = head.split(' ').nth(1).expect("a status").parse().expect("a number");
    let left = head.lines().find_map(|line| line.strip_prefix("x-svc-cupo-restante: ")).expect(&body);
    (status, QUOTA - left.parse::<u64>().expect("a number"))
}

#[test]
fn a_drained_server_has_counted_everything() {
    let (svc, key) = shop();
    let mut used = 0;
    for _ in 0..3 {
        let server = svc.serve(&["--no-workers"], key.clone());
        for _ in 0..20 {
            used += 1;
            assert_eq!(use_one(&server), (200, used));
        }
        server.stop(Signal::SIGTERM);
    }
}

#[test]
fn a_killed_server_loses_its_last_seconds_at_most() {
    let (svc, key) = shop();
    let mut known = 0;
    for _ in 0..2 {
        let server = svc.serve(&["--no-workers"], key.clone());
        let first = use_one(&server).1;
        assert!(first > known, "{first} after {known}");
        for _ in 0..20 {
            known = use_one(&server).1;
        }
        // Five seconds, plus the time of a slow machine.
        std::thread::sleep(Duration::from_millis(6_500));
        let last = (0..5).map(|_| use_one(&server).1).max().unwrap();
        assert_eq!(last, known + 5);
        drop(server);
        assert!(svc.server_is_gone());
    }
}

#[test]
fn the_settings_of_the_command_line_are_the_limits() {
    let (svc, key) = shop();
    let server = svc.serve(&["--no-workers", "--rate-per-minute", "3"], key.clone());
    // All four fall into one minute, or the first ones into the one before.
    let statuses: Vec<_> = (0..8).map(|_| use_one(&server).0).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    drop(server);
    let server = svc.serve(&["--no-workers", "--rate-per-minute", "3", "--limits", "notice"], key);
    assert!((0..8).all(|_| use_one(&server).0 == 200));
    drop(server);
    for (flag, value) in [("--rate-per-minute", "0"), ("--in-flight", "0"), ("--in-flight", "many")] {
        let output = svc.run(&["serve", flag, value], "");
        assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains(flag), "{output:?}");
    }
}

/// How long a merge of the counts may take; a server that waited so long goes on without it.
const PATIENCE: Duration = Duration::from_secs(2);

/// Four processes share a limit; each gets requests from a client of its own, until one is refused.
#[test]
fn four_servers_share_a_minute() {
    let (svc, key) = shop();
    let serve = || svc.serve(&["--no-workers", "--rate-per-minute", "150"], key.clone());
    let servers = [(); 4].map(|()| serve());
    let minute = || SystemClock.now().timestamp() / 60;
    for _ in 0..4 {
        let began = minute();
        while minute() == began {
            std::thread::sleep(Duration::from_millis(100));
        }
        let began = minute();
        // How many of a server's requests passed, and how long the slowest took.
        let client = |server| {
            let (mut passed, mut slowest) = (0, Duration::ZERO);
            loop {
                let sent = Instant::now();
                let status = use_one(server).0;
                slowest = slowest.max(sent.elapsed());
                match status {
                    200 => passed += 1,
                    _ => return (passed, slowest),
                }
            }
        };
        let clients: Vec<(usize, Duration)> = std::thread::scope(|scope| {
            let clients: Vec<_> = servers.iter().map(|server| scope.spawn(move || client(server))).collect();
            clients.into_iter().map(|client| client.join().unwrap()).collect()
        });
        let passed: usize = clients.iter().map(|(passed, _)| passed).sum();
        // A machine that is too busy says nothing about the limit.
        if minute() == began && clients.iter().all(|(_, slowest)| *slowest < PATIENCE) {
            assert!((150..=153).contains(&passed), "{passed} of 150 passed, a fiftieth more at most: {clients:?}");
            return;
        }
    }
    panic!("the machine was busy in four minutes");
}
