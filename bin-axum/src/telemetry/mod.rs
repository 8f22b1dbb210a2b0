//! Where logs and traces go.

#[cfg(feature = "otlp")]
mod otlp;

use std::io::{IsTerminal as _, stderr};

use tokio::runtime::Runtime;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

use crate::cli::LogFormat;
use crate::failure::Failure;

/// What is logged when `RUST_LOG` says nothing else.
const USUAL: &str = "info,sqlx=warn";

/// What is never logged: sqlx warns of parameters of the database's URL that it does not know, with their values, and one
/// of them may be a password with a misspelt name.
const NEVER: &str = "sqlx_postgres::options::parse=off";

/// Where something goes.
type Sink = Box<dyn Layer<Registry> + Send + Sync>;

/// Sends what has not been sent yet.
type Finish = Box<dyn FnOnce()>;

/// Logs and traces of the process.
pub(crate) struct Telemetry(Option<Finish>);

impl Telemetry {
    /// Logs to stderr in that form from now on. What a server does on its runtime is traced too, with the feature `otlp` and a
    /// collector named by `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub(crate) fn start(format: LogFormat, server: Option<&Runtime>) -> Result<Self, Failure> {
        // One filter each: what is traced does not depend on what is logged.
        let mut sinks = vec![log(format).with_filter(filter()?).boxed()];
        let traces = server.map(traces).transpose()?;
        let finish = traces.flatten().map(|(sink, finish)| {
            sinks.push(sink);
            finish
        });
        tracing_subscriber::registry().with(sinks).init();
        Ok(Self(finish))
    }

    /// Sends what has not been sent yet, within a second. It blocks, and the runtime must still be there.
    pub(crate) fn finish(self) {
        if let Some(finish) = self.0 {
            finish();
        }
    }
}

#[cfg(feature = "otlp")]
fn traces(runtime: &Runtime) -> Result<Option<(Sink, Finish)>, Failure> {
    let traces = otlp::Traces::start(runtime)?;
    Ok(traces.map(|traces| (traces.layer().boxed(), Box::new(|| traces.finish()) as Finish)))
}

#[cfg(not(feature = "otlp"))]
#[expect(clippy::unnecessary_wraps, reason = "with the feature it may fail")]
fn traces(_: &Runtime) -> Result<Option<(Sink, Finish)>, Failure> {
    Ok(None)
}

fn log(format: LogFormat) -> Sink {
    let log = fmt::layer().with_writer(stderr).with_ansi(stderr().is_terminal());
    match format {
        LogFormat::Text => log.boxed(),
        // The span that it happened in is enough: ours do not lie in each other.
        LogFormat::Json => log.json().flatten_event(true).with_span_list(false).boxed(),
    }
}

fn filter() -> Result<EnvFilter, Failure> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(USUAL));
    let never = NEVER.parse().map_err(|error| Failure::Other(format!("{NEVER}: {error}")))?;
    Ok(filter.add_directive(never))
}
