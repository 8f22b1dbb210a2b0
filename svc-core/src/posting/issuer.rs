//! The company as the issuer of tax documents.

use crate::domain::cfdi::Issuer;
use crate::error::{Code, Error};
use crate::operation::Cx;

/// Refuses a company that cannot issue documents now.
pub(crate) async fn validate_issuer(cx: &mut Cx<'_>) -> Result<(), Error> {
    if !cx.company.facturacion {
        return Err(Code::PlanSinFacturacion.into());
    }
    let certificate = cx.tx.signing_certificate().await?;
    if !certificate.is_some_and(|certificate| certificate.is_valid(cx.company.rfc.as_deref(), cx.now)) {
        return Err(Code::CertificadoInvalido.into());
    }
    Ok(())
}

/// The company as issuer, at the postal code `cp` or its own.
pub(crate) fn issuer(cx: &Cx<'_>, cp: Option<String>) -> Issuer {
    Issuer {
        rfc: cx.company.rfc.clone(),
        nombre: cx.company.nombre.clone(),
        regimen: cx.company.regimen,
        cp: cp.or_else(|| cx.company.cp.clone()),
        certificado: None,
    }
}
