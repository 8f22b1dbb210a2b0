//! The monthly quota.

use async_trait::async_trait;
use chrono::NaiveDate;
use svc_core::store::{QuotaTx, StoreError};

use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

#[async_trait]
impl QuotaTx for PostgresTx {
    async fn use_quota(&mut self, mes: NaiveDate, operaciones: i64) -> Result<i64, StoreError> {
        self.value(sql!(
            "INSERT INTO cupos AS c (empresa, mes, usadas)
             VALUES (:empresa, :mes, :operaciones)
             ON CONFLICT (empresa, mes) DO UPDATE SET usadas = c.usadas + excluded.usadas
             RETURNING usadas",
            empresa: self.empresa,
            mes,
            operaciones,
        ))
        .await
    }
}
