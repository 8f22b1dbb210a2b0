//! E-mails to a company's owner, each sent once.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

use super::{CompanyId, StoreError};
use crate::domain::time::Timestamp;
use crate::domain::words::{Held, OwnerMatter};

/// How long an owner gets no further e-mail about waiting documents after one.
pub const TOLD_FOR: TimeDelta = TimeDelta::days(1);

/// How long documents wait for a provider before their owner gets an e-mail: another process may
/// have one.
pub const PROVIDER_GRACE: TimeDelta = TimeDelta::minutes(10);

/// The most documents that an e-mail names.
pub const NAMED_DOCUMENTS: usize = 10;

/// Documents of a company that wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingDocuments {
    /// How many, cancellations included.
    pub documentos: u64,
    /// Their claves in the registry, the oldest first, at most [`NAMED_DOCUMENTS`].
    pub facturas: Vec<i64>,
    /// When the oldest was requested.
    pub desde: DateTime<Utc>,
    /// Why the oldest was not stamped, as the provider said it.
    pub ultimo_error: Option<String>,
}

/// Plain reads of all companies, which lock nothing.
#[async_trait]
pub trait OwnerStore: Send + Sync {
    /// The companies whose owner has an address and is still to be notified at `now`, or at the
    /// time that the company's clock shows then; at most some thousands. The e-mail about a
    /// certificate is due `ahead` before its end. That about waiting documents is due unless there
    /// was one since the oldest was requested, or within [`TOLD_FOR`]; about documents without a
    /// provider only if `without_provider`, after [`PROVIDER_GRACE`].
    async fn owners_to_tell(
        &self,
        now: DateTime<Utc>,
        ahead: TimeDelta,
        without_provider: bool,
    ) -> Result<Vec<(CompanyId, OwnerMatter)>, StoreError>;
}

/// The owner's address, and what they were notified of.
#[async_trait]
pub trait OwnerTx {
    /// The e-mail address of the company's first active user, if they have one.
    async fn owner_address(&mut self) -> Result<Option<String>, StoreError>;

    /// The documents and cancellations that wait for this reason; `None` for those that wait for a
    /// provider to be set. `None` if there are none.
    async fn waiting_documents(&mut self, detenido: Option<Held>) -> Result<Option<WaitingDocuments>, StoreError>;

    /// Stores that the owner is notified of `matter` about `sobre` now; `false` if they were
    /// notified after `since`.
    async fn note_told(
        &mut self,
        matter: OwnerMatter,
        sobre: &str,
        since: DateTime<Utc>,
        now: Timestamp,
    ) -> Result<bool, StoreError>;
}
