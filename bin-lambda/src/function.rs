//! The function: an event in, an answer out.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use lambda_runtime::{Context, Diagnostic};
use serde::Serialize;
use serde_json::value::RawValue;
use svc_core::settings::{OutsideSettings, SettingError};
use svc_core::store::Store;
use svc_core::{Api, BuildError};
use svc_store_postgres::OpenError;

use crate::config::Config;
use crate::edge::{Door, HttpEvent, Payload};
use crate::event::{self, Event, EventError};
use crate::schedule::{Report, Schedule, ScheduleError};

/// What an instance keeps from one invocation to the next.
#[derive(Clone)]
pub(crate) struct Function(Arc<Inner>);

struct Inner {
    api: Api,
    base_path: String,
    schedule: Schedule,
}

/// Why an instance cannot run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// Why an invocation failed. What a client asks of the API never does: that has an answer.
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

/// What an invocation gives.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Output {
    Reply(Payload),
    Report(Report),
}

impl Function {
    /// As the settings say. Nothing is connected yet: the database may be slow, and the platform does not wait long for an instance.
    pub(crate) fn new(config: Config) -> Result<Self, StartError> {
        let store: Arc<dyn Store> = Arc::new(config.store()?);
        let secrets = config.secrets.key()?;
        if secrets.is_none() {
            tracing::warn!("SVC_SECRETS_KEY is not set: webhook secrets and certificate keys are stored as they are");
        }
        let builder = config.api.apply(Api::builder(store.clone(), &config.base_url));
        let api = builder
            .secrets(secrets)
            .development_destinations(config.is_development()?)
            // Once it has answered, an instance may be frozen, or gone.
            .merge_usage_every(Duration::ZERO)
            .build()?;
        Ok(Self::of(api, &config.base_url, store, config.outside))
    }

    fn of(api: Api, base_url: &str, store: Arc<dyn Store>, outside: OutsideSettings) -> Self {
        let schedule = Schedule::new(store, api.office(), outside);
        let path = base_url.parse::<http::Uri>().map(|uri| uri.path().trim_end_matches('/').to_owned());
        Self(Arc::new(Inner { api, base_path: path.unwrap_or_default(), schedule }))
    }

    /// Answers an invocation.
    pub(crate) async fn answer(&self, event: Box<RawValue>, context: &Context) -> Result<Output, InvocationError> {
        match event::read(event.get())? {
            Event::Http(door, event) => Ok(Output::Reply(self.reply(door, *event).await?)),
            Event::Schedule(tasks) => Ok(Output::Report(self.0.schedule.run(&tasks, context.deadline().into()).await?)),
        }
    }

    /// Answers a request. The API answers its own panics; one at the edge is answered here, in the same words.
    async fn reply(&self, door: Door, event: HttpEvent) -> Result<Payload, EventError> {
        let Inner { api, base_path, .. } = self.0.as_ref();
        let form = event.form(door);
        let answer = async {
            let response = api.handle(event.into_request(door, base_path)?).await;
            Ok(Payload::new(response, form))
        };
        let broken = || Ok(Payload::new(api.broken(), form));
        AssertUnwindSafe(answer).catch_unwind().await.unwrap_or_else(|_| broken())
    }
}

#[cfg(test)]
mod tests;
