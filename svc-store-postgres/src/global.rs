//! Invoices of a period's sales to the general public.

use async_trait::async_trait;
use sqlx::postgres::PgRow;
use sqlx::{Row as _, query, query_scalar};
use svc_core::domain::cfdi::Periodicidad;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{ReceivableStatus, SaleKind};
use svc_core::store::{GlobalPeriod, GlobalSale, GlobalSales, GlobalTx, StoreError};

use crate::columns::{instant, money, rate, word};
use crate::error::store_error;
use crate::transaction::PostgresTx;

#[async_trait]
impl GlobalTx for PostgresTx {
    async fn lock_global_sales(&mut self, which: &GlobalSales<'_>) -> Result<Vec<GlobalSale>, StoreError> {
        let claves: Vec<i64> = if let Some(ventas) = which.ventas {
            query_scalar(
                "SELECT clave FROM ventas WHERE empresa = $1 AND clave = ANY ($2) ORDER BY clave LIMIT $3 FOR NO KEY UPDATE",
            )
            .bind(self.empresa)
            .bind(ventas)
            .bind(which.max)
            .fetch_all(self.connection())
            .await
            .map_err(store_error)?
        } else {
            query_scalar(
                "SELECT clave FROM ventas
                 WHERE empresa = $1 AND tipo = $2 AND fecha >= $3 AND fecha < $4 AND NOT cancelada AND factura IS NULL AND uuid IS NULL
                   AND moneda = 'MXN' AND desglose AND total > 0
                   AND (cliente IS NULL OR cliente IN (SELECT clave FROM clientes WHERE empresa = $1 AND rfc = $5))
                 ORDER BY clave LIMIT $6 FOR NO KEY UPDATE",
            )
            .bind(self.empresa)
            .bind(SaleKind::Venta.word())
            .bind(which.desde)
            .bind(which.hasta)
            .bind(which.rfc)
            .bind(which.max)
            .fetch_all(self.connection())
            .await
            .map_err(store_error)?
        };
        let rows = query(
            "SELECT v.clave, concat(v.serie, coalesce(v.folio, v.clave)), v.tipo, v.fecha, v.cancelada,
                    v.factura IS NOT NULL OR v.uuid IS NOT NULL, c.rfc, v.moneda, v.tipo_cambio,
                    coalesce(p.forma_pago_sat, v.forma_pago_sat), v.total
             FROM ventas v LEFT JOIN clientes c ON c.empresa = v.empresa AND c.clave = v.cliente
             LEFT JOIN LATERAL (
                 SELECT forma_pago_sat FROM cxc_pagos WHERE empresa = $1 AND venta = v.clave AND NOT cancelado
                 GROUP BY forma_pago_sat ORDER BY sum(importe) DESC, forma_pago_sat LIMIT 1
             ) p ON true
             WHERE v.empresa = $1 AND v.clave = ANY ($2) ORDER BY v.clave",
        )
        .bind(self.empresa)
        .bind(claves)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        rows.iter().map(sale).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn insert_global(&mut self, factura: i64, period: &GlobalPeriod, ventas: &[i64]) -> Result<(), StoreError> {
        let statement = query(
            "WITH g AS (
                 INSERT INTO facturas_globales (empresa, factura, periodicidad, meses, anio) VALUES ($1, $2, $3, $4, $5)
             ), v AS (
                 UPDATE ventas SET factura = $2 WHERE empresa = $1 AND clave = ANY ($6)
             )
             SELECT 1",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(period.periodicidad.word())
        .bind(&period.meses)
        .bind(period.anio)
        .bind(ventas);
        self.run(statement).await?;
        let statement = query(
            "INSERT INTO facturas_globales_ventas (empresa, factura, venta) SELECT $1, $2, venta FROM unnest($3::bigint[]) AS v (venta)",
        );
        self.run(statement.bind(self.empresa).bind(factura).bind(ventas)).await
    }

    async fn global(&mut self, factura: i64) -> Result<Option<(GlobalPeriod, Vec<i64>)>, StoreError> {
        let row = query("SELECT periodicidad, meses, anio FROM facturas_globales WHERE empresa = $1 AND factura = $2")
            .bind(self.empresa)
            .bind(factura)
            .fetch_optional(self.connection())
            .await
            .map_err(store_error)?;
        let Some(row) = row else { return Ok(None) };
        let ventas = query_scalar(
            "SELECT venta FROM facturas_globales_ventas WHERE empresa = $1 AND factura = $2 ORDER BY venta",
        )
        .bind(self.empresa)
        .bind(factura)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        let period = || {
            Ok(GlobalPeriod {
                periodicidad: word(&row, 0, Periodicidad::of)?,
                meses: row.try_get(1)?,
                anio: row.try_get(2)?,
            })
        };
        Ok(Some((period().map_err(store_error)?, ventas)))
    }

    async fn set_global_folio(&mut self, factura: i64, uuid: Option<&str>, now: Timestamp) -> Result<bool, StoreError> {
        let statement = query_scalar(
            "WITH v AS (
                 UPDATE ventas SET uuid = $3, factura = CASE WHEN $3 IS NULL THEN NULL ELSE $2 END, modificado = $4
                 FROM facturas_globales_ventas g
                 WHERE ventas.empresa = $1 AND g.empresa = $1 AND g.factura = $2 AND ventas.clave = g.venta AND ventas.factura = $2
             ), x AS (
                 UPDATE cxc SET uuid = $3, factura = CASE WHEN $3 IS NULL THEN NULL ELSE $2 END, modificado = $4
             FROM facturas_globales_ventas g
             WHERE cxc.empresa = $1 AND g.empresa = $1 AND g.factura = $2 AND cxc.venta = g.venta AND cxc.estatus <> $5
             )
             SELECT EXISTS (SELECT FROM facturas_globales WHERE empresa = $1 AND factura = $2)",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(uuid)
        .bind(now.get())
        .bind(ReceivableStatus::Cancelado.word());
        statement.fetch_one(self.connection()).await.map_err(store_error)
    }
}

fn sale(row: &PgRow) -> Result<GlobalSale, sqlx::Error> {
    Ok(GlobalSale {
        venta: row.try_get(0)?,
        folio: row.try_get(1)?,
        tipo: word(row, 2, SaleKind::of)?,
        fecha: instant(row, 3)?,
        cancelada: row.try_get(4)?,
        facturada: row.try_get(5)?,
        rfc: row.try_get(6)?,
        moneda: row.try_get(7)?,
        tipo_cambio: rate(row, 8)?,
        forma_pago_sat: row.try_get(9)?,
        total: money(row, 10)?,
    })
}
