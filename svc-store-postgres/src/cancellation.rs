//! Cancellations of stamped documents: their queue, and what is read to ask for them.

use async_trait::async_trait;
use sqlx::postgres::PgRow;
use sqlx::{Row as _, query};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{CancellationReason, Complement, Held, InvoiceKind, InvoiceStatus};
use svc_core::store::{
    AskedCancellation, CancellationPause, CancellationTx, LeaseTerms, LeasedStamping, StoreError, Substitute,
};
use uuid::Uuid;

use crate::columns::{money_or_null, word, word_or_null};
use crate::document::{deflated, inflated};
use crate::error::store_error;
use crate::stamping::on_terms;
use crate::transaction::PostgresTx;

#[async_trait]
impl CancellationTx for PostgresTx {
    async fn queue_cancellation(
        &mut self,
        factura: i64,
        pago: Option<i64>,
        aceptacion: bool,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let query = query(
            "INSERT INTO cancelaciones (empresa, factura, pago, aceptacion, proximo, creado) VALUES ($1, $2, $3, $4, $5, $5)",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(pago)
        .bind(aceptacion)
        .bind(now.get());
        self.run(query).await
    }

    /// Leases are written and judged by the database's clock, since those of servers may differ.
    async fn lease_cancellations(
        &mut self,
        terms: LeaseTerms,
        unsent: bool,
    ) -> Result<Vec<LeasedStamping>, StoreError> {
        let statement = query(
            "WITH libres AS MATERIALIZED (
                 SELECT factura FROM cancelaciones
                 WHERE empresa = $1 AND proximo <= $2 AND (token IS NULL OR arrendado <= now())
                   AND (NOT $7 OR enviada IS NULL)
                 ORDER BY proximo LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
             )
             UPDATE cancelaciones c SET token = $4, arrendado = now() + $6, proximo = $5
             FROM libres l WHERE c.empresa = $1 AND c.factura = l.factura
             RETURNING c.factura, c.intentos",
        );
        self.leased(on_terms(statement, self.empresa, terms).bind(unsent)).await
    }

    async fn asked_cancellation(&mut self, factura: i64, token: Uuid) -> Result<Option<AskedCancellation>, StoreError> {
        let row = query(
            "SELECT f.uuid, f.motivo_cancelacion, f.uuid_sustitucion, c.aceptacion, c.creado, c.enviada,
                    f.cliente IS NOT NULL, l.rfc, coalesce(l.razon_social, l.nombre), coalesce(n.total, v.total), x.xml
             FROM cancelaciones c
             JOIN facturas f ON f.empresa = c.empresa AND f.clave = c.factura
             LEFT JOIN ventas v ON v.empresa = f.empresa AND v.clave = f.venta
             LEFT JOIN notas_credito n ON n.empresa = f.empresa AND n.factura = f.clave
             LEFT JOIN clientes l ON l.empresa = f.empresa AND l.clave = f.cliente
             LEFT JOIN facturas_xml x ON x.empresa = f.empresa AND x.factura = f.clave AND x.timbrado
             WHERE c.empresa = $1 AND c.factura = $2 AND c.token = $3",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(token)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.as_ref().map(asked).transpose().map_err(store_error)
    }

    async fn lock_cancellation(&mut self, factura: i64, token: Uuid) -> Result<bool, StoreError> {
        let found =
            query("SELECT FROM cancelaciones WHERE empresa = $1 AND factura = $2 AND token = $3 FOR NO KEY UPDATE")
                .bind(self.empresa)
                .bind(factura)
                .bind(token)
                .fetch_optional(self.connection())
                .await
                .map_err(store_error)?;
        Ok(found.is_some())
    }

    async fn pause_cancellation(&mut self, factura: i64, pause: &CancellationPause<'_>) -> Result<(), StoreError> {
        let query = query(
            "UPDATE cancelaciones SET proximo = $3, enviada = $4, intentos = $5, ultimo_error = $6, detenido = $7,
                                      token = NULL, arrendado = NULL
             WHERE empresa = $1 AND factura = $2",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(pause.proximo)
        .bind(pause.enviada)
        .bind(i64::from(pause.intentos))
        .bind(pause.ultimo_error)
        .bind(pause.detenido.map(Held::word));
        self.run(query).await
    }

    async fn end_cancellation(&mut self, factura: i64) -> Result<Option<i64>, StoreError> {
        let row = query("DELETE FROM cancelaciones WHERE empresa = $1 AND factura = $2 RETURNING pago")
            .bind(self.empresa)
            .bind(factura)
            .fetch_optional(self.connection())
            .await
            .map_err(store_error)?;
        Ok(row.map(|row: PgRow| row.try_get(0)).transpose().map_err(store_error)?.flatten())
    }

    async fn refuse_cancellation(
        &mut self,
        factura: i64,
        codigo: &str,
        mensaje: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let query = query(
            "UPDATE facturas SET cancelacion_solicitada = NULL, motivo_cancelacion = NULL, uuid_sustitucion = NULL,
                                 error_codigo = $3, error_mensaje = $4, modificado = $5
             WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(codigo)
        .bind(mensaje)
        .bind(now.get());
        self.run(query).await
    }

    async fn keep_receipt(&mut self, factura: i64, xml: &str, now: Timestamp) -> Result<(), StoreError> {
        let query = query(
            "INSERT INTO facturas_acuses (empresa, factura, xml, guardado) VALUES ($1, $2, $3, $4)
             ON CONFLICT (empresa, factura) DO UPDATE SET xml = excluded.xml, guardado = excluded.guardado",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(deflated(xml))
        .bind(now.get());
        self.run(query).await
    }

    async fn is_last_of_stamped(&mut self, factura: i64, pago: i64) -> Result<bool, StoreError> {
        let found = query(
            "SELECT FROM facturas f WHERE f.empresa = $1 AND f.clave = $2 AND f.estatus = $4 AND f.tipo = $5
               AND NOT EXISTS (SELECT FROM cxc_pagos p
                               WHERE p.empresa = $1 AND p.factura = $2 AND p.clave <> $3 AND NOT p.cancelado)",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(pago)
        .bind(InvoiceStatus::Vigente.word())
        .bind(InvoiceKind::Pago.word())
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        Ok(found.is_some())
    }

    async fn substitute(&mut self, uuid: &str) -> Result<Option<Substitute>, StoreError> {
        let row = query(
            "SELECT f.clave, f.tipo, f.estatus, f.sustituye, x.xml FROM facturas f
             LEFT JOIN facturas_xml x ON x.empresa = f.empresa AND x.factura = f.clave AND x.timbrado
             WHERE f.empresa = $1 AND f.uuid = $2 ORDER BY f.clave DESC LIMIT 1",
        )
        .bind(self.empresa)
        .bind(uuid)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.as_ref().map(substitute).transpose().map_err(store_error)
    }

    async fn relate_substitute(&mut self, factura: i64, sustituye: i64) -> Result<(), StoreError> {
        let query = query("UPDATE facturas SET sustituye = $3 WHERE empresa = $1 AND clave = $2")
            .bind(self.empresa)
            .bind(factura)
            .bind(sustituye);
        self.run(query).await
    }

    async fn substitutes(&mut self, factura: i64) -> Result<Vec<(i64, InvoiceStatus)>, StoreError> {
        let rows = query("SELECT clave, estatus FROM facturas WHERE empresa = $1 AND sustituye = $2 AND estatus <> $3")
            .bind(self.empresa)
            .bind(factura)
            .bind(InvoiceStatus::Cancelada.word())
            .fetch_all(self.connection())
            .await
            .map_err(store_error)?;
        let one = |row: &PgRow| Ok((row.try_get(0)?, word(row, 1, InvoiceStatus::of)?));
        rows.iter().map(one).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn has_complements(&mut self, venta: i64) -> Result<bool, StoreError> {
        let found = query(
            "SELECT FROM cxc c JOIN cxc_pagos p ON p.empresa = c.empresa AND p.cxc = c.clave
             WHERE c.empresa = $1 AND c.venta = $2 AND NOT p.cancelado AND p.complemento <> $3 LIMIT 1",
        )
        .bind(self.empresa)
        .bind(venta)
        .bind(Complement::NoAplica.word())
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        Ok(found.is_some())
    }
}

fn asked(row: &PgRow) -> Result<AskedCancellation, sqlx::Error> {
    let (known, receptor): (bool, _) = (row.try_get(6)?, (row.try_get(7)?, row.try_get(8)?));
    Ok(AskedCancellation {
        uuid: row.try_get(0)?,
        motivo: word_or_null(row, 1, CancellationReason::of)?,
        uuid_sustitucion: row.try_get(2)?,
        aceptacion: row.try_get(3)?,
        creado: row.try_get(4)?,
        enviada: row.try_get(5)?,
        receptor: known.then_some(receptor),
        total: money_or_null(row, 9)?,
        xml: xml(row, 10)?,
    })
}

fn substitute(row: &PgRow) -> Result<Substitute, sqlx::Error> {
    Ok(Substitute {
        clave: row.try_get(0)?,
        tipo: word(row, 1, InvoiceKind::of)?,
        estatus: word(row, 2, InvoiceStatus::of)?,
        sustituye: row.try_get(3)?,
        xml: xml(row, 4)?,
    })
}

fn xml(row: &PgRow, column: usize) -> Result<Option<String>, sqlx::Error> {
    row.try_get::<Option<&[u8]>, _>(column)?.map(inflated).transpose()
}
