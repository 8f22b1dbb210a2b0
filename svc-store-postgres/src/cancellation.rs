//! The queue of cancellations, and substitutes of cancelled documents.

use async_trait::async_trait;
use sqlx::postgres::PgRow;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{Complement, InvoiceKind, InvoiceStatus};
use svc_core::store::{
    CancellationPause, CancellationTx, LeaseTerms, LeasedStamping, QueuedCancellation, StoreError, Substitute,
};
use uuid::Uuid;

use crate::row::{FromRow, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;
use crate::xml::{deflated, inflated_option};

from_row! {
    struct Successor { clave: i64, estatus: InvoiceStatus }
}

#[async_trait]
impl CancellationTx for PostgresTx {
    async fn queue_cancellation(
        &mut self,
        factura: i64,
        pago: Option<i64>,
        aceptacion: bool,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "INSERT INTO cancelaciones (empresa, factura, pago, aceptacion, proximo, creado)
             VALUES (:empresa, :factura, :pago, :aceptacion, :ahora, :ahora)",
            empresa: self.empresa,
            factura,
            pago,
            aceptacion,
            ahora: now,
        ))
        .await
    }

    /// Leases are measured by the database's clock, since those of servers may differ.
    async fn lease_cancellations(
        &mut self,
        terms: LeaseTerms,
        unsent: bool,
    ) -> Result<Vec<LeasedStamping>, StoreError> {
        self.many(sql!(
            "WITH libres AS MATERIALIZED (
                 SELECT factura
                 FROM cancelaciones
                 WHERE empresa = :empresa AND proximo <= :vencido AND (token IS NULL OR arrendado <= now())
                   AND (NOT :sin_enviar OR enviada IS NULL)
                 ORDER BY proximo
                 LIMIT :max
                 FOR NO KEY UPDATE SKIP LOCKED
             )
             UPDATE cancelaciones c
             SET token = :token, arrendado = now() + :duracion, proximo = :hasta
             FROM libres l
             WHERE c.empresa = :empresa AND c.factura = l.factura
             RETURNING c.factura, c.intentos",
            empresa: self.empresa,
            vencido: terms.due,
            sin_enviar: unsent,
            max: i64::from(terms.max),
            token: terms.token,
            duracion: terms.duration(),
            hasta: terms.until,
        ))
        .await
    }

    async fn leased_cancellation(
        &mut self,
        factura: i64,
        token: Uuid,
    ) -> Result<Option<QueuedCancellation>, StoreError> {
        self.optional(sql!(
            "SELECT f.uuid, f.motivo_cancelacion, f.uuid_sustitucion, c.aceptacion, c.creado, c.enviada,
                    f.cliente IS NOT NULL AS con_receptor, l.rfc, coalesce(l.razon_social, l.nombre) AS nombre,
                    CASE f.tipo WHEN :factura_de_venta THEN v.total WHEN :nota_credito THEN n.total WHEN :pago THEN 0 END
                        AS total, x.xml
             FROM cancelaciones c
             JOIN facturas f ON f.empresa = c.empresa AND f.clave = c.factura
             LEFT JOIN ventas v ON v.empresa = f.empresa AND v.clave = f.venta
             LEFT JOIN notas_credito n ON n.empresa = f.empresa AND n.factura = f.clave
             LEFT JOIN clientes l ON l.empresa = f.empresa AND l.clave = f.cliente
             LEFT JOIN facturas_xml x ON x.empresa = f.empresa AND x.factura = f.clave AND x.timbrado
             WHERE c.empresa = :empresa AND c.factura = :factura AND c.token = :token",
            empresa: self.empresa,
            factura,
            token,
            factura_de_venta: InvoiceKind::Factura,
            nota_credito: InvoiceKind::NotaCredito,
            pago: InvoiceKind::Pago,
        ))
        .await
    }

    async fn lock_cancellation(&mut self, factura: i64, token: Uuid) -> Result<bool, StoreError> {
        let found: Option<bool> = self
            .optional_value(sql!(
                "SELECT true
                 FROM cancelaciones
                 WHERE empresa = :empresa AND factura = :factura AND token = :token
                 FOR NO KEY UPDATE",
                empresa: self.empresa,
                factura,
                token,
            ))
            .await?;
        Ok(found.is_some())
    }

    async fn pause_cancellation(&mut self, factura: i64, pause: &CancellationPause<'_>) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE cancelaciones
             SET proximo = :proximo,
                 enviada = :enviada,
                 intentos = :intentos,
                 ultimo_error = :ultimo_error,
                 detenido = :detenido,
                 token = NULL,
                 arrendado = NULL
             WHERE empresa = :empresa AND factura = :factura",
            empresa: self.empresa,
            factura,
            intentos: i64::from(pause.intentos);
            from pause { proximo, enviada, ultimo_error, detenido }
        ))
        .await
    }

    async fn end_cancellation(&mut self, factura: i64) -> Result<Option<i64>, StoreError> {
        let pago: Option<Option<i64>> = self
            .optional_value(sql!(
                "DELETE FROM cancelaciones
                 WHERE empresa = :empresa AND factura = :factura
                 RETURNING pago",
                empresa: self.empresa,
                factura,
            ))
            .await?;
        Ok(pago.flatten())
    }

    async fn refuse_cancellation(
        &mut self,
        factura: i64,
        codigo: &str,
        mensaje: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE facturas
             SET cancelacion_solicitada = NULL,
                 motivo_cancelacion = NULL,
                 uuid_sustitucion = NULL,
                 error_codigo = :codigo,
                 error_mensaje = :mensaje,
                 modificado = :ahora
             WHERE empresa = :empresa AND clave = :factura",
            empresa: self.empresa,
            factura,
            codigo,
            mensaje,
            ahora: now,
        ))
        .await
    }

    async fn keep_acknowledgement(&mut self, factura: i64, xml: &str, now: Timestamp) -> Result<(), StoreError> {
        self.run(sql!(
            "INSERT INTO facturas_acuses (empresa, factura, xml, guardado)
             VALUES (:empresa, :factura, :xml, :guardado)
             ON CONFLICT (empresa, factura) DO UPDATE SET xml = excluded.xml, guardado = excluded.guardado",
            empresa: self.empresa,
            factura,
            xml: deflated(xml),
            guardado: now,
        ))
        .await
    }

    async fn is_last_of_complement(&mut self, factura: i64, pago: i64) -> Result<bool, StoreError> {
        let found: Option<bool> = self
            .optional_value(sql!(
                "SELECT true
                 FROM facturas f
                 WHERE f.empresa = :empresa AND f.clave = :factura AND f.estatus = :vigente AND f.tipo = :tipo
                   AND NOT EXISTS (
                       SELECT FROM cxc_pagos p
                       WHERE p.empresa = :empresa AND p.factura = :factura AND p.clave <> :pago AND NOT p.cancelado
                   )",
                empresa: self.empresa,
                factura,
                pago,
                vigente: InvoiceStatus::Vigente,
                tipo: InvoiceKind::Pago,
            ))
            .await?;
        Ok(found.is_some())
    }

    async fn substitute(&mut self, uuid: &str) -> Result<Option<Substitute>, StoreError> {
        self.optional(sql!(
            "SELECT f.clave, f.tipo, f.estatus, f.sustituye, x.xml
             FROM facturas f
             LEFT JOIN facturas_xml x ON x.empresa = f.empresa AND x.factura = f.clave AND x.timbrado
             WHERE f.empresa = :empresa AND f.uuid = :uuid
             ORDER BY f.clave DESC
             LIMIT 1",
            empresa: self.empresa,
            uuid,
        ))
        .await
    }

    async fn relate_substitute(&mut self, factura: i64, sustituye: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE facturas
             SET sustituye = :sustituye
             WHERE empresa = :empresa AND clave = :factura",
            empresa: self.empresa,
            factura,
            sustituye,
        ))
        .await
    }

    async fn substitutions(&mut self, factura: i64) -> Result<Vec<(i64, InvoiceStatus)>, StoreError> {
        let successors: Vec<Successor> = self
            .many(sql!(
                "SELECT clave, estatus
                 FROM facturas
                 WHERE empresa = :empresa AND sustituye = :factura AND estatus <> :cancelada",
                empresa: self.empresa,
                factura,
                cancelada: InvoiceStatus::Cancelada,
            ))
            .await?;
        Ok(successors.into_iter().map(|successor| (successor.clave, successor.estatus)).collect())
    }

    async fn has_complements(&mut self, venta: i64) -> Result<bool, StoreError> {
        let found: Option<bool> = self
            .optional_value(sql!(
                "SELECT true
                 FROM cxc c
                 JOIN cxc_pagos p ON p.empresa = c.empresa AND p.cxc = c.clave
                 WHERE c.empresa = :empresa AND c.venta = :venta AND NOT p.cancelado AND p.complemento <> :no_aplica
                 LIMIT 1",
                empresa: self.empresa,
                venta,
                no_aplica: Complement::NoAplica,
            ))
            .await?;
        Ok(found.is_some())
    }
}

impl FromRow for QueuedCancellation {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let (known, receptor): (bool, _) = (row.read("con_receptor")?, (row.read("rfc")?, row.read("nombre")?));
        Ok(Self {
            uuid: row.read("uuid")?,
            motivo: row.read("motivo_cancelacion")?,
            uuid_sustitucion: row.read("uuid_sustitucion")?,
            aceptacion: row.read("aceptacion")?,
            creado: row.read("creado")?,
            enviada: row.read("enviada")?,
            receptor: known.then_some(receptor),
            total: row.read("total")?,
            xml: inflated_option(row.read("xml")?)?,
        })
    }
}

from_row!(Substitute { clave, tipo, estatus, sustituye, xml: (inflated_option("xml")?) });
