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

/// The log filter without `RUST_LOG`.
const DEFAULT_FILTER: &str = "info,sqlx=warn";

/// Never logged: sqlx warns of unknown parameters of the database's URL with their values, and one
/// of them may be a password under a misspelt name.
const NEVER: &str = "sqlx_postgres::options::parse=off";

/// A destination of logs or traces.
type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Sends the traces that are still buffered.
type Flush = Box<dyn FnOnce()>;

/// Logs and traces of the process.
pub(crate) struct Telemetry(Option<Flush>);

impl Telemetry {
    /// Logs to stderr in that format from now on. A server, which gives its runtime, is traced too,
    /// with the feature `otlp` and a collector named by `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub(crate) fn start(format: LogFormat, server: Option<&Runtime>) -> Result<Self, Failure> {
        // Each has its own filter, so that traces do not depend on the log's.
        let mut layers = vec![log(format).with_filter(filter()?).boxed()];
        let traces = server.map(traces).transpose()?;
        let flush = traces.flatten().map(|(layer, flush)| {
            layers.push(layer);
            flush
        });
        tracing_subscriber::registry().with(layers).init();
        Ok(Self(flush))
    }

    /// Sends the traces that are still buffered, within a second. It blocks, and needs the runtime.
    pub(crate) fn finish(self) {
        if let Some(flush) = self.0 {
            flush();
        }
    }
}

#[cfg(feature = "otlp")]
fn traces(runtime: &Runtime) -> Result<Option<(BoxedLayer, Flush)>, Failure> {
    let traces = otlp::Traces::start(runtime)?;
    Ok(traces.map(|traces| (traces.layer().boxed(), Box::new(|| traces.finish()) as Flush)))
}

#[cfg(not(feature = "otlp"))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail with the feature")]
fn traces(_: &Runtime) -> Result<Option<(BoxedLayer, Flush)>, Failure> {
    Ok(None)
}

fn log(format: LogFormat) -> BoxedLayer {
    let log = fmt::layer().with_writer(stderr).with_ansi(stderr().is_terminal());
    match format {
        LogFormat::Text => log.boxed(),
        // The innermost span is enough: ours are not nested.
        LogFormat::Json => log.json().flatten_event(true).with_span_list(false).boxed(),
    }
}

fn filter() -> Result<EnvFilter, Failure> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
    let never = NEVER.parse().map_err(|error| Failure::Other(format!("{NEVER}: {error}")))?;
    Ok(filter.add_directive(never))
}
