use serde_json::json;
use svc_store_postgres::PostgresStore;

use crate::failure::Failure;
use crate::output::print;

/// Prints what a server on this database would send; with `as_copy` makes sure that none of it is
/// sent, and gives the database an installation id of its own.
pub(super) async fn run(store: &PostgresStore, as_copy: bool) -> Result<(), Failure> {
    let found = store.under_way().await?;
    let mut printed = json!({
        "documentos": found.documentos,
        "cancelaciones": found.cancelaciones,
        "entregas": found.entregas,
        "correos": found.correos,
    });
    if as_copy {
        printed["instalacion"] = store.make_copy().await?.into();
    }
    print(&printed)
}
