//! The commands, one file per area.

mod action;
mod certificate;
mod company;
mod deliver;
mod healthcheck;
mod import;
mod key;
mod listen;
mod secrets;
mod serve;
mod stamp;
mod user;

use std::sync::Arc;

use svc_core::Context;

use crate::cli::{Cli, Command, Engine};
use crate::database::OpenedDatabase;
use crate::demo;
use crate::failure::Failure;
use crate::mcp;
use crate::output::print;
use crate::secrets::sealer as secrets_of_command;

pub(crate) async fn run(cli: Cli) -> Result<(), Failure> {
    let sealer = secrets_of_command(&cli.secrets, &cli.database);
    match cli.command {
        Command::Demo { service, webhooks, process, try_it } => {
            demo::run(&cli.database, &service, webhooks, &process, try_it, sealer?).await
        }
        Command::Serve(args) => serve::run(&cli.database, &args, sealer?).await,
        Command::Listen(args) => listen::run(&args, &cli.database.data_dir).await,
        Command::Healthcheck { service, .. } => healthcheck::run(&service).await,
        Command::Migrate { distribute } => {
            let database = OpenedDatabase::open(&cli.database).await?;
            let mut done = serde_json::json!({ "migraciones": database.migrate().await? });
            if let Some(Engine::Citus) = distribute {
                done["distribuidas"] = database.distribute().await?.into();
            }
            print(&done)?;
            database.close().await
        }
        Command::Mcp(args) => mcp::run(&args).await,
        Command::Openapi { lang, base_url } => print(&svc_core::openapi(lang, &base_url)),
        Command::Do(args) if args.list => action::list(),
        command => {
            let sealer = sealer?;
            let database = OpenedDatabase::ready(&cli.database).await?;
            let context = Context::builder(Arc::new(database.store.clone()), base_url(&command));
            let sandbox = matches!(&command, Command::Do(args) if args.stamper.is_sandbox());
            let context = context.secrets(sealer).sandbox(sandbox).build()?;
            let outcome = run_by_name(&context, command).await;
            database.close().await?;
            outcome
        }
    }
}

/// The API's public address, which prefixes the links in notices. Only named actions, stamping and
/// delivery write notices.
fn base_url(command: &Command) -> &str {
    match command {
        Command::Do(args) => &args.base_url,
        Command::Stamp { base_url, .. } | Command::Deliver { base_url, .. } => base_url,
        _ => "http://localhost/api/v1",
    }
}

async fn run_by_name(context: &Context, command: Command) -> Result<(), Failure> {
    match command {
        Command::Company(command) => company::run(context, command).await,
        Command::User(command) => user::run(context, command).await,
        Command::Key(command) => key::run(context, command).await,
        Command::Do(args) => action::run(context, args).await,
        Command::Stamp { stamper, .. } => stamp::run(context, &stamper).await,
        Command::Deliver { webhooks, mail, .. } => deliver::run(context, &webhooks, &mail).await,
        Command::Certificate(command) => certificate::run(context, command).await,
        Command::Secrets(command) => secrets::run(context, command).await,
        Command::Import { company, resource, file } => import::run(context, company, &resource, &file).await,
        Command::Demo { .. }
        | Command::Serve(_)
        | Command::Listen(_)
        | Command::Healthcheck { .. }
        | Command::Openapi { .. }
        | Command::Mcp(_)
        | Command::Migrate { .. } => Ok(()),
    }
}
