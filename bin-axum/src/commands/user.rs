use svc_core::backoffice::{CreateUser, DisableUser, Office};
use svc_core::store::{CompanyId, NewUser};

use crate::cli::UserCommand;
use crate::failure::Failure;
use crate::output::print;

pub(super) async fn run(office: &Office, command: UserCommand) -> Result<(), Failure> {
    match command {
        UserCommand::Create { company, name, email, salesperson } => {
            let user = NewUser { nombre: name, correo: email, vendedor: salesperson };
            print(&office.perform(CompanyId(company), &CreateUser(user)).await?)
        }
        UserCommand::Disable { company, user } => {
            print(&office.perform(CompanyId(company), &DisableUser { usuario: user }).await?)
        }
    }
}
