//! Payments of receivables and their complements.

use async_trait::async_trait;
use rust_decimal::Decimal;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::money::Money;
use svc_core::domain::payment::{LockedReceivable, PaidSale};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{
    CancellationReason, Complement, InvoiceKind, InvoiceStatus, PaymentOrigin, ReceivableStatus, SaleKind,
};
use svc_core::store::{AppliedPayment, NewPayment, PaymentTx, StoreError, Withdrawal};

use crate::columns::{money, rate, word, word_or_null};
use crate::error::store_error;
use crate::numbered::numbered;
use crate::transaction::PostgresTx;

#[async_trait]
impl PaymentTx for PostgresTx {
    async fn lock_receivable(&mut self, cxc: i64) -> Result<Option<LockedReceivable>, StoreError> {
        let row = sqlx::query(
            "SELECT clave, estatus, cliente, venta, metodo_pago_sat, fecha, moneda, tipo_cambio, pagado, saldo,
                    parcialidades, sucursal
             FROM cxc WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(cxc)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        let Some(mut debt) = row.as_ref().map(debt).transpose().map_err(store_error)? else { return Ok(None) };
        self.lock_paid_sale(&mut debt).await?;
        Ok(Some(debt))
    }

    async fn funds(&mut self, cliente: i64, moneda: &str, origen: PaymentOrigin) -> Result<Decimal, StoreError> {
        let statement = match origen {
            PaymentOrigin::Anticipo => {
                "SELECT coalesce((SELECT sum(total - saldo) FROM ventas
                                  WHERE empresa = $1 AND tipo = 'anticipo' AND NOT cancelada AND cliente = $2 AND moneda = $3), 0)
                      - coalesce((SELECT sum(importe) FROM cxc_pagos
                                  WHERE empresa = $1 AND cliente = $2 AND moneda = $3 AND origen = $4 AND NOT cancelado), 0)"
            }
            // An import brings payments without what they were made from; those have no entry.
            PaymentOrigin::SaldoAFavor => {
                "SELECT coalesce((SELECT sum(importe) FROM saldos_a_favor
                                  WHERE empresa = $1 AND cliente = $2 AND moneda = $3), 0)
                      - coalesce((SELECT sum(x.importe) FROM cxc_pagos x
                                  WHERE x.empresa = $1 AND x.cliente = $2 AND x.moneda = $3 AND x.origen = $4 AND NOT x.cancelado
                                    AND EXISTS (SELECT FROM polizas p WHERE p.empresa = $1 AND p.pago = x.clave)), 0)"
            }
            PaymentOrigin::Deposito => return Ok(Decimal::ZERO),
        };
        sqlx::query_scalar(statement)
            .bind(self.empresa)
            .bind(cliente)
            .bind(moneda)
            .bind(origen.word())
            .fetch_one(self.connection())
            .await
            .map_err(store_error)
    }

    async fn iva_of_advances(&mut self, cliente: i64, moneda: &str) -> Result<(Money, Money), StoreError> {
        let row = sqlx::query(
            "SELECT coalesce(sum(impuestos), 0), coalesce(sum(total), 0) FROM ventas
             WHERE empresa = $1 AND tipo = 'anticipo' AND NOT cancelada AND cliente = $2 AND moneda = $3",
        )
        .bind(self.empresa)
        .bind(cliente)
        .bind(moneda)
        .fetch_one(self.connection())
        .await
        .map_err(store_error)?;
        let read = || Ok((money(&row, 0)?, money(&row, 1)?));
        read().map_err(store_error)
    }

    async fn insert_payment(&mut self, row: &NewPayment<'_>) -> Result<Option<i64>, StoreError> {
        let NewPayment { debt, instalment, .. } = row;
        // An imported sale may say that less is owed of it than its receivable does.
        sqlx::query_scalar(numbered!(
            "VALUES ($1, 'cxc_pagos', 1)",
            ", cuenta AS (
                 UPDATE cxc SET saldo = saldo - $8, pagado = $20, parcialidades = $21, modificado = $6, estatus = $22
                 WHERE empresa = $1 AND clave = $2 AND saldo >= $8 RETURNING clave AS cxc
             ), venta AS (
                 UPDATE ventas SET saldo = greatest(saldo - $8, 0), modificado = $6 WHERE empresa = $1 AND clave = $4
             )
             INSERT INTO cxc_pagos (empresa, clave, cxc, cliente, venta, fecha, aplicado, origen, importe, moneda, tipo_cambio,
                                    forma_pago_sat, cuenta_bancaria, deposito, referencia, parcialidad, saldo_anterior,
                                    saldo_insoluto, complemento, factura)
             SELECT $1, valor, cxc, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19
             FROM numero, cuenta RETURNING clave"
        ))
        .bind(self.empresa)
        .bind(debt.clave)
        .bind(debt.cliente)
        .bind(debt.venta)
        .bind(row.fecha)
        .bind(row.aplicado.get())
        .bind(row.origen.word())
        .bind(instalment.importe.get())
        .bind(debt.moneda.as_str())
        .bind(row.tipo_cambio.get())
        .bind(row.forma_pago_sat)
        .bind(row.cuenta_bancaria)
        .bind(row.deposito)
        .bind(row.referencia)
        .bind(instalment.parcialidad)
        .bind(instalment.saldo_anterior.get())
        .bind(instalment.saldo_insoluto.get())
        .bind(row.complemento().word())
        .bind(row.factura)
        .bind(instalment.pagado.get())
        .bind(instalment.parcialidades)
        .bind(instalment.estatus().word())
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)
    }

    async fn lock_payment(&mut self, pago: i64) -> Result<Option<AppliedPayment>, StoreError> {
        let row = sqlx::query(
            "SELECT cxc, cancelado, importe, cuenta_bancaria, deposito, factura,
                    EXISTS (SELECT FROM notas_credito n WHERE n.empresa = $1 AND n.pago = $2)
             FROM cxc_pagos WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(pago)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.as_ref().map(applied).transpose().map_err(store_error)
    }

    async fn cancel_payment(
        &mut self,
        pago: i64,
        payment: &AppliedPayment,
        estatus: Option<ReceivableStatus>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let query = sqlx::query("UPDATE cxc_pagos SET cancelado = true WHERE empresa = $1 AND clave = $2")
            .bind(self.empresa)
            .bind(pago);
        self.run(query).await?;
        // What an imported payment says to have paid may never have been counted.
        let restored: Option<(Decimal, Option<i64>)> = sqlx::query_as(
            "WITH antes AS (SELECT least(pagado, $3) AS importe FROM cxc WHERE empresa = $1 AND clave = $2)
             UPDATE cxc
             SET saldo = saldo + antes.importe, pagado = pagado - antes.importe,
                 parcialidades = greatest(parcialidades - $6, 0), modificado = $4,
                 estatus = coalesce($5, estatus)
             FROM antes WHERE empresa = $1 AND clave = $2
             RETURNING antes.importe, venta",
        )
        .bind(self.empresa)
        .bind(payment.cxc)
        .bind(payment.importe.get())
        .bind(now.get())
        .bind(estatus.map(ReceivableStatus::word))
        .bind(i64::from(!payment.by_note))
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        let Some((importe, Some(venta))) = restored else { return Ok(()) };
        let query = sqlx::query(
            "UPDATE ventas SET saldo = least(saldo + $3, greatest(total, saldo)), modificado = $4
             WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(venta)
        .bind(importe)
        .bind(now.get());
        self.run(query).await
    }

    async fn withdraw_complement(&mut self, factura: i64, pago: i64, now: Timestamp) -> Result<Withdrawal, StoreError> {
        const SHARED: &str =
            "SELECT EXISTS (SELECT FROM cxc_pagos WHERE empresa = $1 AND factura = $2 AND NOT cancelado)";
        let stamped: Option<bool> = sqlx::query_scalar(
            "SELECT uuid IS NOT NULL FROM facturas
             WHERE empresa = $1 AND clave = $2 AND tipo = $3 AND estatus <> $4 FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(InvoiceKind::Pago.word())
        .bind(InvoiceStatus::Cancelada.word())
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        let Some(stamped) = stamped else { return Ok(Withdrawal::Done) };
        if self.is_being_stamped(factura).await? {
            return Ok(Withdrawal::Underway);
        }
        let shared = self.exists(SHARED, factura).await?;
        if !stamped {
            // A shared complement is stamped without this payment.
            let query = sqlx::query(
                "UPDATE cxc_pagos SET complemento = $4, factura = CASE WHEN $3 THEN NULL ELSE factura END
                 WHERE empresa = $1 AND clave = $2",
            )
            .bind(self.empresa)
            .bind(pago)
            .bind(shared)
            .bind(Complement::NoAplica.word());
            self.run(query).await?;
        }
        if shared {
            return Ok(Withdrawal::Shared);
        }
        // Issued with errors, without another in its place; what was never stamped needs no reason.
        self.cancel_complement(factura, stamped.then_some(CancellationReason::Wrong), now).await
    }
}

impl PostgresTx {
    /// The sale of a receivable that is locked, and its last instalment. A statement of its own, so that it sees what the previous holder
    /// of that lock has written.
    async fn lock_paid_sale(&mut self, debt: &mut LockedReceivable) -> Result<(), StoreError> {
        let row = sqlx::query(
            "WITH venta AS MATERIALIZED (
                 SELECT tipo, cancelada, desglose, metodo_pago_sat, total, impuestos,
                        (SELECT coalesce(sum(ieps), 0) FROM ventas_renglones WHERE empresa = $1 AND venta = $2)
                 FROM ventas WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE
             )
             SELECT v.*, p.parcialidad
             FROM (SELECT coalesce(max(parcialidad), 0) AS parcialidad FROM cxc_pagos p
                   WHERE empresa = $1 AND cxc = $3 AND NOT cancelado
                     AND NOT EXISTS (SELECT FROM notas_credito n WHERE n.empresa = $1 AND n.pago = p.clave)) p
             LEFT JOIN venta v ON true",
        )
        .bind(self.empresa)
        .bind(debt.venta)
        .bind(debt.clave)
        .fetch_one(self.connection())
        .await
        .map_err(store_error)?;
        debt.sale = sale(&row).map_err(store_error)?;
        debt.ultima_parcialidad = row.try_get(7).map_err(store_error)?;
        Ok(())
    }

    /// Whether a worker holds its lease, or has sent it and knows nothing of its fate. If not, none takes it until the end of this
    /// transaction.
    async fn is_being_stamped(&mut self, factura: i64) -> Result<bool, StoreError> {
        let underway: Option<bool> = sqlx::query_scalar(
            "SELECT coalesce(arrendado > now(), false)
                    OR EXISTS (SELECT FROM facturas_xml x WHERE x.empresa = $1 AND x.factura = $2 AND NOT x.timbrado)
             FROM timbrados WHERE empresa = $1 AND factura = $2 FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(factura)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        Ok(underway.unwrap_or(false))
    }

    async fn cancel_complement(
        &mut self,
        factura: i64,
        motivo: Option<CancellationReason>,
        now: Timestamp,
    ) -> Result<Withdrawal, StoreError> {
        let query =
            sqlx::query("DELETE FROM timbrados WHERE empresa = $1 AND factura = $2").bind(self.empresa).bind(factura);
        self.run(query).await?;
        let query = sqlx::query(
            "UPDATE facturas
             SET estatus = $4, fecha_cancelacion = $3, modificado = $3, cancelacion_solicitada = NULL,
                 motivo_cancelacion = coalesce(motivo_cancelacion, $5)
             WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(now.get())
        .bind(InvoiceStatus::Cancelada.word())
        .bind(motivo.map(CancellationReason::word));
        self.run(query).await?;
        Ok(Withdrawal::Done)
    }
}

fn debt(row: &PgRow) -> Result<LockedReceivable, sqlx::Error> {
    Ok(LockedReceivable {
        clave: row.try_get(0)?,
        estatus: word(row, 1, ReceivableStatus::of)?,
        cliente: row.try_get(2)?,
        venta: row.try_get(3)?,
        sale: None,
        metodo_pago_sat: row.try_get(4)?,
        fecha: row.try_get(5)?,
        moneda: row.try_get(6)?,
        tipo_cambio: rate(row, 7)?,
        pagado: money(row, 8)?,
        saldo: money(row, 9)?,
        parcialidades: row.try_get(10)?,
        ultima_parcialidad: 0,
        sucursal: row.try_get(11)?,
    })
}

fn sale(row: &PgRow) -> Result<Option<PaidSale>, sqlx::Error> {
    let Some(tipo) = word_or_null(row, 0, SaleKind::of)? else { return Ok(None) };
    Ok(Some(PaidSale {
        tipo,
        cancelada: row.try_get(1)?,
        desglose: row.try_get(2)?,
        metodo_pago_sat: row.try_get(3)?,
        total: money(row, 4)?,
        impuestos: money(row, 5)?,
        ieps: money(row, 6)?,
    }))
}

fn applied(row: &PgRow) -> Result<AppliedPayment, sqlx::Error> {
    Ok(AppliedPayment {
        cxc: row.try_get(0)?,
        cancelado: row.try_get(1)?,
        importe: money(row, 2)?,
        cuenta_bancaria: row.try_get(3)?,
        deposito: row.try_get(4)?,
        factura: row.try_get(5)?,
        by_note: row.try_get(6)?,
    })
}
