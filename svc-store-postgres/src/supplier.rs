//! Suppliers.

use async_trait::async_trait;
use svc_core::store::{StoreError, SupplierTx};

use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

#[async_trait]
impl SupplierTx for PostgresTx {
    async fn is_supplier(&mut self, proveedor: i64) -> Result<bool, StoreError> {
        self.value(sql!(
            "SELECT EXISTS (
                 SELECT FROM proveedores
                 WHERE empresa = :empresa AND clave = :proveedor AND estatus <> 'eliminado'
             )",
            empresa: self.empresa,
            proveedor,
        ))
        .await
    }
}
