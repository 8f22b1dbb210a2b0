//! [`Board`]: makes a view of the figures, by their differences from earlier readings.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::figures::{Figures, Histogram, Outcomes, RequestKey, Traffic, growth, growths};
use super::quantile::quantile;
use super::ring::{Base, Ring};
use super::view::{ByName, CompanyRate, OperationRates, OutcomeCounts, ProcessUse, RequestRates, View};

/// The span of rates, at the least.
const RATE_SPAN: Duration = Duration::from_secs(5);

/// The span of outcomes, which are rare.
const OUTCOME_SPAN: Duration = Duration::from_mins(1);

/// How long a view serves everybody who asks, so that many who watch cost as much as one.
const FRESH: Duration = Duration::from_millis(900);

/// The most operations in a view.
const MAX_OPERATIONS: usize = 20;

/// The last readings, and the view of the latest.
pub(crate) struct Board {
    start: Instant,
    traffic: Ring<Traffic>,
    outcomes: Ring<Outcomes>,
    last: Option<(Instant, View)>,
}

impl Board {
    /// A board of counters that begin now.
    pub(crate) fn new(start: Instant) -> Self {
        let (traffic, outcomes) = (Ring::new(RATE_SPAN, start), Ring::new(OUTCOME_SPAN, start));
        Self { start, traffic, outcomes, last: None }
    }

    /// What is going on; `scrape` gives the text of `/metrics`.
    pub(crate) fn view(&mut self, now: Instant, scrape: impl FnOnce() -> String) -> View {
        if let Some((at, view)) = &self.last
            && now.saturating_duration_since(*at) < FRESH
        {
            return view.clone();
        }
        let Figures { traffic, outcomes, gauges } = Figures::read(&scrape());
        let (base, before) = (self.traffic.base(now), self.outcomes.base(now));
        let (mut requests, mut operations) = request_rates(&traffic, &base);
        requests.in_flight = gauges.in_flight;
        operations.truncate(MAX_OPERATIONS);
        let view = View {
            version: gauges.version,
            uptime: now.saturating_duration_since(self.start).as_secs_f64(),
            span: base.span.as_secs_f64(),
            since_start: base.is_start,
            requests,
            operations,
            companies: company_rates(&traffic, &base),
            queues: gauges.queues,
            outcomes: outcome_counts(&outcomes, &before),
            held: gauges.held,
            database: gauges.database,
            clients: gauges.clients,
            process: ProcessUse { cpu: rate(growth(traffic.cpu, base.figures.cpu), base.span), memory: gauges.memory },
            clock_offset: gauges.clock_offset,
        };
        self.traffic.push(now, traffic);
        self.outcomes.push(now, outcomes);
        self.last = Some((now, view.clone()));
        view
    }
}

/// Per second; 0 over no time.
fn rate(grown: f64, span: Duration) -> f64 {
    if span.is_zero() { 0.0 } else { grown / span.as_secs_f64() }
}

/// The rates of all requests, and those of each operation, the busiest first.
fn request_rates(traffic: &Traffic, base: &Base<'_, Traffic>) -> (RequestRates, Vec<OperationRates>) {
    let mut all = RequestRates::default();
    let mut durations = Histogram::default();
    let mut operations = BTreeMap::<&str, OperationRates>::new();
    for (RequestKey { operation, status }, grown) in growths(&traffic.requests, &base.figures.requests) {
        let rate = rate(grown, base.span);
        let (refused, failed) = (status.starts_with('4'), status.starts_with('5'));
        let of_operation = operations.entry(operation).or_default();
        of_operation.per_second += rate;
        all.per_second += rate;
        all.refused += if refused { rate } else { 0.0 };
        all.failed += if failed { rate } else { 0.0 };
        of_operation.failed += if failed { rate } else { 0.0 };
    }
    for (operation, histogram) in &traffic.durations {
        let grown = histogram.since(base.figures.durations.get(operation));
        if let Some(of_operation) = operations.get_mut(operation.as_str()) {
            (of_operation.p50, of_operation.p99) = (quantile(&grown.0, 0.5), quantile(&grown.0, 0.99));
        }
        durations.add(&grown);
    }
    (all.p50, all.p99) = (quantile(&durations.0, 0.5), quantile(&durations.0, 0.99));
    let named = operations.into_iter().map(|(name, rates)| OperationRates { operation: name.to_owned(), ..rates });
    let mut operations: Vec<_> = named.collect();
    operations.sort_by(|a, b| b.per_second.total_cmp(&a.per_second));
    (all, operations)
}

/// The rates of the busiest companies, the busiest first. The counter of a company that was not
/// among them before may hold what it asked at any time.
fn company_rates(traffic: &Traffic, base: &Base<'_, Traffic>) -> Vec<CompanyRate> {
    let rates = traffic.companies.iter().map(|(empresa, now)| {
        let before = base.figures.companies.get(empresa).copied().or(base.is_start.then_some(0.0));
        CompanyRate { empresa: *empresa, per_second: before.map(|before| rate(growth(*now, before), base.span)) }
    });
    let mut rates: Vec<_> = rates.collect();
    // One whose rate is not known yet has just become busy.
    let rank = |company: &CompanyRate| company.per_second.unwrap_or(f64::INFINITY);
    rates.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
    rates
}

fn outcome_counts(now: &Outcomes, base: &Base<'_, Outcomes>) -> OutcomeCounts {
    let grown = |now: &ByName, before: &ByName| -> ByName {
        growths(now, before).map(|(outcome, grown)| (outcome.clone(), grown)).collect()
    };
    let before = base.figures;
    OutcomeCounts {
        span: base.span.as_secs_f64(),
        since_start: base.is_start,
        stampings: grown(&now.stampings, &before.stampings),
        cancellations: grown(&now.cancellations, &before.cancellations),
        deliveries: grown(&now.deliveries, &before.deliveries),
        emails: grown(&now.emails, &before.emails),
        failures: grown(&now.failures, &before.failures),
    }
}

#[cfg(test)]
mod tests;
