//! Creates the demo company through the same back-office actions and imports as any other.

use std::sync::Arc;

use svc_core::domain::clock::{Clock, SystemClock};
use svc_core::domain::company::CompanyId;
use svc_core::domain::scope::KeyScopes;
use svc_core::operations::import::Existing;
use svc_core::operations::{CreateKey, CreateUser, LoadCertificate};
use svc_core::secrets::Sealer;
use svc_core::store::{CompanyChange, NewUser};
use svc_core::{Code, Context};
use svc_store_postgres::PostgresStore;

use super::access::Access;
use super::data::{self, Calendar};
use super::documents;
use super::kinds;
use super::sample_sale::SampleSale;
use crate::failure::Failure;

const SALESPERSON: &str = "Lucía Arriaga";

/// Its key has `scopes`. Events of its year lead to `base_url`.
pub(super) async fn create(
    store: &PostgresStore,
    base_url: &str,
    sealer: Sealer,
    scopes: KeyScopes,
) -> Result<Access, Failure> {
    let builder = || Context::builder(Arc::new(store.clone()), base_url).secrets(sealer.clone());
    let context = builder().build()?;
    let settings = CompanyChange {
        // The data of the authority's test company, the only one that a provider's test service
        // accepts.
        nombre: Some("Escuela Kemper Urgate".to_owned()),
        rfc: Some("EKU9003173C9".to_owned()),
        regimen: Some(601),
        cp: Some("42501".to_owned()),
        licencias: Some(5),
        ..CompanyChange::default()
    };
    let company = context.create_test_company(settings).await?.empresa;
    let salesperson =
        NewUser { nombre: SALESPERSON.to_owned(), correo: Some("ventas@example.com".to_owned()), vendedor: true };
    context.run(company, &CreateUser(salesperson)).await?;

    load_certificate(&context, company).await?;

    let calendar = Calendar::of(SystemClock.now().date_naive());
    for (resource, _) in data::FILES {
        let lines = data::records(resource, calendar.clone()).map(|record| Ok(serde_json::to_vec(&record?)?));
        let count = context.import(company, resource, Existing::Refused, lines, &mut |_| ()).await?.importados;
        tracing::info!(resource = resource.name(), count, "demo data");
    }
    documents::stamp(|clock| builder().clock(clock).build(), company, &calendar).await?;
    let last = kinds::make(&context, company).await?;

    let key = CreateKey { usuario: None, scopes, expires: None, accept_terms: true };
    let created = context.run(company, &key).await?;
    Ok(Access { key_id: created.key_id, api_key: created.api_key, base_url: None, sale: Some(SampleSale::after(last)) })
}

/// Loads the authority's test certificate, which providers' test services accept. After it expires
/// in May 2027, loads a self-signed one of the same taxpayer, which the sandbox accepts.
async fn load_certificate(context: &Context, company: CompanyId) -> Result<(), Failure> {
    let load = |cer: &[u8], key: &[u8]| LoadCertificate {
        cer: cer.to_vec(),
        key: key.to_vec(),
        password: "12345678a".to_owned(),
    };
    let issued = load(include_bytes!("certificate/EKU9003173C9.cer"), include_bytes!("certificate/EKU9003173C9.key"));
    match context.run(company, &issued).await {
        Err(error) if error.code() == Code::CertificadoRechazado => {
            let own = load(include_bytes!("certificate/demo.cer"), include_bytes!("certificate/demo.key"));
            context.run(company, &own).await?;
        }
        loaded => {
            loaded?;
        }
    }
    Ok(())
}
