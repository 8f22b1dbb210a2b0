use svc_core::json::{Patch, Text};
use svc_core::operations::{CreateUser, DisableUser, EditUser};
use svc_core::store::NewUser;
use svc_core::{Context, Error};

use crate::cli::UserCommand;
use crate::failure::Failure;
use crate::output::print;

pub(super) async fn run(context: &Context, command: UserCommand) -> Result<(), Failure> {
    match command {
        UserCommand::Create { company, name, email, salesperson } => {
            let user = NewUser { nombre: name, correo: email, vendedor: salesperson };
            print(&context.run(company, &CreateUser(user)).await?)
        }
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
