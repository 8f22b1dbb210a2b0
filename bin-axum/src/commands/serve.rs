use svc_core::secrets::Sealer;

use crate::cli::{DatabaseArgs, ServeArgs};
use crate::database::OpenedDatabase;
use crate::failure::Failure;
use crate::server::Server;
use crate::serving;
use crate::shutdown::ShutdownPlan;

pub(super) async fn run(database: &DatabaseArgs, args: &ServeArgs, sealer: Sealer) -> Result<(), Failure> {
    let plan = ShutdownPlan::new(&args.process)?;
    if !args.no_workers && !args.outside.stamper.is_sandbox() {
        // A provider that cannot be used is refused before anything is logged.
        args.outside.stamper.stamper()?;
    }
    OpenedDatabase::announce(database)?;
    let outside = if args.no_workers { None } else { Some(args.outside.open()?) };
    if !sealer.has_key() {
        tracing::warn!("SVC_SECRETS_KEY is not set: webhook secrets and certificate keys are stored as they are");
    }
    let networks = args.outside.webhooks.networks()?;
    serving::warn_of_development(&networks);
    let database = OpenedDatabase::open(database).await?;
    database.warn_if_unverified();
    if !args.no_migrate {
        let done = database.migrate(args.wait.longest()).await?;
        tracing::info!(done, "the schema is up to date");
    }
    let server = Server::bind(args.service.address(), args.service.max_clients)?;
    let context = serving::context(&database, &args.service, &networks, sealer, &server)?;
    serving::answer(database, server, context, outside, args.process.admin_listen, plan).await
}
