//! Accounts payable.

use async_trait::async_trait;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use svc_core::domain::quantity::Rate;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::PayableStatus;
use svc_core::store::{NewPayable, NewPayablePayment, OpenPayable, PayableTx, StoreError};

use crate::columns::{rate, word};
use crate::error::store_error;
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

    async fn lock_payable(&mut self, cxp: i64) -> Result<Option<OpenPayable>, StoreError> {
        let row = sqlx::query(
            "SELECT estatus, moneda, tipo_cambio, saldo FROM cxp WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(cxp)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        let read = |row: PgRow| {
            let estatus = word(&row, 0, PayableStatus::of)?;
            Ok(OpenPayable { estatus, moneda: row.try_get(1)?, tipo_cambio: rate(&row, 2)?, saldo: row.try_get(3)? })
        };
        row.map(read).transpose().map_err(store_error)
    }

    async fn is_payable_paid(&mut self, payment: &NewPayablePayment<'_>) -> Result<bool, StoreError> {
        sqlx::query_scalar(
            "SELECT EXISTS (SELECT FROM cxp_pagos WHERE empresa = $1 AND cxp = $2 AND fecha = $3 AND importe = $4
                            AND cuenta_bancaria IS NOT DISTINCT FROM $5 AND referencia = $6)",
        )
        .bind(self.empresa)
        .bind(payment.cxp)
        .bind(payment.fecha)
        .bind(payment.importe.get())
        .bind(payment.cuenta_bancaria)
        .bind(payment.referencia)
        .fetch_one(self.connection())
        .await
        .map_err(store_error)
    }

    async fn pay_payable(&mut self, payment: &NewPayablePayment<'_>, now: Timestamp) -> Result<i64, StoreError> {
        let clave = self.next("cxp_pagos", 1).await?;
        let query = sqlx::query(
            "WITH cuenta AS (
                 UPDATE cuentas_bancarias SET saldo = saldo - $5 WHERE empresa = $1 AND clave = $6
             ), deuda AS (
                 UPDATE cxp SET saldo = saldo - $5, pagado = pagado + $5, modificado = $8,
                     estatus = CASE WHEN saldo = $5 THEN $9 ELSE estatus END
                 WHERE empresa = $1 AND clave = $3
             )
             INSERT INTO cxp_pagos (empresa, clave, cxp, fecha, importe, cuenta_bancaria, referencia, creado, tipo_cambio)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $10)",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(payment.cxp)
        .bind(payment.fecha)
        .bind(payment.importe.get())
        .bind(payment.cuenta_bancaria)
        .bind(payment.referencia)
        .bind(now.get())
        .bind(PayableStatus::Pagado.word())
        .bind(payment.tipo_cambio.map(Rate::get));
        self.run(query).await?;
        Ok(clave)
    }
}
