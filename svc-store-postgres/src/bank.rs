//! Bank accounts and deposits.

use async_trait::async_trait;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::deposit::{Deposit, Legacy, PaidAccount};
use svc_core::domain::money::Money;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{PaymentOrigin, Status};
use svc_core::store::{BankTx, DepositOrigin, Receipt, StoreError};

use crate::columns::money;
use crate::error::store_error;
use crate::numbered::numbered;
use crate::transaction::PostgresTx;

fn paid_account(row: &PgRow) -> Result<PaidAccount, sqlx::Error> {
    Ok(PaidAccount { clave: row.try_get(0)?, activa: row.try_get(1)?, moneda: row.try_get(2)?, saldo: row.try_get(3)? })
}

fn earlier(rows: &[PgRow]) -> Result<Legacy, sqlx::Error> {
    let deposit = |row: &PgRow| -> Result<_, sqlx::Error> {
        let Some(clave) = row.try_get(0)? else { return Ok(None) };
        Ok(Some(Deposit { clave, importe: money(row, 1)?, aplicado: money(row, 2)? }))
    };
    let payment = rows.first().ok_or(sqlx::Error::RowNotFound)?.try_get(3)?;
    let deposits = rows.iter().filter_map(|row| deposit(row).transpose()).collect::<Result<_, _>>()?;
    Ok(Legacy { deposits, payment })
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

    async fn earlier(&mut self, receipt: &Receipt<'_>) -> Result<Legacy, StoreError> {
        // A row for each deposit; one without if there is none.
        let rows = sqlx::query(
            "SELECT d.clave, d.importe, d.aplicado, p.pagado
             FROM (SELECT EXISTS (SELECT FROM cxc_pagos WHERE empresa = $1 AND cuenta_bancaria = $2 AND fecha = $3
                                  AND importe = $4 AND referencia = $5 AND NOT cancelado AND origen = $6) AS pagado) p
             LEFT JOIN depositos d ON d.empresa = $1 AND d.cuenta_bancaria = $2 AND d.fecha = $3
                   AND (d.importe = $4 OR d.importe - d.aplicado = $4) AND d.referencia = $5 AND NOT d.cancelado
             ORDER BY d.clave",
        )
        .bind(self.empresa)
        .bind(receipt.cuenta_bancaria)
        .bind(receipt.fecha)
        .bind(receipt.importe.get())
        .bind(receipt.referencia)
        .bind(PaymentOrigin::Deposito.word())
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        earlier(&rows).map_err(store_error)
    }

    async fn insert_deposit(
        &mut self,
        receipt: &Receipt<'_>,
        origen: DepositOrigin,
        now: Timestamp,
    ) -> Result<i64, StoreError> {
        sqlx::query_scalar(numbered!(
            "VALUES ($1, 'depositos', 1)",
            ", cuenta AS (
                 UPDATE cuentas_bancarias SET saldo = saldo + $4 WHERE empresa = $1 AND clave = $2
             )
             INSERT INTO depositos (empresa, clave, cuenta_bancaria, fecha, importe, aplicado, referencia, creado, origen)
             SELECT $1, valor, $2, $3, $4, $8, $5, $6, $7 FROM numero RETURNING clave"
        ))
        .bind(self.empresa)
        .bind(receipt.cuenta_bancaria)
        .bind(receipt.fecha)
        .bind(receipt.importe.get())
        .bind(receipt.referencia)
        .bind(now.get())
        .bind(origen.word())
        .bind(origen.applied(receipt.importe).get())
        .fetch_one(self.connection())
        .await
        .map_err(store_error)
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
