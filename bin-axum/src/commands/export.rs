use svc_core::Context;
use svc_core::domain::company::CompanyId;
use svc_store_postgres::PostgresStore;

use super::import::named;
use crate::failure::Failure;
use crate::output::write;
use crate::progress::Progress;

pub(super) async fn run(
    context: &Context,
    store: &PostgresStore,
    company: CompanyId,
    resource: &str,
) -> Result<(), Failure> {
    let resource = named(resource)?;
    let mut export = context.export(company, resource).await?;
    let (bar, mut done) = (Progress::beside_stdout("records"), 0);
    // Counting reads all records once more, so it is done only for somebody who watches; without a
    // count the export goes on.
    let all = if bar.is_seen() { store.count(company, resource.exported()).await.ok() } else { None };
    let outcome = loop {
        match export.next().await {
            Ok(Some(lines)) => {
                // Each line ends with its break.
                done += lines.split(|&byte| byte == b'\n').count() as u64 - 1;
                match all {
                    // Records may have been added meanwhile.
                    Some(all) => bar.tell_of(done, all.max(done)),
                    None => bar.tell(done),
                }
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
