//! The faults, in the order of the table.

mod clocks;
mod connections;
mod database;
mod greed;
mod neighbours;
mod service;
mod strangers;
mod workers;

use std::pin::Pin;

use crate::figures::{Figures, Whose};
use crate::stage::Pace;

/// The whole course of a fault.
type Run = fn(Pace) -> Pin<Box<dyn Future<Output = Figures> + Send>>;

pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) whose: Whose,
    /// Whether it is part of the short form.
    pub(crate) short: bool,
    pub(crate) run: Run,
}

macro_rules! scenarios {
    ($($name:literal $whose:ident $short:literal $run:path;)+) => {
        pub(crate) const SCENARIOS: &[Scenario] =
            &[$(Scenario { name: $name, whose: Whose::$whose, short: $short, run: |pace| Box::pin($run(pace)) }),+];
    };
}

scenarios! {
    "a session of requests is stopped" Others true connections::a_session_of_requests_is_stopped;
    "a session that looks up keys is stopped" Others false connections::a_session_of_keys_is_stopped;
    "one company's counters are locked" Others true neighbours::locks;
    "a greedy company, and one that hangs up" Others false neighbours::greed;
    "a company searches for many words" Others false greed::searches;
    "a company has PDFs of 500 lines drawn" Others false greed::drawings;
    "bodies of 1 MiB of numbers" Others false neighbours::bodies;
    "a webhook with a large backlog is deleted" Others false neighbours::backlog;
    "strangers hold connections" Others false strangers::holders;
    "strangers fill all places" Others true strangers::idlers;
    "strangers fill the operators' address" Others false strangers::operators;
    "strangers guess keys" Others false strangers::guesses;
    "a worker panics" Others false workers::panics;
    "a provider answers with 900,000 elements" Others false workers::answers;
    "a worker's clock is ten minutes ahead" Others false workers::skew;
    "a server's clock is two hours ahead" Others false clocks::hours_ahead;
    "a server's clock is eight days ahead" Others false clocks::days_ahead;
    "the schema of a later release" Others false service::later_schema;
    "the way to the database swallows all" Everybodys false connections::black_hole;
    "no connections left" Everybodys false connections::none_left;
    "the database is killed" Everybodys true database::killed;
    "the database takes no writes" Everybodys true database::read_only;
    "the disk is full" Everybodys false database::full_disk;
    "a standby is promoted" Everybodys false database::promoted_standby;
    "the server is killed" Everybodys true service::killed;
}
