//! The company's signing certificate.

use std::fmt;

use serde::Serialize;

use crate::domain::certificate;
use crate::domain::time::Timestamp;
use crate::error::Error;
use crate::operation::{Cx, Operation, Spec};
use crate::store::{CompanyChange, SIGNING_KEY};

/// Loads the certificate that the company signs its invoices with: the SAT's two files, and the
/// key's password, which is not kept. A company without an RFC takes the certificate's. Its key is
/// sealed, if there is a key for secrets ([`crate::secrets`]).
#[derive(Clone)]
pub struct LoadCertificate {
    /// The certificate (`.cer`), X.509 in DER or PEM.
    pub cer: Vec<u8>,
    /// Its private key (`.key`), encrypted PKCS#8 in DER or PEM.
    pub key: Vec<u8>,
    /// The key's password.
    pub password: String,
}

impl fmt::Debug for LoadCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadCertificate").finish_non_exhaustive()
    }
}

/// The certificate that was loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CertificateLoaded {
    /// Its number.
    pub numero: String,
    /// The last instant it is valid.
    pub vigente_hasta: Timestamp,
}

impl Operation for LoadCertificate {
    const SPEC: Spec = Spec::new("Load the signing certificate");
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
