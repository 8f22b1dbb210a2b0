//! Credit notes, and balances in customers' favour.

use async_trait::async_trait;
use rust_decimal::Decimal;
use sqlx::postgres::PgRow;
use sqlx::{Row as _, query, query_scalar};
use svc_core::domain::cfdi::TipoRelacion;
use svc_core::domain::credit_note::{CreditLine, Credited};
use svc_core::domain::money::Money;
use svc_core::domain::sale::Amounts;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{InvoiceStatus, ReceivableStatus};
use svc_core::store::{CreditNote, CreditNoteTx, GoodsGone, NewFavour, StoreError};

use crate::columns::{money, quantity, word};
use crate::error::store_error;
use crate::transaction::PostgresTx;

#[async_trait]
impl CreditNoteTx for PostgresTx {
    async fn insert_credit_note(&mut self, factura: i64, note: &CreditNote) -> Result<(), StoreError> {
        let Amounts { subtotal, descuento, impuestos, ieps, retenciones, isr_retenido, total } = note.amounts;
        let statement = query(
            "INSERT INTO notas_credito (empresa, factura, venta, tipo_relacion, forma_pago_sat, subtotal, descuento, impuestos, ieps,
                                        retenciones, isr_retenido, total, pago, anticipo)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(note.venta)
        .bind(note.relacion.word())
        .bind(&note.forma_pago_sat)
        .bind(subtotal.get())
        .bind(descuento.get())
        .bind(impuestos.get())
        .bind(ieps.get())
        .bind(retenciones.get())
        .bind(isr_retenido.get())
        .bind(total.get())
        .bind(note.pago)
        .bind(note.anticipo);
        self.run(statement).await?;
        let column = |value: fn(&CreditLine) -> Decimal| note.lines.iter().map(value).collect::<Vec<_>>();
        let statement = query(
            "INSERT INTO notas_credito_renglones (empresa, factura, renglon, acreditada, cantidad, precio_unitario, subtotal, descuento,
                                                  iva, ieps, retenciones, isr_retenido, total)
             SELECT $1, $2, renglon, acreditada, cantidad, precio, subtotal, descuento, iva, ieps, retenciones, isr_retenido, total
             FROM unnest($3::bigint[], $4::numeric[], $5::numeric[], $6::numeric[], $7::numeric[], $8::numeric[], $9::numeric[],
                         $10::numeric[], $11::numeric[], $12::numeric[], $13::numeric[])
                  AS r (renglon, acreditada, cantidad, precio, subtotal, descuento, iva, ieps, retenciones, isr_retenido, total)",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(note.lines.iter().map(|line| line.renglon).collect::<Vec<_>>())
        .bind(column(|line| line.acreditada.get()))
        .bind(column(|line| line.cantidad.get()))
        .bind(column(|line| line.precio_unitario.get()))
        .bind(column(|line| line.amounts.subtotal.get()))
        .bind(column(|line| line.amounts.descuento.get()))
        .bind(column(|line| line.amounts.iva().get()))
        .bind(column(|line| line.amounts.ieps.get()))
        .bind(column(|line| line.amounts.retenciones.get()))
        .bind(column(|line| line.amounts.isr_retenido.get()))
        .bind(column(|line| line.amounts.total.get()));
        self.run(statement).await
    }

    async fn credit_note(&mut self, factura: i64) -> Result<Option<CreditNote>, StoreError> {
        let row = query(
            "SELECT venta, tipo_relacion, forma_pago_sat, subtotal, descuento, impuestos, ieps, retenciones, isr_retenido, total,
                    pago, anticipo
             FROM notas_credito WHERE empresa = $1 AND factura = $2",
        )
        .bind(self.empresa)
        .bind(factura)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        let Some(row) = row else { return Ok(None) };
        let lines = query(
            "SELECT renglon, acreditada, cantidad, precio_unitario, subtotal, descuento, iva + ieps, ieps, retenciones, isr_retenido,
                    total
             FROM notas_credito_renglones WHERE empresa = $1 AND factura = $2 ORDER BY renglon",
        )
        .bind(self.empresa)
        .bind(factura)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        let lines = lines.iter().map(line).collect::<Result<_, _>>().map_err(store_error)?;
        note(&row, lines).map(Some).map_err(store_error)
    }

    async fn credited(&mut self, venta: i64) -> Result<Vec<(i64, Credited)>, StoreError> {
        let rows = query(
            "SELECT r.renglon, sum(r.acreditada), sum(r.subtotal - r.descuento)
             FROM notas_credito n
             JOIN facturas f ON f.empresa = n.empresa AND f.clave = n.factura
             JOIN notas_credito_renglones r ON r.empresa = n.empresa AND r.factura = n.factura
             WHERE n.empresa = $1 AND n.venta = $2 AND n.anticipo IS NULL AND f.estatus <> $3 GROUP BY r.renglon",
        )
        .bind(self.empresa)
        .bind(venta)
        .bind(InvoiceStatus::Cancelada.word())
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        let read = |row: &PgRow| Ok((row.try_get(0)?, Credited { cantidad: quantity(row, 1)?, base: money(row, 2)? }));
        rows.iter().map(read).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn has_credit_notes(&mut self, venta: i64) -> Result<bool, StoreError> {
        query_scalar(
            "SELECT EXISTS (SELECT FROM notas_credito n
                            JOIN facturas f ON f.empresa = n.empresa AND f.clave = n.factura
                            WHERE n.empresa = $1 AND n.venta = $2 AND f.estatus <> $3)",
        )
        .bind(self.empresa)
        .bind(venta)
        .bind(InvoiceStatus::Cancelada.word())
        .fetch_one(self.connection())
        .await
        .map_err(store_error)
    }

    async fn owed_of_sale(&mut self, venta: i64) -> Result<Option<(i64, Money)>, StoreError> {
        let row = query(
            "SELECT clave, saldo FROM cxc WHERE empresa = $1 AND venta = $2 AND estatus <> $3 AND saldo > 0 ORDER BY clave LIMIT 1",
        )
        .bind(self.empresa)
        .bind(venta)
        .bind(ReceivableStatus::Cancelado.word())
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.map(|row| Ok((row.try_get(0)?, money(&row, 1)?))).transpose().map_err(store_error)
    }

    async fn goods_not_back(&mut self, venta: i64) -> Result<Vec<GoodsGone>, StoreError> {
        self.read_goods_not_back(venta).await
    }

    async fn goods_back(&mut self, venta: i64, folio: &str) -> Result<Vec<GoodsGone>, StoreError> {
        self.read_goods_back(venta, folio).await
    }

    async fn insert_favour(&mut self, favour: NewFavour<'_>, now: Timestamp) -> Result<(), StoreError> {
        let clave = self.next("saldos_a_favor", 1).await?;
        let statement = query(
            "INSERT INTO saldos_a_favor (empresa, clave, cliente, moneda, importe, factura, creado)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(favour.cliente)
        .bind(favour.moneda)
        .bind(favour.importe.get())
        .bind(favour.factura)
        .bind(now.get());
        self.run(statement).await
    }

    async fn drop_favour(&mut self, factura: i64) -> Result<(), StoreError> {
        let statement = query("DELETE FROM saldos_a_favor WHERE empresa = $1 AND factura = $2");
        self.run(statement.bind(self.empresa).bind(factura)).await
    }
}

/// The amounts that begin at this column.
fn amounts(row: &PgRow, at: usize) -> Result<Amounts, sqlx::Error> {
    Ok(Amounts {
        subtotal: money(row, at)?,
        descuento: money(row, at + 1)?,
        impuestos: money(row, at + 2)?,
        ieps: money(row, at + 3)?,
        retenciones: money(row, at + 4)?,
        isr_retenido: money(row, at + 5)?,
        total: money(row, at + 6)?,
    })
}

fn note(row: &PgRow, lines: Vec<CreditLine>) -> Result<CreditNote, sqlx::Error> {
    Ok(CreditNote {
        venta: row.try_get(0)?,
        relacion: word(row, 1, TipoRelacion::of)?,
        forma_pago_sat: row.try_get(2)?,
        amounts: amounts(row, 3)?,
        pago: row.try_get(10)?,
        anticipo: row.try_get(11)?,
        lines,
    })
}

fn line(row: &PgRow) -> Result<CreditLine, sqlx::Error> {
    Ok(CreditLine {
        renglon: row.try_get(0)?,
        acreditada: quantity(row, 1)?,
        cantidad: quantity(row, 2)?,
        precio_unitario: money(row, 3)?,
        amounts: amounts(row, 4)?,
    })
}
