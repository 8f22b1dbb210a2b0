use svc_core::secrets::Sealer;

use crate::admin::HasProviders;
use crate::cli::{DatabaseArgs, ServeArgs};
use crate::database::OpenedDatabase;
use crate::failure::Failure;
use crate::parts::Parts;
use crate::server::{Server, Services};
use crate::serving::{self, Operators};
use crate::shutdown::ShutdownPlan;

pub(super) async fn run(
    database: &DatabaseArgs,
    args: &ServeArgs,
    sealer: Sealer,
    parts: &Parts,
) -> Result<(), Failure> {
    let plan = ShutdownPlan::new(&args.process)?;
    // A provider that cannot be used is refused before anything is logged.
    let stamper = if args.no_workers { None } else { args.outside.stamper.stamper()? };
    OpenedDatabase::announce(database)?;
    let outside = if args.no_workers {
        None
    } else {
        args.outside.stamper.warn();
        Some(args.outside.open_with(stamper)?)
    };
    if !sealer.has_key() {
        tracing::warn!("SVC_SECRETS_KEY is not set: webhook secrets and certificate keys are stored as they are");
    }
    let networks = args.outside.webhooks.networks()?;
    serving::warn_of_development(&networks);
    let database = OpenedDatabase::open(database, parts).await?;
    database.warn_if_unverified();
    if !args.no_migrate {
        let done = database.migrate(args.wait.longest()).await?;
        tracing::info!(done, "the schema is up to date");
    }
    let mut server = Server::bind(args.service.address(), args.service.max_clients)?;
    server.proxies = args.service.trusted_proxies.clone().into();
    let builder = serving::builder(&database, &args.service, &networks, sealer, &server);
    let context = builder.sandbox(args.outside.stamper.is_sandbox()).build()?;
    let has = HasProviders { stamper: args.outside.stamper.is_set(), mail_server: args.outside.mail.is_set() };
    let operators = Operators { listen: args.process.admin_listen, has };
    let services = Services::of(&context, &args.service.api);
    serving::answer(database, server, services, outside, operators, plan).await
}
