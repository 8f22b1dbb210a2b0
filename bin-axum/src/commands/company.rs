use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde_json::json;
use svc_core::Context;
use svc_core::domain::company::CompanyId;
use svc_core::domain::paper::{Logo, MAX_LOGO_FILE};
use svc_core::operations::{EditCompany, MoveClock, SetLogo};
use svc_store_postgres::PostgresStore;

use crate::cli::CompanyCommand;
use crate::failure::Failure;
use crate::output::{day, print};
use crate::progress::Progress;

/// Companies read at once.
const BATCH: u32 = 1_000;

pub(super) async fn run(context: &Context, store: &PostgresStore, command: CompanyCommand) -> Result<(), Failure> {
    match command {
        CompanyCommand::Create { settings, test: false } => print(&context.create_company(settings.into()).await?),
        CompanyCommand::Create { settings, test: true } => print(&context.create_test_company(settings.into()).await?),
        CompanyCommand::List => list(store).await,
        CompanyCommand::Edit { company, settings } => {
            print(&context.run(company, &EditCompany(settings.into())).await?)
        }
        CompanyCommand::Logo { company, file, remove: _ } => {
            let logo = file.as_deref().map(read_logo).transpose()?;
            print(&context.run(company, &SetLogo(logo)).await?)
        }
        CompanyCommand::Fork { company, name } => {
            let (fork, bar) = (context.new_fork(name)?, Progress::new("rows", None));
            let outcome = if bar.is_seen() {
                store.fork_telling(company, &fork, &mut |done, all| bar.tell_of(done, all)).await
            } else {
                store.fork(company, &fork).await
            };
            bar.end();
            let empresa = outcome?;
            print(&json!({ "empresa": empresa }))
        }
        CompanyCommand::Clock { company, forward, to } => {
            let movement = match (forward, to) {
                (Some(span), _) => MoveClock::Forward(span),
                (None, Some(time)) => MoveClock::To(time),
                (None, None) => MoveClock::Nowhere,
            };
            print(&context.run(company, &movement).await?)
        }
    }
}

fn read_logo(path: &Path) -> Result<Logo, Failure> {
    let failed = || Failure::io(format!("cannot read {}", path.display()));
    let mut bytes = Vec::new();
    File::open(path).map_err(failed())?.take(MAX_LOGO_FILE as u64 + 1).read_to_end(&mut bytes).map_err(failed())?;
    Logo::from_file(&bytes).map_err(|fault| Failure::Other(format!("{}: {fault}", path.display())))
}

async fn list(store: &PostgresStore) -> Result<(), Failure> {
    let mut after = CompanyId(0);
    loop {
        let companies = store.companies_after(after, BATCH).await?;
        let Some(last) = companies.last() else { return Ok(()) };
        after = last.empresa;
        for company in companies {
            print(&json!({
                "empresa": company.empresa,
                "nombre": company.nombre,
                "plan": company.plan,
                "licencias": company.licencias,
                "limites": company.limites,
                "api": company.api,
                "rfc": company.rfc,
                "prueba": company.prueba,
                "enviar_documentos": company.enviar_documentos,
                "ultimo_uso": day(company.uso),
            }))?;
        }
    }
}
