//! A signing certificate that is valid for twenty years, of the SAT's test company.

use svc_core::operations::LoadCertificate;

/// The input that loads it.
pub(crate) fn valid() -> LoadCertificate {
    LoadCertificate {
        cer: include_bytes!("../fixtures/valid.cer").to_vec(),
        key: include_bytes!("../fixtures/valid.key").to_vec(),
        password: "12345678a".to_owned(),
    }
}
