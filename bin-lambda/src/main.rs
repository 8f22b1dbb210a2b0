//! The API as an AWS Lambda function: the same [`svc_core::Api`], behind API Gateway or a load balancer.
//!
//! It is configured by the same environment as the server: `DATABASE_URL`, `SVC_BASE_URL`, `SVC_LIMITS`, `SVC_MAX_BODY`,
//! `SVC_WEBHOOK_ALLOW_NETS`, `SVC_WEBHOOK_DENY_NETS`,
//! `SVC_SECRETS_KEY`, `RUST_LOG`. The schema is brought up to date by `svc migrate`, never by a function that starts a hundred times at once.

mod config;

use std::sync::Arc;

use clap::Parser;
use svc_core::Api;
use tracing_subscriber::EnvFilter;

use crate::config::Config;

#[tokio::main]
async fn main() -> Result<(), lambda_http::Error> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,sqlx=warn"));
    // The platform adds the time to each line, and shows no colours.
    tracing_subscriber::fmt().json().with_env_filter(filter).without_time().init();
    let config = Config::parse();
    let store = config.store()?;
    let (secrets, networks) = (config.secrets()?, config.networks()?);
    let api = Api::builder(Arc::new(store), config.base_url)
        .secrets(secrets)
        .limits(config.limits)
        .max_body(config.max_body)
        .development_destinations(networks.is_development())
        .build()?;
    lambda_http::run_concurrent(api).await
}
