//! Sealed values across companies, for a change of the key they are sealed under
//! ([`crate::secrets`]).

use std::fmt;

use async_trait::async_trait;

use super::{CompanyId, StoreError};

/// A column that holds sealed values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SealedColumn {
    /// The private key of a signing certificate; the record is the certificate's number.
    CertificateKey,
    /// The secret of a webhook; the record is its clave.
    WebhookSecret,
    /// The previous secret of a webhook, while it has one; the record is its clave.
    PreviousWebhookSecret,
}

impl SealedColumn {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::CertificateKey, Self::WebhookSecret, Self::PreviousWebhookSecret];
}

/// A sealed value.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedSecret {
    /// Its company.
    pub company: CompanyId,
    /// Its column.
    pub column: SealedColumn,
    /// Its record's key, as text.
    pub record: String,
    /// The value as it is stored.
    pub sealed: Vec<u8>,
}

impl fmt::Debug for SealedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { company, column, record, .. } = self;
        write!(f, "SealedSecret({}/{column:?}/{record})", company.0)
    }
}

/// A sealed value, and what replaces it.
#[derive(Debug, Clone)]
pub struct Resealed {
    /// The value as it was read.
    pub secret: SealedSecret,
    /// The same secret, sealed anew.
    pub sealed: Vec<u8>,
}

/// The sealed values of some companies.
#[derive(Debug, Default)]
pub struct SecretsBatch {
    /// The last company that was looked at; `None` when there are no more companies.
    pub last: Option<CompanyId>,
    /// The values, in no particular order.
    pub secrets: Vec<SealedSecret>,
}

/// Sealed values of all companies.
#[async_trait]
pub trait SecretStore {
    /// The sealed values that do not begin with `prefix`, of the next `companies` companies after
    /// `after` in the order of their numbers, which are positive. Erased secrets (those of deleted
    /// webhooks) are left out.
    async fn secrets_not_under(
        &self,
        prefix: &[u8],
        after: CompanyId,
        companies: u32,
    ) -> Result<SecretsBatch, StoreError>;

    /// Replaces each of the values that is still as it was read; returns how many were replaced.
    /// After an error some may have been. The records' times of modification stay as they are.
    async fn replace_secrets(&self, resealed: &[Resealed]) -> Result<u64, StoreError>;
}
