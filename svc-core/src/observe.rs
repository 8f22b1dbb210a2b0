//! Logs and metrics: a [`tracing`] span and one line per request, and metrics through the
//! [`metrics`] facade. Nothing is written or counted unless the embedding program installs a
//! subscriber or a recorder.
//!
//! Neither ever contains a secret, a body, a query or a path as it was sent: an operation is named
//! by its template (`PUT /clientes/{clave}`), so the number of names is bounded.
//!
//! # Spans and lines
//!
//! A request is a span `request` (target [`TARGET`]) with the fields `peticion`, `operation`,
//! `direccion` if the front end tells the client's address, `empresa` and `llave` (the key's id)
//! once the sender is authenticated, and `status` at the end. It has one line, `answered`, with
//! `duration_ms` and, for an error, `codigo`: at INFO for an authenticated request, else at DEBUG
//! (health checks, refused credentials, unknown paths), so that requests without a key do not fill
//! the log. Before it, an internal error (5xx) has a line at ERROR with its cause. A request that
//! the client cancels ends with status 499.
//!
//! Elsewhere WARN is a problem that is retried, INFO an event of interest to operators, and DEBUG
//! help for finding faults.
//!
//! # Metrics
//!
//! | name | kind | labels |
//! |---|---|---|
//! | [`REQUESTS`] | counter | `operation`, `status` |
//! | [`REQUEST_DURATION`] | histogram, seconds | `operation` |
//! | [`REQUESTS_IN_FLIGHT`] | gauge | – |
//! | [`TRANSACTION_RETRIES`] | counter | – |
//! | [`DELIVERIES`] | counter | `outcome`: `delivered` `retried` `failed` `lost` |
//! | [`STAMPINGS`] | counter | `outcome`: `stamped` `rejected` `postponed` `held` `waiting` `lost` `failed` |
//! | [`CANCELLATIONS`] | counter | `outcome`: `cancelled` `rejected` `postponed` `held` `waiting` `lost` `failed` |
//! | [`HELD`] | gauge | `reason`: `estancado` (nobody can tell what became of it) `configuracion` (the provider refuses the account) `copia` (the database is a copy, and the original sends them) `no_provider` (no stamping provider is set) |
//! | [`EMAILS`] | counter | `outcome`: `sent` `postponed` `given_up` `dropped` |
//! | [`SUBSCRIBER_EVENTS`] | counter | `outcome`: `handled` `postponed` `given_up` |
//! | [`BACKGROUND_FAILURES`] | counter | `work`: `stamping` `delivery` `mail` `subscribers` `clean-up` `usage` `keys`; `reason`: `error` `panic` `late` `company` |
//! | [`REQUESTS_NOT_LOGGED`] | counter | – |
//! | [`CLOCK_OFFSET`] | gauge, seconds | – |
//! | [`QUEUE_AGE`] | gauge, seconds | `queue`: `stampings` `cancellations` `groups` `events` `deliveries` `discards` `mails` |

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use http::StatusCode;
use metrics::{SharedString, Unit, counter, gauge, histogram};
use tracing::Span;
use tracing::field::Empty;

use crate::domain::company::CompanyId;
use crate::error::{Code, Error};

/// The `tracing` target of a request's span and line.
pub const TARGET: &str = "svc_core::request";

/// Requests answered, by operation and status.
pub const REQUESTS: &str = "svc_requests_total";

/// Seconds from a request's head to its answer.
pub const REQUEST_DURATION: &str = "svc_request_duration_seconds";

/// Requests that are being answered.
pub const REQUESTS_IN_FLIGHT: &str = "svc_requests_in_flight";

/// Transactions and statements that ran again after a collision.
pub const TRANSACTION_RETRIES: &str = "svc_transaction_retries_total";

/// Attempts to deliver webhook notices, by outcome.
pub const DELIVERIES: &str = "svc_deliveries_total";

/// Attempts to stamp documents, by outcome.
pub const STAMPINGS: &str = "svc_stampings_total";

/// Attempts to cancel documents, by outcome.
pub const CANCELLATIONS: &str = "svc_cancellations_total";

/// Documents that wait for a person, by reason, as of the last reading.
pub const HELD: &str = "svc_documents_held";

/// The reason of [`HELD`] for documents and cancellations that wait until a provider is set.
pub(crate) const NO_PROVIDER: &str = "no_provider";

/// Attempts to send e-mails, by outcome.
pub const EMAILS: &str = "svc_emails_total";

/// Attempts of a host's subscribers at events, by outcome.
pub const SUBSCRIBER_EVENTS: &str = "svc_subscriber_events_total";

/// Background work that failed: a whole pass (`error`, `panic`), its part for one company
/// (`company`), or one record (`panic` too). The log says which.
pub const BACKGROUND_FAILURES: &str = "svc_background_failures_total";

/// Requests that the companies' logs of requests lack: too many came at once, or the store did not
/// take them.
pub const REQUESTS_NOT_LOGGED: &str = "svc_requests_not_logged_total";

/// How many seconds the process's clock is ahead of the store's, as of the last comparison;
/// negative if it is behind.
pub const CLOCK_OFFSET: &str = "svc_clock_offset_seconds";

/// Seconds for which the oldest item of a queue has been due, as of the last pass over it.
pub const QUEUE_AGE: &str = "svc_queue_age_seconds";

/// The `operation` of a request whose path matches none.
const NO_OPERATION: &str = "none";

/// "Client closed request", by convention; it is never sent.
const CLIENT_CLOSED_REQUEST: u16 = 499;

/// Registers the descriptions of the metrics with the installed recorder.
pub fn describe() {
    metrics::describe_counter!(REQUESTS, "Requests answered, by operation and status");
    metrics::describe_histogram!(REQUEST_DURATION, Unit::Seconds, "Time to the answer, by operation");
    metrics::describe_gauge!(REQUESTS_IN_FLIGHT, "Requests being answered");
    metrics::describe_counter!(TRANSACTION_RETRIES, "Transactions and statements run again after a collision");
    metrics::describe_counter!(DELIVERIES, "Attempts at deliveries of webhooks, by outcome");
    metrics::describe_counter!(STAMPINGS, "Attempts at stampings, by outcome");
    metrics::describe_counter!(CANCELLATIONS, "Attempts at cancellations, by outcome");
    metrics::describe_gauge!(HELD, "Documents that wait for a person, by why");
    metrics::describe_counter!(EMAILS, "Attempts at e-mails, by outcome");
    metrics::describe_counter!(SUBSCRIBER_EVENTS, "Attempts of subscribers at events, by outcome");
    metrics::describe_counter!(BACKGROUND_FAILURES, "Failures of background work, by work and reason");
    metrics::describe_counter!(REQUESTS_NOT_LOGGED, "Requests that the log of requests lacks");
    metrics::describe_gauge!(CLOCK_OFFSET, Unit::Seconds, "How far the clock is ahead of the database's");
    metrics::describe_gauge!(QUEUE_AGE, Unit::Seconds, "How long the oldest item of a queue has been due");
}

pub(crate) fn attempts(metric: &'static str, outcome: &'static str, count: u64) {
    if count > 0 {
        counter!(metric, "outcome" => outcome).increment(count);
    }
}

/// Counts a background pass that failed.
pub(crate) fn background_failed(work: &'static str, reason: &'static str) {
    counter!(BACKGROUND_FAILURES, "work" => work, "reason" => reason).increment(1);
}

/// Counts and logs an error in one company's background work; the other companies go on.
pub(crate) fn company_failed(work: &'static str, company: CompanyId, error: &Error) {
    background_failed(work, "company");
    let cause = error.cause().map(tracing::field::display);
    tracing::warn!(work, empresa = company.0, %error, cause, "background work of a company failed; it is tried again");
}

/// Counts requests that were left out of the log of requests.
pub(crate) fn requests_not_logged(count: u64) {
    counter!(REQUESTS_NOT_LOGGED).increment(count);
}

/// Sets the number of documents that wait for a person for this reason.
pub(crate) fn held(reason: &'static str, count: u64) {
    gauge!(HELD, "reason" => reason).set(f64::from(u32::try_from(count).unwrap_or(u32::MAX)));
}

/// Sets how far the process's clock is ahead of the store's.
pub(crate) fn clock_offset(ahead: TimeDelta) {
    gauge!(CLOCK_OFFSET).set(ahead.as_seconds_f64());
}

/// Sets how long the oldest item of a queue has been due.
pub(crate) fn queue_age(queue: &'static str, age: TimeDelta) {
    gauge!(QUEUE_AGE, "queue" => queue).set(age.as_seconds_f64().max(0.0));
}

/// Counts a transaction or statement that runs again after a collision.
pub(crate) fn retried() {
    counter!(TRANSACTION_RETRIES).increment(1);
}

/// Observes one request. Facts are recorded in its span at once; the line and the metrics are
/// written when this is dropped, even if the request's future is cancelled.
pub(crate) struct Watch {
    /// Not the `Clock`: this measures a duration, and `drop` must not panic, which an embedder's
    /// clock might.
    began: Instant,
    span: Span,
    operation: Option<Arc<str>>,
    sender: Option<RequestSender>,
    status: u16,
    code: Option<Code>,
    ended: Option<OnEnd>,
}

#[derive(Debug)]
pub(crate) struct RequestSender {
    pub(crate) company: CompanyId,
    /// The key's id, as on the wire.
    pub(crate) llave: String,
}

/// Called when a request of a known sender ends.
pub(crate) type OnEnd = Box<dyn FnOnce(EndedRequest) + Send>;

/// A request of a known sender that ended.
#[derive(Debug)]
pub(crate) struct EndedRequest {
    pub(crate) sender: RequestSender,
    pub(crate) operation: Option<Arc<str>>,
    pub(crate) status: u16,
    pub(crate) code: Option<Code>,
    pub(crate) duration: Duration,
}

impl Watch {
    /// `direccion` is the client's address; `ended` is called if its sender becomes known.
    pub(crate) fn begin(peticion: &str, direccion: Option<IpAddr>, ended: Option<OnEnd>) -> Self {
        gauge!(REQUESTS_IN_FLIGHT).increment(1.0);
        // The ERROR level keeps the span enabled for lines of any level.
        let span = tracing::error_span!(target: TARGET, "request", peticion, operation = Empty, direccion = Empty, empresa = Empty, llave = Empty, status = Empty);
        if let Some(address) = direccion {
            span.record("direccion", tracing::field::display(address));
        }
        let (operation, sender, code) = (None, None, None);
        Self { began: Instant::now(), span, operation, sender, status: CLIENT_CLOSED_REQUEST, code, ended }
    }

    /// The span that the request is answered in.
    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    pub(crate) fn operation(&mut self, name: Arc<str>) {
        self.span.record("operation", &*name);
        self.operation = Some(name);
    }

    /// Records the company and the key.
    pub(crate) fn sender(&mut self, company: CompanyId, suffix: &str) {
        let llave = format!("{}_{suffix}", company.0);
        self.span.record("empresa", company.0);
        self.span.record("llave", llave.as_str());
        self.sender = Some(RequestSender { company, llave });
    }

    /// Records the error's code.
    pub(crate) fn error(&mut self, code: Code) {
        self.code = Some(code);
    }

    /// Records the status and ends the observation.
    pub(crate) fn answered(mut self, status: StatusCode) {
        self.status = status.as_u16();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let status = self.status;
        let operation = || match &self.operation {
            Some(name) => SharedString::from_shared(Arc::clone(name)),
            None => SharedString::const_str(NO_OPERATION),
        };
        let duration = self.began.elapsed();
        gauge!(REQUESTS_IN_FLIGHT).decrement(1.0);
        counter!(REQUESTS, "operation" => operation(), "status" => status.to_string()).increment(1);
        histogram!(REQUEST_DURATION, "operation" => operation()).record(duration);
        // Signed, because OpenTelemetry exports unsigned numbers as text.
        self.span.record("status", i64::from(status));
        let (codigo, duration_ms) = (self.code.map(Code::codigo), (duration.as_secs_f64() * 1e6).round() / 1e3);
        let _inside = self.span.enter();
        if self.sender.is_some() {
            tracing::info!(target: TARGET, codigo, duration_ms, "answered");
        } else {
            tracing::debug!(target: TARGET, codigo, duration_ms, "answered");
        }
        if let (Some(sender), Some(ended)) = (self.sender.take(), self.ended.take()) {
            let operation = self.operation.take();
            ended(EndedRequest { sender, operation, status, code: self.code, duration });
        }
    }
}
