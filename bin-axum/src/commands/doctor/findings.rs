//! What is wrong, one line each.

use std::fmt::Display;

#[derive(Debug, Default)]
pub(super) struct Findings(Vec<String>);

impl Findings {
    pub(super) fn note(&mut self, finding: impl Display) {
        self.0.push(finding.to_string().replace(['\n', '\r'], " "));
    }

    /// What was done; an error is a finding.
    pub(super) fn done<T>(&mut self, outcome: Result<T, impl Display>) -> Option<T> {
        outcome.map_err(|error| self.note(error)).ok()
    }

    pub(super) fn lines(&self) -> &[String] {
        &self.0
    }
}
