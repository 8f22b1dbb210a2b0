//! Serving the API, shared by the server and the demo.

use std::net::SocketAddr;
use std::time::Duration;

use svc_core::secrets::Sealer;
use svc_core::webhooks::Networks;
use svc_core::{ContextBuilder, Providers};
use svc_store_postgres::PostgresStore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::admin::{Admin, HasProviders};
use crate::cli::ServiceArgs;
use crate::database::OpenedDatabase;
use crate::failure::Failure;
use crate::server::{Server, Services};
use crate::shutdown::{ShutdownPlan, StopSignal};

/// The time limit of storing the API's address in the database, and the pause before the next
/// attempt.
const KEEP_INTERVAL: Duration = Duration::from_secs(1);

/// What the operators' address answers.
pub(crate) struct Operators {
    /// The operators' address; `None` if there is none.
    pub(crate) listen: Option<SocketAddr>,
    pub(crate) has: HasProviders,
}

/// Answers clients and operators until the process is signalled to stop; does the background
/// work if `outside` is given.
pub(crate) async fn answer(
    database: OpenedDatabase,
    server: Server,
    services: Services,
    outside: Option<Providers>,
    operators: Operators,
    plan: ShutdownPlan,
) -> Result<(), Failure> {
    let context = services.api.context().clone();
    context.refuse_wrong_key().await?;
    let stop = StopSignal::listen()?;
    let admin = match operators.listen {
        Some(address) => {
            let admin = Admin::bind(address)?;
            Some(admin.start(&database, context.clone(), operators.has, stop.clone())?)
        }
        None => None,
    };
    let keeping = keep_base_url(database.store.clone(), context.base_url().to_owned()).await;
    tracing::info!(address = %server.address, "serving");
    server.run(services, outside, stop, plan).await;
    drop(keeping);
    // Operators can watch until the last request is answered.
    drop(admin);
    database.close().await
}

/// Stores the API's address in the database, for commands. While the database is unreachable, the
/// returned task keeps trying until it is dropped.
async fn keep_base_url(store: PostgresStore, url: String) -> Option<JoinSet<()>> {
    if let Ok(Ok(())) = timeout(KEEP_INTERVAL, store.keep_base_url(&url)).await {
        return None;
    }
    let mut task = JoinSet::new();
    task.spawn(async move {
        while store.keep_base_url(&url).await.is_err() {
            sleep(KEEP_INTERVAL).await;
        }
    });
    Some(task)
}

/// Logs a warning if webhooks may reach networks other than the public internet.
pub(crate) fn warn_of_development(networks: &Networks) {
    if networks.is_development() {
        tracing::warn!(
            ?networks,
            "webhooks may reach networks that are not public (SVC_WEBHOOK_ALLOW_NETS), by http and any port; for development only"
        );
    }
}

/// The API's public address: the configured one, or else the one it listens on.
pub(crate) fn base_url(service: &ServiceArgs, server: &Server) -> String {
    service.base_url.clone().unwrap_or_else(|| server.default_base_url())
}

/// The builder of a server's context over a database, with its settings. `networks` limits the URLs
/// of webhooks.
pub(crate) fn builder(
    database: &OpenedDatabase,
    service: &ServiceArgs,
    networks: &Networks,
    sealer: Sealer,
    server: &Server,
) -> ContextBuilder {
    let builder = database.context(base_url(service, server));
    let development = networks.is_development();
    // At most half of the processors, so that requests and the database have the others.
    let at_once = std::thread::available_parallelism().map_or(1, |processors| processors.get() / 2);
    let builder = builder.offload(at_once, |job| drop(tokio::task::spawn_blocking(job))).log_requests();
    service.api.apply(builder).secrets(sealer).development_destinations(development)
}
