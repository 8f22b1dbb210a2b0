use svc_core::Context;
use svc_core::domain::company::CompanyId;
use svc_core::domain::scope::{Scope, Scopes};
use svc_core::operations::{AcceptTerms, CreateKey, RevokeKey};

use crate::cli::KeyCommand;
use crate::failure::Failure;
use crate::output::print;

pub(super) async fn run(context: &Context, command: KeyCommand) -> Result<(), Failure> {
    match command {
        KeyCommand::Create { company, user, scopes, expires, no_terms } => {
            let key = CreateKey { usuario: user, scopes: read_scopes(&scopes)?, expires, accept_terms: !no_terms };
            print(&context.run(company, &key).await?)
        }
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

fn parse(key_id: &str) -> Result<(CompanyId, String), Failure> {
    let wrong = || Failure::Other(format!("{key_id:?} is no key id: it has the form <company>_<suffix>"));
    svc_core::parse_key_id(key_id).map(|(company, suffix)| (company, suffix.to_owned())).ok_or_else(wrong)
}

fn read_scopes(text: &str) -> Result<Scopes, Failure> {
    if text == "all" {
        return Ok(Scopes::all());
    }
    let known = || Scope::ALL.iter().map(|scope| scope.word()).collect::<Vec<_>>().join(", ");
    text.split(',')
        .map(str::trim)
        .map(|name| {
            Scope::of(name).ok_or_else(|| Failure::Other(format!("{name:?} is no scope; there are: {}", known())))
        })
        .collect()
}
