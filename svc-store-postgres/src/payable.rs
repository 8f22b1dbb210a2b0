//! Accounts payable.

use async_trait::async_trait;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::PayableStatus;
use svc_core::store::{NewPayable, NewPayablePayment, OpenPayable, PayableTx, StoreError};

use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(OpenPayable { estatus, moneda, tipo_cambio, saldo });

#[async_trait]
impl PayableTx for PostgresTx {
    async fn insert_payable(&mut self, row: &NewPayable<'_>) -> Result<i64, StoreError> {
        let clave = self.next("cxp", 1).await?;
        self.run(sql!(
            "INSERT INTO cxp (
                 empresa, clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento,
                 moneda, tipo_cambio, total, pagado, saldo, sucursal, operaciones, concepto, modificado
             )
             VALUES (
                 :empresa, :clave::bigint, coalesce(:folio, :clave::bigint::text), :tipo, :estatus, :proveedor,
                 :compra, :factura, :uuid, :fecha, :vencimiento,
                 :moneda, :tipo_cambio, :total, :pagado, :saldo, :sucursal, :operaciones, :concepto, :creada
             )",
            empresa: self.empresa,
            clave,
            folio: row.folio,
            tipo: row.tipo,
            estatus: row.estatus,
            proveedor: row.proveedor,
            compra: row.compra,
            factura: row.factura,
            uuid: row.uuid,
            fecha: row.fecha,
            vencimiento: row.vencimiento,
            moneda: row.moneda,
            tipo_cambio: row.tipo_cambio,
            total: row.total,
            pagado: row.pagado,
            saldo: row.saldo,
            sucursal: row.sucursal,
            operaciones: row.operaciones,
            concepto: row.concepto,
            creada: row.creada,
        ))
        .await?;
        Ok(clave)
    }

    async fn lock_payable(&mut self, cxp: i64) -> Result<Option<OpenPayable>, StoreError> {
        self.optional(sql!(
            "SELECT estatus, moneda, tipo_cambio, saldo
             FROM cxp
             WHERE empresa = :empresa AND clave = :cxp
             FOR NO KEY UPDATE",
            empresa: self.empresa,
            cxp,
        ))
        .await
    }

    async fn is_payable_paid(&mut self, payment: &NewPayablePayment<'_>) -> Result<bool, StoreError> {
        self.value(sql!(
            "SELECT EXISTS (
                 SELECT FROM cxp_pagos
                 WHERE empresa = :empresa AND cxp = :cxp AND fecha = :fecha AND importe = :importe
                   AND cuenta_bancaria IS NOT DISTINCT FROM :cuenta_bancaria AND referencia = :referencia
             )",
            empresa: self.empresa,
            cxp: payment.cxp,
            fecha: payment.fecha,
            importe: payment.importe,
            cuenta_bancaria: payment.cuenta_bancaria,
            referencia: payment.referencia,
        ))
        .await
    }

    async fn pay_payable(&mut self, payment: &NewPayablePayment<'_>, now: Timestamp) -> Result<i64, StoreError> {
        let clave = self.next("cxp_pagos", 1).await?;
        self.run(sql!(
            "WITH cuenta AS (
                 UPDATE cuentas_bancarias
                 SET saldo = saldo - :importe
                 WHERE empresa = :empresa AND clave = :cuenta_bancaria
             ), deuda AS (
                 UPDATE cxp
                 SET estatus = CASE WHEN saldo = :importe THEN :pagado ELSE estatus END,
                     pagado = pagado + :importe,
                     saldo = saldo - :importe,
                     modificado = :ahora
                 WHERE empresa = :empresa AND clave = :cxp
             )
             INSERT INTO cxp_pagos (
                 empresa, clave, cxp, fecha, importe, cuenta_bancaria, referencia, creado, tipo_cambio
             )
             VALUES (
                 :empresa, :clave, :cxp, :fecha, :importe, :cuenta_bancaria, :referencia, :ahora, :tipo_cambio
             )",
            empresa: self.empresa,
            clave,
            cxp: payment.cxp,
            fecha: payment.fecha,
            importe: payment.importe,
            cuenta_bancaria: payment.cuenta_bancaria,
            referencia: payment.referencia,
            ahora: now,
            pagado: PayableStatus::Pagado,
            tipo_cambio: payment.tipo_cambio,
        ))
        .await?;
        Ok(clave)
    }
}
