//! The demo company, made by the same back-office actions and imports as any other.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use serde_json::{Value, json};
use svc_core::domain::clock::{Clock, SystemClock};
use svc_core::domain::company::{CompanyId, FIRST_UNITS};
use svc_core::domain::scope::Scopes;
use svc_core::operations::import::Resource;
use svc_core::operations::{CreateKey, CreateUser, LoadCertificate};
use svc_core::secrets::Sealer;
use svc_core::store::{CompanyChange, NewUser};
use svc_core::{Code, Context};
use svc_store_postgres::PostgresStore;

use super::access::Access;
use super::data::{self, Record};
use super::sample_sale::SampleSale;
use crate::failure::Failure;

/// The same data on every machine.
const SEED: u64 = 20_261_012;
const CUSTOMERS: usize = 480;
const SALESPERSON: &str = "Lucía Arriaga";

pub(super) async fn create(store: &PostgresStore, sealer: Sealer) -> Result<Access, Failure> {
    let context = Context::builder(Arc::new(store.clone()), "http://localhost/api/v1").secrets(sealer).build()?;
    let settings = CompanyChange {
        // As the authority has its test company registered; a provider's test service takes no other.
        nombre: Some("Escuela Kemper Urgate".to_owned()),
        rfc: Some("EKU9003173C9".to_owned()),
        regimen: Some(601),
        cp: Some("42501".to_owned()),
        licencias: Some(5),
        ..CompanyChange::default()
    };
    let company = context.create_company(settings).await?.empresa;
    let salesperson =
        NewUser { nombre: SALESPERSON.to_owned(), correo: Some("ventas@example.com".to_owned()), vendedor: true };
    context.run(company, &CreateUser(salesperson)).await?;

    load_certificate(&context, company).await?;

    let today = SystemClock.now().date_naive();
    let (units, unit_records) = units();
    load(&context, company, Resource::Unidades, unit_records).await?;
    let brands = data::brands().iter().map(|name| json!({ "nombre": name })).collect();
    load(&context, company, Resource::Marcas, brands).await?;
    load(&context, company, Resource::Categorias, categories()).await?;
    let (products, customers) = (data::products(SEED, today), data::customers(SEED, today, CUSTOMERS));
    let year = data::year(SEED, today, &products, &customers);
    let sale = SampleSale::of(&products, &customers, &year);
    let products = products.into_iter().map(|product| with_unit(product, &units)).collect();
    load(&context, company, Resource::Productos, products).await?;
    load(&context, company, Resource::Clientes, customers.into_iter().map(Value::Object).collect()).await?;
    for (name, records) in year {
        let unknown = || Failure::Other(format!("the demo has records of {name:?}, which cannot be imported"));
        let resource = Resource::parse(name).ok_or_else(unknown)?;
        load(&context, company, resource, records.into_iter().map(Value::Object).collect()).await?;
    }

    let key = CreateKey { usuario: None, scopes: Scopes::all(), expires: None, accept_terms: true };
    let created = context.run(company, &key).await?;
    Ok(Access { key_id: created.key_id, api_key: created.api_key, base_url: None, sale })
}

/// Loads the authority's certificate for tests, which providers' test services take. Where it is not valid (it expires in May
/// 2027), a self-signed one of the same taxpayer, which the sandbox takes.
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

async fn load(context: &Context, company: CompanyId, resource: Resource, records: Vec<Value>) -> Result<(), Failure> {
    let lines = records.into_iter().map(|record| io::Result::Ok(record.to_string().into_bytes()));
    let count = context.import(company, resource, lines, &mut |_| ()).await?.importados;
    tracing::info!(resource = resource.name(), count, "demo data");
    Ok(())
}

/// The claves of the units by name, and the records of those that a company does not begin with.
fn units() -> (HashMap<&'static str, usize>, Vec<Value>) {
    let mut claves: HashMap<_, _> = FIRST_UNITS.iter().zip(1..).map(|((name, _), clave)| (*name, clave)).collect();
    let mut records = Vec::new();
    for (name, key) in data::units() {
        if !claves.contains_key(name) {
            let clave = claves.len() + 1;
            claves.insert(name, clave);
            records.push(json!({ "clave": clave, "nombre": name, "clave_sat": key }));
        }
    }
    (claves, records)
}

fn categories() -> Vec<Value> {
    let tree = data::categories();
    let clave = |name: &str| tree.iter().position(|(other, _)| *other == name).map(|at| at + 1);
    tree.iter()
        .map(|(name, parent)| json!({ "clave": clave(name), "nombre": name, "padre": parent.and_then(clave) }))
        .collect()
}

fn with_unit(mut product: Record, units: &HashMap<&'static str, usize>) -> Value {
    let clave = product.get("unidad").and_then(Value::as_str).and_then(|name| units.get(name)).copied();
    product.insert("unidad".to_owned(), clave.into());
    Value::Object(product)
}
