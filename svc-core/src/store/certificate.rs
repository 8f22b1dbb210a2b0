//! Signing certificates.

use async_trait::async_trait;

use super::StoreError;
use crate::domain::certificate::SigningCertificate;
use crate::domain::time::Timestamp;

/// The column of a certificate's sealed private key, for [`crate::operation::Cx::seal`] and
/// [`crate::operation::Cx::open`]; the record is the certificate's number.
pub const SIGNING_KEY: &str = "certificados.llave";

/// Signing certificates inside a transaction.
#[async_trait]
pub trait CertificateTx {
    /// The certificate loaded last, without its private key. It may be invalid or expired: see
    /// [`SigningCertificate::is_valid`].
    async fn signing_certificate(&mut self) -> Result<Option<SigningCertificate>, StoreError>;

    /// The sealed private key of the certificate of that number; [`crate::operation::Cx::open`]
    /// opens it with the column [`SIGNING_KEY`].
    async fn signing_key(&mut self, numero: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Stores a certificate and its sealed private key as the company's current one; it replaces
    /// one of the same number.
    async fn save_certificate(
        &mut self,
        certificate: &SigningCertificate,
        sealed_key: &[u8],
        now: Timestamp,
    ) -> Result<(), StoreError>;
}
