//! Discarding documents that ended in `error`.

use async_trait::async_trait;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{Complement, InvoiceStatus, ReceivableStatus, SaleKind};
use svc_core::store::{DiscardTx, SaleBefore, SalePayment, StoreError};

use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(SaleBefore { tipo, serie, folio, surtido: "surtido_estatus" });
from_row!(SalePayment { pago, con_complemento });

#[async_trait]
impl DiscardTx for PostgresTx {
    async fn sale_before(&mut self, factura: i64) -> Result<Option<SaleBefore>, StoreError> {
        // The part of an order that was divided from it was created as an invoice.
        self.optional(sql!(
            "SELECT tipo, surtido_estatus, serie,
                    CASE WHEN tipo_creado IS DISTINCT FROM :tipo_factura THEN folio END AS folio
             FROM ventas_previas
             WHERE empresa = :empresa AND factura = :factura",
            empresa: self.empresa,
            factura,
            tipo_factura: SaleKind::Factura,
        ))
        .await
    }

    async fn restore_sale(
        &mut self,
        factura: i64,
        folio: i64,
        impreso: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        // Receivables show the sale's type, those too that are cancelled.
        self.run(sql!(
            "WITH antes AS (
                 DELETE FROM ventas_previas
                 WHERE empresa = :empresa AND factura = :factura
                 RETURNING *
             ), cuentas AS (
                 UPDATE cxc x
                 SET folio = :impreso, tipo_venta = a.tipo, factura = NULL, uuid = NULL,
                     metodo_pago_sat = a.metodo_pago_sat, vencimiento = coalesce(a.vencimiento_cxc, x.vencimiento),
                     modificado = :ahora
                 FROM antes a
                 WHERE x.empresa = :empresa AND x.venta = a.venta AND x.estatus <> :cancelado
             ), canceladas AS (
                 UPDATE cxc x
                 SET modificado = :ahora
                 FROM antes a
                 WHERE x.empresa = :empresa AND x.venta = a.venta AND x.estatus = :cancelado
             )
             UPDATE ventas v
             SET tipo = a.tipo, tipo_creado = nullif(a.tipo_creado, :tipo_factura), serie = a.serie, folio = :folio,
                 vencimiento = a.vencimiento, forma_pago_sat = a.forma_pago_sat,
                 metodo_pago_sat = a.metodo_pago_sat, uso_cfdi = a.uso_cfdi, surtido_estatus = a.surtido_estatus,
                 monto_surtido = a.monto_surtido, anticipo_contado = NULL, factura = NULL, uuid = NULL,
                 modificado = :ahora
             FROM antes a
             WHERE v.empresa = :empresa AND v.clave = a.venta",
            empresa: self.empresa,
            factura,
            folio,
            impreso,
            ahora: now,
            cancelado: ReceivableStatus::Cancelado,
            tipo_factura: SaleKind::Factura,
        ))
        .await
    }

    async fn detach_invoice(&mut self, venta: i64, now: Timestamp) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE ventas
             SET factura = NULL, uuid = NULL, modificado = :ahora
             WHERE empresa = :empresa AND clave = :venta",
            empresa: self.empresa,
            venta,
            ahora: now,
        ))
        .await
    }

    async fn payments_of_sale(&mut self, venta: i64) -> Result<Vec<SalePayment>, StoreError> {
        self.many(sql!(
            "SELECT p.clave AS pago, p.complemento <> :no_aplica AS con_complemento
             FROM cxc c
             JOIN cxc_pagos p ON p.empresa = c.empresa AND p.cxc = c.clave
             WHERE c.empresa = :empresa AND c.venta = :venta AND NOT p.cancelado
             ORDER BY p.clave",
            empresa: self.empresa,
            venta,
            no_aplica: Complement::NoAplica,
        ))
        .await
    }

    async fn notes_about(&mut self, factura: i64) -> Result<Vec<i64>, StoreError> {
        self.values(sql!(
            "SELECT n.factura
             FROM notas_credito n
             JOIN facturas f ON f.empresa = n.empresa AND f.clave = n.factura
             JOIN facturas_relaciones r ON r.empresa = n.empresa AND r.factura = n.factura
             WHERE n.empresa = :empresa AND r.relacionada = :factura AND f.estatus <> :cancelada
             ORDER BY n.factura",
            empresa: self.empresa,
            factura,
            cancelada: InvoiceStatus::Cancelada,
        ))
        .await
    }

    async fn unqueue_stamping(&mut self, factura: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "WITH sellado AS (
                 DELETE FROM facturas_xml
                 WHERE empresa = :empresa AND factura = :factura AND NOT timbrado
             )
             DELETE FROM timbrados
             WHERE empresa = :empresa AND factura = :factura",
            empresa: self.empresa,
            factura,
        ))
        .await
    }

    async fn release_from_global(&mut self, factura: i64, ventas: &[i64], now: Timestamp) -> Result<(), StoreError> {
        self.run(sql!(
            "WITH libres AS (
                 UPDATE ventas
                 SET factura = NULL, uuid = NULL, modificado = :ahora
                 WHERE empresa = :empresa AND clave = ANY (:ventas) AND factura = :factura
             )
             DELETE FROM facturas_globales_ventas
             WHERE empresa = :empresa AND factura = :factura AND venta = ANY (:ventas)",
            empresa: self.empresa,
            factura,
            ventas,
            ahora: now,
        ))
        .await
    }
}
