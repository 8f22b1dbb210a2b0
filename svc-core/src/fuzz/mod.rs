//! Random input for everything that reads what clients send. No input may cause a panic or a 5xx,
//! and accepted input has the properties that its target asserts.
//!
//! A short run is part of the ordinary tests. A long run takes `SVC_FUZZ` inputs of each kind, in
//! the sequence of `SVC_FUZZ_SEED`:
//! `SVC_FUZZ=2000000 cargo test -p svc-core --release --lib -- --ignored --nocapture fuzz`

mod input;
mod targets;

use std::cell::Cell;
use std::time::Instant;

use proptest::strategy::Just;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

use self::input::changed;
use self::targets::FuzzTarget;

/// Inputs per kind in the short run.
const SHORT: u32 = 1_500;

#[test]
fn nothing_that_strangers_send_is_a_failure_of_ours() {
    for target in targets::all() {
        fuzz(&target, SHORT, 1);
    }
}

#[test]
#[ignore = "it takes as long as SVC_FUZZ says"]
fn nothing_that_strangers_send_is_a_failure_of_ours_at_length() {
    let number = |name: &str, default: u32| {
        std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
    };
    let (inputs, seed) = (number("SVC_FUZZ", 100_000), number("SVC_FUZZ_SEED", 1));
    for target in targets::all() {
        fuzz(&target, inputs, seed);
    }
}

/// Runs a target on its samples and `inputs` changes of them, and prints how many it accepted. A
/// failing input is shrunk.
fn fuzz(target: &FuzzTarget, inputs: u32, seed: u32) {
    let (started, accepted) = (Instant::now(), Cell::new(0));
    let try_one = |input: Vec<u8>| {
        accepted.set(accepted.get() + u32::from((target.accepts)(&input)));
        Ok(())
    };
    let all = inputs + target.samples.len() as u32;
    let config = Config { cases: all, failure_persistence: None, ..Config::default() };
    let random = TestRng::from_seed(RngAlgorithm::XorShift, &u128::from(seed).to_le_bytes());
    let mut runner = TestRunner::new_with_rng(config, random);
    let mut samples = target.samples.iter().cloned();
    let outcome = samples.try_for_each(|sample| runner.run_one(Just(sample), try_one).map(drop));
    match outcome.and_then(|()| runner.run(&changed(&target.samples), try_one)) {
        Ok(()) => {}
        Err(TestError::Fail(why, input)) => panic!("{}: {}: {why}", target.name, input.escape_ascii()),
        Err(TestError::Abort(why)) => panic!("{}: {why}", target.name),
    }
    let accepted = accepted.get();
    assert!(accepted > 0 && accepted < all, "{}: {accepted} of {all} are accepted", target.name);
    let seconds = started.elapsed().as_secs_f64();
    println!("{}: {accepted} of {all} accepted, {:.0} a second", target.name, f64::from(all) / seconds);
}
