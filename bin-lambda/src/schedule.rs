//! Runs the server's background work within an invocation's time.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::join_all;
use serde::Serialize;
use serde_json::{Map, Value, json};
use svc_core::domain::clock::{Clock, SystemClock};
use svc_core::mail::{notify_due, tell_owners};
use svc_core::settings::OutsideSettings;
use svc_core::stamping::stamp_due;
use svc_core::subscribers::run_subscribers;
use svc_core::webhooks::deliver_due;
use svc_core::{Budget, Context, clean_up};

use crate::task::Task;

/// How long before its deadline an invocation ends its work.
const MARGIN: TimeDelta = TimeDelta::seconds(2);

/// How long an e-mail may take (`svc_core::mail::Notifier`).
const E_MAIL: Duration = Duration::from_secs(30);

/// How long a host's subscriber may take at an event (`svc_core::subscribers::Subscriber`).
const SUBSCRIBER: Duration = Duration::from_secs(5);

/// The tasks that failed; the others were done.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct ScheduleError(String);

pub(crate) struct Schedule {
    context: Context,
    outside: OutsideSettings,
}

impl Schedule {
    pub(crate) fn new(context: Context, outside: OutsideSettings) -> Self {
        Self { context, outside }
    }

    /// Runs the tasks concurrently and reports on each; `null` for one that the deadline cut. It
    /// ends two seconds before `deadline` and claims nothing that could last longer. Unfinished
    /// work keeps its lease until that expires, and is then claimed again.
    pub(crate) async fn run(&self, tasks: &[Task], deadline: DateTime<Utc>) -> Result<Value, ScheduleError> {
        let until = deadline - MARGIN;
        let results = join_all(tasks.iter().map(|&task| self.within(task, until))).await;
        let (mut report, mut failures) = (Map::new(), Vec::new());
        for (&task, result) in tasks.iter().zip(results) {
            match result {
                Ok(done) => {
                    report.insert(task.name().to_owned(), done);
                }
                Err(failure) => failures.push(format!("{}: {failure}", task.name())),
            }
        }
        let report = Value::Object(report);
        tracing::info!(done = report.to_string(), "scheduled work");
        if failures.is_empty() { Ok(report) } else { Err(ScheduleError(failures.join("; "))) }
    }

    async fn within(&self, task: Task, until: DateTime<Utc>) -> Result<Value, String> {
        let left = (until - SystemClock.now()).to_std().unwrap_or_default();
        tokio::time::timeout(left, self.work(task, until)).await.unwrap_or_else(|_| {
            tracing::warn!(task = task.name(), "not all that was under way ended in time; its leases run out");
            Ok(Value::Null)
        })
    }

    async fn work(&self, task: Task, until: DateTime<Utc>) -> Result<Value, String> {
        match task {
            Task::Stamp => self.stamp(until).await,
            Task::Deliver => self.deliver(until).await,
            Task::CleanUp => {
                let removed = clean_up(&self.context).await.map_err(text)?;
                Ok(json!({ "removed": removed }))
            }
        }
    }

    async fn stamp(&self, until: DateTime<Utc>) -> Result<Value, String> {
        let stamper = self.outside.stamper.stamper().map_err(text)?;
        let longest = stamper.as_ref().map_or(Duration::ZERO, |stamper| stamper.deadline());
        value(&stamp_due(&self.context, stamper.as_deref(), budget(until, longest)).await.map_err(text)?)
    }

    async fn deliver(&self, until: DateTime<Utc>) -> Result<Value, String> {
        let sender = self.outside.webhooks.sender().map_err(text)?;
        let mail = self.outside.mail.notifier().map_err(text)?;
        let budget_of = |longest| budget(until, longest);
        let delivered =
            deliver_due(&self.context, sender.as_ref(), budget_of(sender.deadline())).await.map_err(text)?;
        let mut report = json!({ "webhooks": value(&delivered)? });
        if let Some(mail) = mail {
            tell_owners(&self.context, !self.outside.stamper.is_set()).await.map_err(text)?;
            let sent = notify_due(&self.context, mail.as_ref(), budget_of(E_MAIL)).await.map_err(text)?;
            report["mail"] = value(&sent)?;
        }
        let handled = run_subscribers(&self.context, budget_of(SUBSCRIBER)).await.map_err(text)?;
        if !handled.is_empty() {
            report["subscribers"] = value(&handled)?;
        }
        Ok(report)
    }
}

/// A budget that leaves time for the longest possible last record, but uses at least half of the
/// time.
fn budget(until: DateTime<Utc>, longest: Duration) -> Budget {
    let left = (until - SystemClock.now()).max(TimeDelta::zero());
    let longest = TimeDelta::from_std(longest).map_or(left / 2, |longest| longest.min(left / 2));
    Budget::unlimited().until(until - longest)
}

fn value(report: &impl Serialize) -> Result<Value, String> {
    serde_json::to_value(report).map_err(text)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
