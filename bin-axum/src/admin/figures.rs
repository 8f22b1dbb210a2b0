//! Figures in Prometheus' text form: those of [`svc_core::observe`], and what the process knows of itself.

use std::time::Duration;

use metrics::{describe_gauge, gauge};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use metrics_process::Collector;
use svc_core::observe;
use svc_store_postgres::PostgresStore;
use tokio::time::interval;

use crate::failure::Failure;
use crate::metric_names::{BUILD_INFO, CONNECTIONS, DATABASE_CONNECTIONS, DATABASE_CONNECTIONS_MAX};

/// Upper bounds of the durations that are counted together, in seconds: from what an answer from memory takes to where
/// clients give up.
const BUCKETS: [f64; 14] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// How often what was recorded is summed up, so that it does not pile up between scrapes.
const SUM_UP: Duration = Duration::from_secs(5);

/// Figures that are counted from now on.
pub(super) struct Figures {
    recorded: PrometheusHandle,
    process: Collector,
}

impl Figures {
    pub(super) fn start() -> Result<Self, Failure> {
        let failed = |error: &dyn std::fmt::Display| Failure::Other(format!("figures cannot be counted: {error}"));
        let builder = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Full(observe::REQUEST_DURATION.to_owned()), &BUCKETS)
            .map_err(|error| failed(&error))?;
        let recorded = builder.install_recorder().map_err(|error| failed(&error))?;
        observe::describe();
        describe_gauge!(CONNECTIONS, "Connections of clients");
        describe_gauge!(DATABASE_CONNECTIONS, "Connections to the database, by state");
        describe_gauge!(DATABASE_CONNECTIONS_MAX, "Connections to the database at the most");
        describe_gauge!(BUILD_INFO, "1, with the version");
        let process = Collector::default();
        process.describe();
        gauge!(BUILD_INFO, "version" => env!("CARGO_PKG_VERSION")).set(1.0);
        Ok(Self { recorded, process })
    }

    /// With those of that store.
    pub(super) fn of(self, store: PostgresStore) -> Scraped {
        Scraped { figures: self, store }
    }
}

/// Figures as they are asked for.
pub(super) struct Scraped {
    figures: Figures,
    store: PostgresStore,
}

impl Scraped {
    /// As they are now.
    pub(super) fn text(&self) -> String {
        let pool = self.store.pool();
        let (all, idle) = (pool.size(), u32::try_from(pool.num_idle()).unwrap_or(u32::MAX));
        gauge!(DATABASE_CONNECTIONS, "state" => "idle").set(idle);
        gauge!(DATABASE_CONNECTIONS, "state" => "used").set(all.saturating_sub(idle));
        gauge!(DATABASE_CONNECTIONS_MAX).set(pool.options().get_max_connections());
        self.figures.process.collect();
        self.figures.recorded.render()
    }

    /// Sums up what was recorded, for ever.
    pub(super) async fn keep(&self) {
        let mut timer = interval(SUM_UP);
        loop {
            timer.tick().await;
            self.figures.recorded.run_upkeep();
        }
    }
}
