use serde_json::json;
use svc_core::domain::company::CompanyId;
use svc_core::domain::scope::KeyScopes;
use svc_core::domain::time::Timestamp;
use svc_core::operations::{AcceptTerms, CreateKey, ListKeys, RevokeKey};
use svc_core::{Context, Registry};

use crate::cli::KeyCommand;
use crate::failure::Failure;
use crate::output::{day, print};

/// Keys read at once.
const BATCH: u32 = 1_000;

pub(super) async fn run(context: &Context, command: KeyCommand) -> Result<(), Failure> {
    match command {
        KeyCommand::Create { company, user, scopes, expires, no_terms } => {
            let key = CreateKey {
                usuario: user,
                scopes: read_scopes(&scopes, context.registry())?,
                expires,
                accept_terms: !no_terms,
            };
            print(&context.run(company, &key).await?)
        }
        KeyCommand::List { company } => list(context, company).await,
        KeyCommand::AcceptTerms { key_id } => {
            let (company, suffix) = parse(&key_id)?;
            print(&context.run(company, &AcceptTerms { suffix }).await?)
        }
        KeyCommand::Revoke { key_id } => {
            let (company, suffix) = parse(&key_id)?;
            print(&context.run(company, &RevokeKey { suffix }).await?)
        }
    }
}

async fn list(context: &Context, company: CompanyId) -> Result<(), Failure> {
    let mut batch = ListKeys { after: String::new(), max: BATCH };
    loop {
        let keys = context.run(company, &batch).await?;
        let Some(last) = keys.last() else { return Ok(()) };
        batch.after.clone_from(&last.suffix);
        for key in keys {
            print(&json!({
                "key_id": format!("{}_{}", company.0, key.suffix),
                "usuario": key.usuario,
                "scopes": key.scopes.words().collect::<Vec<_>>(),
                "vence": key.expires.map(Timestamp::new),
                "revocada": key.revoked.map(Timestamp::new),
                "terminos": key.terms,
                "creada": Timestamp::new(key.creada),
                "ultimo_uso": day(key.used),
            }))?;
        }
    }
}

fn parse(key_id: &str) -> Result<(CompanyId, String), Failure> {
    let wrong = || Failure::Other(format!("{key_id:?} is no key id: it has the form <company>_<suffix>"));
    svc_core::parse_key_id(key_id).map(|(company, suffix)| (company, suffix.to_owned())).ok_or_else(wrong)
}

/// `all`, or names separated by commas. A host's own scopes are among them either way.
fn read_scopes(text: &str, registry: &Registry) -> Result<KeyScopes, Failure> {
    if text == "all" {
        return Ok(registry.all_scopes());
    }
    let known = registry.scopes();
    let names: Vec<_> = text.split(',').map(str::trim).collect();
    match names.iter().find(|name| !known.contains(name)) {
        Some(name) => Err(Failure::Other(format!("{name:?} is no scope; there are: {}", known.join(", ")))),
        None => Ok(KeyScopes::of_words(names)),
    }
}
