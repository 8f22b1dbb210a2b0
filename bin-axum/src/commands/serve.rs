use std::sync::Arc;

use svc_core::Api;
use svc_core::backoffice::Office;
use svc_core::secrets::SecretsKey;
use svc_core::webhooks::Networks;

use crate::admin::Admin;
use crate::cli::{DatabaseArgs, ProcessArgs, ServiceArgs};
use crate::database::Database;
use crate::failure::Failure;
use crate::server::Server;
use crate::shutdown::{Plan, Stop};
use crate::workers::{Outside, Workers};

pub(super) async fn run(
    database: &DatabaseArgs,
    service: &ServiceArgs,
    process: &ProcessArgs,
    secrets: Option<SecretsKey>,
    outside: Option<Outside>,
    migrate: bool,
) -> Result<(), Failure> {
    if secrets.is_none() {
        tracing::warn!("SVC_SECRETS_KEY is not set: webhook secrets and certificate keys are stored as they are");
    }
    warn_of_development(&service.webhooks.networks()?);
    let database = Database::open(database).await?;
    if migrate {
        let done = database.migrate().await?;
        tracing::info!(done, "the schema is up to date");
    }
    let server = Server::bind(service.address()).await?;
    let api = api(&database, service, secrets.clone(), &server)?;
    let workers = outside.map(|outside| workers(&database, service, secrets, &server, outside));
    answer(database, server, api, workers, process).await
}

/// Answers clients and operators until the process is told to stop.
pub(crate) async fn answer(
    database: Database,
    server: Server,
    api: Api,
    workers: Option<Workers>,
    process: &ProcessArgs,
) -> Result<(), Failure> {
    let stop = Stop::listen()?;
    let admin = match process.admin_listen {
        Some(address) => Some(Admin::bind(address).await?.start(&database.store, stop.clone())?),
        None => None,
    };
    tracing::info!(address = %server.address, "serving");
    server.run(api, workers, stop, Plan::new(process)).await;
    // Operators are told to the end how it goes.
    drop(admin);
    database.close().await
}

/// Says so where webhooks may lead to other networks than the public internet.
pub(crate) fn warn_of_development(networks: &Networks) {
    if networks.is_development() {
        tracing::warn!(
            ?networks,
            "webhooks may reach networks that are not public (SVC_WEBHOOK_ALLOW_NETS), by http and any port; for development only"
        );
    }
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
    let development = service.webhooks.networks()?.is_development();
    Ok(service.api.apply(builder).secrets(secrets).development_destinations(development).build()?)
}
