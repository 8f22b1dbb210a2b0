//! The database, and what is in it.

use std::sync::Arc;
use std::time::Duration;

use svc_core::Context;
use svc_core::domain::certificate::RENEWAL_NOTICE;
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::secrets::Sealer;
use svc_core::store::{QueueStore as _, StoreError};
use svc_store_postgres::{OpenError, PostgresStore};
use tokio::time::timeout;

use super::findings::Findings;
use crate::cli::{DEFAULT_BASE_URL, DatabaseArgs};
use crate::database::{OpenedDatabase, described};
use crate::parts::Parts;

/// How long the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the database holds for providers that may not be set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    /// Documents and cancellations, but those of test companies.
    pub(super) documents: u64,
    /// E-mails.
    pub(super) mails: u64,
    /// Whether a company has its documents sent to customers.
    pub(super) sends_documents: bool,
}

impl Waiting {
    async fn read(store: &PostgresStore) -> Result<Self, StoreError> {
        Ok(Self {
            documents: store.waiting_for_provider().await?,
            mails: store.waiting_mails().await?,
            sends_documents: store.sends_documents().await?,
        })
    }
}

/// Notes what is wrong with the database. Returns what waits there; `None` if the database cannot
/// be used.
pub(super) async fn check(
    args: &DatabaseArgs,
    parts: &Parts,
    sealer: Option<Sealer>,
    findings: &mut Findings,
) -> Option<Waiting> {
    if let Some(dir) = findings.done(OpenedDatabase::missing(args))? {
        findings.note(format_args!("DATABASE_URL is not set, and {} has no private database yet", dir.display()));
        return None;
    }
    let database = findings.done(OpenedDatabase::open(args, parts).await)?;
    for host in database.unverified_hosts() {
        findings.note(format_args!(
            "the certificate of the database at {host} is not verified (sslmode=verify-full in its URL, or \
             SVC_DATABASE_PRIVATE_HOSTS if only a private network leads to it)"
        ));
    }
    let mut waiting = None;
    if answers(&database, findings).await {
        check_contents(&database.store, sealer, findings).await;
        waiting = findings.done(Waiting::read(&database.store).await);
    }
    findings.done(database.close().await);
    waiting
}

/// Whether the database can be used with this program's schema.
async fn answers(database: &OpenedDatabase, findings: &mut Findings) -> bool {
    let (store, Some(mut probe)) = (&database.store, findings.done(database.probe())) else { return false };
    let options = store.options();
    let place = format!("{}:{}", options.get_host(), options.get_port());
    match timeout(PATIENCE, probe.check()).await {
        Ok(Ok(())) => return true,
        Ok(Err(error @ OpenError::Outdated)) => findings.note(format_args!("{error}: svc migrate")),
        Ok(Err(error)) => findings.note(format_args!("{}", described(store, error))),
        Err(_) => findings.note(format_args!("the database at {place} did not answer in {} s", PATIENCE.as_secs())),
    }
    false
}

async fn check_contents(store: &PostgresStore, sealer: Option<Sealer>, findings: &mut Findings) {
    let has_sealer = sealer.is_some();
    let context = Context::builder(Arc::new(store.clone()), DEFAULT_BASE_URL).secrets(sealer.unwrap_or_default());
    let Some(context) = findings.done(context.build()) else { return };
    if has_sealer && let Some(Some((count, error))) = findings.done(context.closed_secrets().await) {
        findings.note(format_args!("{count} stored secrets do not open: {error}"));
    }
    let soon = SystemClock.now() + RENEWAL_NOTICE;
    for certificate in findings.done(store.certificates_ending_before(soon).await).unwrap_or_default() {
        findings.note(format_args!(
            "the certificate {} of company {} ends on {}",
            certificate.numero,
            certificate.empresa.0,
            certificate.hasta.date_naive()
        ));
    }
    if let Some(offset) = findings.done(context.clock_offset().await).filter(|offset| offset.is_wrong()) {
        findings.note(offset);
    }
}
