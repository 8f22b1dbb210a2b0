//! No company, webhook or host delays another's notices (contract §6).

use std::time::Instant;

use super::*;

const OK: Outcome = Outcome::Answered { status: 204, retry_after: None };

/// The longest time that a notice waited, and the most notices of others that were delivered
/// meanwhile.
struct Longest {
    time: Duration,
    others: i64,
}

/// Sends 5 notices of a company with one healthy webhook, one after the other, while `sender` is
/// busy with the backlogs of others.
async fn longest_wait(world: &World, healthy: &Company, sender: &dyn Sender) -> Longest {
    let pass = async {
        loop {
            world.deliver(sender).await;
        }
    };
    let waits = async {
        let mut longest = Longest { time: Duration::ZERO, others: 0 };
        for delivered in 1..=5 {
            tokio::time::sleep(Duration::from_millis(200)).await;
            let (since, others) = (Instant::now(), delivered_by_others(healthy).await);
            happen(healthy, "cliente.creado", 1).await;
            while count_of(healthy, "entregada").await < delivered {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            longest.time = longest.time.max(since.elapsed());
            longest.others = longest.others.max(delivered_by_others(healthy).await - others);
        }
        longest
    };
    tokio::select! {
        () = pass => unreachable!("it goes on"),
        longest = tokio::time::timeout(Duration::from_mins(1), waits) => longest.expect("it is delivered"),
    }
}

async fn count_of(company: &Company, estado: &str) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM entregas WHERE empresa = $1 AND estado = $2")
        .bind(company.id.0)
        .bind(estado)
        .fetch_one(company.world.pool())
        .await
        .expect("a count")
}

async fn delivered_by_others(company: &Company) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM entregas WHERE empresa <> $1 AND estado = 'entregada'")
        .bind(company.id.0)
        .fetch_one(company.world.pool())
        .await
        .expect("a count")
}

/// Companies with ten webhooks each, and a backlog.
async fn busy(world: &World, companies: usize, events: i64) {
    for _ in 0..companies {
        let company = world.company().await;
        for _ in 0..10 {
            webhook(&company, &["cliente.creado"]).await;
        }
        happen(&company, "cliente.creado", events).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_receivers_delay_nobody() {
    let world = World::new().await;
    // More than the pass has room for.
    busy(&world, 6, 200).await;
    let healthy = world.company().await;
    let clave = webhook(&healthy, &["cliente.creado"]).await;
    let healthy_host = format!("receptor-{clave}.");
    let company = healthy.id.0;
    assert!(company > 6 && clave == 1, "{company} {clave}");
    let sender = Punctual(Receiver::new(move |post: &Post| {
        // The busy companies' first webhooks have this host too, which is quick for all.
        if post.url.contains(&healthy_host) { (Duration::from_millis(5), OK) } else { (Duration::from_secs(7), OK) }
    }));
    let longest = longest_wait(&world, &healthy, &sender).await;
    assert!(longest.time < Duration::from_secs(3), "{:?}", longest.time);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_events_delays_nobody() {
    let world = World::new().await;
    busy(&world, 1, 5_000).await;
    let healthy = world.company().await;
    webhook(&healthy, &["cliente.creado"]).await;
    let sender = Punctual(Receiver::new(|_: &Post| (Duration::from_millis(5), OK)));
    let longest = longest_wait(&world, &healthy, &sender).await;
    assert!(longest.time < Duration::from_secs(3), "{:?}", longest.time);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_of_many_companies_delay_nobody() {
    let world = World::new().await;
    busy(&world, 10, 2_000).await;
    let healthy = world.company().await;
    webhook(&healthy, &["cliente.creado"]).await;
    let sender = Punctual(Receiver::new(|_: &Post| (Duration::ZERO, OK)));
    let longest = longest_wait(&world, &healthy, &sender).await;
    // A busy machine takes longer for each notice, so their number is compared: about 2,000 are
    // usual.
    assert!(longest.others < 6_000, "{}", longest.others);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_company_with_locked_rows_delays_nobody() {
    let world = World::new().await;
    busy(&world, 1, 10).await;
    let mut lock = world.pool().begin().await.expect("a transaction");
    sqlx::query("SELECT FROM webhooks FOR UPDATE").execute(&mut *lock).await.expect("a lock");
    let healthy = world.company().await;
    webhook(&healthy, &["cliente.creado"]).await;
    let sender = Punctual(Receiver::new(|_: &Post| (Duration::from_millis(5), OK)));
    let longest = longest_wait(&world, &healthy, &sender).await;
    assert!(longest.time < Duration::from_secs(3), "{:?}", longest.time);
    lock.rollback().await.expect("the end of it");
}

#[tokio::test]
async fn a_panic_over_one_notice_spares_the_others() {
    let company = World::new().await.company().await;
    for _ in 0..2 {
        webhook(&company, &["cliente.creado"]).await;
    }
    happen(&company, "cliente.creado", 3).await;
    let sender = Receiver::new(|post: &Post| {
        assert!(!post.url.contains("receptor-1."), "a fault of the sender's");
        (Duration::ZERO, OK)
    });
    let report = company.world.deliver(&sender).await;
    assert_eq!((report.entregadas, report.pospuestas), (3, 3));
    let hook = &webhooks(&company).await[0];
    assert_eq!(hook["intentos_fallidos"], 0, "it is no fault of the receiver's");
}
