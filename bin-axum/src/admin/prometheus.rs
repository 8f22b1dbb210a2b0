//! Metrics in Prometheus' text format: those of [`svc_core::observe`], of the database's pool and
//! of the process, and the busiest companies.

use std::fmt::Write as _;
use std::time::Duration;

use metrics::{describe_counter, describe_gauge, gauge};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use metrics_process::Collector;
use svc_core::domain::company::CompanyId;
use svc_core::{Context, observe};
use svc_store_postgres::PostgresStore;
use tokio::time::interval;

use crate::failure::Failure;
use crate::metric_names::{
    BUILD_INFO, COMPANY_REQUESTS, CONNECTIONS, CONNECTIONS_DISPLACED, CONNECTIONS_REFUSED, DATABASE_CONNECTIONS,
    DATABASE_CONNECTIONS_MAX,
};

/// Upper bounds of the histogram's buckets, in seconds: from answers out of memory to the usual
/// client timeouts.
const BUCKETS: [f64; 14] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// How often recorded values are aggregated, so that they do not accumulate between scrapes.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// The most companies that metrics tell apart.
const MAX_COMPANIES: usize = 20;

/// Records metrics from now on.
pub(super) struct MetricsRecorder {
    recorded: PrometheusHandle,
    process: Collector,
}

impl MetricsRecorder {
    pub(super) fn start() -> Result<Self, Failure> {
        let failed = |error: &dyn std::fmt::Display| Failure::Other(format!("figures cannot be counted: {error}"));
        let builder = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Full(observe::REQUEST_DURATION.to_owned()), &BUCKETS)
            .map_err(|error| failed(&error))?;
        let recorded = builder.install_recorder().map_err(|error| failed(&error))?;
        observe::describe();
        describe_gauge!(CONNECTIONS, "Connections of clients");
        describe_counter!(CONNECTIONS_DISPLACED, "Connections of clients that waited and were ended for newcomers");
        describe_counter!(CONNECTIONS_REFUSED, "Connections of clients refused because too many were busy");
        describe_gauge!(DATABASE_CONNECTIONS, "Connections for requests to the database, by state");
        describe_gauge!(DATABASE_CONNECTIONS_MAX, "Connections for requests to the database at the most");
        describe_gauge!(BUILD_INFO, "1, with the version");
        let process = Collector::default();
        process.describe();
        gauge!(BUILD_INFO, "version" => env!("CARGO_PKG_VERSION")).set(1.0);
        Ok(Self { recorded, process })
    }

    /// Adds the metrics of the store's pool and of companies.
    pub(super) fn with(self, store: PostgresStore, context: Context) -> Metrics {
        Metrics { recorder: self, store, context }
    }
}

/// Metrics to be scraped.
pub(super) struct Metrics {
    recorder: MetricsRecorder,
    store: PostgresStore,
    context: Context,
}

impl Metrics {
    /// The current values, as text.
    pub(super) fn text(&self) -> String {
        let connections = self.store.connections();
        gauge!(DATABASE_CONNECTIONS, "state" => "idle").set(connections.idle);
        gauge!(DATABASE_CONNECTIONS, "state" => "used").set(connections.used);
        gauge!(DATABASE_CONNECTIONS_MAX).set(connections.max);
        self.recorder.process.collect();
        let mut text = self.recorder.recorded.render();
        write_companies(&mut text, &self.context.busiest_companies(MAX_COMPANIES));
        text
    }

    /// Aggregates recorded values forever.
    pub(super) async fn keep_up(&self) {
        let mut timer = interval(UPKEEP_INTERVAL);
        loop {
            timer.tick().await;
            self.recorder.recorded.run_upkeep();
        }
    }
}

/// Writes how many requests each company sent. The recorder would keep those that are no longer
/// among the busiest.
fn write_companies(text: &mut String, companies: &[(CompanyId, u64)]) {
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "# HELP {COMPANY_REQUESTS} Requests of the busiest companies, refused ones too\n\
         # TYPE {COMPANY_REQUESTS} counter\n"
    );
    for (company, asked) in companies {
        let _ = writeln!(text, "{COMPANY_REQUESTS}{{empresa=\"{}\"}} {asked}", company.0);
    }
}
