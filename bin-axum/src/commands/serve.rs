use std::sync::Arc;

use svc_core::Api;
use svc_core::backoffice::Office;
use svc_core::secrets::SecretsKey;
use svc_core::stamping::Stamper;

use super::deliver;
use crate::cli::{DatabaseArgs, ServiceArgs};
use crate::database::Database;
use crate::failure::Failure;
use crate::server::Server;
use crate::workers::{Queue, Workers};

pub(super) async fn run(
    database: &DatabaseArgs,
    service: &ServiceArgs,
    secrets: Option<SecretsKey>,
    stamper: Option<Arc<dyn Stamper>>,
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
        let done = database.store.migrate().await?;
        tracing::info!(done, "the schema is up to date");
    }
    let server = Server::bind(service.address()).await?;
    let api = api(&database, service, secrets.clone(), &server)?;
    let workers = stamper.map(|stamper| workers(&database, service, secrets, &server, stamper)).transpose()?;
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
    stamper: Arc<dyn Stamper>,
) -> Result<Workers, Failure> {
    let store = Arc::new(database.store.clone());
    let office = Office::new(store.clone(), base_url(service, server)).secrets(secrets);
    let mut queues = vec![Queue::Stamping(stamper)];
    match deliver::sender(service.webhooks.networks()?) {
        Ok(sender) => queues.push(Queue::Delivery(sender)),
        // A machine without any authority can serve all the rest.
        Err(failure) => tracing::warn!(%failure, "notices wait"),
    }
    Ok(Workers::start(store, &office, queues))
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
        .max_body(service.max_body)
        .development_destinations(service.webhooks.networks()?.is_development())
        .build()?)
}
