//! Sending the e-mails in the outbox (`avisos`): [`notify_due`] sends what is due through a [`Notifier`];
//! `SmtpNotifier` (feature `smtp`) sends them over SMTP.

#[cfg(feature = "smtp")]
mod smtp;

use std::fmt;
use std::panic::AssertUnwindSafe;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::FutureExt as _;
use serde::Serialize;
use uuid::Uuid;

use crate::budget::Budget;
use crate::context::Context;
use crate::domain::clock::random_uuid;
use crate::domain::company::CompanyId;
use crate::error::Error;
use crate::observe;
use crate::store::{Backlog, Due, LeasedMail, StoreError, Tx, Work, transact};

#[cfg(feature = "smtp")]
pub use smtp::{SmtpError, SmtpNotifier};

/// How long an e-mail is leased while it is sent.
const LEASE: TimeDelta = TimeDelta::minutes(2);

/// How many are leased at once: sent one after the other, within the lease.
const AT_ONCE: u32 = 4;

/// Hours from the first attempt to the second, and so on; after the last it is given up.
const PAUSES: [i64; 6] = [1, 2, 4, 8, 24, 48];

/// An e-mail.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// The recipient's address.
    pub to: String,
    /// Its subject.
    pub subject: String,
    /// Its plain text.
    pub text: String,
}

impl fmt::Debug for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notice").field("subject", &self.subject).finish_non_exhaustive()
    }
}

/// Why an e-mail was not sent; it is retried. Addresses in it are removed before it is logged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not sent: {0}")]
pub struct NotifyFailure(pub String);

/// Sends e-mails.
#[async_trait]
pub trait Notifier: Send + Sync {
    /// Sends one e-mail. It must take less than 30 seconds: a lease is for four e-mails, and lasts two minutes.
    async fn notify(&self, notice: &Notice) -> Result<(), NotifyFailure>;
}

/// What a pass did, in numbers of e-mails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NotifyReport {
    /// Sent.
    pub enviados: u64,
    /// Failed, to be retried.
    pub pospuestos: u64,
    /// Failed for the last time.
    pub abandonados: u64,
}

/// Sends the e-mails that are due until none is or `budget` is used up, a few of each company in turn; gives what it did.
/// Several passes may run at once: an e-mail is leased to one of them. One that is sent by a process that dies before it has
/// written so is sent again. A company whose e-mails cannot be read or written is logged and counted, and delays no other;
/// the error is that of finding what is due.
pub async fn notify_due(
    context: &Context,
    notifier: &dyn Notifier,
    budget: Budget,
) -> Result<NotifyReport, StoreError> {
    let context = &context.in_background();
    let mut pass = Pass { context, notifier, budget, report: NotifyReport::default(), taken: 0 };
    loop {
        let due = context.due(Backlog::Mail, context.now()).await?;
        let before = pass.taken;
        for Due { company, .. } in due {
            if let Err(error) = pass.turn(company).await {
                observe::company_failed("mail", company, &error);
            }
        }
        if pass.taken == before {
            return Ok(pass.report);
        }
    }
}

struct Pass<'a> {
    context: &'a Context,
    notifier: &'a dyn Notifier,
    budget: Budget,
    report: NotifyReport,
    taken: u32,
}

impl Pass<'_> {
    /// Sends a few e-mails of a company.
    async fn turn(&mut self, company: CompanyId) -> Result<(), Error> {
        let (store, now) = (self.context.store(), self.context.now());
        let max = self.budget.left(self.taken, now).min(AT_ONCE);
        if max == 0 {
            return Ok(());
        }
        let token = random_uuid(self.context.random());
        let leased = transact(store, self.context.random(), company, &mut Lease { max, now, token }).await?;
        self.taken = self.taken.saturating_add(u32::try_from(leased.len()).unwrap_or(max));
        for mail in leased {
            let again = send(self.notifier, company, &mail, &mut self.report).await;
            let again = again.map(|pause| self.context.now() + pause);
            transact(store, self.context.random(), company, &mut Settle { clave: mail.clave, token, again }).await?;
        }
        Ok(())
    }
}

struct Lease {
    max: u32,
    now: DateTime<Utc>,
    token: Uuid,
}

impl Work for Lease {
    type Output = Vec<LeasedMail>;

    async fn run(&mut self, tx: &mut dyn Tx) -> Result<Vec<LeasedMail>, Error> {
        Ok(tx.lease_mail(self.max, self.now, self.token, self.now + LEASE).await?)
    }
}

struct Settle {
    clave: i64,
    token: Uuid,
    again: Option<DateTime<Utc>>,
}

impl Work for Settle {
    type Output = ();

    async fn run(&mut self, tx: &mut dyn Tx) -> Result<(), Error> {
        Ok(tx.settle_mail(self.clave, self.token, self.again).await?)
    }
}

/// Sends one; gives how long to wait before it is retried, if it is.
async fn send(
    notifier: &dyn Notifier,
    company: CompanyId,
    mail: &LeasedMail,
    report: &mut NotifyReport,
) -> Option<TimeDelta> {
    let &LeasedMail { clave, intentos, .. } = mail;
    let notice = Notice { to: mail.para.clone(), subject: mail.asunto.clone(), text: mail.texto.clone() };
    let sent = AssertUnwindSafe(async { notifier.notify(&notice).await }).catch_unwind().await;
    let Err(failure) = sent.unwrap_or_else(|_| {
        observe::background_failed("mail", "panic");
        Err(NotifyFailure("the notifier panicked".to_owned()))
    }) else {
        report.enviados += 1;
        observe::attempts(observe::EMAILS, "sent", 1);
        return None;
    };
    let pause = usize::try_from(intentos).ok().and_then(|tried| PAUSES.get(tried.checked_sub(1)?));
    let failure = without_addresses(&failure.0);
    tracing::warn!(
        empresa = company.0,
        aviso = clave,
        intentos,
        failure,
        given_up = pause.is_none(),
        "no e-mail was sent"
    );
    let (counter, outcome) = match pause {
        Some(_) => (&mut report.pospuestos, "postponed"),
        None => (&mut report.abandonados, "given_up"),
    };
    *counter += 1;
    observe::attempts(observe::EMAILS, outcome, 1);
    pause.map(|&hours| TimeDelta::hours(hours))
}

/// Servers repeat the recipient in their errors, and addresses do not belong in a log.
fn without_addresses(text: &str) -> String {
    let word = |word| if str::contains(word, '@') { "…" } else { word };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_left_out_of_what_a_server_said() {
        let said = "permanent error (550): 5.1.1 <Ana@example.com>: no existe";
        assert_eq!(without_addresses(said), "permanent error (550): 5.1.1 … no existe");
    }
}
