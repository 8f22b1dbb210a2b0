//! The database, and what is in it.

use std::sync::Arc;
use std::time::Duration;

use svc_core::Context;
use svc_core::domain::certificate::RENEWAL_NOTICE;
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::domain::words::Held;
use svc_core::secrets::Sealer;
use svc_core::store::{QueueStore as _, StoreError};
use svc_store_postgres::{OpenError, PostgresStore, Settings};
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use super::findings::Findings;
use crate::cli::{DEFAULT_BASE_URL, DatabaseArgs};
use crate::database::{OpenedDatabase, described};
use crate::output::held;
use crate::parts::Parts;

/// How long the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the database holds for providers that may not be set.
#[derive(Debug, Clone, Copy)]
pub(super) struct WaitingForProviders {
    /// Documents and cancellations, but those of test companies.
    pub(super) documents: u64,
    pub(super) mails: u64,
    /// Whether a company has its documents sent to customers.
    pub(super) sends_documents: bool,
}

impl WaitingForProviders {
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
) -> Option<WaitingForProviders> {
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
    let is_usable = answers(&database, findings).await;
    let mut waiting = None;
    if is_usable {
        check_contents(&database.store, sealer, findings).await;
        waiting = findings.done(WaitingForProviders::read(&database.store).await);
    }
    check_direct(&database, is_usable, findings).await;
    check_replica(args, findings).await;
    findings.done(database.close().await);
    waiting
}

/// Whether the database can be used with this program's schema.
async fn answers(database: &OpenedDatabase, findings: &mut Findings) -> bool {
    let Some(mut probe) = findings.done(database.probe()) else { return false };
    match within(probe.check()).await {
        Ok(()) => return true,
        Err(Fault::Open(error @ OpenError::Outdated)) => findings.note(format_args!("{error}: svc migrate")),
        Err(fault) => findings.note(described(&database.store, fault)),
    }
    false
}

/// Why a database cannot be used.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("no answer in {} s", PATIENCE.as_secs())]
    Silent(#[from] Elapsed),
}

async fn within(answer: impl Future<Output = Result<(), OpenError>>) -> Result<(), Fault> {
    Ok(timeout(PATIENCE, answer).await??)
}

/// Notes if the address past the pooler, which only migrations need, does not lead to the database.
async fn check_direct(database: &OpenedDatabase, is_usable: bool, findings: &mut Findings) {
    let Some(direct) = database.direct() else { return };
    match within(direct.probe().check()).await {
        Ok(()) => {}
        // The schema is no newer past the pooler.
        Err(Fault::Open(OpenError::Outdated)) if !is_usable => {}
        Err(fault) => findings.note(format_args!("DATABASE_DIRECT_URL: {}", described(direct, fault))),
    }
}

/// Notes if the replica does not answer: lists then come from the database itself.
async fn check_replica(args: &DatabaseArgs, findings: &mut Findings) {
    let replica = args.replica_url().map(|url| PostgresStore::open(url, &Settings::default()));
    if let Some(replica) = replica.and_then(|opened| findings.done(opened))
        && let Err(fault) = within(replica.ping()).await
    {
        findings.note(format_args!("DATABASE_REPLICA_URL: {}", described(&replica, fault)));
    }
}

async fn check_contents(store: &PostgresStore, sealer: Option<Sealer>, findings: &mut Findings) {
    let has_sealer = sealer.is_some();
    let context = Context::builder(Arc::new(store.clone()), DEFAULT_BASE_URL).secrets(sealer.unwrap_or_default());
    let Some(context) = findings.done(context.build()) else { return };
    if has_sealer && let Some(Some((count, error))) = findings.done(context.closed_secrets().await) {
        findings.note(format_args!("{count} stored secrets do not open: {error}"));
    }
    for (why, count) in findings.done(context.held().await).unwrap_or_default() {
        // A copy holds its original's documents for good, and nothing is wrong with that.
        if why != Held::Copy {
            findings.note(held(why, count));
        }
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
