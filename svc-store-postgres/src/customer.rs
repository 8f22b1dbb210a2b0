//! Customers.

use async_trait::async_trait;
use sqlx::postgres::PgRow;
use sqlx::{QueryBuilder, Row};
use svc_core::domain::cfdi::Receiver;
use svc_core::domain::time::Timestamp;
use svc_core::record::customer::CustomerData;
use svc_core::record::{Kind, ToValue as _, Value};
use svc_core::store::{Buyer, CustomerTx, NewCustomerRow, StoreError};

use crate::columns::money;
use crate::error::store_error;
use crate::transaction::PostgresTx;

#[async_trait]
impl CustomerTx for PostgresTx {
    async fn insert_customer(&mut self, row: &NewCustomerRow<'_>) -> Result<i64, StoreError> {
        let more = [
            ("mensaje", row.mensaje.map_or(Value::Null, |text| Value::Text(text.into())), Kind::Text),
            ("modificado", row.creado.to_value(), Kind::Instant),
        ];
        self.insert_stored(row.data, &more).await
    }

    async fn customer(&mut self, clave: i64) -> Result<Option<CustomerData>, StoreError> {
        self.lock_stored(clave).await
    }

    async fn buyer(&mut self, clave: i64) -> Result<Option<Buyer>, StoreError> {
        self.read_buyer(clave, "").await
    }

    async fn lock_buyer(&mut self, clave: i64) -> Result<Option<Buyer>, StoreError> {
        self.read_buyer(clave, " FOR NO KEY UPDATE").await
    }

    async fn become_customer(&mut self, clave: i64, modificado: Timestamp) -> Result<bool, StoreError> {
        let query = sqlx::query(
            "UPDATE clientes SET prospecto = false, modificado = $3 WHERE empresa = $1 AND clave = $2 AND prospecto",
        );
        self.changes_one(query.bind(self.empresa).bind(clave).bind(modificado.get())).await
    }

    async fn update_customer(
        &mut self,
        clave: i64,
        data: &CustomerData,
        modificado: Timestamp,
    ) -> Result<(), StoreError> {
        self.update_stored(clave, data, modificado).await
    }
}

impl PostgresTx {
    async fn read_buyer(&mut self, clave: i64, lock: &'static str) -> Result<Option<Buyer>, StoreError> {
        let mut query = QueryBuilder::new(
            "SELECT rfc, razon_social, nombre, cp, regimen, uso_cfdi, pais, num_reg_id_trib,
                    lista, dias_credito::bigint, limite_credito, prospecto
             FROM clientes WHERE empresa = $1 AND clave = $2",
        );
        let query = query.push(lock).build().bind(self.empresa).bind(clave);
        let row = query.fetch_optional(self.connection()).await.map_err(store_error)?;
        row.as_ref().map(buyer).transpose().map_err(store_error)
    }
}

fn buyer(row: &PgRow) -> Result<Buyer, sqlx::Error> {
    Ok(Buyer {
        receptor: Receiver {
            rfc: row.try_get(0)?,
            nombre: Receiver::name(row.try_get(1)?, row.try_get(2)?),
            cp: row.try_get(3)?,
            regimen: row.try_get(4)?,
            uso_cfdi: row.try_get(5)?,
            pais: row.try_get(6)?,
            num_reg_id_trib: row.try_get(7)?,
        },
        lista: row.try_get(8)?,
        dias_credito: row.try_get(9)?,
        limite_credito: money(row, 10)?,
        prospecto: row.try_get(11)?,
    })
}
