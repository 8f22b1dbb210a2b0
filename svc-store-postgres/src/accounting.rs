use async_trait::async_trait;
use rust_decimal::Decimal;
use svc_core::domain::accounting::{Entry, Side};
use svc_core::domain::time::Timestamp;
use svc_core::store::{AccountingTx, StoreError};

use crate::error::store_error;
use crate::transaction::PostgresTx;

#[async_trait]
impl AccountingTx for PostgresTx {
    async fn insert_entry(&mut self, entry: &Entry, now: Timestamp) -> Result<i64, StoreError> {
        let clave = self.next("polizas", 1).await?;
        let on = |side: Side| -> Vec<Decimal> {
            let amounts = entry.lines().iter().map(|line| (line.lado, line.importe.get()));
            amounts.map(|(lado, importe)| if lado == side { importe } else { Decimal::ZERO }).collect()
        };
        sqlx::query(
            "WITH poliza AS (
                 INSERT INTO polizas (empresa, clave, fecha, concepto, venta, factura, pago, creada)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
             )
             INSERT INTO polizas_renglones (empresa, poliza, renglon, cuenta, cargo, abono)
             SELECT $1, $2, renglon, cuenta, cargo, abono
             FROM unnest($9::text[], $10::numeric[], $11::numeric[]) WITH ORDINALITY AS r (cuenta, cargo, abono, renglon)",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(entry.fecha())
        .bind(entry.concepto())
        .bind(entry.venta())
        .bind(entry.factura())
        .bind(entry.pago())
        .bind(now.get())
        .bind(entry.lines().iter().map(|line| line.cuenta.word()).collect::<Vec<_>>())
        .bind(on(Side::Cargo))
        .bind(on(Side::Abono))
        .execute(self.connection())
        .await
        .map_err(store_error)?;
        Ok(clave)
    }
}
