//! The commands, one file per area.

mod action;
mod certificate;
mod clean_up;
mod company;
mod deliver;
mod doctor;
mod export;
mod healthcheck;
mod import;
mod key;
mod listen;
mod log;
mod manual;
mod restore_check;
mod secrets;
mod serve;
mod stamp;
mod top;
mod user;

use svc_core::Context;
use svc_core::settings::SecretsSettings;
use svc_store_postgres::PostgresStore;

pub(crate) use manual::described;

use crate::cli::{Cli, Command, DEFAULT_BASE_URL, DatabaseArgs, Engine};
use crate::database::{OpenedDatabase, named};
use crate::demo;
use crate::failure::Failure;
use crate::mcp;
use crate::output::print;
use crate::parts::Parts;
use crate::progress::Progress;
use crate::secrets::sealer as secrets_of_command;

pub(crate) async fn run(cli: Cli, parts: &Parts) -> Result<(), Failure> {
    let Cli { command, database, secrets, fonts, .. } = cli;
    let mut parts = parts.clone();
    let prints = !matches!(command, Command::Healthcheck { .. } | Command::Listen(_) | Command::Top(_));
    if let Some(fonts) = prints.then(|| fonts.open()).transpose()?.flatten() {
        parts.add(move |builder| builder.fonts(fonts.clone()));
    }
    run_command(command, &database, &secrets, &parts).await.map_err(|failure| named(failure, &database))
}

async fn run_command(
    command: Command,
    address: &DatabaseArgs,
    secrets: &SecretsSettings,
    parts: &Parts,
) -> Result<(), Failure> {
    let sealer = secrets_of_command(secrets, address);
    match command {
        Command::Demo { service, webhooks, process, try_it } => {
            demo::run(address, &service, webhooks, &process, try_it, sealer?, parts).await
        }
        Command::Serve(args) => serve::run(address, &args, sealer?, parts).await,
        Command::Listen(args) => listen::run(&args, &address.data_dir).await,
        Command::Top(args) => top::run(&args).await,
        Command::Healthcheck { service, .. } => healthcheck::run(&service).await,
        Command::Doctor(args) => doctor::run(address, &args, sealer, parts).await,
        Command::Migrate { distribute, wait } => {
            let database = OpenedDatabase::open(address, parts).await?;
            let bar = Progress::new("migrations", None);
            let migrated = database.migrate_telling(wait.longest(), &mut |done, all| bar.tell_of(done, all)).await;
            bar.end();
            let mut done = serde_json::json!({ "migraciones": migrated? });
            if let Some(Engine::Citus) = distribute {
                done["distribuidas"] = database.distribute().await?.into();
            }
            print(&done)?;
            database.close().await
        }
        Command::Mcp(args) => mcp::run(&args, parts).await,
        Command::Openapi { lang, base_url, office } => {
            let context = parts.described()?;
            let registry = context.registry();
            print(&if office { registry.office_openapi(lang, &base_url) } else { registry.openapi(lang, &base_url) })
        }
        Command::Do(args) if args.list => action::list(parts.described()?.registry()),
        command => {
            let sealer = sealer?;
            // An empty database made here would look like a restored one with nothing under way.
            if let (Command::RestoreCheck { .. }, Some(dir)) = (&command, OpenedDatabase::missing(address)?) {
                let text = format!("DATABASE_URL is not set, and {} has no private database", dir.display());
                return Err(Failure::Other(text));
            }
            let database = OpenedDatabase::ready(address, parts).await?;
            let base_url = base_url(&command, &database).await?;
            let context = database.context(base_url);
            let sandbox = matches!(&command, Command::Do(args) if args.stamper.is_sandbox());
            let context = context.secrets(sealer).sandbox(sandbox).build()?;
            let outcome = run_by_name(&context, &database.store, command).await;
            database.close().await?;
            outcome
        }
    }
}

/// The API's public address, which prefixes the links in notices: the one that is set, else the one
/// at which it was last served. Only named actions, stamping and delivery write notices.
async fn base_url(command: &Command, database: &OpenedDatabase) -> Result<String, Failure> {
    let set = match command {
        Command::Do(args) => args.base_url.clone(),
        Command::Stamp { base_url, .. } | Command::Deliver { base_url, .. } => base_url.clone(),
        _ => return Ok(DEFAULT_BASE_URL.to_owned()),
    };
    match set {
        Some(set) => Ok(set),
        None => Ok(database.store.base_url().await?.unwrap_or_else(|| DEFAULT_BASE_URL.to_owned())),
    }
}

async fn run_by_name(context: &Context, store: &PostgresStore, command: Command) -> Result<(), Failure> {
    if command.uses_secrets() {
        context.refuse_wrong_key().await?;
    }
    match command {
        Command::Company(command) => company::run(context, store, command).await,
        Command::User(command) => user::run(context, command).await,
        Command::Key(command) => key::run(context, command).await,
        Command::Log { company, last } => log::run(store, company, last).await,
        Command::RestoreCheck { as_copy } => restore_check::run(store, as_copy).await,
        Command::Do(args) => action::run(context, args).await,
        Command::Stamp { stamper, .. } => stamp::run(context, &stamper).await,
        Command::Deliver { webhooks, mail, .. } => deliver::run(context, &webhooks, &mail).await,
        Command::CleanUp => clean_up::run(context).await,
        Command::Certificate(command) => certificate::run(context, command).await,
        Command::Secrets(command) => secrets::run(context, command).await,
        Command::Import { company, resource, existing, file } => {
            import::run(context, company, &resource, existing.into(), &file).await
        }
        Command::Export { company, resource } => export::run(context, store, company, &resource).await,
        Command::Demo { .. }
        | Command::Serve(_)
        | Command::Listen(_)
        | Command::Top(_)
        | Command::Healthcheck { .. }
        | Command::Doctor(_)
        | Command::Completions { .. }
        | Command::Man { .. }
        | Command::Openapi { .. }
        | Command::Mcp(_)
        | Command::Migrate { .. } => Ok(()),
    }
}
