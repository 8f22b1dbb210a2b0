use svc_core::Context;
use svc_core::domain::company::CompanyId;

use super::import::named;
use crate::failure::Failure;
use crate::output::write;

pub(super) async fn run(context: &Context, company: CompanyId, resource: &str) -> Result<(), Failure> {
    let mut export = context.export(company, named(resource)?).await?;
    while let Some(lines) = export.next().await? {
        write(&lines)?;
    }
    Ok(())
}
