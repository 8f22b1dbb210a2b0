//! The invoice registry, and global invoices.

use async_trait::async_trait;
use sqlx::postgres::PgRow;
use svc_core::domain::text::printed_folio;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{Complement, InvoiceStatus, ReceivableStatus, SaleKind};
use svc_core::store::{
    Cancellation, GlobalPeriod, GlobalSale, GlobalSales, InvoiceTx, NewInvoice, Numbered, RegisteredInvoice, StoreError,
};

use crate::row::{FromRow, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sale::{SaleNumber, folio_series};
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(Numbered { clave, folio });

impl FromRow for RegisteredInvoice {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let serie: Option<String> = row.read("serie")?;
        let folio: Option<String> = row.read("folio")?;
        Ok(Self {
            clave: row.read("clave")?,
            tipo: row.read("tipo")?,
            estatus: row.read("estatus")?,
            venta: row.read("venta")?,
            folio: Some(printed_folio(serie.as_deref().unwrap_or_default(), folio.unwrap_or_default())),
            uuid: row.read("uuid")?,
            cancelacion_solicitada: row.read("cancelacion_solicitada")?,
            sustituye: row.read("sustituye")?,
        })
    }
}

from_row!(GlobalPeriod { periodicidad, meses, anio });
impl FromRow for GlobalSale {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            venta: row.read("clave")?,
            folio: SaleNumber::from_row(row)?.printed(),
            tipo: row.read("tipo")?,
            fecha: row.read("fecha")?,
            cancelada: row.read("cancelada")?,
            facturada: row.read("facturada")?,
            factura: row.read("factura")?,
            rfc: row.read("rfc")?,
            moneda: row.read("moneda")?,
            tipo_cambio: row.read("tipo_cambio")?,
            forma_pago_sat: row.read("forma_pago_sat")?,
            total: row.read("total")?,
            devuelto: row.read("devuelto")?,
        })
    }
}

#[async_trait]
impl InvoiceTx for PostgresTx {
    async fn insert_invoice(&mut self, row: &NewInvoice<'_>, folio: i64) -> Result<i64, StoreError> {
        Ok(self.write_invoice(row, Some(folio)).await?.clave)
    }

    async fn open_invoice(&mut self, row: &NewInvoice<'_>) -> Result<Numbered, StoreError> {
        self.write_invoice(row, None).await
    }

    async fn lock_invoice(&mut self, clave: i64) -> Result<Option<RegisteredInvoice>, StoreError> {
        self.optional(sql!(
            "SELECT clave, tipo, estatus, venta, serie, folio, uuid,
                    cancelacion_solicitada IS NOT NULL AS cancelacion_solicitada, sustituye
             FROM facturas
             WHERE empresa = :empresa AND clave = :clave
             FOR NO KEY UPDATE",
            empresa: self.empresa,
            clave,
        ))
        .await
    }

    async fn set_stamped(
        &mut self,
        invoice: &RegisteredInvoice,
        uuid: &str,
        at: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        // An invoiced sale takes the folio of a substitute; an advance keeps its own.
        self.run(sql!(
            "WITH f AS (
                 UPDATE facturas
                 SET estatus = :vigente, uuid = :uuid, fecha_timbrado = :fecha_timbrado, error_codigo = NULL,
                     error_mensaje = NULL, modificado = :ahora
                 WHERE empresa = :empresa AND clave = :clave
                 RETURNING venta, sustituye, serie, folio
             ), ventas_timbradas AS (
                 UPDATE ventas v
                 SET serie = CASE WHEN f.sustituye IS NULL OR v.tipo <> :tipo_factura THEN v.serie ELSE f.serie END,
                     folio = CASE WHEN f.sustituye IS NULL OR v.tipo <> :tipo_factura THEN v.folio
                                  ELSE f.folio::bigint END,
                     factura = :clave, uuid = :uuid, modificado = :ahora
                 FROM f
                 WHERE v.empresa = :empresa AND v.clave = f.venta AND v.factura IN (:clave, f.sustituye)
             ), cuentas AS (
                 UPDATE cxc x
                 SET folio = CASE WHEN f.sustituye IS NULL THEN x.folio ELSE :impreso END,
                     factura = :clave, uuid = :uuid, modificado = :ahora
                 FROM f
                 WHERE x.empresa = :empresa AND x.venta = f.venta AND x.factura IN (:clave, f.sustituye)
             ), pagos AS (
                 UPDATE cxc_pagos
                 SET complemento = :timbrado, uuid = :uuid
                 WHERE empresa = :empresa AND factura = :clave AND complemento <> :no_aplica
             )
             DELETE FROM timbrados
             WHERE empresa = :empresa AND factura = :clave",
            empresa: self.empresa,
            clave: invoice.clave,
            impreso: invoice.folio.as_deref(),
            uuid,
            fecha_timbrado: at,
            ahora: now,
            vigente: InvoiceStatus::Vigente,
            timbrado: Complement::Timbrado,
            no_aplica: Complement::NoAplica,
            tipo_factura: SaleKind::Factura,
        ))
        .await
    }

    async fn return_sale(
        &mut self,
        venta: i64,
        from: i64,
        to: &RegisteredInvoice,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "WITH f AS (
                 SELECT serie, folio, uuid FROM facturas WHERE empresa = :empresa AND clave = :original
             ), cuentas AS (
                 UPDATE cxc x
                 SET folio = :impreso, factura = :original, uuid = f.uuid, modificado = :ahora
                 FROM f
                 WHERE x.empresa = :empresa AND x.venta = :venta AND x.factura = :factura
             )
             UPDATE ventas v
             SET serie = CASE WHEN v.tipo = :tipo_factura THEN f.serie ELSE v.serie END,
                 folio = CASE WHEN v.tipo = :tipo_factura THEN f.folio::bigint ELSE v.folio END,
                 factura = :original, uuid = f.uuid, modificado = :ahora
             FROM f
             WHERE v.empresa = :empresa AND v.clave = :venta",
            empresa: self.empresa,
            venta,
            factura: from,
            original: to.clave,
            impreso: to.folio.as_deref(),
            ahora: now,
            tipo_factura: SaleKind::Factura,
        ))
        .await
    }

    async fn move_entry(&mut self, venta: i64, from: i64, to: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE polizas p
             SET factura = :factura
             WHERE p.empresa = :empresa AND p.venta = :venta AND p.factura = :anterior AND p.revierte IS NULL
               AND NOT EXISTS (SELECT FROM polizas o WHERE o.empresa = :empresa AND o.revierte = p.clave)",
            empresa: self.empresa,
            venta,
            anterior: from,
            factura: to,
        ))
        .await
    }

    async fn set_rejected(
        &mut self,
        clave: i64,
        codigo: &str,
        mensaje: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "WITH f AS (
                 UPDATE facturas
                 SET estatus = :error, error_codigo = :codigo, error_mensaje = :mensaje, modificado = :ahora
                 WHERE empresa = :empresa AND clave = :clave
             ), pagos AS (
                 UPDATE cxc_pagos
                 SET complemento = :complemento_error
                 WHERE empresa = :empresa AND factura = :clave AND complemento <> :no_aplica
             )
             DELETE FROM timbrados
             WHERE empresa = :empresa AND factura = :clave",
            empresa: self.empresa,
            clave,
            codigo,
            mensaje,
            ahora: now,
            error: InvoiceStatus::Error,
            complemento_error: Complement::Error,
            no_aplica: Complement::NoAplica,
        ))
        .await
    }

    async fn request_cancellation(
        &mut self,
        clave: i64,
        cancellation: &Cancellation<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE facturas
             SET motivo_cancelacion = :motivo, uuid_sustitucion = :uuid_sustitucion, cancelacion_solicitada = :ahora,
                 error_codigo = NULL, error_mensaje = NULL, modificado = :ahora
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            motivo: cancellation.motivo,
            uuid_sustitucion: cancellation.uuid_sustitucion,
            ahora: now,
        ))
        .await
    }

    async fn drop_cancellation(&mut self, clave: i64, now: Timestamp) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE facturas
             SET motivo_cancelacion = NULL, uuid_sustitucion = NULL, cancelacion_solicitada = NULL, modificado = :ahora
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            ahora: now,
        ))
        .await
    }

    async fn set_cancelled(
        &mut self,
        clave: i64,
        cancellation: Option<&Cancellation<'_>>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE facturas
             SET estatus = :cancelada, fecha_cancelacion = :ahora,
                 motivo_cancelacion = coalesce(:motivo, motivo_cancelacion),
                 uuid_sustitucion = coalesce(:uuid_sustitucion, uuid_sustitucion),
                 cancelacion_solicitada = NULL, modificado = :ahora
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            motivo: cancellation.map(|cancellation| cancellation.motivo),
            uuid_sustitucion: cancellation.and_then(|cancellation| cancellation.uuid_sustitucion),
            ahora: now,
            cancelada: InvoiceStatus::Cancelada,
        ))
        .await
    }

    async fn lock_global_sales(&mut self, which: &GlobalSales<'_>) -> Result<Vec<GlobalSale>, StoreError> {
        let statement = if let Some(ventas) = which.ventas {
            sql!(
                "SELECT clave
                 FROM ventas
                 WHERE empresa = :empresa AND clave = ANY (:ventas)
                 ORDER BY clave
                 LIMIT :limite
                 FOR NO KEY UPDATE",
                empresa: self.empresa,
                ventas,
                limite: which.max,
            )
        } else {
            sql!(
                "SELECT clave
                 FROM ventas
                 WHERE empresa = :empresa AND tipo = :tipo AND fecha >= :desde AND fecha < :hasta AND NOT cancelada
                   AND factura IS NULL AND uuid IS NULL AND moneda = 'MXN' AND desglose AND total > 0
                   AND (cliente IS NULL
                        OR cliente IN (
                            SELECT clave FROM clientes WHERE empresa = :empresa AND (rfc IS NULL OR rfc = :rfc)
                        ))
                 ORDER BY clave
                 LIMIT :limite
                 FOR NO KEY UPDATE",
                empresa: self.empresa,
                tipo: SaleKind::Venta,
                desde: which.desde,
                hasta: which.hasta,
                rfc: which.rfc,
                limite: which.max,
            )
        };
        let ventas: Vec<i64> = self.values(statement).await?;
        self.many(sql!(
            "SELECT v.clave, v.serie, coalesce(v.folio, v.clave) AS numero, v.tipo, v.fecha, v.cancelada,
                    v.factura IS NOT NULL OR v.uuid IS NOT NULL AS facturada, v.factura, c.rfc, v.moneda, v.tipo_cambio,
                    coalesce(p.forma_pago_sat, v.forma_pago_sat) AS forma_pago_sat, v.total,
                    d.total + n.total AS devuelto
             FROM ventas v
             LEFT JOIN clientes c ON c.empresa = v.empresa AND c.clave = v.cliente
             LEFT JOIN LATERAL (
                 SELECT forma_pago_sat
                 FROM cxc_pagos
                 WHERE empresa = :empresa AND venta = v.clave AND NOT cancelado
                 GROUP BY forma_pago_sat
                 ORDER BY sum(importe) DESC, forma_pago_sat
                 LIMIT 1
             ) p ON true
             CROSS JOIN LATERAL (
                 SELECT coalesce(sum(total), 0) AS total
                 FROM devoluciones
                 WHERE empresa = :empresa AND venta = v.clave
             ) d
             CROSS JOIN LATERAL (
                 SELECT coalesce(sum(n.total), 0) AS total
                 FROM notas_credito n
                 JOIN facturas f ON f.empresa = n.empresa AND f.clave = n.factura
                 WHERE n.empresa = :empresa AND n.venta = v.clave AND n.anticipo IS NULL AND n.ticket IS NULL
                   AND f.estatus <> :cancelada
             ) n
             WHERE v.empresa = :empresa AND v.clave = ANY (:ventas)
             ORDER BY v.clave",
            empresa: self.empresa,
            ventas,
            cancelada: InvoiceStatus::Cancelada,
        ))
        .await
    }

    async fn insert_global(
        &mut self,
        factura: i64,
        period: &GlobalPeriod,
        ventas: &[i64],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "WITH global AS (
                 INSERT INTO facturas_globales (empresa, factura, periodicidad, meses, anio)
                 VALUES (:empresa, :factura, :periodicidad, :meses, :anio)
             ), facturadas AS (
                 UPDATE ventas
                 SET factura = :factura, modificado = :ahora
                 WHERE empresa = :empresa AND clave = ANY (:ventas) AND factura IS NULL
             )
             SELECT 1",
            empresa: self.empresa,
            factura,
            periodicidad: period.periodicidad,
            meses: period.meses,
            anio: period.anio,
            ventas,
            ahora: now,
        ))
        .await?;
        self.run(sql!(
            "INSERT INTO facturas_globales_ventas (empresa, factura, venta)
             SELECT :empresa, :factura, venta
             FROM unnest(:ventas::bigint[]) AS v (venta)",
            empresa: self.empresa,
            factura,
            ventas,
        ))
        .await
    }

    async fn global(&mut self, factura: i64) -> Result<Option<(GlobalPeriod, Vec<i64>)>, StoreError> {
        let period = self
            .optional(sql!(
                "SELECT periodicidad, meses, anio
                 FROM facturas_globales
                 WHERE empresa = :empresa AND factura = :factura",
                empresa: self.empresa,
                factura,
            ))
            .await?;
        let Some(period) = period else { return Ok(None) };
        let ventas = self
            .values(sql!(
                "SELECT venta
                 FROM facturas_globales_ventas
                 WHERE empresa = :empresa AND factura = :factura
                 ORDER BY venta",
                empresa: self.empresa,
                factura,
            ))
            .await?;
        Ok(Some((period, ventas)))
    }

    async fn set_global_folio(&mut self, factura: i64, uuid: Option<&str>, now: Timestamp) -> Result<bool, StoreError> {
        self.value(sql!(
            "WITH dentro AS (
                 SELECT v.clave, CASE WHEN :uuid IS NULL THEN a.clave ELSE f.clave END AS factura,
                        CASE WHEN :uuid IS NULL THEN a.uuid ELSE :uuid END AS uuid
                 FROM facturas f
                 CROSS JOIN LATERAL (
                     SELECT venta
                     FROM facturas_globales_ventas
                     WHERE empresa = :empresa AND factura = f.clave
                     UNION ALL
                     -- The tickets of an imported one name it themselves.
                     SELECT clave
                     FROM ventas
                     WHERE empresa = :empresa AND factura = f.clave AND tipo = :ticket AND f.venta IS NULL
                       AND NOT EXISTS (
                           SELECT FROM facturas_globales WHERE empresa = :empresa AND factura = f.clave
                       )
                 ) g
                 JOIN ventas v ON v.empresa = :empresa AND v.clave = g.venta
                 LEFT JOIN facturas a ON a.empresa = :empresa AND a.clave = f.sustituye AND a.estatus = :vigente
                 WHERE f.empresa = :empresa AND f.clave = :factura
                   AND (v.factura = f.clave OR :uuid IS NOT NULL AND v.factura = f.sustituye)
             ), facturadas AS (
                 UPDATE ventas v
                 SET factura = d.factura, uuid = d.uuid, modificado = :ahora
                 FROM dentro d
                 WHERE v.empresa = :empresa AND v.clave = d.clave
             ), cuentas AS (
                 UPDATE cxc x
                 SET factura = d.factura, uuid = d.uuid, modificado = :ahora
                 FROM dentro d
                 WHERE x.empresa = :empresa AND x.venta = d.clave AND x.estatus <> :cancelado
             )
             SELECT EXISTS (SELECT FROM facturas_globales WHERE empresa = :empresa AND factura = :factura)
                    OR EXISTS (SELECT FROM dentro)",
            empresa: self.empresa,
            factura,
            uuid,
            ticket: SaleKind::Venta,
            ahora: now,
            cancelado: ReceivableStatus::Cancelado,
            vigente: InvoiceStatus::Vigente,
        ))
        .await
    }
}

impl PostgresTx {
    /// Writes a record with the given folio, or the next one of its series, and queues it for
    /// stamping.
    async fn write_invoice(&mut self, row: &NewInvoice<'_>, folio: Option<i64>) -> Result<Numbered, StoreError> {
        let own = folio.is_none().then(|| folio_series(row.tipo.word(), row.serie));
        let series: Vec<_> = own.iter().map(String::as_str).chain(["facturas"]).collect();
        self.one(sql!(
            "WITH numero AS (
                 INSERT INTO contadores AS c (empresa, serie, valor)
                 SELECT :empresa, s.serie, 1
                 FROM unnest(:series::text[]) AS s (serie)
                 ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + excluded.valor
                 RETURNING serie, valor
             ), nuevo AS (
                 SELECT max(valor) FILTER (WHERE serie = 'facturas') AS clave,
                        coalesce(:folio, max(valor) FILTER (WHERE serie <> 'facturas')) AS folio
                 FROM numero
             ), factura AS (
                 INSERT INTO facturas (
                     empresa, clave, tipo, estatus, venta, cliente, serie, folio, fecha, origen, modificado
                 )
                 SELECT :empresa, clave, :tipo, :en_espera, :venta, :cliente, :serie, folio::text, :fecha, :origen, :fecha
                 FROM nuevo
             ), cola AS (
                 INSERT INTO timbrados (empresa, factura, proximo, creado)
                 SELECT :empresa, clave, :fecha, :fecha
                 FROM nuevo
             )
             SELECT clave, folio FROM nuevo",
            empresa: self.empresa,
            series,
            folio,
            en_espera: InvoiceStatus::EnEspera;
            from row { tipo, venta, cliente, serie, fecha, origen }
        ))
        .await
    }
}
