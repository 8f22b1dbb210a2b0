//! `svc doctor`: what is wrong with this installation.
//!
//! It changes nothing and starts nothing, but for the private PostgreSQL of an installation that
//! has one. A finding never holds a secret.

mod findings;
mod installation;
mod providers;
mod reach;
mod settings;

use serde_json::json;
use svc_core::secrets::Sealer;

use self::findings::Findings;
use crate::cli::{DatabaseArgs, DoctorArgs};
use crate::failure::Failure;
use crate::output::print;
use crate::parts::Parts;

pub(super) async fn run(
    database: &DatabaseArgs,
    args: &DoctorArgs,
    sealer: Result<Sealer, Failure>,
    parts: &Parts,
) -> Result<(), Failure> {
    let mut findings = Findings::default();
    settings::check(&mut findings);
    let sealer = findings.done(sealer);
    if sealer.as_ref().is_some_and(|sealer| !sealer.has_key()) {
        findings.note("SVC_SECRETS_KEY is not set: webhook secrets and certificate keys are stored as they are");
    }
    let waiting = installation::check(database, parts, sealer, &mut findings).await;
    providers::check(&args.outside, waiting, &mut findings).await;
    reach::check_base_url(&args.service, &mut findings).await;
    let findings = findings.lines();
    for finding in findings {
        eprintln!("{finding}");
    }
    print(&json!({ "bien": findings.is_empty(), "avisos": findings }))?;
    match findings.len() {
        0 => Ok(()),
        1 => Err(Failure::Other("1 thing is wrong".to_owned())),
        count => Err(Failure::Other(format!("{count} things are wrong"))),
    }
}
