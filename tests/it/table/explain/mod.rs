//! Every list with every filter, over a company of a hundred thousand rows per table among other
//! companies: the plans of the statements that requests really run, as PostgreSQL's `auto_explain`
//! reports them.
//!
//! A new table needs a statement in `fill.sql`; a new text filter needs its values in `values.rs`.

mod fill;
mod plans;
mod skew;
mod values;

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use svc_core::operation::page::{Cursors, Position};
use svc_tests::{Actor, Endpoint, median};

use self::fill::Big;
pub(crate) use self::fill::filled;
use self::plans::{Plan, Plans};
use self::values::Query;
use super::{lists, path};

/// The rows of the big company in each table that may have so many; `SVC_TEST_ROWS` sets another
/// number and prints the slowest pages.
static ROWS: LazyLock<i64> = LazyLock::new(|| {
    std::env::var("SVC_TEST_ROWS").map_or(100_000, |rows| rows.parse().expect("SVC_TEST_ROWS is a number"))
});

/// Its rows in the other tables.
const CATALOGUE: i64 = 10_000;

/// The number of slowest pages to print.
const SLOWEST: usize = 15;

/// PostgreSQL may keep a prepared statement's plan from its sixth execution on.
const TIMES: usize = 10;

/// At most this many rows may be skipped by a filter.
const MAX_SKIPPED: f64 = 5_000.0;

/// How many times the first page's blocks a page near the end may touch, and how many more, because
/// some records are longer.
const DRIFT: (f64, f64) = (1.2, 4.0);

#[tokio::test]
async fn every_list_and_filter_is_served_by_an_index() {
    let big = Big::of(*ROWS, CATALOGUE).await;
    let plans = Plans::watch();
    let (store, ana) = big.reader(true).await;
    let company = svc_tests::key(&store, &ana.key_id).await.company;
    let (mut faults, mut times) = (Vec::new(), Vec::new());
    for list in lists() {
        let last = big.last_clave(list.http.path).await;
        assert!(last > 1_000, "fill.sql has no statement for the table of {}", list.http.path);
        let resource = path(list.http, "1");
        let cursors = Cursors::new(&company, &resource);
        for query in values::queries(&list) {
            let first = address(&list, &query, None);
            let deep = address(
                &list,
                &query,
                Some(&cursors.seal(Position { after: last - 100, until: None }, &query.canonical())),
            );
            let mut blocks = Vec::new();
            for target in [&first, &deep] {
                let (reported, time) = call(&ana, &plans, target).await;
                times.push((time, target.clone()));
                for plan in &reported {
                    let wrong = plan.faults(&big.sizes, MAX_SKIPPED);
                    faults.extend(wrong.into_iter().map(|fault| format!("{target}: {fault}: {}", plan.statement)));
                }
                blocks.extend(reported.last().map(Plan::blocks));
            }
            if query.is_empty() && blocks[1] > DRIFT.0 * blocks[0] + DRIFT.1 {
                faults.push(format!("{first}: touches {} blocks, but {} near the end", blocks[0], blocks[1]));
            }
            big.a_minute_later();
        }
    }
    let clerk = big.clerk(&store).await;
    for query in ["", "&creado_desde=2026-10-11", "&tipo=oportunidad.creada", "&clave=1"] {
        let target = format!("/eventos?limite=30{query}");
        let (reported, time) = call(&clerk, &plans, &target).await;
        times.push((time, target.clone()));
        let wrong = reported.iter().flat_map(|plan| plan.faults(&big.sizes, MAX_SKIPPED));
        faults.extend(wrong.map(|fault| format!("{target}, for few scopes: {fault}")));
    }
    changes_are_found_wherever_they_lie(&big, &ana).await;
    times.sort_unstable_by(|one, other| other.cmp(one));
    println!("{:>10.1?}  half of the pages took no longer, with their plans reported", times[times.len() / 2].0);
    let (_, unwatched) = big.reader(false).await;
    for (reported, target) in times.iter().take(SLOWEST) {
        let time = timed(&unwatched, target).await;
        println!("{time:>10.1?}, {reported:>10.1?} with its plan reported: {target}");
        big.a_minute_later();
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Where nearly all records changed, where a few did, and where too many to collect did, all behind
/// many others.
async fn changes_are_found_wherever_they_lie(big: &Big, ana: &Actor) {
    for path in ["/clientes", "/productos", "/precios", "/inventario"] {
        for since in ["2024-01-18", "2026-10-11", "2025-06-01"] {
            let page = ana.get(&format!("{path}?limite=30&modificado_desde={since}")).await.ok(200);
            let claves = page["datos"].as_array().expect("records").iter().map(|record| record["clave"].as_i64());
            assert_eq!(claves.collect::<Option<Vec<_>>>(), Some(big.changed(path, since).await), "{path} {since}");
            assert_eq!(page["hay_mas"], true, "{path} {since}");
        }
        big.a_minute_later();
    }
}

fn address(list: &Endpoint, query: &Query, cursor: Option<&str>) -> String {
    let cursor = cursor.map_or_else(String::new, |cursor| format!("&cursor={cursor}"));
    format!("{}?limite=30&{}{cursor}", path(list.http, "1"), query.url())
}

/// The plans of a list's statement when it is repeated, and the median time of an answer.
async fn call(actor: &Actor, plans: &Plans, target: &str) -> (Vec<Plan>, Duration) {
    plans.take();
    let time = timed(actor, target).await;
    let mut reported = plans.take();
    // Statements of authentication are not pages.
    reported.retain(|plan| plan.statement.contains("LIMIT "));
    assert_eq!(reported.len(), TIMES, "one statement a page: {target}: {reported:#?}");
    (reported, time)
}

/// The median time of an answer.
async fn timed(actor: &Actor, target: &str) -> Duration {
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let began = Instant::now();
        actor.get(target).await.ok(200);
        times.push(began.elapsed());
    }
    median(times)
}
