//! The stamping queue, the data of documents, and the documents.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::postgres::PgRow;
use svc_core::domain::cfdi::{Line, SoldSale, TipoRelacion};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{Complement, Held, InvoiceStatus};
use svc_core::store::{
    LeaseTerms, LeasedStamping, MailedDocument, QueuedStamping, Related, SaleToStamp, StampingPayment, StampingRecord,
    StampingTx, StoreError,
};
use uuid::Uuid;

use crate::error::store_error;
use crate::row::{FromRow, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;
use crate::xml::{deflated, inflated, inflated_option};

from_row!(LeasedStamping { factura, intentos });
from_row!(MailedDocument { tipo, estatus, serie, folio, uuid, timbrado, correo });
from_row!(QueuedStamping { leased: "arrendado", sealed: "sellado" });
from_row!(SoldSale {
    moneda,
    tipo_cambio,
    condicion_pago,
    dias_credito,
    forma_pago_sat,
    metodo_pago_sat,
    uso_cfdi,
    subtotal,
    descuento,
    impuestos,
    total,
});
from_row!(SaleToStamp { cp, devuelta, sale: .. });
from_row! {
    struct StoredXml { clave: i64, xml: String = (inflated("xml")?) }
}
from_row!(StampingRecord { tipo, venta, cliente, serie, folio, fecha });

from_row!(Related { relacion: "tipo_relacion", factura: "clave", estatus, uuid });

#[async_trait]
impl StampingTx for PostgresTx {
    async fn requeue_stamping(&mut self, factura: i64, now: Timestamp) -> Result<(), StoreError> {
        // Only after a refusal is the document dated anew: the insert still sees its code.
        self.run(sql!(
            "WITH f AS (
                 UPDATE facturas
                 SET estatus = :en_espera, error_codigo = NULL, error_mensaje = NULL, modificado = :ahora
                 WHERE empresa = :empresa AND clave = :factura
             ), p AS (
                 UPDATE cxc_pagos
                 SET complemento = :encolado
                 WHERE empresa = :empresa AND factura = :factura AND complemento <> :no_aplica
             )
             INSERT INTO timbrados (empresa, factura, proximo, creado)
             SELECT empresa, clave, :ahora, CASE WHEN error_codigo IS NULL THEN least(fecha, :ahora) ELSE :ahora END
             FROM facturas
             WHERE empresa = :empresa AND clave = :factura
             ON CONFLICT (empresa, factura) DO UPDATE SET
                 proximo = excluded.proximo, creado = excluded.creado, intentos = 0, token = NULL, arrendado = NULL,
                 ultimo_error = NULL, documento = NULL, detenido = NULL",
            empresa: self.empresa,
            factura,
            ahora: now,
            en_espera: InvoiceStatus::EnEspera,
            encolado: Complement::Encolado,
            no_aplica: Complement::NoAplica,
        ))
        .await
    }

    async fn lock_queued(&mut self, factura: i64) -> Result<Option<QueuedStamping>, StoreError> {
        self.optional(sql!(
            "SELECT coalesce(t.arrendado > now(), false) AS arrendado,
                    (SELECT x.guardado FROM facturas_xml x
                     WHERE x.empresa = :empresa AND x.factura = :factura AND NOT x.timbrado) AS sellado
             FROM timbrados t
             WHERE t.empresa = :empresa AND t.factura = :factura
             FOR NO KEY UPDATE",
            empresa: self.empresa,
            factura,
        ))
        .await
    }

    /// Leases are measured by the database's clock, since those of servers may differ.
    async fn lease_stampings(&mut self, terms: LeaseTerms) -> Result<Vec<LeasedStamping>, StoreError> {
        self.many(sql!(
            "WITH libres AS MATERIALIZED (
                 SELECT factura
                 FROM timbrados
                 WHERE empresa = :empresa AND proximo <= :vencido AND (token IS NULL OR arrendado <= now())
                 ORDER BY proximo
                 LIMIT :max
                 FOR NO KEY UPDATE SKIP LOCKED
             )
             UPDATE timbrados t
             SET token = :token, arrendado = now() + :duracion, proximo = :hasta
             FROM libres l
             WHERE t.empresa = :empresa AND t.factura = l.factura
             RETURNING t.factura, t.intentos",
            empresa: self.empresa,
            vencido: terms.due,
            max: i64::from(terms.max),
            token: terms.token,
            duracion: terms.duration(),
            hasta: terms.until,
        ))
        .await
    }

    async fn stamping_record(
        &mut self,
        factura: i64,
        token: Option<Uuid>,
    ) -> Result<Option<StampingRecord>, StoreError> {
        self.optional(sql!(
            "SELECT f.tipo, f.venta, f.cliente, f.serie, f.folio, greatest(f.fecha, t.creado) AS fecha
             FROM timbrados t
             JOIN facturas f ON f.empresa = t.empresa AND f.clave = t.factura
             WHERE t.empresa = :empresa AND t.factura = :factura AND (:token::uuid IS NULL OR t.token = :token)",
            empresa: self.empresa,
            factura,
            token,
        ))
        .await
    }

    async fn documents(&mut self, facturas: &[i64]) -> Result<Vec<(i64, String)>, StoreError> {
        let found: Vec<StoredXml> = self
            .many(sql!(
                "SELECT f.clave, coalesce(x.xml, t.documento) AS xml
                 FROM facturas f
                 LEFT JOIN facturas_xml x ON x.empresa = f.empresa AND x.factura = f.clave
                 LEFT JOIN timbrados t ON t.empresa = f.empresa AND t.factura = f.clave
                 WHERE f.empresa = :empresa AND f.clave = ANY(:facturas)
                   AND (x.xml IS NOT NULL OR t.documento IS NOT NULL)",
                empresa: self.empresa,
                facturas,
            ))
            .await?;
        Ok(found.into_iter().map(|found| (found.clave, found.xml)).collect())
    }

    async fn documents_waiting_for(&mut self, factura: i64) -> Result<Vec<i64>, StoreError> {
        self.values(sql!(
            "SELECT t.factura
             FROM timbrados t
             WHERE t.empresa = :empresa AND t.factura IN (
                       SELECT p.factura
                       FROM facturas f
                       JOIN cxc c ON c.empresa = f.empresa AND c.venta = f.venta
                       JOIN cxc_pagos p ON p.empresa = c.empresa AND p.cxc = c.clave
                       WHERE f.empresa = :empresa AND f.clave = :factura AND NOT p.cancelado
                       UNION ALL
                       SELECT r.factura
                       FROM facturas_relaciones r
                       WHERE r.empresa = :empresa AND r.relacionada = :factura
                   )
             ORDER BY t.factura",
            empresa: self.empresa,
            factura,
        ))
        .await
    }

    async fn validated_document(&mut self, factura: i64) -> Result<Option<String>, StoreError> {
        let bytes: Option<Option<Vec<u8>>> = self
            .optional_value(sql!(
                "SELECT documento
                 FROM timbrados
                 WHERE empresa = :empresa AND factura = :factura",
                empresa: self.empresa,
                factura,
            ))
            .await?;
        inflated_option(bytes.flatten().as_deref()).map_err(store_error)
    }

    async fn keep_validated(&mut self, factura: i64, xml: Option<&str>) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE timbrados
             SET documento = :documento
             WHERE empresa = :empresa AND factura = :factura",
            empresa: self.empresa,
            factura,
            documento: xml.map(deflated),
        ))
        .await
    }

    async fn lock_stamping(&mut self, factura: i64, token: Uuid) -> Result<bool, StoreError> {
        let found: Option<bool> = self
            .optional_value(sql!(
                "SELECT true
                 FROM timbrados
                 WHERE empresa = :empresa AND factura = :factura AND token = :token
                 FOR NO KEY UPDATE",
                empresa: self.empresa,
                factura,
                token,
            ))
            .await?;
        Ok(found.is_some())
    }

    async fn sale_to_stamp(&mut self, venta: i64) -> Result<Option<SaleToStamp>, StoreError> {
        self.optional(sql!(
            "SELECT s.cp, v.moneda, v.tipo_cambio, v.condicion_pago, v.dias_credito::bigint, v.forma_pago_sat,
                    v.metodo_pago_sat, v.uso_cfdi, v.subtotal, v.descuento, v.impuestos, v.total,
                    EXISTS (SELECT FROM devoluciones d WHERE d.empresa = :empresa AND d.venta = v.clave)
                    OR EXISTS (
                        SELECT FROM notas_credito n
                        JOIN facturas_relaciones r ON r.empresa = n.empresa AND r.factura = n.factura
                        JOIN facturas_globales g ON g.empresa = r.empresa AND g.factura = r.relacionada
                        WHERE n.empresa = :empresa AND n.venta = v.clave AND n.ticket IS NULL
                    ) AS devuelta
             FROM ventas v
             JOIN sucursales s ON s.empresa = v.empresa AND s.clave = v.sucursal
             WHERE v.empresa = :empresa AND v.clave = :venta",
            empresa: self.empresa,
            venta,
        ))
        .await
    }

    async fn invoice_of_sale(&mut self, venta: i64) -> Result<Option<i64>, StoreError> {
        let found: Option<Option<i64>> = self
            .optional_value(sql!(
                "SELECT factura
                 FROM ventas
                 WHERE empresa = :empresa AND clave = :venta",
                empresa: self.empresa,
                venta,
            ))
            .await?;
        Ok(found.flatten())
    }

    async fn places_of_sales(&mut self, ventas: &[i64]) -> Result<Vec<Option<String>>, StoreError> {
        self.values(sql!(
            "SELECT DISTINCT s.cp
             FROM ventas v
             JOIN sucursales s ON s.empresa = v.empresa AND s.clave = v.sucursal
             WHERE v.empresa = :empresa AND v.clave = ANY (:ventas)",
            empresa: self.empresa,
            ventas,
        ))
        .await
    }

    async fn payments_to_stamp(&mut self, factura: i64) -> Result<Vec<StampingPayment>, StoreError> {
        self.many(sql!(
            "SELECT p.clave AS pago, s.cp, p.fecha, p.forma_pago_sat, p.moneda, p.tipo_cambio, p.importe,
                    coalesce(p.moneda_pago, p.moneda) AS moneda_pago,
                    coalesce(p.tipo_cambio_pago, p.tipo_cambio) AS tipo_cambio_pago,
                    coalesce(p.monto, p.importe) AS monto, p.referencia, p.parcialidad,
                    p.saldo_anterior, p.saldo_insoluto, c.venta, coalesce(v.total, c.total) AS total,
                    f.clave AS factura, f.estatus, f.serie, f.folio, coalesce(f.uuid, c.uuid) AS uuid
             FROM cxc_pagos p
             JOIN cxc c ON c.empresa = p.empresa AND c.clave = p.cxc
             JOIN sucursales s ON s.empresa = c.empresa AND s.clave = c.sucursal
             LEFT JOIN ventas v ON v.empresa = c.empresa AND v.clave = c.venta
             LEFT JOIN facturas f ON f.empresa = c.empresa AND f.clave = coalesce(c.factura, v.factura)
             WHERE p.empresa = :empresa AND NOT p.cancelado
               AND p.factura IN (
                   SELECT :factura
                   UNION ALL
                   SELECT sustituye FROM facturas WHERE empresa = :empresa AND clave = :factura
               )
             ORDER BY p.clave",
            empresa: self.empresa,
            factura,
        ))
        .await
    }

    async fn lines_to_stamp(&mut self, ventas: &[i64]) -> Result<Vec<(i64, Line)>, StoreError> {
        self.read_lines(ventas).await
    }

    async fn postpone_stamping(
        &mut self,
        factura: i64,
        proximo: DateTime<Utc>,
        ultimo_error: &str,
        detenido: Option<Held>,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE timbrados
             SET proximo = :proximo,
                 intentos = intentos + 1,
                 ultimo_error = :ultimo_error,
                 detenido = :detenido,
                 token = NULL,
                 arrendado = NULL
             WHERE empresa = :empresa AND factura = :factura",
            empresa: self.empresa,
            factura,
            proximo,
            ultimo_error,
            detenido,
        ))
        .await
    }

    async fn share_invoice(&mut self, clave: i64) -> Result<Option<InvoiceStatus>, StoreError> {
        self.optional_value(sql!(
            "SELECT estatus
             FROM facturas
             WHERE empresa = :empresa AND clave = :clave
             FOR SHARE",
            empresa: self.empresa,
            clave,
        ))
        .await
    }

    async fn release_stamping(&mut self, factura: i64, proximo: Option<DateTime<Utc>>) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE timbrados
             SET proximo = coalesce(:proximo, creado), token = NULL, arrendado = NULL
             WHERE empresa = :empresa AND factura = :factura",
            empresa: self.empresa,
            factura,
            proximo,
        ))
        .await
    }

    async fn make_complements_due(&mut self, factura: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE timbrados t
             SET proximo = t.creado
             FROM facturas f
             JOIN cxc c ON c.empresa = f.empresa AND c.venta = f.venta
             JOIN cxc_pagos p ON p.empresa = c.empresa AND p.cxc = c.clave
             WHERE f.empresa = :empresa AND f.clave = :factura
               AND t.empresa = f.empresa AND t.factura = p.factura
               AND (t.arrendado IS NULL OR t.arrendado <= now()) AND t.detenido IS DISTINCT FROM :copia",
            empresa: self.empresa,
            factura,
            copia: Held::Copy,
        ))
        .await
    }

    async fn sealed_document(&mut self, factura: i64) -> Result<Option<String>, StoreError> {
        let xml: Option<Vec<u8>> = self
            .optional_value(sql!(
                "SELECT xml
                 FROM facturas_xml
                 WHERE empresa = :empresa AND factura = :factura AND NOT timbrado",
                empresa: self.empresa,
                factura,
            ))
            .await?;
        xml.as_deref().map(inflated).transpose().map_err(store_error)
    }

    async fn mailed_document(&mut self, factura: i64) -> Result<Option<MailedDocument>, StoreError> {
        self.optional(sql!(
            "SELECT f.tipo, f.estatus, f.serie, f.folio, f.uuid, c.correo,
                    EXISTS (SELECT FROM facturas_xml x
                            WHERE x.empresa = :empresa AND x.factura = f.clave AND x.timbrado) AS timbrado
             FROM facturas f
             LEFT JOIN clientes c ON c.empresa = :empresa AND c.clave = f.cliente
             WHERE f.empresa = :empresa AND f.clave = :factura",
            empresa: self.empresa,
            factura,
        ))
        .await
    }

    async fn sealed_addenda(&mut self, factura: i64) -> Result<Option<String>, StoreError> {
        let addenda: Option<Option<Vec<u8>>> = self
            .optional_value(sql!(
                "SELECT addenda
                 FROM facturas_xml
                 WHERE empresa = :empresa AND factura = :factura AND NOT timbrado",
                empresa: self.empresa,
                factura,
            ))
            .await?;
        addenda.flatten().as_deref().map(inflated).transpose().map_err(store_error)
    }

    async fn keep_sealed(
        &mut self,
        factura: i64,
        xml: &str,
        addenda: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.keep(factura, false, xml, addenda, now).await
    }

    async fn keep_stamped(&mut self, factura: i64, xml: &str, now: Timestamp) -> Result<(), StoreError> {
        self.keep(factura, true, xml, None, now).await
    }

    async fn drop_sealed(&mut self, factura: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "DELETE FROM facturas_xml
             WHERE empresa = :empresa AND factura = :factura AND NOT timbrado",
            empresa: self.empresa,
            factura,
        ))
        .await
    }

    async fn relate(&mut self, factura: i64, relacion: TipoRelacion, relacionada: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "INSERT INTO facturas_relaciones (empresa, factura, relacionada, tipo_relacion)
             VALUES (:empresa, :factura, :relacionada, :relacion)",
            empresa: self.empresa,
            factura,
            relacionada,
            relacion,
        ))
        .await
    }

    async fn related(&mut self, factura: i64) -> Result<Vec<Related>, StoreError> {
        self.many(sql!(
            "SELECT r.tipo_relacion, f.clave, f.estatus, f.uuid
             FROM facturas_relaciones r
             JOIN facturas f ON f.empresa = r.empresa AND f.clave = r.relacionada
             WHERE r.empresa = :empresa AND r.factura = :factura
             UNION ALL
             SELECT :sustitucion, r.clave, r.estatus, r.uuid
             FROM facturas f
             JOIN facturas r ON r.empresa = f.empresa AND r.clave = f.sustituye
             WHERE f.empresa = :empresa AND f.clave = :factura
             ORDER BY tipo_relacion, clave",
            empresa: self.empresa,
            factura,
            sustitucion: TipoRelacion::Sustitucion,
        ))
        .await
    }

    async fn make_related_due(&mut self, factura: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE timbrados t
             SET proximo = t.creado
             FROM facturas_relaciones r
             WHERE r.empresa = :empresa AND r.relacionada = :factura AND t.empresa = :empresa AND t.factura = r.factura
               AND (t.arrendado IS NULL OR t.arrendado <= now()) AND t.detenido IS DISTINCT FROM :copia",
            empresa: self.empresa,
            factura,
            copia: Held::Copy,
        ))
        .await
    }
}

impl FromRow for StampingPayment {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let factura: Option<i64> = row.read("factura")?;
        Ok(Self {
            pago: row.read("pago")?,
            cp: row.read("cp")?,
            fecha: row.read("fecha")?,
            forma_pago_sat: row.read("forma_pago_sat")?,
            moneda: row.read("moneda")?,
            tipo_cambio: row.read("tipo_cambio")?,
            importe: row.read("importe")?,
            moneda_pago: row.read("moneda_pago")?,
            tipo_cambio_pago: row.read("tipo_cambio_pago")?,
            monto: row.read("monto")?,
            referencia: row.read("referencia")?,
            parcialidad: row.read("parcialidad")?,
            saldo_anterior: row.read("saldo_anterior")?,
            saldo_insoluto: row.read("saldo_insoluto")?,
            venta: row.read("venta")?,
            total: row.read("total")?,
            factura: factura.zip(row.read("estatus")?),
            serie: row.read("serie")?,
            folio: row.read("folio")?,
            uuid: row.read("uuid")?,
        })
    }
}

impl PostgresTx {
    async fn keep(
        &mut self,
        factura: i64,
        timbrado: bool,
        xml: &str,
        addenda: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "INSERT INTO facturas_xml AS x (empresa, factura, timbrado, xml, addenda, guardado)
             VALUES (:empresa, :factura, :timbrado, :xml, :addenda, :guardado)
             ON CONFLICT (empresa, factura) DO UPDATE
             SET timbrado = excluded.timbrado, xml = excluded.xml, addenda = excluded.addenda,
                 guardado = excluded.guardado
             WHERE NOT x.timbrado",
            empresa: self.empresa,
            factura,
            timbrado,
            xml: deflated(xml),
            addenda: addenda.map(deflated),
            guardado: now,
        ))
        .await
    }
}
