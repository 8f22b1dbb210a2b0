use std::sync::Arc;

use svc_core::Api;
use svc_core::backoffice::Office;
use svc_core::secrets::SecretsKey;

use crate::cli::{DatabaseArgs, ServiceArgs};
use crate::database::Database;
use crate::failure::Failure;
use crate::server::Server;
use crate::workers::{Outside, Workers};

pub(super) async fn run(
    database: &DatabaseArgs,
    service: &ServiceArgs,
    secrets: Option<SecretsKey>,
    outside: Option<Outside>,
    migrate: bool,
) -> Result<(), Failure> {
    if secrets.is_none() {
        tracing::warn!("SVC_SECRETS_KEY is not set: webhook secrets and certificate keys are stored as they are");
    }
    if service.webhooks.networks()?.is_development() {
        tracing::warn!("SVC_WEBHOOK_ALLOW_NETS is set: webhooks may use http and any port; for development only");
    }
    let database = Database::open(database).await?;
    if migrate {
        let done = database.migrate().await?;
        tracing::info!(done, "the schema is up to date");
    }
    let server = Server::bind(service.address()).await?;
    let api = api(&database, service, secrets.clone(), &server)?;
    let workers = outside.map(|outside| workers(&database, service, secrets, &server, outside));
    tracing::info!(address = %server.address, "serving");
    let outcome = server.run(api, workers).await;
    database.close().await?;
    outcome
}

/// What works beside the API, as the settings say.
pub(crate) fn workers(
    database: &Database,
    service: &ServiceArgs,
    secrets: Option<SecretsKey>,
    server: &Server,
    outside: Outside,
) -> Workers {
    let store = Arc::new(database.store.clone());
    let office = Office::new(store.clone(), base_url(service, server)).secrets(secrets);
    Workers::start(store, &office, outside)
}

/// What the API's address is taken for.
pub(crate) fn base_url(service: &ServiceArgs, server: &Server) -> String {
    service.base_url.clone().unwrap_or_else(|| server.default_base_url())
}

/// The API over a database, as the settings say.
pub(crate) fn api(
    database: &Database,
    service: &ServiceArgs,
    secrets: Option<SecretsKey>,
    server: &Server,
) -> Result<Api, Failure> {
    let builder = Api::builder(Arc::new(database.store.clone()), base_url(service, server));
    Ok(builder
        .secrets(secrets)
        .limits(service.limits)
        .rate_per_minute(service.rate_per_minute)
        .in_flight(service.in_flight)
        .max_body(service.max_body)
        .development_destinations(service.webhooks.networks()?.is_development())
        .build()?)
}
