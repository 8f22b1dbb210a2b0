//! The registry of stamped documents.

use async_trait::async_trait;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{Complement, InvoiceKind, InvoiceStatus, SaleKind};
use svc_core::store::{Cancellation, InvoiceTx, NewInvoice, Numbered, RegisteredInvoice, StoreError};

use crate::columns::{number, word};
use crate::error::store_error;
use crate::numbered::numbered;
use crate::sale::folio_series;
use crate::transaction::PostgresTx;

#[async_trait]
impl InvoiceTx for PostgresTx {
    async fn insert_invoice(&mut self, row: &NewInvoice<'_>, folio: i64) -> Result<i64, StoreError> {
        Ok(self.write_invoice(row, Some(folio)).await?.clave)
    }

    async fn open_invoice(&mut self, row: &NewInvoice<'_>) -> Result<Numbered, StoreError> {
        self.write_invoice(row, None).await
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
                 UPDATE facturas SET estatus = $6, uuid = $3, fecha_timbrado = $4, error_codigo = NULL, error_mensaje = NULL,
                                     modificado = $5
                 WHERE empresa = $1 AND clave = $2 RETURNING venta, sustituye, serie, folio
             ), v AS (
                 UPDATE ventas SET uuid = $3, modificado = $5, factura = $2,
                     serie = CASE WHEN f.sustituye IS NULL OR ventas.tipo <> $9 THEN ventas.serie ELSE f.serie END,
                     folio = CASE WHEN f.sustituye IS NULL OR ventas.tipo <> $9 THEN ventas.folio ELSE f.folio::bigint END
                 FROM f WHERE empresa = $1 AND ventas.clave = f.venta AND ventas.factura IN ($2, f.sustituye)
             ), c AS (
                 UPDATE cxc SET uuid = $3, modificado = $5, factura = $2,
                     folio = CASE WHEN f.sustituye IS NULL THEN cxc.folio ELSE concat(f.serie, f.folio) END
                 FROM f WHERE empresa = $1 AND cxc.venta = f.venta AND cxc.factura IN ($2, f.sustituye)
             ), p AS (
                 UPDATE cxc_pagos SET complemento = $7, uuid = $3
                 WHERE empresa = $1 AND factura = $2 AND complemento <> $8
             )
             DELETE FROM timbrados WHERE empresa = $1 AND factura = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(uuid)
        .bind(at.get())
        .bind(now.get())
        .bind(InvoiceStatus::Vigente.word())
        .bind(Complement::Timbrado.word())
        .bind(Complement::NoAplica.word())
        // An advance keeps its own folio.
        .bind(SaleKind::Factura.word());
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
                 UPDATE facturas SET estatus = $6, error_codigo = $3, error_mensaje = $4, modificado = $5
                 WHERE empresa = $1 AND clave = $2
             ), p AS (
                 UPDATE cxc_pagos SET complemento = $7
                 WHERE empresa = $1 AND factura = $2 AND complemento <> $8
             )
             DELETE FROM timbrados WHERE empresa = $1 AND factura = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(codigo)
        .bind(mensaje)
        .bind(now.get())
        .bind(InvoiceStatus::Error.word())
        .bind(Complement::Error.word())
        .bind(Complement::NoAplica.word());
        self.run(query).await
    }

    async fn request_cancellation(
        &mut self,
        clave: i64,
        cancellation: &Cancellation<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE facturas SET cancelacion_solicitada = $5, motivo_cancelacion = $3, uuid_sustitucion = $4, modificado = $5,
                                 error_codigo = NULL, error_mensaje = NULL
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
            "UPDATE facturas SET estatus = $6, fecha_cancelacion = $5, cancelacion_solicitada = NULL, modificado = $5,
                 motivo_cancelacion = coalesce($3, motivo_cancelacion), uuid_sustitucion = coalesce($4, uuid_sustitucion)
             WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(cancellation.map(|cancellation| cancellation.motivo))
        .bind(cancellation.and_then(|cancellation| cancellation.uuid_sustitucion))
        .bind(now.get())
        .bind(InvoiceStatus::Cancelada.word());
        self.run(query).await
    }
}

impl PostgresTx {
    /// Writes a record: of that folio, or under the next one of its series, and then queued.
    async fn write_invoice(&mut self, row: &NewInvoice<'_>, folio: Option<i64>) -> Result<Numbered, StoreError> {
        let own = folio.is_none().then(|| folio_series(row.tipo.word(), row.serie));
        let series: Vec<_> = own.iter().map(String::as_str).chain(["facturas"]).collect();
        let written = sqlx::query(numbered!(
            "SELECT $1, s.serie, 1 FROM unnest($2::text[]) AS s (serie)",
            ", nuevo AS (
                 SELECT max(valor) FILTER (WHERE serie = 'facturas') AS clave,
                        coalesce($3, max(valor) FILTER (WHERE serie <> 'facturas')) AS folio
                 FROM numero
             ), factura AS (
                 INSERT INTO facturas (empresa, clave, tipo, estatus, venta, cliente, serie, folio, fecha, origen, modificado)
                 SELECT $1, clave, $4, $10, $5, $6, $7, folio::text, $8, $9, $8 FROM nuevo
             ), cola AS (
                 INSERT INTO timbrados (empresa, factura, proximo, creado)
                 SELECT $1, clave, $8, $8 FROM nuevo WHERE $3 IS NULL
             )
             SELECT clave, folio FROM nuevo"
        ))
        .bind(self.empresa)
        .bind(series)
        .bind(folio)
        .bind(row.tipo.word())
        .bind(row.venta)
        .bind(row.cliente)
        .bind(row.serie)
        .bind(row.fecha.get())
        .bind(row.origen.word())
        .bind(InvoiceStatus::EnEspera.word())
        .fetch_one(self.connection())
        .await
        .map_err(store_error)?;
        number(&written).map_err(store_error)
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
