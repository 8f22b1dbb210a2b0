use async_trait::async_trait;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::api::cxp::{Payable, PayableFilter, Payables};
use svc_core::backoffice::import::PayableRecord;
use svc_core::domain::clock::mexico_date;
use svc_core::domain::quantity::Rate;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{PayableKind, PayableStatus};
use svc_core::operation::Query;
use svc_core::store::{ListReader, NewPayable, PayableTx, StoreError};

use crate::columns::{instant_or_null, money, rate};
use crate::copy::Copy;
use crate::page::Page;
use crate::reader::PostgresReader;
use crate::transaction::PostgresTx;

const SELECT: &str = "SELECT clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento, moneda, \
                      tipo_cambio, total, pagado, saldo, sucursal, operaciones, concepto, modificado FROM cxp";

fn payable(row: &PgRow) -> Result<Payable, sqlx::Error> {
    Ok(Payable {
        clave: row.try_get(0)?,
        folio: row.try_get(1)?,
        tipo: row.try_get(2)?,
        estatus: row.try_get(3)?,
        proveedor: row.try_get(4)?,
        compra: row.try_get(5)?,
        factura: row.try_get(6)?,
        uuid: row.try_get(7)?,
        fecha: row.try_get(8)?,
        vencimiento: row.try_get(9)?,
        moneda: row.try_get(10)?,
        tipo_cambio: rate(row, 11)?,
        total: money(row, 12)?,
        pagado: money(row, 13)?,
        saldo: money(row, 14)?,
        sucursal: row.try_get(15)?,
        operaciones: row.try_get(16)?,
        concepto: row.try_get(17)?,
        modificado: instant_or_null(row, 18)?,
    })
}

#[async_trait]
impl ListReader<Payables> for PostgresReader<'_> {
    async fn page(&self, query: &Query<PayableFilter>) -> Result<Vec<Payable>, StoreError> {
        use PayableFilter as F;
        let today = query.now.date_naive();
        let mut page = Page::new(SELECT, "", self.empresa);
        for filter in &query.filters {
            match filter {
                F::Clave(clave) => page.compare("clave = ", clave),
                F::Estatus(estatus) => page.compare("estatus = ", estatus),
                F::Tipo(tipo) => page.compare("tipo = ", tipo),
                F::Proveedor(proveedor) => page.compare("proveedor = ", proveedor),
                F::Uuid(uuid) => page.compare("uuid = ", uuid),
                // Word for word the conditions of the partial indexes.
                F::ConSaldo(true) => page.only("saldo > 0"),
                F::ConSaldo(false) => page.only("saldo <= 0"),
                F::Vencido(true) => page.compare("saldo > 0 AND vencimiento < ", today),
                // All others, in parts that an index leads to each.
                F::Vencido(false) => page.with(
                    "(saldo <= 0 OR saldo > 0 AND vencimiento IS NULL OR saldo > 0 AND vencimiento >= ",
                    today,
                    ")",
                ),
            }
        }
        page.fetch(self, query, payable).await
    }
}

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

    async fn import_payables(&mut self, rows: &[PayableRecord], now: Timestamp) -> Result<(), StoreError> {
        let claves = self.claves("cxp", rows.iter().map(|row| row.clave)).await?;
        let today = mexico_date(now.get());
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            copy.value(self.empresa).value(clave);
            copy.value(row.folio.as_deref().map_or_else(|| clave.to_string(), str::to_owned));
            copy.value(row.tipo.unwrap_or(PayableKind::Gasto).word());
            copy.value(row.estatus.unwrap_or(PayableStatus::Pendiente).word());
            copy.value(row.proveedor.unwrap_or(0)).optional(row.compra).optional(row.factura.as_deref());
            copy.optional(row.uuid.as_deref().map(str::to_ascii_lowercase));
            copy.value(row.fecha.map_or(today, |date| date.0)).optional(row.vencimiento.map(|date| date.0));
            copy.value(row.moneda.as_deref().unwrap_or("MXN")).value(row.tipo_cambio.unwrap_or(Rate::ONE));
            copy.value(row.total.unwrap_or_default()).value(row.pagado.unwrap_or_default()).value(row.saldo());
            copy.value(row.sucursal.unwrap_or(0)).value(row.operaciones.unwrap_or(1));
            copy.optional(row.concepto.as_deref()).value(row.modificado.unwrap_or(now)).end();
        }
        copy.send(
            self.connection(),
            "COPY cxp (empresa, clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento, moneda, \
             tipo_cambio, total, pagado, saldo, sucursal, operaciones, concepto, modificado) FROM STDIN",
        )
        .await
    }
}
