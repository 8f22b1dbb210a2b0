//! Accounts receivable.

use async_trait::async_trait;
use chrono::NaiveDate;
use sqlx::Row;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{PaymentMethod, ReceivableStatus};
use svc_core::store::{NewReceivable, ReceivableTx, Standing, StoreError};

use crate::error::store_error;
use crate::numbered::numbered;
use crate::transaction::PostgresTx;

#[async_trait]
impl ReceivableTx for PostgresTx {
    async fn insert_receivable(&mut self, row: &NewReceivable<'_>) -> Result<i64, StoreError> {
        sqlx::query_scalar(numbered!(
            "VALUES ($1, 'cxc', 1)",
            " INSERT INTO cxc (empresa, clave, folio, estatus, cliente, venta, tipo_venta, factura, metodo_pago_sat, fecha, vencimiento,
                               moneda, tipo_cambio, total, saldo, sucursal, modificado)
              SELECT $1, valor, $2, $15, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $14 FROM numero
              RETURNING clave"
        ))
        .bind(self.empresa)
        .bind(row.folio)
        .bind(row.cliente)
        .bind(row.venta)
        .bind(row.tipo_venta.word())
        .bind(row.factura)
        .bind(row.metodo_pago_sat.map(PaymentMethod::word))
        .bind(row.fecha)
        .bind(row.vencimiento)
        .bind(row.moneda)
        .bind(row.tipo_cambio.get())
        .bind(row.total.get())
        .bind(row.sucursal)
        .bind(row.modificado.get())
        .bind(row.estatus().word())
        .fetch_one(self.connection())
        .await
        .map_err(store_error)
    }

    async fn lock_receivables(&mut self, venta: i64) -> Result<bool, StoreError> {
        let paid: Vec<bool> = sqlx::query_scalar(
            "SELECT pagado > 0 FROM cxc WHERE empresa = $1 AND venta = $2 AND estatus <> $3
             ORDER BY clave FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(venta)
        .bind(ReceivableStatus::Cancelado.word())
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        Ok(paid.contains(&true))
    }

    async fn cancel_receivables(&mut self, venta: i64, now: Timestamp) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE cxc SET estatus = $4, saldo = 0, modificado = $3
             WHERE empresa = $1 AND venta = $2 AND estatus <> $4",
        )
        .bind(self.empresa)
        .bind(venta)
        .bind(now.get())
        .bind(ReceivableStatus::Cancelado.word());
        self.run(query).await
    }

    async fn standing(&mut self, cliente: i64, today: NaiveDate) -> Result<Standing, StoreError> {
        let row = sqlx::query(
            // Imported receivables may come to more than our decimals hold; no credit reaches that far.
            "SELECT least(round(coalesce(sum(saldo * tipo_cambio), 0), 6), 1e20), coalesce(bool_or(saldo > 0 AND vencimiento < $3), false)
             FROM cxc WHERE empresa = $1 AND estatus = $4 AND cliente = $2",
        )
        .bind(self.empresa)
        .bind(cliente)
        .bind(today)
        .bind(ReceivableStatus::Pendiente.word())
        .fetch_one(self.connection())
        .await
        .map_err(store_error)?;
        let read = || Ok(Standing { adeudo: row.try_get(0)?, vencido: row.try_get(1)? });
        read().map_err(store_error)
    }
}
