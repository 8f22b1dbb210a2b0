//! The guarantees that callers of a store rely on, checked through the store traits alone: each
//! function takes a store over an empty database. `tests/it/store.rs` runs them over PostgreSQL.
//! Everything else is tested end to end over PostgreSQL.

pub mod guarantees;
pub mod usage;

use std::sync::Arc;

use svc_core::Context;
use svc_core::domain::company::CompanyId;
use svc_core::store::{CompanyChange, Store};

use crate::BASE_URL;

fn context(store: &Arc<dyn Store>) -> Context {
    Context::builder(Arc::clone(store), BASE_URL).build().expect("a context")
}

/// Creates a company in a store.
async fn company(store: &Arc<dyn Store>) -> CompanyId {
    let change = CompanyChange { nombre: Some("Empresa".to_owned()), ..CompanyChange::default() };
    context(store).create_company(change).await.expect("a company").empresa
}
