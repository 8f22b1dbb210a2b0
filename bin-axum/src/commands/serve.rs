use std::sync::Arc;
use std::time::Duration;

use svc_core::domain::clock::SystemClock;
use svc_core::secrets::SecretsKey;
use svc_core::store::Store;
use svc_core::{Api, clean_up};

use crate::cli::{DatabaseArgs, ServiceArgs};
use crate::database::Database;
use crate::failure::Failure;
use crate::server::Server;

/// How often what is kept no longer is removed.
const CLEAN_UP: Duration = Duration::from_mins(10);

pub(super) async fn run(
    database: &DatabaseArgs,
    service: &ServiceArgs,
    secrets: Option<SecretsKey>,
    workers: bool,
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
    let api = api(&database, service, secrets, &server)?;
    let cleaning = workers.then(|| tokio::spawn(keep_clean(Arc::new(database.store.clone()))));
    tracing::info!(address = %server.address, "serving");
    let outcome = server.run(api).await;
    if let Some(cleaning) = cleaning {
        // It works in short statements, each whole: it may end between any two.
        cleaning.abort();
    }
    database.close().await?;
    outcome
}

/// The API over a database, as the settings say.
pub(crate) fn api(
    database: &Database,
    service: &ServiceArgs,
    secrets: Option<SecretsKey>,
    server: &Server,
) -> Result<Api, Failure> {
    let base_url = service.base_url.clone().unwrap_or_else(|| server.default_base_url());
    let builder = Api::builder(Arc::new(database.store.clone()), base_url);
    Ok(builder
        .secrets(secrets)
        .limits(service.limits)
        .max_body(service.max_body)
        .development_destinations(service.webhooks.networks()?.is_development())
        .build()?)
}

async fn keep_clean(store: Arc<dyn Store>) {
    let mut timer = tokio::time::interval(CLEAN_UP);
    timer.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        timer.tick().await;
        match clean_up(store.as_ref(), &SystemClock).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "cleaned up"),
            Err(error) => tracing::warn!(%error, "clean-up failed; it is tried again later"),
        }
    }
}
