use chrono::TimeDelta;
use futures_util::StreamExt as _;
use futures_util::{future, stream};
use http::{Method, Request};
use svc_core::domain::company::Plan;
use svc_core::operations::{AcceptTerms, CreateKey, DisableUser, EditCompany, RevokeKey};
use svc_core::store::CompanyChange;
use svc_tests::{Actor, Reply, World, any_key};

#[tokio::test]
async fn back_office_changes_of_the_same_process_take_effect_at_once() {
    let world = World::new().await;
    let company = world.company().await;
    let office = world.api.context();
    let suffix = |ana: &Actor| ana.key_id.split_once('_').expect("two parts").1.to_owned();
    let planless = |plan| EditCompany(CompanyChange { plan: Some(plan), ..CompanyChange::default() });

    let ana = company.admin().await;
    ana.get("/clientes").await.ok(200);
    office.run(company.id, &planless(Plan::None)).await.expect("edited");
    ana.get("/clientes").await.fails(402, "plan_requerido");
    office.run(company.id, &planless(Plan::Pro)).await.expect("edited");
    ana.get("/clientes").await.ok(200);
    office.run(company.id, &RevokeKey { suffix: suffix(&ana) }).await.expect("revoked");
    ana.get("/clientes").await.fails(401, "llave_invalida");

    let pending = company.key(CreateKey { accept_terms: false, ..any_key() }).await;
    pending.get("/clientes").await.fails(403, "terminos_pendientes");
    office.run(company.id, &AcceptTerms { suffix: suffix(&pending) }).await.expect("accepted");
    pending.get("/clientes").await.ok(200);
    office.run(company.id, &DisableUser { usuario: company.owner }).await.expect("disabled");
    pending.get("/clientes").await.fails(401, "llave_sin_titular");
}

#[tokio::test]
async fn keys_of_concurrent_requests_are_looked_up_together() {
    let world = World::new().await;
    let company = world.company().await;
    let (ana, eva) = (company.admin().await, company.admin().await);
    let before = lookups(&world).await;
    let both = (0..100).map(|n| if n % 2 == 0 { &ana } else { &eva }).map(|actor| actor.get("/clientes?limite=1"));
    for reply in futures_util::future::join_all(both).await {
        reply.ok(200);
    }
    let Some(before) = before else { return };
    let count = lookups(&world).await.expect("counted before") - before;
    assert!((1..=2).contains(&count), "{count}");
}

/// As many random identifiers as a guesser sends in some seconds, hundreds at a time, beside a user
/// with a key.
#[tokio::test]
async fn guesses_cost_few_statements_and_little_memory() {
    const GUESSES: u64 = 60_000;
    if !alone("limits::keys::guesses_cost_few_statements_and_little_memory") {
        return;
    }
    let world = World::new().await;
    let company = world.company().await;
    let (ana, id) = (company.admin().await, company.id.0);
    ana.get("/clientes").await.ok(200);
    let before = lookups(&world).await;
    let begun = tokio::time::Instant::now();
    let memory = resident();
    let guess = |n: u64| {
        let (api, ana) = (world.api.clone(), ana.clone());
        let clock = world.clock.clone();
        async move {
            if n.is_multiple_of(2_000) {
                clock.advance(TimeDelta::seconds(5));
                ana.get("/clientes?limite=1").await.ok(200);
            }
            // Alternates between an existing company and none.
            let company = if n.is_multiple_of(2) { id } else { 1_000_000 };
            let request = Request::builder()
                .method(Method::GET)
                .uri("/clientes")
                .header("Authorization", "Bearer svc_guess")
                .header("X-Svc-Key-Id", format!("{company}_{:012x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
            let reply = Reply::of(&api, request.body("".into()).expect("a request")).await;
            // On a busy machine a look-up is given up rather than waited for without end.
            let is_late = reply.status == 503;
            reply.fails(if is_late { 503 } else { 401 }, if is_late { "no_disponible" } else { "llave_invalida" });
            is_late
        }
    };
    let late = stream::iter(0..GUESSES)
        .map(guess)
        .buffer_unordered(400)
        .filter(|is_late| future::ready(*is_late))
        .count()
        .await;
    assert!(late < 600, "{late} of {GUESSES} guesses were given up");
    let grown = resident().saturating_sub(memory);
    assert!(grown < 64 << 20, "{grown} bytes more");
    let Some(before) = before else { return };
    let count = lookups(&world).await.expect("counted before") - before;
    // At most one statement every two milliseconds, and never one per identifier.
    let max = i64::try_from(begun.elapsed().as_millis()).expect("not that long") / 2 + 1;
    println!("{count} look-ups of {GUESSES} identifiers in {:?}; at most {max}", begun.elapsed());
    assert!(count <= max, "{count} look-ups, at most {max}");
    assert!(count * 10 < i64::try_from(GUESSES).expect("few"), "{count} look-ups");
}

/// The number of key look-ups; nothing if statements cannot be counted.
async fn lookups(world: &World) -> Option<i64> {
    if !world.can_count_statements().await {
        return None;
    }
    Some(world.statements("%l.secreto_sha256%").await)
}

/// Tells if this process runs no other test. If it does, runs `test` in a process of its own, whose
/// memory is that of the test.
fn alone(test: &str) -> bool {
    const ALONE: &str = "SVC_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let program = std::env::current_exe().expect("a program");
    let ran = std::process::Command::new(program).args([test, "--exact"]).env(ALONE, "1").output().expect("started");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
    false
}

/// The process's memory in bytes.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("this is Linux");
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).expect("a number of pages") * 4_096
}
