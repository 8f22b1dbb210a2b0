//! Accounts payable.

use async_trait::async_trait;
use svc_core::store::{NewPayable, PayableTx, StoreError};

use crate::transaction::PostgresTx;

#[async_trait]
impl PayableTx for PostgresTx {
    async fn insert_payable(&mut self, row: &NewPayable<'_>) -> Result<i64, StoreError> {
        let clave = self.next("cxp", 1).await?;
        let query = sqlx::query(
            "INSERT INTO cxp (empresa, clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento, moneda,
                 tipo_cambio, total, pagado, saldo, sucursal, operaciones, concepto, modificado)
             VALUES ($1, $2::bigint, coalesce($3, $2::bigint::text), $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                 $18, $19, $20)",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(row.folio)
        .bind(row.tipo.word())
        .bind(row.estatus.word())
        .bind(row.proveedor)
        .bind(row.compra)
        .bind(row.factura)
        .bind(row.uuid)
        .bind(row.fecha)
        .bind(row.vencimiento)
        .bind(row.moneda)
        .bind(row.tipo_cambio.get())
        .bind(row.total.get())
        .bind(row.pagado.get())
        .bind(row.saldo.get())
        .bind(row.sucursal)
        .bind(row.operaciones)
        .bind(row.concepto)
        .bind(row.creada.get());
        self.run(query).await?;
        Ok(clave)
    }
}
