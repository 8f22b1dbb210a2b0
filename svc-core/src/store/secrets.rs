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
    /// All columns with sealed values.
    pub const ALL: [Self; 3] = [Self::CertificateKey, Self::WebhookSecret, Self::PreviousWebhookSecret];
}

/// A sealed value with the place that it was sealed for: it opens nowhere else.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedSecret {
    /// The company, part of the place.
    pub company: CompanyId,
    /// The column that holds it, part of the place.
    pub column: SealedColumn,
    /// Key of the record, as text: part of the place too.
    pub record: String,
    /// The value as it was stored when it was read.
    pub sealed: Vec<u8>,
}

impl fmt::Debug for SealedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { company, column, record, .. } = self;
        write!(f, "SealedSecret({}/{column:?}/{record})", company.0)
    }
}

/// A sealed value with its replacement.
#[derive(Debug, Clone)]
pub struct Resealed {
    /// The value that is replaced.
    pub secret: SealedSecret,
    /// The same secret, sealed under the new key.
    pub sealed: Vec<u8>,
}

/// The sealed values of some companies.
#[derive(Debug, Default)]
pub struct SecretsBatch {
    /// The last company that was read; `None` if there are no more companies.
    pub last: Option<CompanyId>,
    /// The values, in no particular order.
    pub secrets: Vec<SealedSecret>,
}

/// Sealed values of all companies.
#[async_trait]
pub trait SecretStore {
    /// The sealed values that do not begin with `prefix`, of the next `companies` companies after
    /// `after` in the order of their numbers. The erased secrets of deleted webhooks are left out.
    async fn secrets_not_under(
        &self,
        prefix: &[u8],
        after: CompanyId,
        companies: u32,
    ) -> Result<SecretsBatch, StoreError>;

    /// The first sealed values of certificates and of webhooks in the order of their companies, at
    /// most `max` of each, by one statement.
    async fn first_secrets(&self, max: u32) -> Result<Vec<SealedSecret>, StoreError>;

    /// Replaces each value that is still as it was read; returns how many were replaced. After an
    /// error some may have been. The records' times of modification stay as they are.
    async fn replace_secrets(&self, resealed: &[Resealed]) -> Result<u64, StoreError>;
}
