//! Random input for what reads the words of strangers. None of it may panic or be a failure of ours, and what is accepted has
//! the property that it is accepted for.
//!
//! A little of it runs with the other tests. At length, so many inputs of each kind, with `SVC_FUZZ_SEED` for another sequence:
//! `SVC_FUZZ=2000000 cargo test -p svc-core --release --lib -- --ignored --nocapture fuzz`

mod mutate;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

use self::mutate::Mutator;
use self::targets::Target;

/// How many inputs of each kind the short run has.
const SHORT: u64 = 1_500;

#[test]
fn nothing_that_strangers_send_is_a_failure_of_ours() {
    for target in targets::all() {
        fuzz(&target, SHORT, 1);
    }
}

#[test]
#[ignore = "it takes as long as SVC_FUZZ says"]
fn nothing_that_strangers_send_is_a_failure_of_ours_at_length() {
    let number = |name: &str, default| {
        std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
    };
    let (inputs, seed) = (number("SVC_FUZZ", 100_000), number("SVC_FUZZ_SEED", 1));
    for target in targets::all() {
        fuzz(&target, inputs, seed);
    }
}

/// Gives a target its samples as they are, and so many inputs made from them; prints how many it accepted.
fn fuzz(target: &Target, inputs: u64, seed: u64) {
    let mut mutator = Mutator::new(seed, &target.samples);
    let (started, mut accepted) = (Instant::now(), 0);
    let samples = target.samples.iter().cloned();
    let mut try_one = |input: &[u8]| {
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.accepts)(input)));
        accepted += u64::from(outcome.unwrap_or_else(|panic| {
            eprintln!("{}: {}", target.name, input.escape_ascii());
            resume_unwind(panic)
        }));
    };
    samples.for_each(|sample| try_one(&sample));
    for _ in 0..inputs {
        try_one(&mutator.next());
    }
    let all = inputs + target.samples.len() as u64;
    assert!(accepted > 0 && accepted < all, "{}: {accepted} of {all} are accepted", target.name);
    let seconds = started.elapsed().as_secs_f64();
    println!("{}: {accepted} of {all} accepted, {:.0} a second", target.name, f64::from(all as u32) / seconds);
}
