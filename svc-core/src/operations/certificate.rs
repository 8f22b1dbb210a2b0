//! The company's signing certificate.

use std::fmt;

use serde::Serialize;

use crate::domain::certificate;
use crate::domain::time::Timestamp;
use crate::error::Error;
use crate::operation::{Cx, Operation, Spec};
use crate::store::{CompanyChange, ListedCertificate, SIGNING_KEY};

/// Loads the certificate that signs the company's invoices, from the two files that the SAT issues
/// and the key's password, which is not stored. A company without an RFC takes the certificate's.
/// The private key is stored sealed if a key for secrets is set ([`crate::secrets`]).
#[derive(Clone)]
pub struct LoadCertificate {
    /// The certificate (`.cer`): X.509 in DER or PEM.
    pub cer: Vec<u8>,
    /// The private key (`.key`): encrypted PKCS#8 in DER or PEM.
    pub key: Vec<u8>,
    /// The password of the private key.
    pub password: String,
}

impl fmt::Debug for LoadCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadCertificate").finish_non_exhaustive()
    }
}

/// The certificate that is now in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CertificateLoaded {
    /// Its number (`NoCertificado`, 20 digits).
    pub numero: String,
    /// The last instant at which it is valid.
    pub vigente_hasta: Timestamp,
}

impl Operation for LoadCertificate {
    const SPEC: Spec = Spec::new();
    type Output = CertificateLoaded;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<CertificateLoaded, Error> {
        let rfc = cx.company.rfc.as_deref();
        let opened = certificate::open(&self.cer, &self.key, &self.password, rfc, cx.now)?;
        let certificate = opened.certificate;
        let sealed = cx.seal(SIGNING_KEY, &certificate.numero, &opened.key)?;
        cx.tx.save_certificate(&certificate, &sealed, cx.now).await?;
        if rfc.is_none() {
            let change = CompanyChange { rfc: Some(certificate.rfc), ..CompanyChange::default() };
            cx.tx.update_company(&change).await?;
        }
        Ok(CertificateLoaded { numero: certificate.numero, vigente_hasta: certificate.hasta })
    }
}

/// Lists a company's signing certificates; the first is in use.
#[derive(Debug, Clone, Copy, Default)]
pub struct ListCertificates;

impl Operation for ListCertificates {
    const SPEC: Spec = Spec::new().reads();
    type Output = Vec<ListedCertificate>;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<Vec<ListedCertificate>, Error> {
        Ok(cx.tx.listed_certificates().await?)
    }
}
