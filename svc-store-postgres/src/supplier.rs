use async_trait::async_trait;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::api::proveedores::{Supplier, SupplierFilter, Suppliers};
use svc_core::backoffice::import::SupplierRecord;
use svc_core::domain::text::{fold, like_pattern};
use svc_core::domain::words::SupplierStatus;
use svc_core::operation::Query;
use svc_core::store::{ListReader, StoreError, SupplierTx};

use crate::copy::Copy;
use crate::page::Page;
use crate::reader::PostgresReader;
use crate::transaction::PostgresTx;

const SELECT: &str = "SELECT clave, folio, nombre, contacto, rfc, correo, telefono, estatus FROM proveedores";

fn supplier(row: &PgRow) -> Result<Supplier, sqlx::Error> {
    Ok(Supplier {
        clave: row.try_get(0)?,
        folio: row.try_get(1)?,
        nombre: row.try_get(2)?,
        contacto: row.try_get(3)?,
        rfc: row.try_get(4)?,
        correo: row.try_get(5)?,
        telefono: row.try_get(6)?,
        estatus: row.try_get(7)?,
    })
}

#[async_trait]
impl ListReader<Suppliers> for PostgresReader<'_> {
    async fn page(&self, query: &Query<SupplierFilter>) -> Result<Vec<Supplier>, StoreError> {
        use SupplierFilter as F;
        let mut page = Page::new(SELECT, "", self.empresa);
        for filter in &query.filters {
            match filter {
                F::Clave(clave) => page.compare("clave = ", clave),
                F::Folio(folio) => page.compare("folio = ", folio),
                F::Estatus(estatus) => page.compare("estatus = ", estatus),
                F::Rfc(rfc) => page.compare("rfc = ", rfc),
                F::Nombre(words) => words.iter().for_each(|word| page.compare("busqueda LIKE ", like_pattern(word))),
            }
        }
        if !query.filters.iter().any(|filter| matches!(filter, F::Estatus(_))) {
            page.only("estatus <> 'eliminado'");
        }
        page.fetch(self, query, supplier).await
    }
}

#[async_trait]
impl SupplierTx for PostgresTx {
    async fn is_supplier(&mut self, proveedor: i64) -> Result<bool, StoreError> {
        let statement =
            "SELECT EXISTS (SELECT FROM proveedores WHERE empresa = $1 AND clave = $2 AND estatus <> 'eliminado')";
        self.exists(statement, proveedor).await
    }

    async fn import_suppliers(&mut self, rows: &[SupplierRecord]) -> Result<(), StoreError> {
        let claves = self.claves("proveedores", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            copy.value(self.empresa).value(clave);
            copy.value(row.folio.as_deref().map_or_else(|| clave.to_string(), str::to_owned));
            copy.optional(row.nombre.as_deref()).optional(row.contacto.as_deref()).optional(row.rfc.as_deref());
            copy.optional(row.correo.as_deref()).optional(row.telefono.as_deref());
            copy.value(row.estatus.unwrap_or(SupplierStatus::Activo).word());
            copy.value(row.nombre.as_deref().map(fold).unwrap_or_default()).end();
        }
        copy.send(
            self.connection(),
            "COPY proveedores (empresa, clave, folio, nombre, contacto, rfc, correo, telefono, estatus, busqueda) \
             FROM STDIN",
        )
        .await
    }
}
