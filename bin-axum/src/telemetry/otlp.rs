//! Traces to an OpenTelemetry collector: OTLP over HTTP (protobuf), set by OpenTelemetry's own
//! environment variables (`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_HEADERS`,
//! `OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER`, …).
//!
//! A trace begins with our request: a `traceparent` that a client sends is not followed, since
//! clients are not trusted.

use std::time::Duration;

use async_trait::async_trait;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use opentelemetry::trace::{SpanKind, Status, TracerProvider as _};
use opentelemetry::{Context, KeyValue, Value};
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{BatchSpanProcessor, SdkTracerProvider, Span, SpanData, SpanProcessor};
use tokio::runtime::{Handle, Runtime};
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::{Layer, Registry};

use crate::failure::Failure;

/// Either of these names a collector.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];

/// The service's name, unless `OTEL_SERVICE_NAME` gives another.
const SERVICE: &str = "svc";

/// How long the collector may take for a batch.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long it may take for the last one.
const LAST_EXPORT_TIMEOUT: Duration = Duration::from_secs(1);

/// Sends spans in batches, from a thread of its own.
pub(super) struct Traces(SdkTracerProvider);

impl Traces {
    /// Exports to the collector that the environment names; `None` if it names none.
    pub(super) fn start(runtime: &Runtime) -> Result<Option<Self>, Failure> {
        let named = |name: &&str| std::env::var_os(name).is_some_and(|url| !url.is_empty());
        let Some(setting) = ENDPOINTS.iter().find(|name| named(name)) else { return Ok(None) };
        let wrong = |error: &dyn std::fmt::Display| Failure::Other(format!("{setting}: {error}"));
        let tls = HttpsConnectorBuilder::new().with_native_roots().map_err(|error| wrong(&error))?;
        let client = HyperClient::new(tls.https_or_http().enable_http1().build(), EXPORT_TIMEOUT, None);
        let client = RuntimeClient { client, runtime: runtime.handle().clone() };
        let exporter = SpanExporter::builder().with_http().with_http_client(client).build();
        let batches = BatchSpanProcessor::builder(exporter.map_err(|error| wrong(&error))?).build();
        let provider =
            SdkTracerProvider::builder().with_resource(resource()).with_span_processor(OperationSpans(batches)).build();
        Ok(Some(Self(provider)))
    }

    /// Converts the API's spans, with their log events, to OpenTelemetry's.
    pub(super) fn layer(&self) -> impl Layer<Registry> + Send + Sync + use<> {
        let ours = Targets::new().with_target("svc_core", Level::INFO).with_target("svc_store_postgres", Level::INFO);
        let layer = tracing_opentelemetry::layer().with_tracer(self.0.tracer(SERVICE));
        // Source locations and threads are of no use to operators.
        layer.with_location(false).with_threads(false).with_tracked_inactivity(false).with_filter(ours)
    }

    /// Sends what is still buffered.
    pub(super) fn finish(self) {
        if let Err(error) = self.0.shutdown_with_timeout(LAST_EXPORT_TIMEOUT) {
            tracing::warn!(%error, "the last traces were not sent");
        }
    }
}

fn resource() -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder().with_attribute(version);
    let named = std::env::var_os("OTEL_SERVICE_NAME").is_some_and(|name| !name.is_empty());
    if named { resource.build() } else { resource.with_service_name(SERVICE).build() }
}

/// Sends on our runtime, since the thread that makes the batches has none.
#[derive(Debug)]
struct RuntimeClient {
    client: HyperClient<HttpsConnector<HttpConnector>>,
    runtime: Handle,
}

#[async_trait]
impl HttpClient for RuntimeClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        self.runtime.spawn(async move { client.send_bytes(request).await }).await?
    }
}

/// Names spans after the request's operation, by OpenTelemetry's conventions for servers.
#[derive(Debug)]
struct OperationSpans(BatchSpanProcessor);

impl SpanProcessor for OperationSpans {
    fn on_start(&self, span: &mut Span, cx: &Context) {
        self.0.on_start(span, cx);
    }

    fn on_end(&self, mut span: SpanData) {
        let attribute =
            |name: &str| span.attributes.iter().find(|it| it.key.as_str() == name).map(|it| it.value.clone());
        let (operation, status) = (attribute("operation"), attribute("status"));
        if let Some(operation) = operation {
            span.name = operation.to_string().into();
        }
        if let Some(Value::I64(status)) = status {
            span.span_kind = SpanKind::Server;
            span.attributes.push(KeyValue::new("http.response.status_code", status));
            if status >= 500 {
                span.status = Status::error("");
            }
        }
        self.0.on_end(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.0.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.0.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.0.set_resource(resource);
    }
}
