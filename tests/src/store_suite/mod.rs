//! What any store must do, seen through its traits only: a store passes it by running each function over an empty database
//! of its own. What needs a look into the database stays with the tests of that database.

pub mod usage;

use std::sync::Arc;

use svc_core::Context;
use svc_core::domain::company::CompanyId;
use svc_core::store::{CompanyChange, Store};

use crate::BASE_URL;

/// A new company in a store.
async fn company(store: &Arc<dyn Store>) -> CompanyId {
    let change = CompanyChange { nombre: Some("Empresa".to_owned()), ..CompanyChange::default() };
    let context = Context::builder(Arc::clone(store), BASE_URL).build().expect("a context");
    context.create_company(change).await.expect("a company").empresa
}
