//! Sending the e-mails in the outbox (`avisos`).

use std::fmt;

use async_trait::async_trait;
use chrono::TimeDelta;
use serde::Serialize;

use super::Budget;
use crate::context::Context;
use crate::domain::clock::random_bytes;
use crate::observe;
use crate::store::{LeasedMail, StoreError};

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

/// Sends the e-mails that are due until none is or `budget` is used up; gives what it did. Several passes may run at once:
/// an e-mail is leased to one of them. One that is sent by a process that dies before it has written so is sent again.
pub async fn notify_due(
    context: &Context,
    notifier: &dyn Notifier,
    budget: Budget,
) -> Result<NotifyReport, StoreError> {
    let context = &context.in_background();
    let (mut report, mut count) = (NotifyReport::default(), 0u32);
    loop {
        let now = context.now();
        let most = budget.left(count, now).min(AT_ONCE);
        if most == 0 {
            return Ok(report);
        }
        let token = uuid::Builder::from_random_bytes(random_bytes(context.random())).into_uuid();
        let leased = context.store().lease_mail(most, now, token, now + LEASE).await?;
        if leased.is_empty() {
            return Ok(report);
        }
        count = count.saturating_add(most);
        for mail in leased {
            let again = send(notifier, &mail, &mut report).await;
            context.store().settle_mail(&mail, token, again.map(|pause| context.now() + pause)).await?;
        }
    }
}

/// Sends one; gives how long to wait before it is retried, if it is.
async fn send(notifier: &dyn Notifier, mail: &LeasedMail, report: &mut NotifyReport) -> Option<TimeDelta> {
    let &LeasedMail { company, clave, intentos, .. } = mail;
    let notice = Notice { to: mail.para.clone(), subject: mail.asunto.clone(), text: mail.texto.clone() };
    let Err(failure) = notifier.notify(&notice).await else {
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
