use std::collections::HashSet;

use async_trait::async_trait;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::api::facturas::{Invoice, InvoiceFilter, Invoices};
use svc_core::backoffice::import::InvoiceRecord;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{InvoiceKind, InvoiceStatus};
use svc_core::operation::Query;
use svc_core::store::{Cancellation, InvoiceTx, ListReader, NewInvoice, RegisteredInvoice, StoreError};

use crate::columns::{instant, instant_or_null, word};
use crate::copy::Copy;
use crate::error::store_error;
use crate::page::Page;
use crate::reader::PostgresReader;
use crate::transaction::PostgresTx;

fn invoice(row: &PgRow) -> Result<Invoice, sqlx::Error> {
    Ok(Invoice {
        clave: row.try_get(0)?,
        tipo: row.try_get(1)?,
        estatus: row.try_get(2)?,
        venta: row.try_get(3)?,
        cliente: row.try_get(4)?,
        serie: row.try_get(5)?,
        folio: row.try_get(6)?,
        uuid: row.try_get(7)?,
        fecha: instant(row, 8)?,
        fecha_timbrado: instant_or_null(row, 9)?,
        fecha_cancelacion: instant_or_null(row, 10)?,
        motivo_cancelacion: row.try_get(11)?,
        uuid_sustitucion: row.try_get(12)?,
        error_codigo: row.try_get(13)?,
        error_mensaje: row.try_get(14)?,
        modificado: instant_or_null(row, 15)?,
    })
}

#[async_trait]
impl ListReader<Invoices> for PostgresReader<'_> {
    async fn page(&self, query: &Query<InvoiceFilter>) -> Result<Vec<Invoice>, StoreError> {
        use InvoiceFilter as F;
        const SELECT: &str = "SELECT clave, tipo, estatus, venta, cliente, serie, folio, uuid, fecha, fecha_timbrado, \
                              fecha_cancelacion, motivo_cancelacion, uuid_sustitucion, error_codigo, error_mensaje, modificado \
                              FROM facturas";
        let mut page = Page::new(SELECT, "", self.empresa);
        for filter in &query.filters {
            match filter {
                F::Clave(clave) => page.compare("clave = ", clave),
                F::Uuid(uuid) => page.compare("uuid = ", uuid),
                F::Venta(venta) => page.compare("venta = ", venta),
                F::Tipo(tipo) => page.compare("tipo = ", tipo),
                F::Estatus(estatus) => page.compare("estatus = ", estatus),
                F::FechaDesde(from) => {
                    page.range_leads();
                    page.compare("fecha >= ", from);
                }
                F::FechaHasta(until) => page.compare("fecha <= ", until),
            }
        }
        page.fetch(self, query, invoice).await
    }
}

#[async_trait]
impl InvoiceTx for PostgresTx {
    async fn insert_invoice(&mut self, row: &NewInvoice<'_>) -> Result<i64, StoreError> {
        let clave = self.next("facturas", 1).await?;
        let query = sqlx::query(
            "INSERT INTO facturas (empresa, clave, tipo, estatus, venta, cliente, serie, folio, fecha, origen, modificado)
             VALUES ($1, $2, $3, 'en_espera', $4, $5, $6, $7, $8, $9, $8)",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(row.tipo.word())
        .bind(row.venta)
        .bind(row.cliente)
        .bind(row.serie)
        .bind(row.folio.to_string())
        .bind(row.fecha.get())
        .bind(row.origen.word());
        self.run(query).await?;
        Ok(clave)
    }

    async fn lock_invoice(&mut self, clave: i64) -> Result<Option<RegisteredInvoice>, StoreError> {
        let row = sqlx::query(
            "SELECT clave, tipo, estatus, venta, concat(serie, folio), uuid, cancelacion_solicitada IS NOT NULL
             FROM facturas WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(clave)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.as_ref().map(registered).transpose().map_err(store_error)
    }

    async fn set_stamped(&mut self, clave: i64, uuid: &str, at: Timestamp, now: Timestamp) -> Result<(), StoreError> {
        let query = sqlx::query(
            "WITH f AS (
                 UPDATE facturas SET estatus = 'vigente', uuid = $3, fecha_timbrado = $4, error_codigo = NULL, error_mensaje = NULL,
                                     modificado = $5
                 WHERE empresa = $1 AND clave = $2 RETURNING venta
             ), v AS (
                 UPDATE ventas SET uuid = $3, modificado = $5 FROM f
                 WHERE empresa = $1 AND ventas.clave = f.venta AND ventas.factura = $2
             ), c AS (
                 UPDATE cxc SET uuid = $3, modificado = $5 FROM f
                 WHERE empresa = $1 AND cxc.venta = f.venta AND cxc.factura = $2
             ), p AS (
                 UPDATE cxc_pagos SET complemento = 'timbrado', uuid = $3
                 WHERE empresa = $1 AND factura = $2 AND complemento <> 'no_aplica'
             )
             DELETE FROM timbrados WHERE empresa = $1 AND factura = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(uuid)
        .bind(at.get())
        .bind(now.get());
        self.run(query).await
    }

    async fn set_rejected(
        &mut self,
        clave: i64,
        codigo: &str,
        mensaje: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let query = sqlx::query(
            "WITH f AS (
                 UPDATE facturas SET estatus = 'error', error_codigo = $3, error_mensaje = $4, modificado = $5
                 WHERE empresa = $1 AND clave = $2
             ), p AS (
                 UPDATE cxc_pagos SET complemento = 'error'
                 WHERE empresa = $1 AND factura = $2 AND complemento <> 'no_aplica'
             )
             DELETE FROM timbrados WHERE empresa = $1 AND factura = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(codigo)
        .bind(mensaje)
        .bind(now.get());
        self.run(query).await
    }

    async fn request_cancellation(
        &mut self,
        clave: i64,
        cancellation: &Cancellation<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE facturas SET cancelacion_solicitada = $5, motivo_cancelacion = $3, uuid_sustitucion = $4, modificado = $5
             WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(cancellation.motivo)
        .bind(cancellation.uuid_sustitucion)
        .bind(now.get());
        self.run(query).await
    }

    async fn drop_cancellation(&mut self, clave: i64, now: Timestamp) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE facturas SET cancelacion_solicitada = NULL, motivo_cancelacion = NULL, uuid_sustitucion = NULL, modificado = $3
             WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(now.get());
        self.run(query).await
    }

    async fn set_cancelled(
        &mut self,
        clave: i64,
        cancellation: Option<&Cancellation<'_>>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE facturas SET estatus = 'cancelada', fecha_cancelacion = $5, cancelacion_solicitada = NULL, modificado = $5,
                 motivo_cancelacion = coalesce($3, motivo_cancelacion), uuid_sustitucion = coalesce($4, uuid_sustitucion)
             WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(cancellation.map(|cancellation| cancellation.motivo))
        .bind(cancellation.and_then(|cancellation| cancellation.uuid_sustitucion))
        .bind(now.get());
        self.run(query).await
    }

    async fn import_invoices(&mut self, rows: &[InvoiceRecord], now: Timestamp) -> Result<(), StoreError> {
        let claves = self.claves("facturas", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(&claves) {
            copy.value(self.empresa).value(clave).value(row.tipo.unwrap_or(InvoiceKind::Factura).word());
            copy.value(row.estatus.unwrap_or(InvoiceStatus::Vigente).word()).optional(row.venta).optional(row.cliente);
            copy.optional(row.serie.as_deref()).optional(row.folio.as_deref());
            copy.optional(row.uuid.as_deref().map(str::to_lowercase)).value(row.fecha.unwrap_or(now));
            copy.optional(row.fecha_timbrado).optional(row.fecha_cancelacion);
            copy.optional(row.motivo_cancelacion.as_deref());
            copy.optional(row.uuid_sustitucion.as_deref().map(str::to_lowercase));
            copy.optional(row.error_codigo.as_deref()).optional(row.error_mensaje.as_deref());
            copy.value(row.modificado.unwrap_or(now)).end();
        }
        copy.send(
            self.connection(),
            "COPY facturas (empresa, clave, tipo, estatus, venta, cliente, serie, folio, uuid, fecha, fecha_timbrado, \
             fecha_cancelacion, motivo_cancelacion, uuid_sustitucion, error_codigo, error_mensaje, modificado) FROM STDIN",
        )
        .await?;
        let folios = rows.iter().filter_map(|row| {
            let tipo = row.tipo.unwrap_or(InvoiceKind::Factura).word();
            Some((tipo, row.serie.as_deref().unwrap_or_default(), row.folio.as_deref()?.parse().ok()?))
        });
        self.move_past_folios(folios).await?;
        invoice_sales(self, rows, &claves).await
    }
}

fn registered(row: &PgRow) -> Result<RegisteredInvoice, sqlx::Error> {
    Ok(RegisteredInvoice {
        clave: row.try_get(0)?,
        tipo: word(row, 1, InvoiceKind::of)?,
        estatus: word(row, 2, InvoiceStatus::of)?,
        venta: row.try_get(3)?,
        folio: row.try_get(4)?,
        uuid: row.try_get(5)?,
        cancelacion_solicitada: row.try_get(6)?,
    })
}

/// A sale without invoice gets the first one that names it.
async fn invoice_sales(tx: &mut PostgresTx, rows: &[InvoiceRecord], claves: &[i64]) -> Result<(), StoreError> {
    let (mut sales, mut invoices, mut folios, mut seen) = (Vec::new(), Vec::new(), Vec::new(), HashSet::new());
    for (row, clave) in rows.iter().zip(claves) {
        let (InvoiceKind::Factura, Some(sale)) = (row.tipo.unwrap_or(InvoiceKind::Factura), row.venta) else {
            continue;
        };
        if seen.insert(sale) {
            sales.push(sale);
            invoices.push(*clave);
            folios.push(row.uuid.as_deref().map(str::to_lowercase));
        }
    }
    if sales.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "UPDATE ventas v SET factura = f.factura, uuid = f.uuid
         FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS f (venta, factura, uuid)
         WHERE v.empresa = $1 AND v.clave = f.venta AND v.factura IS NULL",
    )
    .bind(tx.empresa)
    .bind(sales)
    .bind(invoices)
    .bind(folios)
    .execute(tx.connection())
    .await
    .map_err(store_error)?;
    Ok(())
}
