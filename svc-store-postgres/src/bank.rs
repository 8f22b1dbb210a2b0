use async_trait::async_trait;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::api::cuentas_bancarias::{BankAccount, BankAccountFilter, BankAccounts};
use svc_core::backoffice::import::BankAccountRecord;
use svc_core::domain::words::Status;
use svc_core::operation::Query;
use svc_core::store::{BankTx, ListReader, StoreError};

use crate::copy::Copy;
use crate::page::Page;
use crate::reader::PostgresReader;
use crate::transaction::PostgresTx;

fn account(row: &PgRow) -> Result<BankAccount, sqlx::Error> {
    Ok(BankAccount {
        clave: row.try_get(0)?,
        nombre: row.try_get(1)?,
        banco: row.try_get(2)?,
        moneda: row.try_get(3)?,
        estatus: row.try_get(4)?,
    })
}

#[async_trait]
impl ListReader<BankAccounts> for PostgresReader<'_> {
    async fn page(&self, query: &Query<BankAccountFilter>) -> Result<Vec<BankAccount>, StoreError> {
        let mut page =
            Page::new("SELECT clave, nombre, banco, moneda, estatus FROM cuentas_bancarias", "", self.empresa);
        for filter in &query.filters {
            match filter {
                BankAccountFilter::Clave(clave) => page.compare("clave = ", clave),
                BankAccountFilter::Estatus(estatus) => page.compare("estatus = ", estatus),
            }
        }
        page.fetch(self.pool, query, account).await
    }
}

#[async_trait]
impl BankTx for PostgresTx {
    async fn import_bank_accounts(&mut self, rows: &[BankAccountRecord]) -> Result<(), StoreError> {
        let claves = self.claves("cuentas_bancarias", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            copy.value(self.empresa).value(clave).value(&*row.nombre).optional(row.banco.as_deref());
            copy.value(row.moneda.as_deref().unwrap_or("MXN"));
            copy.value(row.estatus.unwrap_or(Status::Activo).word()).end();
        }
        copy.send(
            self.connection(),
            "COPY cuentas_bancarias (empresa, clave, nombre, banco, moneda, estatus) FROM STDIN",
        )
        .await
    }
}
