//! `svc doctor`: what is wrong with this installation.
//!
//! It changes nothing and starts nothing, but for the private PostgreSQL of an installation that has
//! one. A finding never holds a secret.

mod installation;
mod providers;
mod reach;
mod settings;

use std::fmt::Display;

use serde_json::json;
use svc_core::secrets::Sealer;

use crate::cli::{DatabaseArgs, DoctorArgs};
use crate::failure::Failure;
use crate::output::print;

/// What is wrong, one line each.
#[derive(Debug, Default)]
struct Findings(Vec<String>);

impl Findings {
    fn note(&mut self, finding: impl Display) {
        self.0.push(finding.to_string().replace(['\n', '\r'], " "));
    }

    /// What was done; an error is a finding.
    fn done<T>(&mut self, outcome: Result<T, impl Display>) -> Option<T> {
        outcome.map_err(|error| self.note(error)).ok()
    }
}

pub(super) async fn run(
    database: &DatabaseArgs,
    args: &DoctorArgs,
    sealer: Result<Sealer, Failure>,
) -> Result<(), Failure> {
    let mut findings = Findings::default();
    settings::check(&mut findings);
    let sealer = findings.done(sealer);
    if sealer.as_ref().is_some_and(|sealer| !sealer.has_key()) {
        findings.note("SVC_SECRETS_KEY is not set: webhook secrets and certificate keys are stored as they are");
    }
    installation::check(database, sealer, &mut findings).await;
    providers::check(&args.outside, &mut findings).await;
    reach::check_base_url(&args.service, &mut findings).await;
    let Findings(findings) = findings;
    for finding in &findings {
        eprintln!("{finding}");
    }
    print(&json!({ "bien": findings.is_empty(), "avisos": findings }))?;
    match findings.len() {
        0 => Ok(()),
        1 => Err(Failure::Other("1 thing is wrong".to_owned())),
        count => Err(Failure::Other(format!("{count} things are wrong"))),
    }
}
