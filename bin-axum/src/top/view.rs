//! [`View`]: what `/top.json` answers. Durations are in seconds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Figures by the value of one label.
pub(crate) type ByName = BTreeMap<String, f64>;

/// What a server is doing now.
///
/// Fields that a server of another version leaves out are empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct View {
    pub(crate) version: String,
    /// Seconds for which the server has counted.
    pub(crate) uptime: f64,
    /// The time that the rates are averages of.
    pub(crate) span: f64,
    /// Whether the rates are averages since the start, because nobody watched in the last seconds.
    pub(crate) since_start: bool,
    pub(crate) requests: RequestRates,
    /// The busiest operations, the busiest first.
    pub(crate) operations: Vec<OperationRates>,
    /// The busiest companies, the busiest first.
    pub(crate) companies: Vec<CompanyRate>,
    /// For how long the oldest item of each queue has been due.
    pub(crate) queues: ByName,
    pub(crate) outcomes: OutcomeCounts,
    /// Documents that wait for a person, by reason.
    pub(crate) held: ByName,
    pub(crate) database: DatabaseUse,
    /// Open connections of clients.
    pub(crate) clients: f64,
    pub(crate) process: ProcessUse,
    /// How far the clock is ahead of the database's; null until the two were compared.
    pub(crate) clock_offset: Option<f64>,
}

/// Requests a second, and how long they take.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RequestRates {
    pub(crate) per_second: f64,
    /// Those with a status of 4xx, or given up by the client.
    pub(crate) refused: f64,
    /// Those with a status of 5xx.
    pub(crate) failed: f64,
    /// Those being answered now.
    pub(crate) in_flight: f64,
    /// Null if nothing was answered in the span.
    pub(crate) p50: Option<f64>,
    pub(crate) p99: Option<f64>,
}

/// The requests of one operation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct OperationRates {
    /// The template of its path, with the method.
    pub(crate) operation: String,
    pub(crate) per_second: f64,
    /// Those with a status of 5xx.
    pub(crate) failed: f64,
    pub(crate) p50: Option<f64>,
    pub(crate) p99: Option<f64>,
}

/// The requests of one company.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct CompanyRate {
    pub(crate) empresa: i64,
    /// Null for a company that was not among the busiest when the span began.
    pub(crate) per_second: Option<f64>,
}

/// How often background work came to each outcome.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct OutcomeCounts {
    /// The time that is counted: a minute, once somebody has watched for so long.
    pub(crate) span: f64,
    /// Whether all since the start is counted.
    pub(crate) since_start: bool,
    pub(crate) stampings: ByName,
    pub(crate) cancellations: ByName,
    /// Attempts at notices of webhooks.
    pub(crate) deliveries: ByName,
    pub(crate) emails: ByName,
    /// Failures of background work, by work and reason.
    pub(crate) failures: ByName,
}

/// Connections for requests to the database.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct DatabaseUse {
    pub(crate) used: f64,
    pub(crate) idle: f64,
    pub(crate) max: f64,
}

/// What the process takes of its machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ProcessUse {
    /// Processors in use: 1.5 is one and a half.
    pub(crate) cpu: f64,
    /// Bytes in memory.
    pub(crate) memory: f64,
}
