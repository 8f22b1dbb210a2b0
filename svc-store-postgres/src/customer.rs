//! Customers.

use async_trait::async_trait;
use sqlx::postgres::PgRow;
use svc_core::domain::cfdi::Receiver;
use svc_core::domain::time::Timestamp;
use svc_core::record::customer::CustomerData;
use svc_core::record::{Kind, ToValue as _, Value};
use svc_core::store::{Buyer, CustomerTx, NewCustomerRow, StoreError};

use crate::row::{FromRow, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(Buyer { receptor: .., lista, dias_credito, limite_credito, prospecto });

impl FromRow for Receiver {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            rfc: row.read("rfc")?,
            nombre: Self::name(row.read("razon_social")?, row.read("nombre")?),
            cp: row.read("cp")?,
            regimen: row.read("regimen")?,
            uso_cfdi: row.read("uso_cfdi")?,
            pais: row.read("pais")?,
            num_reg_id_trib: row.read("num_reg_id_trib")?,
        })
    }
}

/// What a sale asks of a customer.
macro_rules! buyer {
    () => {
        "SELECT rfc, razon_social, nombre, cp, regimen, uso_cfdi, pais, num_reg_id_trib,
                lista, dias_credito::bigint, limite_credito, prospecto
         FROM clientes
         WHERE empresa = :empresa AND clave = :clave"
    };
}

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
        self.optional(sql!(buyer!(), empresa: self.empresa, clave)).await
    }

    async fn lock_buyer(&mut self, clave: i64) -> Result<Option<Buyer>, StoreError> {
        self.optional(sql!(concat!(buyer!(), " FOR NO KEY UPDATE"), empresa: self.empresa, clave)).await
    }

    async fn become_customer(&mut self, clave: i64, modificado: Timestamp) -> Result<bool, StoreError> {
        self.changed_one(sql!(
            "UPDATE clientes
             SET prospecto = false, modificado = :modificado
             WHERE empresa = :empresa AND clave = :clave AND prospecto",
            empresa: self.empresa,
            clave,
            modificado,
        ))
        .await
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
