//! The output of commands: results on stdout, one JSON line each, or a raw file.

use std::io::Write as _;

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use svc_core::domain::words::Held;

use crate::failure::Failure;

pub(crate) fn print(result: &impl Serialize) -> Result<(), Failure> {
    let line = serde_json::to_string(result).map_err(|error| Failure::Other(error.to_string()))?;
    writeln!(std::io::stdout(), "{line}").map_err(Failure::io("cannot write to stdout"))
}

/// Writes a raw file to stdout.
pub(crate) fn write(file: &[u8]) -> Result<(), Failure> {
    let mut stdout = std::io::stdout();
    stdout.write_all(file).and_then(|()| stdout.flush()).map_err(Failure::io("cannot write to stdout"))
}

/// The day (UTC) of a last use.
pub(crate) fn day(at: Option<DateTime<Utc>>) -> Option<NaiveDate> {
    at.map(|at| at.date_naive())
}

/// The hint to operators about documents that wait for a person.
pub(crate) fn held(why: Held, count: u64) -> String {
    let why = match why {
        Held::Stuck => "stuck: nobody can tell whether they were stamped",
        Held::Misconfigured => "held: the stamping provider refuses the account",
        Held::Copy => "held: the original of this database sends them",
    };
    format!("{count} documents {why}")
}

/// The hint to operators about e-mails that wait until a mail server is set.
pub(crate) fn without_mail_server(waiting: u64) -> String {
    format!("mail: no server (SVC_SMTP_URL is not set), {waiting} e-mails wait")
}

/// The hint to operators about documents that wait until a stamping provider is set.
pub(crate) fn without_provider(waiting: u64) -> String {
    format!("stamping: no provider, {waiting} documents wait")
}
