//! Sending the e-mails in the outbox (`avisos`): [`notify_due`] sends what is due through a
//! [`Notifier`]; `SmtpNotifier` (feature `smtp`) sends them over SMTP. [`tell_owners`] queues those
//! about certificates and documents that wait for a company's owner.

mod owners;
#[cfg(feature = "smtp")]
mod smtp;

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::TimeDelta;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;

use crate::budget::Budget;
use crate::context::Context;
use crate::domain::company::CompanyId;
use crate::domain::words::InvoiceStatus;
use crate::error::Error;
use crate::leases::{Lease, LeasedPass, LeasedQueue, Pace, WorkOutcome};
use crate::observe;
use crate::operation::File;
use crate::store::{Backlog, LeaseTerms, LeasedMail, PrintableDocument, Queue, StoreError, Tx};

pub use owners::tell_owners;
#[cfg(feature = "settings")]
pub(crate) use smtp::server_address;
#[cfg(feature = "smtp")]
pub use smtp::{SmtpError, SmtpNotifier};

/// How long a notifier may take for one e-mail.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long an e-mail is leased: while those leased with it are printed and sent too.
const LEASE: TimeDelta = TimeDelta::minutes(4);

/// E-mails leased at once, of one company: they are sent one after the other, within the lease.
const BATCH: u32 = 4;

const PACE: Pace = Pace { room: |all, _| if all == 0 { BATCH } else { 0 }, at_once: 1 };

/// Hours from the first attempt to the second, and so on; after the last it is given up.
const PAUSES: [i64; 6] = [1, 2, 4, 8, 24, 48];

/// An e-mail for a [`Notifier`] to send.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// Names the e-mail, the same at every attempt to send it: 32 hexadecimal digits.
    pub id: String,
    /// The recipient's address, one.
    pub to: String,
    /// Its subject, in Spanish.
    pub subject: String,
    /// Its plain text, in Spanish; lines are separated by line feeds.
    pub text: String,
    /// The files that go with it.
    pub files: Vec<AttachedFile>,
}

/// A file that goes with an e-mail.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AttachedFile {
    /// The name under which it is attached.
    pub name: String,
    /// Its content type, such as `application/pdf`.
    pub content_type: &'static str,
    /// Its bytes, not encoded yet.
    pub content: Bytes,
}

impl fmt::Debug for AttachedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttachedFile").field("name", &self.name).finish_non_exhaustive()
    }
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

/// Sends e-mails; `SmtpNotifier` (feature `smtp`) does it over SMTP.
#[async_trait]
pub trait Notifier: Send + Sync {
    /// Sends one e-mail. It must take less than 30 seconds: a lease is for four e-mails, and lasts
    /// four minutes, in which their documents are printed too.
    async fn notify(&self, notice: &Notice) -> Result<(), NotifyFailure>;
}

/// What a pass did, in numbers of e-mails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NotifyReport {
    /// Sent: the notifier took them.
    pub enviados: u64,
    /// Failed, to be retried.
    pub pospuestos: u64,
    /// Failed for the last time.
    pub abandonados: u64,
    /// Not sent, because the document that they bring was cancelled in the meantime.
    pub descartados: u64,
}

impl NotifyReport {
    /// Whether the pass found nothing to do.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Sends the e-mails that are due when it begins, until all are done or `budget` is used up, a few
/// of each company in turn. Returns the counts.
///
/// Several passes may run at once, since each e-mail is leased to one of them. An e-mail is sent
/// again if the process died before it recorded that it was sent. A company whose e-mails cannot be
/// read or written is logged and counted, and delays no other. Fails if the due e-mails cannot be
/// found.
pub async fn notify_due(
    context: &Context,
    notifier: &dyn Notifier,
    budget: Budget,
) -> Result<NotifyReport, StoreError> {
    let context = &context.in_background();
    let mails = Mails { context, notifier };
    LeasedPass { context, backlog: Backlog::Mail, queues: &[&mails], pace: PACE, budget }.run().await
}

/// E-mails to be sent.
struct Mails<'a> {
    context: &'a Context,
    notifier: &'a dyn Notifier,
}

#[async_trait]
impl LeasedQueue for Mails<'_> {
    type Record = LeasedMail;
    type Report = NotifyReport;

    fn queue(&self) -> Queue {
        Queue::Mails
    }

    fn lease_time(&self) -> TimeDelta {
        LEASE
    }

    fn lease<'t>(&self, tx: &'t mut dyn Tx, terms: LeaseTerms) -> BoxFuture<'t, Result<Vec<LeasedMail>, StoreError>> {
        tx.lease_mail(terms)
    }

    fn clave(&self, mail: &LeasedMail) -> i64 {
        mail.clave
    }

    async fn work(&self, lease: Lease, mail: LeasedMail) -> Result<WorkOutcome<NotifyReport>, Error> {
        let Lease { company, token, desfase } = lease;
        let (retry_after, outcome) = self.send(company, &mail).await;
        let again = retry_after.map(|pause| self.context.now() + desfase + pause);
        let finished = self.context.call_store(company, |tx| tx.finish_mail(mail.clave, token, again)).await;
        if let Err(error) = finished {
            observe::company_failed(Backlog::Mail.name(), company, &error);
        }
        Ok(outcome)
    }

    fn failed(&self) -> Option<WorkOutcome<NotifyReport>> {
        None
    }
}

impl Mails<'_> {
    /// Sends one with its files; `false` if its document is not valid any more.
    async fn try_to_send(&self, company: CompanyId, mail: &LeasedMail) -> Result<bool, NotifyFailure> {
        let files = match mail.factura {
            None => Vec::new(),
            Some(factura) => {
                match self.files(company, factura).await.map_err(|error| NotifyFailure(error.to_string()))? {
                    Some(files) => files,
                    None => return Ok(false),
                }
            }
        };
        let (to, subject, text) = (mail.para.clone(), mail.asunto.clone(), mail.texto.clone());
        let notice = Notice { id: id(company, mail), to, subject, text, files };
        match timeout(PATIENCE, self.notifier.notify(&notice)).await {
            Ok(sent) => sent.map(|()| true),
            Err(_) => Err(NotifyFailure(format!("not sent within {} s", PATIENCE.as_secs()))),
        }
    }

    /// The stamped XML of a document and its printed representation; `None` if it is cancelled.
    async fn files(&self, company: CompanyId, factura: i64) -> Result<Option<Vec<AttachedFile>>, Error> {
        let stored = self.context.store().reader(company).printable_document(factura).await?;
        let valid = |printable: &PrintableDocument| printable.document.estatus == InvoiceStatus::Vigente;
        let Some(printable) = stored.filter(valid) else { return Ok(None) };
        let document = &printable.document;
        let Some(xml) = document.xml.clone() else { return Ok(None) };
        let [xml_name, pdf_name] = ["xml", "pdf"].map(|kind| document.file_name(kind));
        let pdf = self.context.whole(company, File::printed(printable)?).await?;
        Ok(Some(vec![
            AttachedFile { name: xml_name, content_type: "application/xml", content: xml.into() },
            AttachedFile { name: pdf_name, content_type: "application/pdf", content: pdf },
        ]))
    }

    /// Sends one; returns how long to wait before it is retried, if it is.
    async fn send(&self, company: CompanyId, mail: &LeasedMail) -> (Option<TimeDelta>, WorkOutcome<NotifyReport>) {
        let &LeasedMail { clave, intentos, .. } = mail;
        let sent = AssertUnwindSafe(self.try_to_send(company, mail)).catch_unwind().await;
        let failure = match sent {
            Ok(Ok(true)) => return (None, counted("sent", |report| &mut report.enviados)),
            Ok(Ok(false)) => {
                tracing::info!(
                    empresa = company.0,
                    aviso = clave,
                    factura = mail.factura,
                    "an e-mail was dropped: its document is cancelled"
                );
                return (None, counted("dropped", |report| &mut report.descartados));
            }
            Ok(Err(failure)) => failure,
            Err(_) => {
                observe::background_failed(Backlog::Mail.name(), "panic");
                NotifyFailure("the notifier panicked".to_owned())
            }
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
        match pause {
            Some(&hours) => (Some(TimeDelta::hours(hours)), counted("postponed", |report| &mut report.pospuestos)),
            None => (None, counted("given_up", |report| &mut report.abandonados)),
        }
    }
}

/// Two installations have the same claves, so the id depends on the e-mail's words too.
fn id(company: CompanyId, mail: &LeasedMail) -> String {
    let (company, clave) = (company.0.to_string(), mail.clave.to_string());
    let mut digest = Sha256::new();
    for part in [&company, &clave, &mail.para, &mail.asunto, &mail.texto] {
        digest.update(part);
        digest.update([0]);
    }
    hex::encode(&digest.finalize()[..16])
}

fn counted(label: &'static str, counter: fn(&mut NotifyReport) -> &mut u64) -> WorkOutcome<NotifyReport> {
    WorkOutcome { metric: observe::EMAILS, label, counter, more_due: false }
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

    #[test]
    fn an_e_mail_has_one_id_at_every_attempt_and_no_other_has_it() {
        let mail = |clave, para: &str, texto: &str, intentos| LeasedMail {
            clave,
            para: para.to_owned(),
            asunto: "Webhook desactivado".to_owned(),
            texto: texto.to_owned(),
            factura: None,
            intentos,
        };
        let first = id(CompanyId(1), &mail(7, "ana@example.com", "El webhook 3 falló.", 1));
        assert_eq!(first, id(CompanyId(1), &mail(7, "ana@example.com", "El webhook 3 falló.", 2)));
        assert!(first.len() == 32 && first.bytes().all(|digit| digit.is_ascii_hexdigit()), "{first}");
        for (company, other) in [
            (2, mail(7, "ana@example.com", "El webhook 3 falló.", 1)),
            (1, mail(8, "ana@example.com", "El webhook 3 falló.", 1)),
            (1, mail(7, "eva@example.com", "El webhook 3 falló.", 1)),
            (1, mail(7, "ana@example.com", "El webhook 4 falló.", 1)),
        ] {
            assert_ne!(first, id(CompanyId(company), &other), "{company} {}", other.clave);
        }
    }
}
