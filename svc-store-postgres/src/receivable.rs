//! Accounts receivable.

use async_trait::async_trait;
use chrono::NaiveDate;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::ReceivableStatus;
use svc_core::store::{CustomerDebt, NewReceivable, ReceivableTx, StoreError};

use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(CustomerDebt { adeudo, vencido });

#[async_trait]
impl ReceivableTx for PostgresTx {
    async fn insert_receivable(&mut self, row: &NewReceivable<'_>) -> Result<i64, StoreError> {
        self.value(sql!(
            "WITH numero AS (
                 INSERT INTO contadores AS c (empresa, serie, valor)
                 VALUES (:empresa, 'cxc', 1)
                 ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + excluded.valor
                 RETURNING valor
             )
             INSERT INTO cxc (
                 empresa, clave, folio, estatus, cliente, venta, tipo_venta, factura, metodo_pago_sat, fecha,
                 vencimiento, moneda, tipo_cambio, total, saldo, sucursal, modificado
             )
             SELECT :empresa, valor, :folio, :estatus, :cliente, :venta, :tipo_venta, :factura, :metodo_pago_sat, :fecha,
                    :vencimiento, :moneda, :tipo_cambio, :total, :total, :sucursal, :modificado
             FROM numero
             RETURNING clave",
            empresa: self.empresa,
            folio: row.folio,
            estatus: row.estatus(),
            cliente: row.cliente,
            venta: row.venta,
            tipo_venta: row.tipo_venta,
            factura: row.factura,
            metodo_pago_sat: row.metodo_pago_sat,
            fecha: row.fecha,
            vencimiento: row.vencimiento,
            moneda: row.moneda,
            tipo_cambio: row.tipo_cambio,
            total: row.total,
            sucursal: row.sucursal,
            modificado: row.modificado,
        ))
        .await
    }

    async fn lock_receivables(&mut self, venta: i64) -> Result<bool, StoreError> {
        let paid: Vec<bool> = self
            .values(sql!(
                "SELECT pagado > 0
                 FROM cxc
                 WHERE empresa = :empresa AND venta = :venta AND estatus <> :cancelado
                 ORDER BY clave
                 FOR NO KEY UPDATE",
                empresa: self.empresa,
                venta,
                cancelado: ReceivableStatus::Cancelado,
            ))
            .await?;
        Ok(paid.contains(&true))
    }

    async fn cancel_receivables(&mut self, venta: i64, now: Timestamp) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE cxc
             SET estatus = :cancelado, saldo = 0, modificado = :ahora
             WHERE empresa = :empresa AND venta = :venta AND estatus <> :cancelado",
            empresa: self.empresa,
            venta,
            ahora: now,
            cancelado: ReceivableStatus::Cancelado,
        ))
        .await
    }

    async fn standing(&mut self, cliente: i64, today: NaiveDate) -> Result<CustomerDebt, StoreError> {
        // Imported receivables may come to more than our decimals hold; no credit reaches that far.
        self.one(sql!(
            "SELECT least(round(coalesce(sum(saldo * tipo_cambio), 0), 6), 1e20) AS adeudo,
                    coalesce(bool_or(saldo > 0 AND vencimiento < :hoy), false) AS vencido
             FROM cxc
             WHERE empresa = :empresa AND estatus = :pendiente AND cliente = :cliente",
            empresa: self.empresa,
            cliente,
            hoy: today,
            pendiente: ReceivableStatus::Pendiente,
        ))
        .await
    }
}
