use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde_json::json;
use svc_core::Context;
use svc_core::domain::company::CompanyId;
use svc_core::operations::{ListCertificates, LoadCertificate};

use crate::cli::CertificateCommand;
use crate::failure::Failure;
use crate::output::print;

/// The longest accepted file, in bytes: certificates and keys have one or two kilobytes.
const MAX_FILE: u64 = 65_536;

pub(super) async fn run(context: &Context, command: CertificateCommand) -> Result<(), Failure> {
    let (company, cer, key, password_env) = match command {
        CertificateCommand::List { company } => return list(context, company).await,
        CertificateCommand::Load { company, cer, key, password_env } => (company, cer, key, password_env),
    };
    // The error does not show the variable's name, since a user may have put the password itself
    // there.
    let unset = |_| Failure::Other("the environment variable that --password-env names is not set".to_owned());
    let password = std::env::var(password_env).map_err(unset)?;
    let load = LoadCertificate { cer: read(&cer)?, key: read(&key)?, password };
    print(&context.run(company, &load).await?)
}

async fn list(context: &Context, company: CompanyId) -> Result<(), Failure> {
    let certificates = context.run(company, &ListCertificates).await?;
    certificates.iter().enumerate().try_for_each(|(at, certificate)| {
        print(&json!({
            "numero": certificate.numero,
            "rfc": certificate.rfc,
            "vigente_desde": certificate.desde,
            "vigente_hasta": certificate.hasta,
            "cargado": certificate.cargado,
            "en_uso": at == 0,
            "ultimo_uso": certificate.usado,
        }))
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = || Failure::io(format!("cannot read {}", path.display()));
    let mut bytes = Vec::new();
    File::open(path).map_err(failed())?.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(failed())?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(Failure::Other(format!("{} is too large for a certificate or a key", path.display())));
    }
    Ok(bytes)
}
