//! Signing certificates to test with; `tests/fixtures/csd/README.md` says which is which.

use std::path::{Path, PathBuf};

use svc_core::operations::LoadCertificate;

/// The password of the keys.
pub const PASSWORD: &str = "12345678a";

/// The RFC of the certificate `valid`: the SAT's test company.
pub const RFC: &str = "EKU9003173C9";

/// A file of the certificates, `valid.cer` or the like.
pub fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/csd").join(name)
}

/// The input that loads `<cer>.cer` with `<key>.key`.
pub fn load(cer: &str, key: &str) -> LoadCertificate {
    let read = |name: String| std::fs::read(file(&name)).expect("a file of the certificates");
    LoadCertificate { cer: read(format!("{cer}.cer")), key: read(format!("{key}.key")), password: PASSWORD.to_owned() }
}
