//! The tasks that a schedule may name.

use serde::Deserialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Task {
    /// Have invoices and payment complements stamped.
    Stamp,
    /// Deliver webhooks' notices, send the resulting e-mails, and run a host's subscribers.
    Deliver,
    /// Remove expired data.
    CleanUp,
}

/// Tasks as an event names them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Named {
    One(Task),
    Several(Vec<Task>),
    Word(String),
}

impl Task {
    pub(crate) const ALL: [Self; 3] = [Self::Stamp, Self::Deliver, Self::CleanUp];

    /// Reads the tasks in a JSON value: one, several in an array (each runs once), or `"all"`.
    pub(crate) fn read(json: &str) -> Option<Vec<Self>> {
        match serde_json::from_str(json).ok()? {
            Named::One(task) => Some(vec![task]),
            Named::Several(tasks) if !tasks.is_empty() => {
                Some(Self::ALL.into_iter().filter(|task| tasks.contains(task)).collect())
            }
            Named::Word(word) if word == "all" => Some(Self::ALL.to_vec()),
            _ => None,
        }
    }

    /// Its name in reports.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Stamp => "stamp",
            Self::Deliver => "deliver",
            Self::CleanUp => "clean_up",
        }
    }
}
