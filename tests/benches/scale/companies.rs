//! Many companies on one server.

use std::time::{Duration, Instant};

use http::Method;
use svc_tests::imports::customers;
use svc_tests::{Actor, Resource, World, cpu};
use tokio::time::sleep;

use crate::healthy::Healthy;
use crate::service::{Client, Service};
use crate::{ACTIVE, COMPANIES, Case, IDLE, fill, lasting, memory, sized, start, webhooks, world};

/// Connections of clients.
const AT_ONCE: usize = 32;
/// Customers of each company.
const CUSTOMERS: usize = 20;

/// Parts of statements that identify them: look-ups of keys, merges of usage.
const KEYS: &str = "%l.secreto_sha256%";
const MERGES: &str = "%de_la_empresa%";

pub(crate) async fn case(case: &Case) {
    let world = world().await;
    let healthy = Healthy::new(&world).await;
    let template = world.company().await;
    template.load(Resource::Clientes, &customers(CUSTOMERS)).await;
    webhooks(&template, 1, 3, 9).await;
    let actor = template.admin().await;
    let companies = fill::copies(&template, sized(COMPANIES)).await;
    case.figure("companies", companies.len());
    let before = world.statements("%").await;
    let began = Instant::now();
    let service = start(&world).await;
    case.figure("time to the first answer", format!("{:.2} s", began.elapsed().as_secs_f64()));
    case.figure("memory when it has started", memory(&service));
    // Until the first clean-up is over.
    sleep(Duration::from_secs(5)).await;
    case.figure("statements of the first 5 s, the first clean-up among them", world.statements("%").await - before);
    idle(case, &world, &service).await;
    let actors = companies.iter().map(|company| of(&actor, *company)).collect::<Vec<_>>();
    let ((), times) = healthy
        .during(async {
            requests(case, "first request of each key", &actors, &world, &service, Duration::ZERO).await;
            requests(case, "all keys in turn", &actors, &world, &service, lasting(ACTIVE)).await;
            let merged = until_merged(&world).await;
            case.figure("usage merged after the last request", format!("{:.2} s", merged.as_secs_f64()));
        })
        .await;
    case.figure("memory with all keys at hand", memory(&service));
    case.figure("notices of a healthy company while all are active", times);
    service.stop();
}

/// The same key in a copy of its company.
pub(crate) fn of(actor: &Actor, company: i64) -> Actor {
    let (_, suffix) = actor.key_id.split_once('_').expect("a key's identifier");
    let mut copy = actor.clone();
    copy.key_id = format!("{company}_{suffix}");
    copy
}

/// The cost of the service while nothing happens.
async fn idle(case: &Case, world: &World, service: &Service) {
    let before = (service.cpu(), cpu::of_sessions(world.pool()).await);
    let statements = world.statements("%").await;
    let began = Instant::now();
    sleep(lasting(IDLE)).await;
    let seconds = began.elapsed().as_secs_f64();
    let statements = (world.statements("%").await - statements) as f64 / seconds;
    let after = (service.cpu(), cpu::of_sessions(world.pool()).await);
    case.figure("idle: statements a second, of three queues", format!("{statements:.2}"));
    let share = |spent: Duration| format!("{:.2} %", spent.as_secs_f64() / seconds * 100.0);
    case.figure("idle: CPU of the service", share(after.0.saturating_sub(before.0)));
    case.figure("idle: CPU of PostgreSQL", share(cpu::spent(&before.1, &after.1)));
}

/// Requests with each key in turn, many at once: one with each, and more until the time is over.
async fn requests(case: &Case, what: &str, actors: &[Actor], world: &World, service: &Service, time: Duration) {
    let before = (figures(world, KEYS).await, figures(world, MERGES).await, service.cpu());
    let began = Instant::now();
    let tasks = actors.chunks(actors.len().div_ceil(AT_ONCE)).map(|actors| {
        let (actors, address) = (actors.to_vec(), service.address);
        tokio::spawn(async move {
            let mut client = Client::connect(address).await;
            let mut times = Vec::new();
            for (number, actor) in actors.iter().cycle().enumerate() {
                let sent = Instant::now();
                if number >= actors.len() && sent - began >= time {
                    break;
                }
                let (status, body) = client.answer(actor.request(Method::GET, "/clientes?limite=1"), "").await;
                assert_eq!(status, 200, "{body:?}");
                times.push(sent.elapsed());
            }
            times
        })
    });
    let mut times = Vec::new();
    for task in tasks.collect::<Vec<_>>() {
        times.extend(task.await.expect("no panic"));
    }
    let seconds = began.elapsed().as_secs_f64();
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e3;
    let rate = times.len() as f64 / seconds;
    case.figure(what, format!("{rate:.0} a second, p50 {:.1} ms, p99 {:.1} ms", at(50), at(99)));
    let spent = service.cpu().saturating_sub(before.2).as_secs_f64() * 1e6 / times.len() as f64;
    case.figure(&format!("{what}: CPU of the service"), format!("{spent:.0} µs"));
    let since = |(calls, seconds): (i64, f64), before: (i64, f64)| {
        format!("{} statements, {:.2} s in PostgreSQL", calls - before.0, seconds - before.1)
    };
    case.figure(&format!("{what}: look-ups of keys"), since(figures(world, KEYS).await, before.0));
    case.figure(&format!("{what}: merges of usage"), since(figures(world, MERGES).await, before.1));
}

/// How often statements like this ran, and how long that took, in seconds.
async fn figures(world: &World, like: &str) -> (i64, f64) {
    sqlx::query_as(
        "SELECT coalesce(sum(calls), 0)::bigint, coalesce(sum(total_exec_time), 0) / 1000
         FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
         WHERE d.datname = current_database() AND s.query NOT LIKE '%pg_stat_statements%' AND s.query LIKE $1",
    )
    .bind(like)
    .fetch_one(world.pool())
    .await
    .expect("the statements are counted")
}

/// How long merges of many companies last.
async fn until_merged(world: &World) -> Duration {
    // The healthy company's own usage continues: four merges a second.
    const OWN: i64 = 2;
    let (began, mut last) = (Instant::now(), figures(world, MERGES).await.0);
    loop {
        sleep(Duration::from_millis(300)).await;
        let now = figures(world, MERGES).await.0;
        if now - last <= OWN {
            return began.elapsed().saturating_sub(Duration::from_millis(300));
        }
        last = now;
    }
}
