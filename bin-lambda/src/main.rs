//! The API as an AWS Lambda function: the same [`svc_core::Api`], behind API Gateway (HTTP and REST), a load balancer or a
//! function URL; and, when `EventBridge` says so, what the server does on timers.
//!
//! It is configured by the environment that the server is configured by. The schema is brought up to date by `svc migrate`,
//! never by a function that starts a hundred times at once.

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
use tokio::runtime::{Builder, Runtime};
use tracing_subscriber::EnvFilter;

use crate::config::Config;
use crate::function::Function;

fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,sqlx=warn"));
    // The platform adds the time to each line, and shows no colours.
    tracing_subscriber::fmt().json().with_env_filter(filter).without_time().init();
    match run(Config::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "the function cannot run");
            ExitCode::FAILURE
        }
    }
}

fn run(config: Config) -> Result<(), lambda_http::Error> {
    let runtime = runtime(config.concurrency())?;
    runtime.block_on(async {
        let function = Function::new(config)?;
        let handler = service_fn(move |LambdaEvent { payload, context }| {
            let function = function.clone();
            async move { function.answer(payload, &context).await }
        });
        lambda_runtime::run_concurrent(handler).await
    })
}

/// One thread for one request at a time: an instance has a fraction of a core, and threads are a part of its start.
fn runtime(concurrency: u32) -> std::io::Result<Runtime> {
    let mut builder = if concurrency > 1 { Builder::new_multi_thread() } else { Builder::new_current_thread() };
    builder.enable_all().build()
}
