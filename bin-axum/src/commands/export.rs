use svc_core::Context;
use svc_core::domain::company::CompanyId;

use super::import::named;
use crate::failure::Failure;
use crate::output::write;
use crate::progress::Progress;

pub(super) async fn run(context: &Context, company: CompanyId, resource: &str) -> Result<(), Failure> {
    let mut export = context.export(company, named(resource)?).await?;
    let (bar, mut done) = (Progress::beside_stdout("records"), 0);
    let outcome = loop {
        match export.next().await {
            Ok(Some(lines)) => {
                // Each line ends with its break.
                done += lines.split(|&byte| byte == b'\n').count() as u64 - 1;
                bar.tell(done);
                if let Err(failure) = write(&lines) {
                    break Err(failure);
                }
            }
            Ok(None) => break Ok(()),
            Err(error) => break Err(error.into()),
        }
    };
    bar.end();
    outcome
}
