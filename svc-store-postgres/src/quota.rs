//! The monthly quota.

use async_trait::async_trait;
use chrono::NaiveDate;
use svc_core::store::{QuotaTx, StoreError};

use crate::error::store_error;
use crate::transaction::PostgresTx;

#[async_trait]
impl QuotaTx for PostgresTx {
    async fn use_quota(&mut self, mes: NaiveDate, operaciones: i64) -> Result<i64, StoreError> {
        sqlx::query_scalar(
            "INSERT INTO cupos (empresa, mes, usadas) VALUES ($1, $2, $3)
             ON CONFLICT (empresa, mes) DO UPDATE SET usadas = cupos.usadas + excluded.usadas
             RETURNING usadas",
        )
        .bind(self.empresa)
        .bind(mes)
        .bind(operaciones)
        .fetch_one(self.connection())
        .await
        .map_err(store_error)
    }
}
