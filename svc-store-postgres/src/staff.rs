use async_trait::async_trait;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::api::vendedores::{Salespeople, Salesperson, SalespersonFilter};
use svc_core::backoffice::import::SalespersonRecord;
use svc_core::domain::words::Status;
use svc_core::operation::Query;
use svc_core::store::{ListReader, StaffTx, StoreError};

use crate::copy::Copy;
use crate::page::Page;
use crate::reader::PostgresReader;
use crate::transaction::PostgresTx;

fn salesperson(row: &PgRow) -> Result<Salesperson, sqlx::Error> {
    let estatus = if row.try_get(2)? { Status::Activo } else { Status::Inactivo };
    Ok(Salesperson { clave: row.try_get(0)?, nombre: row.try_get(1)?, estatus: estatus.word() })
}

#[async_trait]
impl ListReader<Salespeople> for PostgresReader<'_> {
    async fn page(&self, query: &Query<SalespersonFilter>) -> Result<Vec<Salesperson>, StoreError> {
        let mut page = Page::new("SELECT clave, nombre, activo FROM usuarios", "", self.empresa);
        page.only("vendedor");
        for filter in &query.filters {
            match filter {
                SalespersonFilter::Clave(clave) => page.compare("clave = ", clave),
                SalespersonFilter::Estatus(estatus) => page.compare("activo = ", *estatus == Status::Activo.word()),
            }
        }
        page.fetch(self, query, salesperson).await
    }
}

#[async_trait]
impl StaffTx for PostgresTx {
    async fn import_salespeople(&mut self, rows: &[SalespersonRecord]) -> Result<(), StoreError> {
        let claves = self.claves("usuarios", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            copy.value(self.empresa).value(clave).value(&*row.nombre).value(true);
            copy.value(row.estatus != Some(Status::Inactivo)).end();
        }
        copy.send(self.connection(), "COPY usuarios (empresa, clave, nombre, vendedor, activo) FROM STDIN").await
    }
}
