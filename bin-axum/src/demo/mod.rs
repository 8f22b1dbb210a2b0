//! `svc demo`: a lifelike company, made once, and served.

mod company;
mod data;
mod deal;
mod guide;

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::domain::quota::Period;
use svc_core::secrets::SecretsKey;
use svc_core::stamping::SandboxStamper;
use svc_core::store::{KeyId, UsageStore as _};

use crate::cli::{DatabaseArgs, ProcessArgs, ServiceArgs};
use crate::commands::serve;
use crate::database::Database;
use crate::failure::Failure;
use crate::server::Server;
use crate::workers::Outside;
use deal::Deal;

/// What is remembered of the demo company between runs; the database itself never holds the secret.
#[derive(Serialize, Deserialize)]
pub(crate) struct Access {
    pub(crate) key_id: String,
    pub(crate) api_key: String,
    /// Where it was last served.
    pub(crate) base_url: Option<String>,
    /// What the last of the printed requests are about; a company that was made before there were such requests has none.
    deal: Option<Deal>,
}

/// The file in the data directory that remembers it.
const FILE: &str = "demo.json";

pub(crate) async fn run(
    args: &DatabaseArgs,
    mut service: ServiceArgs,
    process: &ProcessArgs,
    secrets: Option<SecretsKey>,
) -> Result<(), Failure> {
    let server = Server::bind(service.address()).await?;
    if server.address.ip().is_loopback() {
        // Whoever asks is on this machine, and so is who listens.
        service.webhooks = service.webhooks.or_this_machine();
    }
    let service = &service;
    serve::warn_of_development(&service.webhooks.networks()?);
    let database = Database::open(args).await?;
    database.migrate().await?;
    let file = args.data_dir.join(FILE);
    let mut access = match remembered(&database, &file).await? {
        Some(access) => access,
        None => company::create(&database.store, secrets.clone()).await?,
    };
    access.base_url = Some(serve::base_url(service, &server));
    remember(&access, &file)?;
    let api = serve::api(&database, service, secrets.clone(), &server)?;
    let outside = Outside::with(Arc::new(SandboxStamper), &service.webhooks)?;
    let workers = serve::workers(&database, service, secrets, &server, outside);
    let pay_day = match &access.deal {
        Some(deal) => deal.pay_day(&api, &access).await,
        None => String::new(),
    };
    guide::print(&serve::base_url(service, &server), &access, &pay_day)?;
    serve::answer(database, server, api, Some(workers), process).await
}

/// The access to the demo of a data directory, if there is one.
pub(crate) fn access(data_dir: &Path) -> Option<Access> {
    read(&data_dir.join(FILE))
}

fn read(file: &Path) -> Option<Access> {
    serde_json::from_slice(&std::fs::read(file).ok()?).ok()
}

/// The access that an earlier run wrote down, if its key is still in the database.
async fn remembered(database: &Database, file: &Path) -> Result<Option<Access>, Failure> {
    let Some(access) = read(file) else { return Ok(None) };
    let Some((company, suffix)) = svc_core::parse_key_id(&access.key_id) else { return Ok(None) };
    let id = KeyId { company, suffix: suffix.into() };
    let keys = database.store.keys(&[id], Period::of(SystemClock.now())).await?;
    Ok((!keys.is_empty()).then_some(access))
}

/// Writes the access down, for the owner's eyes only.
fn remember(access: &Access, file: &Path) -> Result<(), Failure> {
    let failed = || Failure::io(format!("cannot write {}", file.display()));
    if let Some(dir) = file.parent() {
        std::fs::create_dir_all(dir).map_err(failed())?;
    }
    let text = serde_json::to_vec(access).map_err(|error| Failure::Other(error.to_string()))?;
    let mut opened =
        std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file).map_err(failed())?;
    opened.write_all(&text).map_err(failed())
}
