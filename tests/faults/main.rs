//! The fault driver: it breaks what the server depends on while healthy companies read and write,
//! and prints what they noticed, as a table of faults and figures.
//!
//! ```sh
//! cargo test -p bin-axum --test faults                              # a few faults, seconds each: part of every test run
//! cargo test --release -p bin-axum --test faults -- --full          # all of them: the table of docs/reliability.md
//! cargo test --release -p bin-axum --test faults -- --full standby  # those whose name contains a word
//! ```
//!
//! Each fault gets a durable PostgreSQL of its own ([`database`]), the real `svc serve`
//! ([`service`]), something between them that can be cut ([`forwarder`]), and three companies under
//! a steady load ([`load`]). What is measured, and the rule that it is held against, stands in
//! [`figures`]; the faults are in [`scenarios`].

mod client;
mod crowd;
mod database;
mod embedded;
mod figures;
mod forwarder;
mod load;
mod notices;
mod scenarios;
mod service;
mod stage;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::runtime::Builder;

use crate::figures::Figures;
use crate::scenarios::{SCENARIOS, Scenario};
use crate::stage::Pace;

/// The command line's own options. Other options are the test runner's, and mean nothing here.
struct Asked {
    full: bool,
    words: Vec<String>,
}

impl Asked {
    fn read() -> Self {
        let (options, words): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with("--"));
        Self { full: options.iter().any(|option| option == "--full"), words }
    }

    fn wants(&self, scenario: &Scenario) -> bool {
        let named = self.words.is_empty() || self.words.iter().any(|word| scenario.name.contains(word.as_str()));
        named && (self.full || scenario.short)
    }
}

fn main() -> ExitCode {
    if std::env::args().any(|word| word == "--list") {
        SCENARIOS.iter().filter(|scenario| scenario.short).for_each(|scenario| println!("{}: test", scenario.name));
        return ExitCode::SUCCESS;
    }
    let asked = Asked::read();
    // Strangers hold many connections, and both ends of them are on this machine.
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
        && soft < hard
    {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
    let pace = if asked.full { Pace::FULL } else { Pace::SHORT };
    let mut broken = Vec::new();
    println!("{}", Figures::HEAD);
    for scenario in SCENARIOS.iter().filter(|scenario| asked.wants(scenario)) {
        let began = Instant::now();
        // Each runs in a task of its own, so that a failing scenario does not end the others.
        match runtime.block_on(async { tokio::spawn((scenario.run)(pace)).await }) {
            Ok(figures) => {
                println!("{}", figures.row(scenario.name, scenario.whose));
                if let Err(why) = figures.certain(scenario.whose) {
                    broken.push(format!("{}: {why}", scenario.name));
                }
            }
            Err(_) => broken.push(format!("{}: it did not come to its end", scenario.name)),
        }
        eprintln!("{}: {:.0} s", scenario.name, began.elapsed().as_secs_f64());
    }
    runtime.shutdown_timeout(Duration::from_secs(1));
    for why in &broken {
        eprintln!("FAILED {why}");
    }
    if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
