//! Random operations: after any sequence the books agree, and a refused operation changes nothing.

mod average;
pub(crate) mod business;
mod credits;
mod dealings;
mod keeping;
mod notices;
mod payables;
pub(crate) mod reports;
pub(crate) mod step;

use std::hash::{BuildHasher as _, RandomState};

use futures_util::future::join_all;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use average::Average;
use business::Business;
use step::{Step, steps};
use svc_tests::imports::imports_what_it_exports;
use svc_tests::{Company, World, books};

/// The number of worlds, each with two companies, and the number of steps in all; `SVC_TEST_STEPS`
/// sets another number.
const WORLDS: usize = 2;
const STEPS: usize = 10_000;

/// The steps between two checks of the books, and between two checks that a refusal changed
/// nothing.
const CHECKED: usize = 100;
const SUSPECTED: usize = 7;

/// Takes the seed from `SVC_TEST_SEED` (printed by a failure), or else a new one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_books_balance_after_any_sequence_of_actions() {
    let given = std::env::var("SVC_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = given.unwrap_or_else(|| RandomState::new().hash_one(0));
    println!("SVC_TEST_SEED={seed}");
    let runtime = tokio::runtime::Handle::current();
    let runs = (0..WORLDS).map(|world| {
        let runtime = runtime.clone();
        tokio::task::spawn_blocking(move || runtime.block_on(run(random_steps(seed, world))))
    });
    let mut done = std::collections::BTreeMap::<&str, (usize, usize)>::new();
    for run in join_all(runs).await {
        for (name, done_and_refused) in run.expect("a run ends") {
            let sum = done.entry(name).or_default();
            *sum = (sum.0 + done_and_refused.0, sum.1 + done_and_refused.1);
        }
    }
    println!("done and refused: {done:?}");
    for (name, (done, refused)) in done {
        // What is seldom possible, and was seldom tried, may have been refused each time.
        assert!(done > 0 || refused < 40, "{name} was never done");
    }
}

/// A company after that many random steps, the same each time.
pub(crate) async fn played(world: &World, count: usize) -> Company {
    let businesses = [Business::found(world).await, Business::found(world).await];
    for step in random_steps(7, 0).iter().take(count) {
        // A refused step is one that does not fit what was done before.
        let _ = businesses[usize::from(step.company)].take(&step.deed).await;
    }
    businesses[0].company.clone()
}

/// A company whose random steps are spread over so many days, so that they fill as many months.
pub(crate) async fn year(world: &World, count: usize, days: usize) -> Company {
    let businesses = [Business::found(world).await, Business::found(world).await];
    for (at, step) in random_steps(11, 0).iter().take(count).enumerate() {
        let _ = businesses[usize::from(step.company)].take(&step.deed).await;
        if at % count.div_ceil(days).max(1) == 0 {
            world.clock.advance(chrono::TimeDelta::days(1));
        }
    }
    for business in &businesses {
        books::check(world, &business.company).await;
    }
    businesses[0].company.clone()
}

fn random_steps(seed: u64, world: usize) -> Vec<Step> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8] = u8::try_from(world).expect("few worlds");
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), random);
    let all = std::env::var("SVC_TEST_STEPS").ok().and_then(|steps| steps.parse().ok()).unwrap_or(STEPS);
    steps(all / WORLDS).new_tree(&mut runner).expect("steps").current()
}

/// Takes the steps in one world; returns how often each kind was done and refused.
async fn run(steps: Vec<Step>) -> Vec<(&'static str, (usize, usize))> {
    let world = World::new().await;
    let companies = [Business::found(&world).await, Business::found(&world).await];
    let mut averages = [Average::default(), Average::default()];
    let mut tally = std::collections::BTreeMap::<&str, (usize, usize)>::new();
    for (at, step) in steps.iter().enumerate() {
        let business = &companies[usize::from(step.company)];
        let before = if at % SUSPECTED == 0 { Some(books::fingerprint(&world).await) } else { None };
        let outcome = business.take(&step.deed).await;
        let counts = tally.entry(step.deed.name()).or_default();
        match outcome {
            Ok(()) => {
                counts.0 += 1;
                averages[usize::from(step.company)].check(&business.company).await;
            }
            Err(codigo) => {
                counts.1 += 1;
                if let Some(before) = before {
                    assert_eq!(books::fingerprint(&world).await, before, "step {at}, {step:?}: {codigo}");
                }
            }
        }
        if at % CHECKED == 0 {
            // As autovacuum would do, since plans made for empty tables are slow on full ones.
            sqlx::query("ANALYZE").execute(world.pool()).await.expect("statistics");
        }
        if at % CHECKED == 0 || at + 1 == steps.len() {
            for business in &companies {
                books::check(&world, &business.company).await;
                business.check_trial_balance().await;
                business.check_reports().await;
            }
        }
    }
    // No stock was imported: all of it came and went by movements.
    let unexplained = "SELECT count(*) FROM inventario i WHERE existencia <> (
         SELECT coalesce(sum(existencia_actual - existencia_anterior), 0) FROM movimientos_inventario m
         WHERE m.empresa = i.empresa AND m.producto = i.producto AND m.almacen = i.almacen::text)";
    assert_eq!(world.sql::<i64>(unexplained).await, 0);
    for business in &companies {
        business.check_revaluation().await;
        books::check(&world, &business.company).await;
        imports_what_it_exports(&business.company).await;
    }
    tally.into_iter().collect()
}
