//! The queue of documents to be stamped, and what is read to stamp one.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{Postgres, Row};
use svc_core::domain::cfdi::{Line, SoldSale};
use svc_core::domain::time::{Date, Timestamp};
use svc_core::domain::words::{Complement, Held, InvoiceKind, InvoiceStatus, PaymentTerm};
use svc_core::store::{
    LeaseTerms, LeasedStamping, QueuedStamping, StampingPayment, StampingRecord, StampingTx, StoreError,
};
use uuid::Uuid;

use crate::columns::{count, instant, money, rate, word, word_or_null};
use crate::document::{deflated, inflated};
use crate::error::store_error;
use crate::transaction::PostgresTx;

/// A statement that leases records of a company's queue, with these terms as its first parameters.
pub(crate) fn on_terms<'q>(
    statement: Query<'q, Postgres, PgArguments>,
    empresa: i64,
    terms: LeaseTerms,
) -> Query<'q, Postgres, PgArguments> {
    statement
        .bind(empresa)
        .bind(terms.due)
        .bind(i64::from(terms.max))
        .bind(terms.token)
        .bind(terms.until)
        .bind(terms.duration())
}

impl PostgresTx {
    /// The records that a statement leases, with their attempts so far.
    pub(crate) async fn leased(
        &mut self,
        statement: Query<'_, Postgres, PgArguments>,
    ) -> Result<Vec<LeasedStamping>, StoreError> {
        let rows = statement.fetch_all(self.connection()).await.map_err(store_error)?;
        let leased = |row: &PgRow| Ok(LeasedStamping { factura: row.try_get(0)?, intentos: count(row, 1)? });
        rows.iter().map(leased).collect::<Result<_, _>>().map_err(store_error)
    }
}

#[async_trait]
impl StampingTx for PostgresTx {
    async fn requeue_stamping(&mut self, factura: i64, now: Timestamp) -> Result<(), StoreError> {
        let query = sqlx::query(
            "WITH f AS (
                 UPDATE facturas SET estatus = $4, error_codigo = NULL, error_mensaje = NULL, modificado = $3
                 WHERE empresa = $1 AND clave = $2
             ), p AS (
                 UPDATE cxc_pagos SET complemento = $5
                 WHERE empresa = $1 AND factura = $2 AND complemento <> $6
             )
             INSERT INTO timbrados (empresa, factura, proximo, creado) VALUES ($1, $2, $3, $3)
             ON CONFLICT (empresa, factura) DO UPDATE SET
                 proximo = excluded.proximo, creado = excluded.creado, intentos = 0, token = NULL, arrendado = NULL,
                 ultimo_error = NULL, documento = NULL, detenido = NULL",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(now.get())
        .bind(InvoiceStatus::EnEspera.word())
        .bind(Complement::Encolado.word())
        .bind(Complement::NoAplica.word());
        self.run(query).await
    }

    async fn lock_queued(&mut self, factura: i64) -> Result<Option<QueuedStamping>, StoreError> {
        let row = sqlx::query(
            "SELECT coalesce(arrendado > now(), false),
                    (SELECT x.guardado FROM facturas_xml x WHERE x.empresa = $1 AND x.factura = $2 AND NOT x.timbrado)
             FROM timbrados WHERE empresa = $1 AND factura = $2 FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(factura)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        let queued = |row: PgRow| Ok(QueuedStamping { leased: row.try_get(0)?, sealed: row.try_get(1)? });
        row.map(queued).transpose().map_err(store_error)
    }

    /// Leases are written and judged by the database's clock, since those of servers may differ.
    async fn lease_stampings(&mut self, terms: LeaseTerms) -> Result<Vec<LeasedStamping>, StoreError> {
        let statement = sqlx::query(
            "WITH libres AS MATERIALIZED (
                 SELECT factura FROM timbrados
                 WHERE empresa = $1 AND proximo <= $2 AND (token IS NULL OR arrendado <= now())
                 ORDER BY proximo LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
             )
             UPDATE timbrados t SET token = $4, arrendado = now() + $6, proximo = $5
             FROM libres l WHERE t.empresa = $1 AND t.factura = l.factura
             RETURNING t.factura, t.intentos",
        );
        self.leased(on_terms(statement, self.empresa, terms)).await
    }

    async fn leased_record(&mut self, factura: i64, token: Uuid) -> Result<Option<StampingRecord>, StoreError> {
        let row = sqlx::query(
            "SELECT f.tipo, f.venta, f.cliente, f.serie, f.folio, f.fecha
             FROM timbrados t JOIN facturas f ON f.empresa = t.empresa AND f.clave = t.factura
             WHERE t.empresa = $1 AND t.factura = $2 AND t.token = $3",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(token)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.as_ref().map(record).transpose().map_err(store_error)
    }

    async fn stamping_record(&mut self, factura: i64) -> Result<Option<StampingRecord>, StoreError> {
        let row = sqlx::query(
            "SELECT f.tipo, f.venta, f.cliente, f.serie, f.folio, f.fecha
             FROM timbrados t JOIN facturas f ON f.empresa = t.empresa AND f.clave = t.factura
             WHERE t.empresa = $1 AND t.factura = $2",
        )
        .bind(self.empresa)
        .bind(factura)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.as_ref().map(record).transpose().map_err(store_error)
    }

    async fn validated_document(&mut self, factura: i64) -> Result<Option<String>, StoreError> {
        let bytes: Option<Vec<u8>> =
            sqlx::query_scalar("SELECT documento FROM timbrados WHERE empresa = $1 AND factura = $2")
                .bind(self.empresa)
                .bind(factura)
                .fetch_optional(self.connection())
                .await
                .map_err(store_error)?
                .flatten();
        bytes.as_deref().map(inflated).transpose().map_err(store_error)
    }

    async fn keep_judged(&mut self, factura: i64, xml: Option<&str>) -> Result<(), StoreError> {
        let query = sqlx::query("UPDATE timbrados SET documento = $3 WHERE empresa = $1 AND factura = $2")
            .bind(self.empresa)
            .bind(factura)
            .bind(xml.map(deflated));
        self.run(query).await
    }

    async fn lock_lease(&mut self, factura: i64, token: Uuid) -> Result<bool, StoreError> {
        let found =
            sqlx::query("SELECT FROM timbrados WHERE empresa = $1 AND factura = $2 AND token = $3 FOR NO KEY UPDATE")
                .bind(self.empresa)
                .bind(factura)
                .bind(token)
                .fetch_optional(self.connection())
                .await
                .map_err(store_error)?;
        Ok(found.is_some())
    }

    async fn sale_to_stamp(&mut self, venta: i64) -> Result<Option<(Option<String>, SoldSale)>, StoreError> {
        let row = sqlx::query(
            "SELECT s.cp, v.moneda, v.tipo_cambio, v.condicion_pago, v.dias_credito::bigint, v.forma_pago_sat,
                    v.metodo_pago_sat, v.uso_cfdi, v.subtotal, v.descuento, v.impuestos, v.total
             FROM ventas v JOIN sucursales s ON s.empresa = v.empresa AND s.clave = v.sucursal
             WHERE v.empresa = $1 AND v.clave = $2",
        )
        .bind(self.empresa)
        .bind(venta)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.as_ref().map(sale).transpose().map_err(store_error)
    }

    async fn payments_to_stamp(&mut self, factura: i64) -> Result<Vec<StampingPayment>, StoreError> {
        let rows = sqlx::query(
            "SELECT s.cp, p.fecha, p.forma_pago_sat, p.moneda, p.tipo_cambio, p.importe, p.referencia, p.parcialidad,
                    p.saldo_anterior, p.saldo_insoluto, c.venta, coalesce(v.total, c.total),
                    f.clave, f.estatus, f.serie, f.folio, coalesce(f.uuid, c.uuid)
             FROM cxc_pagos p
             JOIN cxc c ON c.empresa = p.empresa AND c.clave = p.cxc
             JOIN sucursales s ON s.empresa = c.empresa AND s.clave = c.sucursal
             LEFT JOIN ventas v ON v.empresa = c.empresa AND v.clave = c.venta
             LEFT JOIN facturas f ON f.empresa = c.empresa AND f.clave = coalesce(c.factura, v.factura)
             WHERE p.empresa = $1 AND p.factura = $2 AND NOT p.cancelado ORDER BY p.clave",
        )
        .bind(self.empresa)
        .bind(factura)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        rows.iter().map(payment).collect::<Result<_, _>>().map_err(store_error)
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
        let query = sqlx::query(
            "UPDATE timbrados SET proximo = $3, intentos = intentos + 1, ultimo_error = $4, detenido = $5, token = NULL,
                                  arrendado = NULL
             WHERE empresa = $1 AND factura = $2",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(proximo)
        .bind(ultimo_error)
        .bind(detenido.map(Held::word));
        self.run(query).await
    }

    async fn share_invoice(&mut self, clave: i64) -> Result<Option<InvoiceStatus>, StoreError> {
        let row = sqlx::query("SELECT estatus FROM facturas WHERE empresa = $1 AND clave = $2 FOR SHARE")
            .bind(self.empresa)
            .bind(clave)
            .fetch_optional(self.connection())
            .await
            .map_err(store_error)?;
        row.map(|row| word(&row, 0, InvoiceStatus::of)).transpose().map_err(store_error)
    }

    async fn release_stamping(&mut self, factura: i64, proximo: Option<DateTime<Utc>>) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE timbrados SET proximo = coalesce($3, creado), token = NULL, arrendado = NULL
             WHERE empresa = $1 AND factura = $2",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(proximo);
        self.run(query).await
    }

    async fn hurry_complements(&mut self, factura: i64) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE timbrados t SET proximo = t.creado
             FROM facturas f
             JOIN cxc c ON c.empresa = f.empresa AND c.venta = f.venta
             JOIN cxc_pagos p ON p.empresa = c.empresa AND p.cxc = c.clave
             WHERE f.empresa = $1 AND f.clave = $2 AND t.empresa = f.empresa AND t.factura = p.factura
               AND (t.arrendado IS NULL OR t.arrendado <= now())",
        )
        .bind(self.empresa)
        .bind(factura);
        self.run(query).await
    }
}

fn record(row: &PgRow) -> Result<StampingRecord, sqlx::Error> {
    Ok(StampingRecord {
        tipo: word(row, 0, InvoiceKind::of)?,
        venta: row.try_get(1)?,
        cliente: row.try_get(2)?,
        serie: row.try_get(3)?,
        folio: row.try_get(4)?,
        fecha: instant(row, 5)?,
    })
}

fn sale(row: &PgRow) -> Result<(Option<String>, SoldSale), sqlx::Error> {
    let sale = SoldSale {
        moneda: row.try_get(1)?,
        tipo_cambio: rate(row, 2)?,
        condicion_pago: word_or_null(row, 3, PaymentTerm::of)?,
        dias_credito: row.try_get(4)?,
        forma_pago_sat: row.try_get(5)?,
        metodo_pago_sat: row.try_get(6)?,
        uso_cfdi: row.try_get(7)?,
        subtotal: money(row, 8)?,
        descuento: money(row, 9)?,
        impuestos: money(row, 10)?,
        total: money(row, 11)?,
    };
    Ok((row.try_get(0)?, sale))
}

fn payment(row: &PgRow) -> Result<StampingPayment, sqlx::Error> {
    let factura: Option<i64> = row.try_get(12)?;
    Ok(StampingPayment {
        cp: row.try_get(0)?,
        fecha: Date(row.try_get(1)?),
        forma_pago_sat: row.try_get(2)?,
        moneda: row.try_get(3)?,
        tipo_cambio: rate(row, 4)?,
        importe: money(row, 5)?,
        referencia: row.try_get(6)?,
        parcialidad: row.try_get(7)?,
        saldo_anterior: money(row, 8)?,
        saldo_insoluto: money(row, 9)?,
        venta: row.try_get(10)?,
        total: money(row, 11)?,
        factura: factura.zip(word_or_null(row, 13, InvoiceStatus::of)?),
        serie: row.try_get(14)?,
        folio: row.try_get(15)?,
        uuid: row.try_get(16)?,
    })
}
