//! What healthy companies notice of a fault, and the rule for it.

use std::time::{Duration, Instant};

use crate::client::{Outcome, Outcomes};
use crate::load::Sample;

/// How much slower the slowest hundredth may be during a fault of others.
const SLOWER: f64 = 5.0;

/// The time within which all must be well after the fault.
const RECOVERY: Duration = Duration::from_secs(5);

/// The time limit of any answer: the server's deadline of a request (15 s), and a second to send
/// it.
const HANG: Duration = Duration::from_secs(16);

/// The time within which a server recovers on a machine that is also busy with other things.
const RECOVERY_AT_LAST: Duration = Duration::from_secs(15);

/// The scope of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// One company, one session or a stranger: others shall hardly notice.
    Others,
    /// The whole database or server: everybody gets an error within the deadlines.
    Everybodys,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Latency {
    pub(crate) half: Duration,
    pub(crate) p99: Duration,
    pub(crate) slowest: Duration,
}

impl Latency {
    /// The answers to requests that began within a span of time.
    pub(crate) fn of(samples: &[Sample], from: Instant, to: Instant) -> Self {
        let within = samples.iter().filter(|sample| (from..to).contains(&sample.began));
        let mut took: Vec<Duration> = within.map(|sample| sample.took).collect();
        took.sort_unstable();
        let at =
            |hundredths: usize| took.get(took.len() * hundredths / 100).or(took.last()).copied().unwrap_or_default();
        Self { half: at(50), p99: at(99), slowest: took.last().copied().unwrap_or_default() }
    }
}

/// The measurements of one fault.
#[derive(Debug, Clone, Default)]
pub(crate) struct Figures {
    /// Before it.
    pub(crate) calm: Latency,
    /// During it.
    pub(crate) fault: Latency,
    /// All answers to healthy companies during it.
    pub(crate) during: Outcomes,
    /// All of them after it.
    pub(crate) after: Outcomes,
    /// From the end of the fault until every company had a good answer to a read and to a write;
    /// none if that never happened.
    pub(crate) recovery: Option<Duration>,
    /// From the end of the fault until the last bad answer to a request that began after it,
    /// ignoring a company's own retries beyond its concurrent requests.
    pub(crate) stable: Duration,
    /// Acknowledged but missing.
    pub(crate) lost: usize,
    /// Present twice, or sent twice.
    pub(crate) doubled: usize,
    pub(crate) notes: Vec<String>,
    /// Shortcomings that no other figure shows.
    pub(crate) short: Vec<String>,
}

impl Figures {
    pub(crate) const HEAD: &str = "| fault | calm p50 / p99, ms | during p50 / p99 / slowest, ms | p99 × calm | answers during | answers after | first good / last bad after it, s | lost | doubled | rule |\n\
                                   |---|---|---|---|---|---|---|---|---|---|";

    /// A row of the table.
    pub(crate) fn row(&self, name: &str, whose: Whose) -> String {
        let ms = |duration: Duration| {
            let ms = duration.as_secs_f64() * 1000.0;
            if ms < 10.0 { format!("{ms:.1}") } else { format!("{ms:.0}") }
        };
        let missed = self.missed(whose);
        let kept = if missed.is_empty() { "held".to_owned() } else { format!("**missed**: {}", missed.join(", ")) };
        let rule = [&[kept], self.notes.as_slice()].concat().join("; ");
        let seconds = |took: Duration| format!("{:.2}", took.as_secs_f64());
        let recovery = self.recovery.map_or("never".to_owned(), seconds);
        let stable = seconds(self.stable);
        format!(
            "| {name} | {} / {} | {} / {} / {} | {:.1} | {} | {} | {recovery} / {stable} | {} | {} | {rule} |",
            ms(self.calm.half),
            ms(self.calm.p99),
            ms(self.fault.half),
            ms(self.fault.p99),
            ms(self.fault.slowest),
            self.slower(),
            said(&self.during),
            said(&self.after),
            self.lost,
            self.doubled,
        )
    }

    /// The rules that hold on any machine, however busy.
    pub(crate) fn certain(&self, whose: Whose) -> Result<(), String> {
        let answered = match whose {
            Whose::Others => self.recovery.is_some(),
            Whose::Everybodys => self.recovery.is_some_and(|took| took <= RECOVERY_AT_LAST),
        };
        let good = self.count(Outcome::is_good) > 0;
        if good && answered && self.lost + self.doubled + self.count(is_fault) + self.count(is_bare) == 0 {
            return Ok(());
        }
        Err(self.row("", whose))
    }

    fn slower(&self) -> f64 {
        self.fault.p99.as_secs_f64() / self.calm.p99.as_secs_f64().max(0.001)
    }

    fn count(&self, which: impl Fn(Outcome) -> bool) -> usize {
        let all = self.during.iter().chain(&self.after);
        all.filter(|(outcome, _)| which(**outcome)).map(|(_, times)| times).sum()
    }

    /// The broken parts of the rule.
    fn missed(&self, whose: Whose) -> Vec<String> {
        let mut missed = self.short.clone();
        let mut must = |kept: bool, what: String| {
            if !kept {
                missed.push(what);
            }
        };
        must(self.count(is_fault) == 0, "500".to_owned());
        must(self.count(is_bare) == 0, "503 without Retry-After".to_owned());
        must(self.lost == 0, "lost".to_owned());
        must(self.doubled == 0, "doubled".to_owned());
        must(self.recovery.is_some_and(|took| took <= RECOVERY) && self.stable <= RECOVERY, "recovery".to_owned());
        match whose {
            Whose::Others => {
                must(self.slower() <= SLOWER, "p99".to_owned());
                missed.extend(not_answered_well(&self.during));
            }
            Whose::Everybodys => must(self.fault.slowest <= HANG, "an answer beyond the deadline".to_owned()),
        }
        missed
    }
}

fn is_fault(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Status(500 | 502 | 504..))
}

fn is_bare(outcome: Outcome) -> bool {
    outcome == Outcome::Bare503
}

/// How many were not answered well, if they are more than one in a hundred.
pub(crate) fn not_answered_well(outcomes: &Outcomes) -> Option<String> {
    let all: usize = outcomes.values().sum();
    let bad: usize = outcomes.iter().filter(|(outcome, _)| !outcome.is_good()).map(|(_, times)| times).sum();
    (bad * 100 > all).then(|| format!("{bad} of {all} not answered well"))
}

/// The outcomes and how often each occurred.
pub(crate) fn said(outcomes: &Outcomes) -> String {
    let each = outcomes.iter().map(|(outcome, times)| match outcome {
        Outcome::Status(status) => format!("{status}: {times}"),
        Outcome::Busy => format!("503 busy: {times}"),
        Outcome::Bare503 => format!("503 bare: {times}"),
        Outcome::Cut => format!("cut: {times}"),
        Outcome::Hung => format!("hung: {times}"),
    });
    each.collect::<Vec<_>>().join(", ")
}
