//! The progress of long work, on a terminal only: how much is done, how fast, and how long the rest
//! takes.

use std::io::{IsTerminal as _, Read, stdout};
use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often a bar is drawn while nothing happens, so that its time goes on.
const TICK: Duration = Duration::from_millis(200);

/// Work whose end is known: what is done of how much, and the time that is left.
const KNOWN: &str = "{bar:30} {percent:>3} %  {msg}  {elapsed}, {eta} left";

/// Work whose end is not known.
const UNKNOWN: &str = "{spinner} {msg}  {elapsed}";

/// A bar on stderr; it hides itself where that is no terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// What is counted, such as "records".
    counted: &'static str,
}

impl Progress {
    /// A bar for the things `counted`, in an input of `length` bytes or of as many things, if that
    /// is known.
    pub(crate) fn new(counted: &'static str, length: Option<u64>) -> Self {
        let bar = length.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        let template = if length.is_some() { KNOWN } else { UNKNOWN };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style);
        bar.enable_steady_tick(TICK);
        Self { bar, counted }
    }

    /// A bar for work that prints to stdout: hidden if stdout is a terminal too.
    pub(crate) fn beside_stdout(counted: &'static str) -> Self {
        let progress = Self::new(counted, None);
        if stdout().is_terminal() {
            progress.bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        progress
    }

    /// Whether anybody sees it.
    pub(crate) fn is_seen(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// A reader whose bytes move the bar.
    pub(crate) fn of_reader<R: Read>(&self, reader: R) -> impl Read + use<R> {
        self.bar.wrap_read(reader)
    }

    /// Shows that this many things are done.
    pub(crate) fn tell(&self, done: u64) {
        self.bar.set_message(told(self.counted, done, self.bar.elapsed()));
    }

    /// Shows that this many things of all are done.
    pub(crate) fn tell_of(&self, done: u64, all: u64) {
        if self.bar.length() != Some(all) {
            self.bar.set_length(all);
            if let Ok(style) = ProgressStyle::with_template(KNOWN) {
                self.bar.set_style(style);
            }
        }
        self.bar.set_position(done);
        self.tell(done);
    }

    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// A count and its rate.
fn told(counted: &str, done: u64, elapsed: Duration) -> String {
    // A rate within the first moments says nothing.
    let millis = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX).max(100);
    let rate = |unit: u64| done.saturating_mul(unit) / millis;
    let (rate, unit) = match rate(1_000) {
        0 if done > 0 => (rate(60_000), "min"),
        rate => (rate, "s"),
    };
    format!("{} {counted}, {}/{unit}", HumanCount(done), HumanCount(rate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_readable_and_have_a_rate() {
        let told = |done, millis| told("records", done, Duration::from_millis(millis));
        assert_eq!(told(1_234_567, 2_000), "1,234,567 records, 617,283/s");
        assert_eq!(told(0, 0), "0 records, 0/s");
        assert_eq!(told(3, 30_000), "3 records, 6/min");
        assert_eq!(told(u64::MAX, 1), "18,446,744,073,709,551,615 records, 184,467,440,737,095,516/s");
    }

    #[test]
    fn what_is_known_has_an_end() {
        let bar = Progress::new("rows", None);
        bar.tell(10);
        assert_eq!(
            (bar.bar.length(), bar.bar.message().split(',').next().map(str::to_owned)),
            (None, Some("10 rows".to_owned()))
        );
        bar.tell_of(50, 200);
        assert_eq!((bar.bar.length(), bar.bar.position()), (Some(200), 50));
        bar.end();
    }
}
