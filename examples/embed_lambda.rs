//! The API as a plain `lambda_http` function, behind a gateway whose stage is `$default`, or a load
//! balancer.
//!
//! `cargo lambda build --release -p svc-examples --example embed_lambda`, and `DATABASE_URL` and
//! `SVC_BASE_URL` in its environment.
//!
//! This is the shortest way, and the one for a function that has layers of its own. `lambda_http`
//! does not pass every request on as it was sent:
//!
//! - one whose `Host` or `X-Forwarded-Proto` makes no URL, or whose query has a quote (payload
//!   2.0), panics: its client gets the gateway's 502, not the API's answer;
//! - `..` in a path is resolved, and a stage other than `$default` stands before the path, where
//!   the API knows no route;
//! - of repeated headers the last stays, and parameters come in any order.
//!
//! Nothing is stamped or delivered either: a function is frozen between requests, and this one has
//! no schedules. `bin-lambda` loses nothing of this, and does background work when a schedule
//! invokes it.

use std::sync::Arc;
use std::time::Duration;

use svc_core::{Api, Context};
use svc_store_postgres::{PostgresStore, Settings};

#[tokio::main]
async fn main() -> Result<(), lambda_http::Error> {
    // An instance answers one request at a time, and is frozen in between: it needs one connection,
    // and cannot watch it.
    let mut settings = Settings::default();
    settings.max_connections = 1;
    settings.service_connections = 0;
    settings.background_connections = 0;
    // A frozen instance watches no connection.
    settings.idle_timeout = None;
    settings.max_lifetime = None;
    // The schema is brought up to date elsewhere (`svc migrate`), not by a hundred instances at
    // once.
    let store = PostgresStore::open(&std::env::var("DATABASE_URL")?, &settings)?;
    // Usage is merged with each answer: after it the instance may be ended.
    let context = Context::builder(Arc::new(store), &std::env::var("SVC_BASE_URL")?);
    let api = Api::new(&context.merge_usage_every(Duration::ZERO).build()?);
    lambda_http::run(api).await
}
