//! The function: an event in, an answer out.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use lambda_http::Context;
use lambda_http::lambda_runtime::Diagnostic;
use serde_json::Value;
use serde_json::value::RawValue;
use svc_core::settings::OutsideSettings;
use svc_core::{Api, Office};
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
    api: Api,
    /// The back office over HTTP, if it is served.
    office: Option<Office>,
    base_path: String,
    schedule: Schedule,
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
    /// Applies the settings without connecting: the database may be slow, and the platform does not
    /// wait long for an instance.
    pub(crate) fn new(config: Config) -> Result<Self, lambda_http::Error> {
        let secrets = config.secrets.sealer()?;
        if !secrets.has_key() {
            tracing::warn!("SVC_SECRETS_KEY is not set: webhook secrets and certificate keys are stored as they are");
        }
        config.outside.stamper.warn();
        let store = config.store()?;
        PostgresStore::warn_of_unverified_hosts([&store]);
        let mut builder = config.api.apply(svc_core::Context::builder(Arc::new(store), &config.base_url));
        if config.concurrency() > 1 {
            builder = builder.offload(1, |job| drop(tokio::task::spawn_blocking(job)));
        }
        let context = builder
            .secrets(secrets)
            .development_destinations(config.is_development()?)
            // After an answer the instance may be frozen or terminated.
            .merge_usage_every(Duration::ZERO)
            .build()?;
        let office = config.api.serves_office().then(|| Office::at_root(&context));
        Ok(Self::of(&context, office, &config.base_url, config.outside))
    }

    fn of(context: &svc_core::Context, office: Option<Office>, base_url: &str, outside: OutsideSettings) -> Self {
        let schedule = Schedule::new(context.clone(), outside);
        let path = base_url.parse::<http::Uri>().map(|uri| uri.path().trim_end_matches('/').to_owned());
        Self(Arc::new(Inner { api: Api::new(context), office, base_path: path.unwrap_or_default(), schedule }))
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
        let Inner { api, office, base_path, .. } = self.0.as_ref();
        let gateway = event.gateway;
        let answer = async {
            let request = request(event, base_path)?;
            let answer = match office.as_ref().filter(|office| office.has(request.uri().path())) {
                Some(office) => office.handle(request).await,
                None => api.handle(request).await,
            };
            Ok(payload(gateway, answer))
        };
        let answer = AssertUnwindSafe(answer).catch_unwind().await;
        answer.unwrap_or_else(|_| Ok(payload(gateway, api.broken())))
    }
}

#[cfg(test)]
mod tests;
