use serde_json::json;
use svc_core::domain::company::CompanyId;
use svc_core::json::{Patch, Text};
use svc_core::operations::{CreateUser, DisableUser, EditUser, ListUsers};
use svc_core::store::NewUser;
use svc_core::{Context, Error};

use crate::cli::UserCommand;
use crate::failure::Failure;
use crate::output::{day, print};

/// Users read at once.
const BATCH: u32 = 1_000;

pub(super) async fn run(context: &Context, command: UserCommand) -> Result<(), Failure> {
    match command {
        UserCommand::Create { company, name, email, salesperson } => {
            let user = NewUser { nombre: name, correo: email, vendedor: salesperson };
            print(&context.run(company, &CreateUser(user)).await?)
        }
        UserCommand::List { company } => list(context, company).await,
        UserCommand::Edit { company, user, name, email } => {
            let mut edit = EditUser { clave: user, ..EditUser::default() };
            if let Some(name) = name {
                edit.nombre = name.parse::<Text<_>>().map_err(Error::from)?.into();
            }
            if let Some(email) = email {
                edit.correo = match email.trim() {
                    "" => Patch::Clear,
                    email => Patch::Set(email.parse().map_err(Error::from)?),
                };
            }
            print(&context.run(company, &edit).await?)
        }
        UserCommand::Disable { company, user } => print(&context.run(company, &DisableUser { usuario: user }).await?),
    }
}

async fn list(context: &Context, company: CompanyId) -> Result<(), Failure> {
    let mut after = 0;
    loop {
        let users = context.run(company, &ListUsers { after, max: BATCH }).await?;
        let Some(last) = users.last() else { return Ok(()) };
        after = last.clave;
        for listed in users {
            print(&json!({
                "usuario": listed.clave,
                "nombre": listed.user.nombre,
                "correo": listed.user.correo,
                "vendedor": listed.user.vendedor,
                "activo": listed.activo,
                "ultimo_uso": day(listed.used),
            }))?;
        }
    }
}
