use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::top::view::{ByName, CompanyRate, DatabaseUse, OperationRates, OutcomeCounts, ProcessUse, RequestRates};

const SNAPSHOTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/top/screen/snapshots");

/// If set, the snapshots are rewritten.
const REWRITE: &str = "SVC_REWRITE_SNAPSHOTS";

fn by_name<const N: usize>(figures: [(&str, f64); N]) -> ByName {
    figures.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn operation(name: &str, per_second: f64, failed: f64, p99: f64) -> OperationRates {
    OperationRates { operation: name.to_owned(), per_second, failed, p50: Some(p99 / 4.0), p99: Some(p99) }
}

fn busy() -> View {
    View {
        version: "0.1.0".to_owned(),
        uptime: 8_000.0,
        span: 6.0,
        since_start: false,
        requests: RequestRates {
            per_second: 128.4,
            refused: 3.2,
            failed: 0.5,
            in_flight: 7.0,
            p50: Some(0.003_4),
            p99: Some(0.12),
        },
        operations: vec![
            operation("GET /clientes", 80.0, 0.0, 0.012),
            operation("POST /ventas/{clave}/facturar", 40.2, 0.5, 0.4),
            operation("GET /a/very/long/path/of/a/host/that/no/terminal/holds/{clave}/whole", 8.2, 0.0, 2.5),
        ],
        companies: vec![
            CompanyRate { empresa: 12, per_second: None },
            CompanyRate { empresa: 1, per_second: Some(90.0) },
            CompanyRate { empresa: 1_234_567, per_second: Some(0.4) },
        ],
        queues: by_name([("deliveries", 75.0), ("mails", 3.0), ("stampings", 0.0)]),
        outcomes: OutcomeCounts {
            span: 60.0,
            since_start: false,
            stampings: by_name([("postponed", 1.0), ("stamped", 39.0)]),
            deliveries: by_name([("delivered", 120.0), ("retried", 2.0)]),
            failures: by_name([("mail error", 2.0)]),
            ..OutcomeCounts::default()
        },
        held: by_name([("estancado", 0.0), ("no_provider", 4.0)]),
        database: DatabaseUse { used: 6.0, idle: 3.0, max: 20.0 },
        clients: 42.0,
        process: ProcessUse { cpu: 0.42, memory: 157_286_400.0 },
        clock_offset: Some(-0.02),
    }
}

/// What the screen draws on a terminal of that size.
fn drawn(screen: &Screen, now: Instant, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| screen.draw(frame, now)).unwrap();
    let buffer = terminal.backend().buffer();
    let lines = buffer.content.chunks(usize::from(width.max(1))).map(|cells| {
        let line: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
        line.trim_end().to_owned() + "\n"
    });
    lines.collect()
}

fn watching(views: impl IntoIterator<Item = Result<View, String>>, now: Instant) -> Screen {
    let mut screen = Screen::new("http://127.0.0.1:9090".to_owned());
    for view in views {
        screen.take(view, now);
    }
    screen
}

fn a_while(now: Instant) -> Screen {
    let rates = [20.0, 60.0, 90.0, 128.4, 110.0, 0.0, 0.0, 40.0, 128.4];
    let past = rates.map(|per_second| Ok(View { requests: RequestRates { per_second, ..busy().requests }, ..busy() }));
    watching(past, now)
}

#[test]
fn it_draws_as_much_as_there_is_room_for() {
    let now = Instant::now();
    let screen = a_while(now);
    for (width, height) in [(120, 36), (80, 24), (48, 30), (30, 8)] {
        let (path, drawn) = (format!("{SNAPSHOTS}/{width}x{height}.txt"), drawn(&screen, now, width, height));
        if std::env::var_os(REWRITE).is_some() {
            std::fs::create_dir_all(SNAPSHOTS).unwrap();
            std::fs::write(&path, &drawn).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            drawn == kept,
            "{path} is stale; {REWRITE}=1 cargo test -p bin-axum --lib screen rewrites it:\n{drawn}"
        );
    }
}

#[test]
fn it_fits_any_terminal() {
    let now = Instant::now();
    for screen in [a_while(now), watching([], now), watching([Ok(View::default())], now)] {
        for (width, height) in [(1, 1), (1, 50), (2, 3), (10, 2), (69, 5), (70, 6), (500, 3), (300, 200)] {
            drawn(&screen, now, width, height);
        }
    }
}

#[test]
fn it_says_what_is_not_known() {
    let now = Instant::now();
    let waiting = drawn(&watching([], now), now, 80, 24);
    assert_eq!(waiting.lines().next(), Some("asking http://127.0.0.1:9090 …"));
    let first = View { since_start: true, version: "0.1.0".to_owned(), uptime: 3.0, span: 3.0, ..View::default() };
    let first = drawn(&watching([Ok(first)], now), now, 80, 24);
    for said in
        ["averages since the start", "p50 –  p99 –", "none asked for", "nothing is due", "nothing was done", "clock –"]
    {
        assert!(first.contains(said), "{said}: {first}");
    }
}

#[test]
fn a_server_that_does_not_answer_leaves_its_last_view() {
    let now = Instant::now();
    let down = || Err("connection refused".to_owned());
    let mut screen = watching([Ok(busy()), down()], now);
    let later = now + Duration::from_secs(90);
    screen.take(down(), later);
    let text = drawn(&screen, later, 80, 24);
    assert!(text.starts_with("no answer from http://127.0.0.1:9090 for 90 s: connection refused"), "{text}");
    assert!(text.contains("GET /clientes"), "{text}");
    screen.take(Ok(busy()), later);
    let back = drawn(&screen, later, 80, 24);
    assert!(back.starts_with("svc 0.1.0 · up 2 h · last 6.0 s · http://127.0.0.1:9090"), "{back}");
}

#[test]
fn the_history_is_bounded() {
    let now = Instant::now();
    let screen = watching((0..2_000).map(|_| Ok(busy())), now);
    assert_eq!(screen.history.len(), MAX_HISTORY);
}
