//! Sales that become invoices.

use async_trait::async_trait;
use rust_decimal::Decimal;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::invoice::{LockedSale, SaleInvoice};
use svc_core::domain::money::Money;
use svc_core::domain::quantity::Rate;
use svc_core::domain::sale::Amounts;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{
    Fulfilment, InvoiceOrigin, InvoiceStatus, PaymentOrigin, PaymentTerm, ProductKind, ReceivableStatus, SaleKind,
    SaleOrigin,
};
use svc_core::store::{InvoicedSale, InvoicingTx, PaymentTx as _, SaleGoods, StoreError};

use crate::columns::{money, quantity, rate, word, word_or_null};
use crate::error::store_error;
use crate::transaction::PostgresTx;

#[async_trait]
impl InvoicingTx for PostgresTx {
    async fn lock_sale(&mut self, clave: i64) -> Result<Option<LockedSale>, StoreError> {
        let query = sqlx::query("SELECT FROM ventas WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE")
            .bind(self.empresa)
            .bind(clave);
        self.run(query).await?;
        // A separate statement, so that it sees what the transaction that held the lock wrote to the registry.
        let row = sqlx::query(
            "SELECT v.clave, v.tipo, v.origen, v.cancelada, v.surtido_estatus, v.facturando, v.sucursal, v.almacen, v.cliente,
                    v.moneda, v.tipo_cambio, v.condicion_pago, v.dias_credito::bigint, v.forma_pago_sat, v.metodo_pago_sat,
                    v.uso_cfdi, v.subtotal, v.descuento, v.impuestos, v.total, v.saldo,
                    v.factura IS NOT NULL OR v.uuid IS NOT NULL, f.clave, f.origen, f.estatus, f.serie, f.folio, f.uuid,
                    v.retenciones, r.ieps, r.isr_retenido, v.folio,
                    EXISTS (SELECT FROM anticipos_ventas a WHERE a.empresa = $1 AND a.venta = $2)
             FROM ventas v LEFT JOIN facturas f ON f.empresa = v.empresa AND f.clave = v.factura
             CROSS JOIN LATERAL (
                 SELECT coalesce(sum(ieps), 0) AS ieps, coalesce(sum(isr_retenido), 0) AS isr_retenido
                 FROM ventas_renglones WHERE empresa = $1 AND venta = $2
             ) r
             WHERE v.empresa = $1 AND v.clave = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.as_ref().map(invoiceable_sale).transpose().map_err(store_error)
    }

    async fn sale_goods(&mut self, clave: i64) -> Result<Vec<SaleGoods>, StoreError> {
        let rows = sqlx::query(
            "SELECT r.renglon, p.clave, p.sku, r.cantidad, p.costo
             FROM ventas_renglones r JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto
             WHERE r.empresa = $1 AND r.venta = $2 AND coalesce(r.con_existencia, p.tipo = $3) ORDER BY r.renglon",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(ProductKind::Normal.word())
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        rows.iter().map(goods).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn turn_into_invoice(
        &mut self,
        clave: i64,
        invoiced: &InvoicedSale<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE ventas SET tipo = $11, factura = $3, serie = $4, folio = $5, vencimiento = $6, forma_pago_sat = $7,
                 metodo_pago_sat = $8, uso_cfdi = $9, surtido_estatus = NULL, monto_surtido = NULL, facturando = NULL, modificado = $10,
                 anticipo_contado = $12, tipo_creado = coalesce(tipo_creado, tipo)
             WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(invoiced.factura)
        .bind(invoiced.serie)
        .bind(invoiced.folio)
        .bind(invoiced.vencimiento)
        .bind(&invoiced.terms.forma_pago_sat)
        .bind(&invoiced.terms.metodo_pago_sat)
        .bind(&invoiced.terms.uso_cfdi)
        .bind(now.get())
        .bind(SaleKind::Factura.word())
        .bind(invoiced.anticipo_contado.map(Money::get));
        self.run(query).await
    }

    async fn invoice_receivable(
        &mut self,
        clave: i64,
        folio: &str,
        invoiced: &InvoicedSale<'_>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let query = sqlx::query(
            "UPDATE cxc SET folio = $3, tipo_venta = $8, factura = $4, metodo_pago_sat = $5, vencimiento = $6, modificado = $7
             WHERE empresa = $1 AND venta = $2 AND estatus <> $9",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(folio)
        .bind(invoiced.factura)
        .bind(&invoiced.terms.metodo_pago_sat)
        .bind(invoiced.vencimiento)
        .bind(now.get())
        .bind(SaleKind::Factura.word())
        .bind(ReceivableStatus::Cancelado.word());
        self.changes_one(query).await
    }

    async fn set_exchange_rate(&mut self, clave: i64, tipo_cambio: Rate, now: Timestamp) -> Result<(), StoreError> {
        let query = sqlx::query(
            "WITH cuenta AS (
                 UPDATE cxc SET tipo_cambio = $3, modificado = $4 WHERE empresa = $1 AND venta = $2
             )
             UPDATE ventas SET tipo_cambio = $3, modificado = $4 WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(tipo_cambio.get())
        .bind(now.get());
        self.run(query).await
    }

    async fn set_invoicing(&mut self, clave: i64, since: Option<Timestamp>) -> Result<(), StoreError> {
        let query = sqlx::query("UPDATE ventas SET facturando = $3 WHERE empresa = $1 AND clave = $2")
            .bind(self.empresa)
            .bind(clave)
            .bind(since.map(Timestamp::get));
        self.run(query).await
    }

    async fn advances(&mut self, cliente: i64, moneda: &str) -> Result<Decimal, StoreError> {
        let unapplied = self.funds(cliente, moneda, PaymentOrigin::Anticipo).await?;
        // What was applied of an advance to the sale itself is no more counted: it is paid.
        let counted: Decimal = sqlx::query_scalar(
            "SELECT coalesce(sum(greatest(least(v.anticipo_contado - p.aplicado, v.saldo), 0)), 0)
             FROM ventas v CROSS JOIN LATERAL (
                 SELECT coalesce(sum(importe), 0) AS aplicado FROM cxc_pagos
                 WHERE empresa = $1 AND venta = v.clave AND origen = $4 AND NOT cancelado
             ) p
             WHERE v.empresa = $1 AND v.cliente = $2 AND v.moneda = $3 AND NOT v.cancelada AND v.saldo > 0
               AND v.anticipo_contado IS NOT NULL",
        )
        .bind(self.empresa)
        .bind(cliente)
        .bind(moneda)
        .bind(PaymentOrigin::Anticipo.word())
        .fetch_one(self.connection())
        .await
        .map_err(store_error)?;
        Ok(unapplied - counted)
    }
}

fn invoiceable_sale(row: &PgRow) -> Result<LockedSale, sqlx::Error> {
    Ok(LockedSale {
        clave: row.try_get(0)?,
        tipo: word(row, 1, SaleKind::of)?,
        folio: row.try_get(31)?,
        origen: word(row, 2, SaleOrigin::of)?,
        cancelada: row.try_get(3)?,
        surtido: word_or_null(row, 4, Fulfilment::of)?,
        facturando: row.try_get(5)?,
        sucursal: row.try_get(6)?,
        almacen: row.try_get(7)?,
        cliente: row.try_get(8)?,
        moneda: row.try_get(9)?,
        tipo_cambio: rate(row, 10)?,
        condicion_pago: word_or_null(row, 11, PaymentTerm::of)?,
        dias_credito: row.try_get(12)?,
        forma_pago_sat: row.try_get(13)?,
        metodo_pago_sat: row.try_get(14)?,
        uso_cfdi: row.try_get(15)?,
        amounts: Amounts {
            subtotal: money(row, 16)?,
            descuento: money(row, 17)?,
            impuestos: money(row, 18)?,
            ieps: money(row, 29)?,
            retenciones: money(row, 28)?,
            isr_retenido: money(row, 30)?,
            total: money(row, 19)?,
        },
        saldo: money(row, 20)?,
        con_anticipos: row.try_get(32)?,
        facturada: row.try_get(21)?,
        factura: sale_invoice(row, 22)?,
    })
}

/// The invoice that a sale was joined with, from this column on.
fn sale_invoice(row: &PgRow, at: usize) -> Result<Option<SaleInvoice>, sqlx::Error> {
    let Some(clave) = row.try_get(at)? else { return Ok(None) };
    Ok(Some(SaleInvoice {
        clave,
        origen: word(row, at + 1, InvoiceOrigin::of)?,
        estatus: word(row, at + 2, InvoiceStatus::of)?,
        serie: row.try_get(at + 3)?,
        folio: row.try_get(at + 4)?,
        uuid: row.try_get(at + 5)?,
    }))
}

fn goods(row: &PgRow) -> Result<SaleGoods, sqlx::Error> {
    Ok(SaleGoods {
        renglon: row.try_get(0)?,
        producto: row.try_get(1)?,
        sku: row.try_get(2)?,
        cantidad: quantity(row, 3)?,
        costo: money(row, 4)?,
    })
}
