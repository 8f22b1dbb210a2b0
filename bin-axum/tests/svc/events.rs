//! The server and its database are killed (SIGKILL) while customers are created and events are
//! read: a reader misses none and sees none twice.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use serde_json::Value;

use crate::harness::{Demo, Svc};

const WRITERS: usize = 4;
/// The customers of each writer in a round.
const EACH: usize = 30;
const KILLS: usize = 3;

/// What a reader has seen, and where it goes on.
#[derive(Default)]
struct Reader {
    cursor: String,
    seen: Vec<Value>,
}

impl Reader {
    /// Reads a page; returns whether there was anything, or `None` if the server is gone.
    fn read(&mut self, server: &Demo) -> Option<bool> {
        let joint = if self.cursor.is_empty() { "" } else { "&cursor=" };
        let path = format!("/eventos?limite=7{joint}{}", self.cursor);
        let (status, page) = server.try_send(&server.head("GET", &path, ""))?;
        // A server that is about to be killed may be busy.
        if status != 200 {
            assert_eq!(status, 503, "{page}");
            return Some(true);
        }
        let events = page["datos"].as_array()?;
        self.seen.extend(events.iter().cloned());
        page["siguiente"].as_str()?.clone_into(&mut self.cursor);
        Some(!events.is_empty())
    }

    fn claves(&self) -> Vec<i64> {
        self.seen.iter().map(|event| event["clave"].as_i64().unwrap()).collect()
    }
}

/// Creates a writer's customers of a round until the server is gone.
fn write(server: &Demo, round: usize, writer: usize, answered: &AtomicUsize) {
    for number in 0..EACH {
        let name = format!("{round}-{writer}-{number}");
        let request = server.writing("/clientes", &name, &format!(r#"{{"nombre":"{name}"}}"#));
        match server.try_send(&request) {
            Some((201, _)) => answered.fetch_add(1, Ordering::Relaxed),
            Some((status, answer)) => {
                assert_eq!(status, 503, "{answer}");
                0
            }
            None => return,
        };
    }
}

#[test]
fn a_reader_misses_nothing_when_the_server_is_killed() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno", "--licences", "6"]);
    let key = svc.ok(&["key", "create", "--company", "1"]);
    let mut reader = Reader::default();
    let mut acknowledged = 0;
    for round in 0..=KILLS {
        let server = svc.serve(&["--no-workers"], key.clone());
        let (answered, over) = (AtomicUsize::new(0), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let (server, answered, over, reader) = (&server, &answered, &over, &mut reader);
            let writers: Vec<_> =
                (0..WRITERS).map(|writer| scope.spawn(move || write(server, round, writer, answered))).collect();
            scope.spawn(move || {
                loop {
                    let last = over.load(Ordering::Relaxed);
                    if reader.read(server).is_none_or(|more| last && !more) {
                        return;
                    }
                    std::thread::sleep(Duration::from_millis(3));
                }
            });
            if round < KILLS {
                while answered.load(Ordering::Relaxed) < WRITERS * EACH / 3 {
                    std::thread::sleep(Duration::from_millis(2));
                }
                kill(server.pid(), Signal::SIGKILL).unwrap();
            }
            for writer in writers {
                writer.join().unwrap();
            }
            over.store(true, Ordering::Relaxed);
        });
        acknowledged += answered.into_inner();
        if round < KILLS {
            server.stop(Signal::SIGKILL);
            assert!(svc.server_is_gone(), "the private database ends with the server");
            continue;
        }
        let whole = server.walk("/eventos");
        let claves: Vec<i64> = whole.iter().map(|event| event["clave"].as_i64().unwrap()).collect();
        assert_eq!(reader.claves(), claves, "the reader saw every event once, in one order");
        let customers: HashSet<i64> = whole.iter().map(|event| event["datos"]["cliente"].as_i64().unwrap()).collect();
        let created: HashSet<i64> =
            server.walk("/clientes").iter().map(|customer| customer["clave"].as_i64().unwrap()).collect();
        assert_eq!((customers.len(), &customers), (whole.len(), &created), "each customer is one event");
        assert!(whole.len() >= acknowledged, "{} {acknowledged}", whole.len());
        server.stop(Signal::SIGTERM);
    }
}
