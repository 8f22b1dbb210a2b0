//! The suite that every store must pass, through the store traits alone: each function runs over an empty database of its
//! own. Tests that inspect a database belong to that store's crate.

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
