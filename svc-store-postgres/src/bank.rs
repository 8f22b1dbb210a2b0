//! Bank accounts and deposits.

use async_trait::async_trait;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::deposit::{Deposit, Earlier, PaidAccount};
use svc_core::domain::money::Money;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{PaymentOrigin, Status};
use svc_core::store::{BankTx, DepositOrigin, Receipt, StoreError};

use crate::columns::money;
use crate::error::store_error;
use crate::transaction::PostgresTx;

fn paid_account(row: &PgRow) -> Result<PaidAccount, sqlx::Error> {
    Ok(PaidAccount { clave: row.try_get(0)?, activa: row.try_get(1)?, moneda: row.try_get(2)?, saldo: row.try_get(3)? })
}

fn deposit(row: &PgRow) -> Result<Deposit, sqlx::Error> {
    Ok(Deposit { clave: row.try_get(0)?, importe: money(row, 1)?, aplicado: money(row, 2)? })
}

#[async_trait]
impl BankTx for PostgresTx {
    async fn lock_bank_account(&mut self, cuenta: i64) -> Result<Option<PaidAccount>, StoreError> {
        let row = sqlx::query(
            "SELECT clave, estatus = $3, moneda, saldo
             FROM cuentas_bancarias WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(cuenta)
        .bind(Status::Activo.word())
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.as_ref().map(paid_account).transpose().map_err(store_error)
    }

    async fn earlier(&mut self, receipt: &Receipt<'_>) -> Result<Earlier, StoreError> {
        let payment = sqlx::query_scalar(
            "SELECT EXISTS (SELECT FROM cxc_pagos WHERE empresa = $1 AND cuenta_bancaria = $2 AND fecha = $3
                            AND importe = $4 AND referencia = $5 AND NOT cancelado AND origen = $6)",
        )
        .bind(self.empresa)
        .bind(receipt.cuenta_bancaria)
        .bind(receipt.fecha)
        .bind(receipt.importe.get())
        .bind(receipt.referencia)
        .bind(PaymentOrigin::Deposito.word())
        .fetch_one(self.connection())
        .await
        .map_err(store_error)?;
        let deposits = sqlx::query(
            "SELECT clave, importe, aplicado FROM depositos
             WHERE empresa = $1 AND cuenta_bancaria = $2 AND fecha = $3 AND (importe = $4 OR importe - aplicado = $4)
                   AND referencia = $5 AND NOT cancelado
             ORDER BY clave",
        )
        .bind(self.empresa)
        .bind(receipt.cuenta_bancaria)
        .bind(receipt.fecha)
        .bind(receipt.importe.get())
        .bind(receipt.referencia)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        let deposits = deposits.iter().map(deposit).collect::<Result<_, _>>().map_err(store_error)?;
        Ok(Earlier { deposits, payment })
    }

    async fn insert_deposit(
        &mut self,
        receipt: &Receipt<'_>,
        origen: DepositOrigin,
        now: Timestamp,
    ) -> Result<i64, StoreError> {
        let clave = self.next("depositos", 1).await?;
        let query = sqlx::query(
            "WITH cuenta AS (
                 UPDATE cuentas_bancarias SET saldo = saldo + $5 WHERE empresa = $1 AND clave = $3
             )
             INSERT INTO depositos (empresa, clave, cuenta_bancaria, fecha, importe, aplicado, referencia, creado, origen)
             VALUES ($1, $2, $3, $4, $5, $9, $6, $7, $8)",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(receipt.cuenta_bancaria)
        .bind(receipt.fecha)
        .bind(receipt.importe.get())
        .bind(receipt.referencia)
        .bind(now.get())
        .bind(origen.word())
        .bind(origen.applied(receipt.importe).get());
        self.run(query).await?;
        Ok(clave)
    }

    async fn apply_deposit(&mut self, deposito: i64, importe: Money) -> Result<bool, StoreError> {
        let applied = sqlx::query(
            "UPDATE depositos SET aplicado = aplicado + $3
             WHERE empresa = $1 AND clave = $2 AND NOT cancelado AND importe - aplicado >= $3",
        )
        .bind(self.empresa)
        .bind(deposito)
        .bind(importe.get())
        .execute(self.connection())
        .await
        .map_err(store_error)?;
        Ok(applied.rows_affected() > 0)
    }

    async fn release_deposit(
        &mut self,
        deposito: i64,
        cuenta: i64,
        importe: Money,
    ) -> Result<Option<bool>, StoreError> {
        // What an imported payment says of its deposit is a number only: another account's deposit is none of its own.
        sqlx::query_scalar(
            "WITH liberado AS (
                 UPDATE depositos
                 SET aplicado = greatest(aplicado - $4, 0), cancelado = origen = $5 AND aplicado <= $4
                 WHERE empresa = $1 AND clave = $2 AND cuenta_bancaria = $3 AND NOT cancelado
                 RETURNING importe, cancelado
             ), cuenta AS (
                 UPDATE cuentas_bancarias c SET saldo = c.saldo - l.importe
                 FROM liberado l WHERE c.empresa = $1 AND c.clave = $3 AND l.cancelado
             )
             SELECT cancelado FROM liberado",
        )
        .bind(self.empresa)
        .bind(deposito)
        .bind(cuenta)
        .bind(importe.get())
        .bind(DepositOrigin::Pago.word())
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)
    }
}
