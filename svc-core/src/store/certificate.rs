//! Signing certificates.

use async_trait::async_trait;

use super::StoreError;
use crate::domain::certificate::SigningCertificate;
use crate::domain::time::Timestamp;

/// Signing certificates inside a transaction.
#[async_trait]
pub trait CertificateTx {
    /// The certificate that the company signs with, the one loaded last, valid or not. Without its key, which a
    /// pre-check does not need; [`SigningCertificate::is_valid`] judges it.
    async fn signing_certificate(&mut self) -> Result<Option<SigningCertificate>, StoreError>;

    /// The sealed private key of the certificate of that number; [`crate::operation::Cx::open`] opens it for the column
    /// [`crate::backoffice::SIGNING_KEY`].
    async fn signing_key(&mut self, numero: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Writes a certificate and its sealed private key, and makes it the one that the company signs with. One of the same
    /// number is replaced.
    async fn save_certificate(
        &mut self,
        certificate: &SigningCertificate,
        sealed_key: &[u8],
        now: Timestamp,
    ) -> Result<(), StoreError>;
}
