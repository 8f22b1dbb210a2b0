//! Advances that were named for an order or a quote.

use async_trait::async_trait;
use sqlx::{Row as _, query, query_scalar};
use svc_core::domain::words::{InvoiceStatus, SaleKind};
use svc_core::store::{Advance, AdvanceTx, StoreError};

use crate::columns::{money, rate};
use crate::error::store_error;
use crate::transaction::PostgresTx;

#[async_trait]
impl AdvanceTx for PostgresTx {
    async fn lock_advance(&mut self, anticipo: i64) -> Result<Option<Advance>, StoreError> {
        let lock = query("SELECT FROM ventas WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE");
        self.run(lock.bind(self.empresa).bind(anticipo)).await?;
        // A separate statement, so that it sees what the previous holder of the lock has applied.
        let row = query(
            "SELECT v.clave, v.factura, v.cliente, v.moneda, v.tipo_cambio, greatest(v.total - v.saldo - a.aplicado, 0)
             FROM ventas v CROSS JOIN LATERAL (
                 SELECT coalesce(sum(n.total), 0) AS aplicado
                 FROM notas_credito n JOIN facturas f ON f.empresa = n.empresa AND f.clave = n.factura
                 WHERE n.empresa = $1 AND n.anticipo = v.clave AND f.estatus <> $4
             ) a
             WHERE v.empresa = $1 AND v.clave = $2 AND v.tipo = $3 AND NOT v.cancelada AND v.factura IS NOT NULL",
        )
        .bind(self.empresa)
        .bind(anticipo)
        .bind(SaleKind::Anticipo.word())
        .bind(InvoiceStatus::Cancelada.word())
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        let read = |row: sqlx::postgres::PgRow| {
            Ok(Advance {
                venta: row.try_get(0)?,
                factura: row.try_get(1)?,
                cliente: row.try_get(2)?,
                moneda: row.try_get(3)?,
                tipo_cambio: rate(&row, 4)?,
                restante: money(&row, 5)?,
            })
        };
        row.map(read).transpose().map_err(store_error)
    }

    async fn name_advance(&mut self, venta: i64, anticipo: i64) -> Result<bool, StoreError> {
        let statement = query(
            "INSERT INTO anticipos_ventas (empresa, venta, anticipo) VALUES ($1, $2, $3)
             ON CONFLICT (empresa, venta, anticipo) DO NOTHING",
        );
        self.changes_one(statement.bind(self.empresa).bind(venta).bind(anticipo)).await
    }

    async fn named_advances(&mut self, venta: i64) -> Result<Vec<i64>, StoreError> {
        query_scalar("SELECT anticipo FROM anticipos_ventas WHERE empresa = $1 AND venta = $2 ORDER BY anticipo")
            .bind(self.empresa)
            .bind(venta)
            .fetch_all(self.connection())
            .await
            .map_err(store_error)
    }

    async fn name_advances_of(&mut self, venta: i64, parte: i64) -> Result<(), StoreError> {
        let statement = query(
            "INSERT INTO anticipos_ventas (empresa, venta, anticipo)
             SELECT empresa, $3, anticipo FROM anticipos_ventas WHERE empresa = $1 AND venta = $2",
        );
        self.run(statement.bind(self.empresa).bind(venta).bind(parte)).await
    }
}
