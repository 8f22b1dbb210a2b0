//! The commands, one file an area.

mod action;
mod certificate;
mod company;
mod deliver;
mod healthcheck;
mod import;
mod key;
mod listen;
pub(crate) mod serve;
mod stamp;
mod user;

use std::io::Write as _;
use std::sync::Arc;

use serde::Serialize;
use svc_core::backoffice::Office;

use crate::cli::{Cli, Command};
use crate::database::Database;
use crate::demo;
use crate::failure::Failure;
use crate::workers::Outside;

pub(crate) async fn run(cli: Cli) -> Result<(), Failure> {
    let secrets = cli.secrets.key();
    match cli.command {
        Command::Demo { service, process } => demo::run(&cli.database, service, &process, secrets?).await,
        Command::Serve { service, stamper, mail, process, no_workers, no_migrate } => {
            let secrets = secrets?;
            let outside = if no_workers { None } else { Some(Outside::new(&stamper, &service.webhooks, &mail)?) };
            serve::run(&cli.database, &service, &process, secrets, outside, !no_migrate).await
        }
        Command::Listen(args) => listen::run(&args, &cli.database.data_dir).await,
        Command::Healthcheck(service) => healthcheck::run(&service).await,
        Command::Migrate => {
            let database = Database::open(&cli.database).await?;
            print(&serde_json::json!({ "migraciones": database.migrate().await? }))?;
            database.close().await
        }
        Command::Do(args) if args.list => action::list(),
        command => {
            let secrets = secrets?;
            let database = Database::ready(&cli.database).await?;
            let office = Office::new(Arc::new(database.store.clone()), base_url(&command)).secrets(secrets);
            let outcome = act(&office, command).await;
            database.close().await?;
            outcome
        }
    }
}

/// What links in notices begin with. None but named actions, stamping and delivery write any.
fn base_url(command: &Command) -> &str {
    match command {
        Command::Do(args) => &args.base_url,
        Command::Stamp { base_url, .. } | Command::Deliver { base_url, .. } => base_url,
        _ => "http://localhost/api/v1",
    }
}

async fn act(office: &Office, command: Command) -> Result<(), Failure> {
    match command {
        Command::Company(command) => company::run(office, command).await,
        Command::User(command) => user::run(office, command).await,
        Command::Key(command) => key::run(office, command).await,
        Command::Do(args) => action::run(office, args).await,
        Command::Stamp { stamper, .. } => stamp::run(office, &stamper).await,
        Command::Deliver { webhooks, mail, .. } => deliver::run(office, &webhooks, &mail).await,
        Command::Certificate(command) => certificate::run(office, command).await,
        Command::Import { company, resource, file } => import::run(office, company, &resource, &file).await,
        Command::Demo { .. }
        | Command::Serve { .. }
        | Command::Listen(_)
        | Command::Healthcheck(_)
        | Command::Migrate => Ok(()),
    }
}

/// Prints a result: one JSON line on stdout.
pub(crate) fn print(result: &impl Serialize) -> Result<(), Failure> {
    let line = serde_json::to_string(result).map_err(|error| Failure::Other(error.to_string()))?;
    writeln!(std::io::stdout(), "{line}").map_err(Failure::io("cannot write to stdout"))
}
