use svc_core::Context;
use svc_core::backoffice::{CreateUser, DisableUser};
use svc_core::store::NewUser;

use crate::cli::UserCommand;
use crate::failure::Failure;
use crate::output::print;

pub(super) async fn run(context: &Context, command: UserCommand) -> Result<(), Failure> {
    match command {
        UserCommand::Create { company, name, email, salesperson } => {
            let user = NewUser { nombre: name, correo: email, vendedor: salesperson };
            print(&context.perform(company, &CreateUser(user)).await?)
        }
        UserCommand::Disable { company, user } => {
            print(&context.perform(company, &DisableUser { usuario: user }).await?)
        }
    }
}
