use svc_core::Context;
use svc_core::operations::EditCompany;

use crate::cli::CompanyCommand;
use crate::failure::Failure;
use crate::output::print;

pub(super) async fn run(context: &Context, command: CompanyCommand) -> Result<(), Failure> {
    match command {
        CompanyCommand::Create { settings } => print(&context.create_company(settings.into()).await?),
        CompanyCommand::Edit { company, settings } => {
            print(&context.run(company, &EditCompany(settings.into())).await?)
        }
    }
}
