//! Advances that were named for an order or a quote.

use async_trait::async_trait;
use svc_core::domain::words::{InvoiceStatus, SaleKind};
use svc_core::store::{Advance, AdvanceTx, StoreError};

use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(Advance { venta: "clave", factura, cliente, moneda, tipo_cambio, restante });

#[async_trait]
impl AdvanceTx for PostgresTx {
    async fn lock_advance(&mut self, anticipo: i64) -> Result<Option<Advance>, StoreError> {
        self.run(sql!(
            "SELECT FROM ventas
             WHERE empresa = :empresa AND clave = :anticipo
             FOR NO KEY UPDATE",
            empresa: self.empresa,
            anticipo,
        ))
        .await?;
        // A separate statement, so that it sees what the previous holder of the lock has applied.
        self.optional(sql!(
            "SELECT v.clave, v.factura, v.cliente, v.moneda, v.tipo_cambio,
                    greatest(v.total - v.saldo - a.aplicado, 0) AS restante
             FROM ventas v
             CROSS JOIN LATERAL (
                 SELECT coalesce(sum(n.total), 0) AS aplicado
                 FROM notas_credito n
                 JOIN facturas f ON f.empresa = n.empresa AND f.clave = n.factura
                 WHERE n.empresa = :empresa AND n.anticipo = v.clave AND f.estatus <> :factura_cancelada
             ) a
             WHERE v.empresa = :empresa AND v.clave = :anticipo AND v.tipo = :tipo AND NOT v.cancelada
               AND v.factura IS NOT NULL",
            empresa: self.empresa,
            anticipo,
            tipo: SaleKind::Anticipo,
            factura_cancelada: InvoiceStatus::Cancelada,
        ))
        .await
    }

    async fn name_advance(&mut self, venta: i64, anticipo: i64) -> Result<bool, StoreError> {
        self.changed_one(sql!(
            "INSERT INTO anticipos_ventas (empresa, venta, anticipo)
             VALUES (:empresa, :venta, :anticipo)
             ON CONFLICT (empresa, venta, anticipo) DO NOTHING",
            empresa: self.empresa,
            venta,
            anticipo,
        ))
        .await
    }

    async fn named_advances(&mut self, venta: i64) -> Result<Vec<i64>, StoreError> {
        self.values(sql!(
            "SELECT anticipo
             FROM anticipos_ventas
             WHERE empresa = :empresa AND venta = :venta
             ORDER BY anticipo",
            empresa: self.empresa,
            venta,
        ))
        .await
    }

    async fn name_advances_of(&mut self, venta: i64, parte: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "INSERT INTO anticipos_ventas (empresa, venta, anticipo)
             SELECT empresa, :parte, anticipo
             FROM anticipos_ventas
             WHERE empresa = :empresa AND venta = :venta",
            empresa: self.empresa,
            venta,
            parte,
        ))
        .await
    }
}
