//! The figures of `/metrics` that a view shows, by kind, and differences of them.

use std::collections::BTreeMap;

use svc_core::observe;

use super::exposition::{Sample, samples};
use super::view::{ByName, DatabaseUse};
use crate::metric_names::{
    BUILD_INFO, COMPANY_REQUESTS, CONNECTIONS, DATABASE_CONNECTIONS, DATABASE_CONNECTIONS_MAX, PROCESS_CPU,
    PROCESS_MEMORY,
};

/// The figures of one scrape.
#[derive(Default)]
pub(super) struct Figures {
    pub(super) traffic: Traffic,
    pub(super) outcomes: Outcomes,
    pub(super) gauges: Gauges,
}

/// Counters that a view shows as rates.
#[derive(Default)]
pub(super) struct Traffic {
    pub(super) requests: BTreeMap<RequestKey, f64>,
    pub(super) durations: BTreeMap<String, Histogram>,
    pub(super) companies: BTreeMap<i64, f64>,
    /// Seconds of a processor.
    pub(super) cpu: f64,
}

/// The labels by which requests are counted.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RequestKey {
    pub(super) operation: String,
    pub(super) status: String,
}

/// Counters that a view shows for the last minute.
#[derive(Default)]
pub(super) struct Outcomes {
    pub(super) stampings: ByName,
    pub(super) cancellations: ByName,
    pub(super) deliveries: ByName,
    pub(super) emails: ByName,
    pub(super) failures: ByName,
}

/// Figures that a view shows as they are.
#[derive(Default)]
pub(super) struct Gauges {
    pub(super) version: String,
    pub(super) in_flight: f64,
    pub(super) queues: ByName,
    pub(super) held: ByName,
    pub(super) database: DatabaseUse,
    pub(super) clients: f64,
    pub(super) memory: f64,
    pub(super) clock_offset: Option<f64>,
}

/// The buckets of a histogram, the lowest bound first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Histogram(pub(super) Vec<(f64, f64)>);

impl Figures {
    /// Reads the text of a scrape.
    pub(super) fn read(text: &str) -> Self {
        let mut figures = Self::default();
        for sample in samples(text) {
            match sample {
                // JSON has no number for others.
                Ok(sample) if sample.value.is_finite() => figures.add(&sample),
                Ok(_) => {}
                Err(line) => tracing::warn!(line, "a figure could not be read"),
            }
        }
        for Histogram(buckets) in figures.traffic.durations.values_mut() {
            buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        figures
    }

    fn add(&mut self, sample: &Sample<'_>) {
        let Self { traffic, outcomes, gauges } = self;
        let value = sample.value;
        let by = |figures: &mut ByName, label: &str| {
            figures.insert(sample.label(label), value);
        };
        match sample.name {
            observe::REQUESTS => {
                let key = RequestKey { operation: sample.label("operation"), status: sample.label("status") };
                traffic.requests.insert(key, value);
            }
            COMPANY_REQUESTS => {
                if let Ok(empresa) = sample.label("empresa").parse() {
                    traffic.companies.insert(empresa, value);
                }
            }
            PROCESS_CPU => traffic.cpu = value,
            observe::STAMPINGS => by(&mut outcomes.stampings, "outcome"),
            observe::CANCELLATIONS => by(&mut outcomes.cancellations, "outcome"),
            observe::DELIVERIES => by(&mut outcomes.deliveries, "outcome"),
            observe::EMAILS => by(&mut outcomes.emails, "outcome"),
            observe::BACKGROUND_FAILURES => {
                let cause = format!("{} {}", sample.label("work"), sample.label("reason"));
                outcomes.failures.insert(cause, value);
            }
            observe::QUEUE_AGE => by(&mut gauges.queues, "queue"),
            observe::HELD => by(&mut gauges.held, "reason"),
            observe::REQUESTS_IN_FLIGHT => gauges.in_flight = value,
            observe::CLOCK_OFFSET => gauges.clock_offset = Some(value),
            BUILD_INFO => gauges.version = sample.label("version"),
            CONNECTIONS => gauges.clients = value,
            DATABASE_CONNECTIONS if sample.label("state") == "used" => gauges.database.used = value,
            DATABASE_CONNECTIONS => gauges.database.idle = value,
            DATABASE_CONNECTIONS_MAX => gauges.database.max = value,
            PROCESS_MEMORY => gauges.memory = value,
            name if name.strip_suffix("_bucket") == Some(observe::REQUEST_DURATION) => {
                if let Ok(bound) = sample.label("le").parse() {
                    traffic.durations.entry(sample.label("operation")).or_default().0.push((bound, value));
                }
            }
            _ => {}
        }
    }
}

/// How much a counter grew; one that is lower began anew.
pub(super) fn growth(now: f64, before: f64) -> f64 {
    if now < before { now } else { now - before }
}

/// How much each counter grew that did.
pub(super) fn growths<'a, K: Ord>(
    now: &'a BTreeMap<K, f64>,
    before: &'a BTreeMap<K, f64>,
) -> impl Iterator<Item = (&'a K, f64)> {
    let grown = now.iter().map(|(key, now)| (key, growth(*now, before.get(key).copied().unwrap_or(0.0))));
    grown.filter(|(_, grown)| *grown > 0.0)
}

impl Histogram {
    /// What was added; all of it if the histogram began anew.
    pub(super) fn since(&self, before: Option<&Self>) -> Self {
        let Some(before) = before.filter(|before| self.total() >= before.total()) else { return self.clone() };
        let of = |bound: f64| before.0.iter().find(|(other, _)| other.total_cmp(&bound).is_eq());
        let grown = self.0.iter().map(|&(bound, count)| (bound, growth(count, of(bound).map_or(0.0, |found| found.1))));
        Self(grown.collect())
    }

    pub(super) fn add(&mut self, other: &Self) {
        if self.0.is_empty() {
            self.clone_from(other);
            return;
        }
        for (bound, count) in &mut self.0 {
            let of_other = other.0.iter().find(|(found, _)| found.total_cmp(bound).is_eq());
            *count += of_other.map_or(0.0, |found| found.1);
        }
    }

    fn total(&self) -> f64 {
        self.0.last().map_or(0.0, |(_, count)| *count)
    }
}
