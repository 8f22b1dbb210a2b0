use svc_core::backoffice::{EditCompany, Office};
use svc_core::store::CompanyId;

use crate::cli::CompanyCommand;
use crate::failure::Failure;
use crate::output::print;

pub(super) async fn run(office: &Office, command: CompanyCommand) -> Result<(), Failure> {
    match command {
        CompanyCommand::Create { settings } => print(&office.create_company(settings.into()).await?),
        CompanyCommand::Edit { company, settings } => {
            print(&office.perform(CompanyId(company), &EditCompany(settings.into())).await?)
        }
    }
}
