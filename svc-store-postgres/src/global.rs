//! Invoices of a period's sales to the general public.

use async_trait::async_trait;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{ReceivableStatus, SaleKind};
use svc_core::store::{GlobalPeriod, GlobalSale, GlobalSales, GlobalTx, StoreError};

use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(GlobalPeriod { periodicidad, meses, anio });
from_row!(GlobalSale {
    venta: "clave",
    folio,
    tipo,
    fecha,
    cancelada,
    facturada,
    rfc,
    moneda,
    tipo_cambio,
    forma_pago_sat,
    total,
});

#[async_trait]
impl GlobalTx for PostgresTx {
    async fn lock_global_sales(&mut self, which: &GlobalSales<'_>) -> Result<Vec<GlobalSale>, StoreError> {
        let statement = if let Some(ventas) = which.ventas {
            sql!(
                "SELECT clave
                 FROM ventas
                 WHERE empresa = :empresa AND clave = ANY (:ventas)
                 ORDER BY clave
                 LIMIT :limite
                 FOR NO KEY UPDATE",
                empresa: self.empresa,
                ventas,
                limite: which.max,
            )
        } else {
            sql!(
                "SELECT clave
                 FROM ventas
                 WHERE empresa = :empresa AND tipo = :tipo AND fecha >= :desde AND fecha < :hasta AND NOT cancelada
                   AND factura IS NULL AND uuid IS NULL AND moneda = 'MXN' AND desglose AND total > 0
                   AND (cliente IS NULL
                        OR cliente IN (SELECT clave FROM clientes WHERE empresa = :empresa AND rfc = :rfc))
                 ORDER BY clave
                 LIMIT :limite
                 FOR NO KEY UPDATE",
                empresa: self.empresa,
                tipo: SaleKind::Venta,
                desde: which.desde,
                hasta: which.hasta,
                rfc: which.rfc,
                limite: which.max,
            )
        };
        let ventas: Vec<i64> = self.values(statement).await?;
        self.many(sql!(
            "SELECT v.clave, concat(v.serie, coalesce(v.folio, v.clave)) AS folio, v.tipo, v.fecha, v.cancelada,
                    v.factura IS NOT NULL OR v.uuid IS NOT NULL AS facturada, c.rfc, v.moneda, v.tipo_cambio,
                    coalesce(p.forma_pago_sat, v.forma_pago_sat) AS forma_pago_sat, v.total
             FROM ventas v
             LEFT JOIN clientes c ON c.empresa = v.empresa AND c.clave = v.cliente
             LEFT JOIN LATERAL (
                 SELECT forma_pago_sat
                 FROM cxc_pagos
                 WHERE empresa = :empresa AND venta = v.clave AND NOT cancelado
                 GROUP BY forma_pago_sat
                 ORDER BY sum(importe) DESC, forma_pago_sat
                 LIMIT 1
             ) p ON true
             WHERE v.empresa = :empresa AND v.clave = ANY (:ventas)
             ORDER BY v.clave",
            empresa: self.empresa,
            ventas,
        ))
        .await
    }

    async fn insert_global(&mut self, factura: i64, period: &GlobalPeriod, ventas: &[i64]) -> Result<(), StoreError> {
        self.run(sql!(
            "WITH global AS (
                 INSERT INTO facturas_globales (empresa, factura, periodicidad, meses, anio)
                 VALUES (:empresa, :factura, :periodicidad, :meses, :anio)
             ), facturadas AS (
                 UPDATE ventas
                 SET factura = :factura
                 WHERE empresa = :empresa AND clave = ANY (:ventas)
             )
             SELECT 1",
            empresa: self.empresa,
            factura,
            periodicidad: period.periodicidad,
            meses: period.meses,
            anio: period.anio,
            ventas,
        ))
        .await?;
        self.run(sql!(
            "INSERT INTO facturas_globales_ventas (empresa, factura, venta)
             SELECT :empresa, :factura, venta
             FROM unnest(:ventas::bigint[]) AS v (venta)",
            empresa: self.empresa,
            factura,
            ventas,
        ))
        .await
    }

    async fn global(&mut self, factura: i64) -> Result<Option<(GlobalPeriod, Vec<i64>)>, StoreError> {
        let period = self
            .optional(sql!(
                "SELECT periodicidad, meses, anio
                 FROM facturas_globales
                 WHERE empresa = :empresa AND factura = :factura",
                empresa: self.empresa,
                factura,
            ))
            .await?;
        let Some(period) = period else { return Ok(None) };
        let ventas = self
            .values(sql!(
                "SELECT venta
                 FROM facturas_globales_ventas
                 WHERE empresa = :empresa AND factura = :factura
                 ORDER BY venta",
                empresa: self.empresa,
                factura,
            ))
            .await?;
        Ok(Some((period, ventas)))
    }

    async fn set_global_folio(&mut self, factura: i64, uuid: Option<&str>, now: Timestamp) -> Result<bool, StoreError> {
        self.value(sql!(
            "WITH facturadas AS (
                 UPDATE ventas v
                 SET factura = CASE WHEN :uuid IS NULL THEN NULL ELSE :factura END, uuid = :uuid, modificado = :ahora
                 FROM facturas_globales_ventas g
                 WHERE v.empresa = :empresa AND g.empresa = :empresa AND g.factura = :factura
                   AND v.clave = g.venta AND v.factura = :factura
             ), cuentas AS (
                 UPDATE cxc x
                 SET factura = CASE WHEN :uuid IS NULL THEN NULL ELSE :factura END, uuid = :uuid, modificado = :ahora
                 FROM facturas_globales_ventas g
                 WHERE x.empresa = :empresa AND g.empresa = :empresa AND g.factura = :factura
                   AND x.venta = g.venta AND x.estatus <> :cancelado
             )
             SELECT EXISTS (SELECT FROM facturas_globales WHERE empresa = :empresa AND factura = :factura)",
            empresa: self.empresa,
            factura,
            uuid,
            ahora: now,
            cancelado: ReceivableStatus::Cancelado,
        ))
        .await
    }
}
