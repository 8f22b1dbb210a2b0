//! `svc demo`: serves a company with a year of sample data, created on the first run.

mod access;
mod company;
mod data;
mod documents;
mod guide;
mod kinds;
mod sample_sale;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::domain::scope::{KeyScopes, Scope};
use svc_core::secrets::{PlainSecrets, Sealer};
use svc_core::settings::WebhookSettings;
use svc_core::stamping::{SandboxStamper, Stamper};
use svc_core::store::{KeyId, UsageStore as _};
use svc_core::{Api, Providers};

pub(crate) use self::access::Access;
use crate::admin::HasProviders;
use crate::cli::{DatabaseArgs, ProcessArgs, ServiceArgs};
use crate::database::OpenedDatabase;
use crate::failure::Failure;
use crate::parts::Parts;
use crate::secrets::demo_sealer;
use crate::server::{Server, Services};
use crate::serving::{self, Operators};
use crate::shutdown::ShutdownPlan;

pub(crate) async fn run(
    args: &DatabaseArgs,
    service: &ServiceArgs,
    mut webhooks: WebhookSettings,
    process: &ProcessArgs,
    try_it: bool,
    sealer: Sealer,
    parts: &Parts,
) -> Result<(), Failure> {
    let plan = ShutdownPlan::new(process)?;
    // Its company and its sandbox have no place among real ones.
    if args.url().is_some() {
        let text = "the demo runs in a private PostgreSQL only: unset DATABASE_URL, or use svc serve";
        return Err(Failure::Other(text.to_owned()));
    }
    let mut server = Server::bind(service.address(), service.max_clients)?;
    server.try_it = try_it;
    if server.address.ip().is_loopback() {
        // The demo's clients are on this machine, and so are their webhook receivers.
        webhooks = webhooks.or_this_machine();
    }
    let networks = webhooks.networks()?;
    serving::warn_of_development(&networks);
    let database = OpenedDatabase::open(args, parts).await?;
    database.migrate(Duration::ZERO).await?;
    let sealer = demo_sealer(sealer, &args.data_dir)?;
    let base_url = serving::base_url(service, &server);
    let mut access = if let Some(access) = saved(&database, &args.data_dir).await? {
        access
    } else {
        let all = parts.described()?.registry().all_scopes();
        let office = service.api.serves_office().then_some(Scope::Oficina.word());
        let scopes = KeyScopes::of_words(all.words().chain(office));
        company::create(&database.store, &base_url, sealer.clone(), scopes).await?
    };
    access.base_url = Some(base_url.clone());
    access.write(&args.data_dir)?;
    let context = serving::builder(&database, service, &networks, sealer, &server).sandbox(true).build()?;
    // Demos of earlier versions had no key.
    context.rotate_secrets(PlainSecrets::Accepted).await?;
    let stamper: Arc<dyn Stamper> = Arc::new(SandboxStamper);
    let outside = Providers::default().stamper(stamper).sender(webhooks.sender_if_possible()?);
    let pay_day = match &access.sale {
        Some(sale) => sale.pay_day(&Api::new(&context), &access.key_id, &access.api_key).await,
        None => String::new(),
    };
    guide::print(&base_url, &access, &pay_day, service.api.serves_office())?;
    let has = HasProviders { stamper: true, mail_server: false };
    let operators = Operators { listen: process.admin_listen, has };
    let services = Services::of(&context, &service.api).key_for_this_machine(&access.key_id, &access.api_key);
    serving::answer(database, server, services, Some(outside), operators, plan).await
}

/// The access that an earlier run saved, if its key is still in the database.
async fn saved(database: &OpenedDatabase, data_dir: &Path) -> Result<Option<Access>, Failure> {
    let Some(access) = Access::read(data_dir) else { return Ok(None) };
    let Some((company, suffix)) = svc_core::parse_key_id(&access.key_id) else { return Ok(None) };
    let id = KeyId { company, suffix: suffix.into() };
    let keys = database.store.keys(&[id], SystemClock.now()).await?;
    Ok((!keys.is_empty()).then_some(access))
}
