//! Suppliers.

use async_trait::async_trait;
use svc_core::store::{StoreError, SupplierTx};

use crate::transaction::PostgresTx;

#[async_trait]
impl SupplierTx for PostgresTx {
    async fn is_supplier(&mut self, proveedor: i64) -> Result<bool, StoreError> {
        let statement =
            "SELECT EXISTS (SELECT FROM proveedores WHERE empresa = $1 AND clave = $2 AND estatus <> 'eliminado')";
        self.exists(statement, proveedor).await
    }
}
