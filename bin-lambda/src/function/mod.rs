//! The function: an event in, an answer out.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use http::{Request, Response};
use lambda_http::Context;
use lambda_http::lambda_runtime::Diagnostic;
use serde_json::Value;
use serde_json::value::RawValue;
use svc_core::mcp::Mcp;
use svc_core::pages::Pages;
use svc_core::settings::{ApiSettings, OutsideSettings};
use svc_core::{Api, ContextBuilder, Office};
use svc_store_postgres::PostgresStore;

use crate::config::Config;
use crate::event::{self, Event, EventError, HttpEvent};
use crate::request::request;
use crate::response::payload;
use crate::schedule::{Schedule, ScheduleError};

/// The state that an instance keeps between invocations.
#[derive(Clone)]
pub(crate) struct Function(Arc<Inner>);

struct Inner {
    services: Services,
    base_path: String,
    schedule: Schedule,
}

/// The services, each at its own paths; the API answers all others.
struct Services {
    api: Api,
    pages: Pages,
    office: Option<Office>,
    mcp: Option<Mcp>,
}

impl Services {
    async fn answer(&self, request: Request<Bytes>) -> Response<Bytes> {
        let path = request.uri().path();
        if self.pages.has(path) {
            return self.pages.handle(request).await;
        }
        if let Some(office) = self.office.as_ref().filter(|office| office.has(path)) {
            return office.handle(request).await;
        }
        match self.mcp.as_ref().filter(|mcp| mcp.has(path)) {
            Some(mcp) => mcp.handle(request).await,
            None => self.api.handle(request).await,
        }
    }
}

/// Why an invocation failed. A client's request never makes it fail, but gets an answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InvocationError {
    #[error(transparent)]
    Event(#[from] EventError),
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
}

impl From<InvocationError> for Diagnostic {
    fn from(error: InvocationError) -> Self {
        let error_type = match &error {
            InvocationError::Event(_) => "UnknownEvent",
            InvocationError::Schedule(_) => "ScheduledWork",
        };
        Self { error_type: error_type.to_owned(), error_message: error.to_string() }
    }
}

impl Function {
    /// Applies the settings, and refuses a key that does not open what is stored. The database may
    /// be slow and the platform does not wait long for an instance, so it does not have to answer.
    pub(crate) async fn start(
        config: Config,
        part: impl FnOnce(ContextBuilder) -> ContextBuilder,
    ) -> Result<Self, lambda_http::Error> {
        let secrets = config.secrets.sealer()?;
        if !secrets.has_key() {
            tracing::warn!("SVC_SECRETS_KEY is not set: webhook secrets and certificate keys are stored as they are");
        }
        config.outside.stamper.warn();
        let store = config.store()?;
        PostgresStore::warn_of_unverified_hosts([&store]);
        let builder = part(svc_core::Context::builder(Arc::new(store), &config.base_url));
        let mut builder = config.api.apply(builder);
        if let Some(fonts) = config.fonts.open()? {
            builder = builder.fonts(fonts);
        }
        if config.concurrency() > 1 {
            builder = builder.offload(1, |job| drop(tokio::task::spawn_blocking(job)));
        }
        let context = builder
            .secrets(secrets)
            .development_destinations(config.is_development()?)
            .sandbox(config.outside.stamper.is_sandbox())
            // After an answer the instance may be frozen or terminated.
            .merge_usage_every(Duration::ZERO)
            .build()?;
        context.refuse_wrong_key().await?;
        Ok(Self::of(&context, &config.api, &config.base_url, config.outside))
    }

    fn of(context: &svc_core::Context, settings: &ApiSettings, base_url: &str, outside: OutsideSettings) -> Self {
        let schedule = Schedule::new(context.clone(), outside);
        let path = base_url.parse::<http::Uri>().map(|uri| uri.path().trim_end_matches('/').to_owned());
        let has_office = settings.serves_office();
        let services = Services {
            api: Api::new(context),
            pages: Pages::new(context).office(has_office),
            office: has_office.then(|| Office::at_root(context)),
            mcp: settings.mcp(context),
        };
        Self(Arc::new(Inner { services, base_path: path.unwrap_or_default(), schedule }))
    }

    pub(crate) async fn answer(&self, event: Box<RawValue>, context: &Context) -> Result<Value, InvocationError> {
        match event::read(event.get())? {
            Event::Request(event) => Ok(self.respond(event).await?),
            Event::Work(tasks) => Ok(self.0.schedule.run(&tasks, context.deadline().into()).await?),
        }
    }

    /// Answers a request. The API answers its own panics; this answers panics before or after it in
    /// the same form.
    async fn respond(&self, event: HttpEvent<'_>) -> Result<Value, EventError> {
        let Inner { services, base_path, .. } = self.0.as_ref();
        let gateway = event.gateway;
        let answer = async {
            let request = request(event, base_path)?;
            Ok(payload(gateway, services.answer(request).await))
        };
        let answer = AssertUnwindSafe(answer).catch_unwind().await;
        answer.unwrap_or_else(|_| Ok(payload(gateway, services.api.broken())))
    }
}

#[cfg(test)]
mod tests;
