use super::*;

/// A text of `/metrics` in which `GET /clientes` was answered `ok` times at once and `slow` times
/// within 50 ms, and `PUT /clientes/{clave}` failed so often.
fn text(ok: u32, slow: u32, failed: u32) -> String {
    let all = ok + slow;
    format!(
        r#"# TYPE svc_requests_total counter
svc_requests_total{{operation="GET /clientes",status="200"}} {all}
svc_requests_total{{operation="PUT /clientes/{{clave}}",status="500"}} {failed}
svc_requests_total{{operation="none",status="404"}} {failed}

# TYPE svc_request_duration_seconds histogram
svc_request_duration_seconds_bucket{{operation="GET /clientes",le="0.001"}} {ok}
svc_request_duration_seconds_bucket{{operation="GET /clientes",le="0.05"}} {all}
svc_request_duration_seconds_bucket{{operation="GET /clientes",le="+Inf"}} {all}
svc_requests_in_flight 3
svc_stampings_total{{outcome="stamped"}} {ok}
svc_background_failures_total{{work="mail",reason="error"}} {failed}
svc_queue_age_seconds{{queue="mails"}} 12.5
svc_documents_held{{reason="no_provider"}} 4
svc_database_connections{{state="idle"}} 5
svc_database_connections{{state="used"}} 2
svc_database_connections_max 20
svc_connections 9
svc_clock_offset_seconds -0.25
svc_build_info{{version="0.1.0"}} 1
process_cpu_seconds_total {ok}
process_resident_memory_bytes 1048576
"#
    )
}

fn at(start: Instant, seconds: u64) -> Instant {
    start + Duration::from_secs(seconds)
}

#[test]
fn the_first_view_is_of_all_since_the_start_and_says_so() {
    let start = Instant::now();
    let mut board = Board::new(start);
    let view = board.view(at(start, 10), || text(80, 20, 10));
    assert!(view.since_start && view.outcomes.since_start);
    let expected = RequestRates {
        per_second: 12.0,
        refused: 1.0,
        failed: 1.0,
        in_flight: 3.0,
        p50: view.requests.p50,
        p99: view.requests.p99,
    };
    assert_eq!((&view.requests, view.uptime, view.span), (&expected, 10.0, 10.0));
    assert_eq!((view.version.as_str(), view.clients, view.clock_offset), ("0.1.0", 9.0, Some(-0.25)));
    assert_eq!((view.process.cpu, view.process.memory), (8.0, 1_048_576.0));
    assert_eq!((view.database.used, view.database.idle, view.database.max), (2.0, 5.0, 20.0));
    assert_eq!((view.queues["mails"], view.held["no_provider"]), (12.5, 4.0));
    assert_eq!((view.outcomes.stampings["stamped"], view.outcomes.failures["mail error"]), (80.0, 10.0));
    assert!(view.outcomes.deliveries.is_empty());
}

#[test]
fn later_views_are_of_the_last_seconds() {
    let start = Instant::now();
    let mut board = Board::new(start);
    board.view(at(start, 100), || text(1_000, 0, 0));
    let view = board.view(at(start, 110), || text(1_000, 50, 10));
    assert!(!view.since_start);
    assert_eq!((view.span, view.requests.per_second, view.requests.failed), (10.0, 7.0, 1.0));
    let names: Vec<_> = view.operations.iter().map(|rates| rates.operation.as_str()).collect();
    assert_eq!(names, ["GET /clientes", "PUT /clientes/{clave}", "none"]);
    // The thousand fast answers were before.
    let p50 = view.operations[0].p50.unwrap();
    assert!((0.02..0.03).contains(&p50) && view.requests.p50 == Some(p50), "{p50}");
    assert_eq!((view.operations[1].failed, view.operations[1].p99), (1.0, None));
    assert!(view.outcomes.stampings.is_empty(), "nothing was stamped lately");
}

#[test]
fn many_who_ask_get_one_view() {
    let start = Instant::now();
    let mut board = Board::new(start);
    let first = board.view(at(start, 10), || text(100, 0, 0));
    let shared = board.view(at(start, 10) + Duration::from_millis(500), || panic!("it is still fresh"));
    assert_eq!(first, shared);
    // A reader that asks every second does not shorten the span of the others.
    for second in 11..30 {
        board.view(at(start, second), || text(100, 0, 0));
    }
    let view = board.view(at(start, 30), || text(150, 0, 0));
    assert_eq!((view.span, view.requests.per_second), (5.0, 10.0));
    assert_eq!((view.outcomes.span, view.outcomes.stampings["stamped"]), (20.0, 50.0));
}

#[test]
fn a_counter_that_begins_anew_counts_from_zero() {
    let start = Instant::now();
    let mut board = Board::new(start);
    board.view(at(start, 10), || text(1_000, 100, 5));
    let view = board.view(at(start, 20), || text(20, 0, 0));
    assert_eq!((view.requests.per_second, view.requests.failed), (2.0, 0.0));
    assert!(view.requests.p99.is_some_and(|p99| p99 <= 0.001), "{:?}", view.requests.p99);
    assert_eq!(view.outcomes.stampings.get("stamped"), Some(&20.0));
}

#[test]
fn a_company_s_rate_is_known_once_it_was_among_the_busiest_twice() {
    let start = Instant::now();
    let mut board = Board::new(start);
    let companies = |board: &mut Board, seconds: u64, counts: &[(i64, u32)]| -> Vec<(i64, Option<f64>)> {
        let lines =
            counts.iter().map(|(id, count)| format!("svc_company_requests_total{{empresa=\"{id}\"}} {count}\n"));
        let view = board.view(at(start, seconds), || lines.collect());
        view.companies.into_iter().map(|company| (company.empresa, company.per_second)).collect()
    };
    assert_eq!(companies(&mut board, 10, &[(1, 100), (2, 20)]), [(1, Some(10.0)), (2, Some(2.0))]);
    // The second left and the third, which may have asked its 5000 at any time, came.
    assert_eq!(companies(&mut board, 20, &[(1, 150), (3, 5_000)]), [(3, None), (1, Some(5.0))]);
    // The first was forgotten in between, and began anew.
    assert_eq!(companies(&mut board, 30, &[(1, 40), (3, 5_010)]), [(1, Some(4.0)), (3, Some(1.0))]);
}

#[test]
fn a_server_that_nobody_asked_anything_has_zeros_and_no_quantiles() {
    let start = Instant::now();
    for text in ["", "svc_request_duration_seconds_bucket{operation=\"a\",le=\"+Inf\"} 7\nsvc_connections NaN\n"] {
        let view = Board::new(start).view(start, || text.to_owned());
        assert_eq!(view, View { since_start: true, outcomes: view.outcomes.clone(), ..View::default() });
        let json = serde_json::to_string(&view).unwrap();
        assert_eq!(serde_json::from_str::<View>(&json).unwrap(), view, "{json}");
    }
}

#[test]
fn a_view_of_another_version_can_be_read() {
    let view: View = serde_json::from_str(r#"{"version":"9.0.0","requests":{"per_second":2.5},"new":[1]}"#).unwrap();
    assert_eq!((view.version.as_str(), view.requests.per_second, view.clients), ("9.0.0", 2.5, 0.0));
}
