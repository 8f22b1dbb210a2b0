//! The API as an AWS Lambda function: the same [`svc_core::Api`] behind API Gateway (HTTP and
//! REST), a load balancer or a function URL; and, on `EventBridge` schedules, the server's
//! background work.
//!
//! As a library it is the function of a host, with operations of its own: [`run`].
//!
//! It uses the server's environment variables. `svc migrate` updates the schema, never a function
//! that starts a hundred times at once.

mod config;
mod event;
mod function;
mod request;
mod response;
mod schedule;
mod task;

use std::process::ExitCode;

use clap::Parser;
use lambda_http::{LambdaEvent, lambda_runtime, service_fn};
use svc_core::ContextBuilder;
use tokio::runtime::{Builder, Runtime};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::Config;
use crate::function::Function;

/// Runs the function until the platform ends it. `part` adds a host's operations, lists and hooks
/// to the context; `std::convert::identity` adds none.
pub fn run(part: impl FnOnce(ContextBuilder) -> ContextBuilder) -> ExitCode {
    // The platform adds the time to each line and shows no colours.
    let lines = tracing_subscriber::fmt::layer().json().without_time();
    tracing_subscriber::registry().with(lines).with(logged()).init();
    match serve(Config::parse(), part) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "the function cannot run");
            ExitCode::FAILURE
        }
    }
}

/// The log levels by target. (`EnvFilter` also knows spans and fields, but needs an engine of
/// regular expressions.)
fn logged() -> Targets {
    let wanted = std::env::var("RUST_LOG").ok().and_then(|text| text.parse().ok());
    wanted.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO).with_target("sqlx", LevelFilter::WARN))
}

fn serve(config: Config, part: impl FnOnce(ContextBuilder) -> ContextBuilder) -> Result<(), lambda_http::Error> {
    let runtime = runtime(config.concurrency())?;
    runtime.block_on(async {
        let function = Function::start(config, part).await?;
        let handler = service_fn(move |LambdaEvent { payload, context }| {
            let function = function.clone();
            async move { function.answer(payload, &context).await }
        });
        lambda_runtime::run_concurrent(handler).await
    })
}

/// One thread if requests come one at a time: an instance has a fraction of a core, and threads
/// slow its start.
fn runtime(concurrency: u32) -> std::io::Result<Runtime> {
    let mut builder = if concurrency > 1 { Builder::new_multi_thread() } else { Builder::new_current_thread() };
    builder.enable_all().build()
}
