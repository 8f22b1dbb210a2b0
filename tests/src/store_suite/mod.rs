//! What any store must do, seen through its traits only: a store passes it by running each function over an empty database
//! of its own. What needs a look into the database stays with the tests of that database.

pub mod usage;

use std::sync::Arc;

use svc_core::backoffice::Office;
use svc_core::store::{CompanyChange, CompanyId, Store};

use crate::BASE_URL;

/// A new company in a store.
async fn company(store: &Arc<dyn Store>) -> CompanyId {
    let change = CompanyChange { nombre: Some("Empresa".to_owned()), ..CompanyChange::default() };
    let office = Office::new(Arc::clone(store), BASE_URL);
    CompanyId(office.create_company(change).await.expect("a company").empresa)
}
