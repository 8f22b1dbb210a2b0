//! Credit notes, credit balances and advances.

use async_trait::async_trait;
use rust_decimal::Decimal;
use svc_core::domain::accounting::Account;
use svc_core::domain::credit_note::{CreditLine, Credited};
use svc_core::domain::money::Money;
use svc_core::domain::quantity::Quantity;
use svc_core::domain::tax::Amounts;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{InvoiceKind, InvoiceStatus, ReceivableStatus, SaleKind};
use svc_core::store::{
    Advance, AppliedCredit, CreditNote, CreditTx, GoodsMovement, NewCreditBalance, NewRefund, StoreError,
};

use crate::fragment::{applied_of_advance, has_imported_note};
use crate::part::columns_in;
use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(CreditLine { renglon, acreditada, cantidad, precio_unitario, amounts: .. });

from_row!(AppliedCredit { venta, relacion: "tipo_relacion", pago, importe: "aplicado", total: "de_nota", line: .. });

from_row! {
    struct CreditedLine { renglon: i64, cantidad: Quantity, base: Money }
}

from_row! {
    struct Owed { clave: i64, saldo: Money }
}

// The lines are read by another statement.
from_row!(CreditNote {
    venta,
    relacion: "tipo_relacion",
    forma_pago_sat,
    amounts: ..,
    pago,
    anticipo,
    ticket,
    lines: (Vec::new()),
});

from_row!(Advance {
    venta: "clave",
    factura,
    cliente,
    moneda,
    tipo_cambio,
    amounts: ..,
    aplicado,
    restante,
    en_error,
    abierto
});

#[async_trait]
impl CreditTx for PostgresTx {
    async fn insert_credit_note(&mut self, factura: i64, note: &CreditNote) -> Result<(), StoreError> {
        self.run(sql!(
            "INSERT INTO notas_credito (
                 empresa, factura, venta, tipo_relacion, forma_pago_sat,
                 subtotal, descuento, impuestos, ieps, retenciones, isr_retenido, locales_trasladados,
                 locales_retenidos, total, pago, anticipo, ticket
             )
             VALUES (
                 :empresa, :factura, :venta, :tipo_relacion, :forma_pago_sat,
                 :subtotal, :descuento, :impuestos, :ieps, :retenciones, :isr_retenido, :locales_trasladados,
                 :locales_retenidos, :total, :pago, :anticipo, :ticket
             )",
            empresa: self.empresa,
            factura,
            tipo_relacion: note.relacion,
            subtotal: note.amounts.subtotal,
            descuento: note.amounts.descuento,
            impuestos: note.amounts.impuestos(),
            ieps: note.amounts.ieps,
            retenciones: note.amounts.retenciones,
            isr_retenido: note.amounts.isr_retenido,
            locales_trasladados: note.amounts.locales_trasladados,
            locales_retenidos: note.amounts.locales_retenidos,
            total: note.amounts.total;
            from note { venta, forma_pago_sat, pago, anticipo, ticket }
        ))
        .await?;
        let lines = &note.lines;
        self.run(sql!(
            columns_in!(
                "INSERT INTO notas_credito_renglones (
                     empresa, factura, renglon, producto, iva_tasa, acreditada, cantidad, precio_unitario, {Amounts}
                 )
                 SELECT :empresa, :factura, r.renglon, v.producto, v.iva_tasa,
                        r.acreditada, r.cantidad, r.precio_unitario, {r.Amounts}
                 FROM unnest(
                     :renglon::bigint[], :acreditada::numeric[], :cantidad::numeric[], :precio_unitario::numeric[],
                     {:Amounts[]}
                 ) AS r (
                     renglon, acreditada, cantidad, precio_unitario,
                     {Amounts}
                 )
                 LEFT JOIN ventas_renglones v
                   ON v.empresa = :empresa AND v.venta = :venta AND v.renglon = r.renglon",
                Amounts
            ),
            empresa: self.empresa,
            factura,
            venta: note.anticipo.unwrap_or(note.venta);
            for line in lines { renglon, acreditada, cantidad, precio_unitario; ..amounts: Amounts }
        ))
        .await
    }

    async fn credit_note(&mut self, factura: i64) -> Result<Option<CreditNote>, StoreError> {
        let note: Option<CreditNote> = self
            .optional(sql!(
                "SELECT
                     venta, tipo_relacion, forma_pago_sat,
                     subtotal, descuento, impuestos - ieps - locales_trasladados AS iva, ieps, retenciones,
                     isr_retenido, locales_trasladados, locales_retenidos, total, pago, anticipo, ticket
                 FROM notas_credito
                 WHERE empresa = :empresa AND factura = :factura",
                empresa: self.empresa,
                factura,
            ))
            .await?;
        let Some(note) = note else { return Ok(None) };
        let lines = self
            .many(sql!(
                columns_in!(
                    "SELECT renglon, acreditada, cantidad, precio_unitario, {Amounts}
                     FROM notas_credito_renglones
                     WHERE empresa = :empresa AND factura = :factura
                     ORDER BY renglon",
                    Amounts
                ),
                empresa: self.empresa,
                factura,
            ))
            .await?;
        Ok(Some(CreditNote { lines, ..note }))
    }

    async fn credited(&mut self, venta: i64) -> Result<Vec<(i64, Credited)>, StoreError> {
        let lines = self.many(sql!(
            "SELECT renglon, sum(cantidad) AS cantidad, sum(base) AS base
             FROM (
                 SELECT r.renglon, r.acreditada AS cantidad, r.subtotal - r.descuento AS base
                 FROM notas_credito n
                 JOIN facturas f ON f.empresa = n.empresa AND f.clave = n.factura
                 JOIN notas_credito_renglones r ON r.empresa = n.empresa AND r.factura = n.factura
                 WHERE n.empresa = :empresa AND n.venta = :venta AND n.anticipo IS NULL AND n.ticket IS NULL
                   AND f.estatus <> :cancelada
                 UNION ALL
                 SELECT r.renglon, r.cantidad, r.base
                 FROM devoluciones d
                 JOIN devoluciones_renglones r ON r.empresa = d.empresa AND r.devolucion = d.clave
                 WHERE d.empresa = :empresa AND d.venta = :venta
             ) c
             GROUP BY renglon",
            empresa: self.empresa,
            venta,
            cancelada: InvoiceStatus::Cancelada,
        ));
        let credited = |CreditedLine { renglon, cantidad, base }| (renglon, Credited { cantidad, base });
        Ok(lines.await?.into_iter().map(credited).collect())
    }

    async fn applied_credits(&mut self, ventas: &[i64]) -> Result<Vec<AppliedCredit>, StoreError> {
        self.many(sql!(
            columns_in!(
                "SELECT n.venta, n.tipo_relacion, n.pago, p.importe AS aplicado, n.total AS de_nota,
                        r.renglon, r.acreditada, r.cantidad, r.precio_unitario, {r.Amounts}
                 FROM notas_credito n
                 JOIN cxc_pagos p ON p.empresa = n.empresa AND p.clave = n.pago
                 JOIN notas_credito_renglones r ON r.empresa = n.empresa AND r.factura = n.factura
                 WHERE n.empresa = :empresa AND n.venta = ANY(:ventas) AND n.anticipo IS NULL AND NOT p.cancelado
                 ORDER BY n.pago, r.renglon",
                Amounts
            ),
            empresa: self.empresa,
            ventas,
        ))
        .await
    }

    async fn paid_by_invoiced_advances(&mut self, ventas: &[i64]) -> Result<Vec<i64>, StoreError> {
        self.values(sql!(
            "SELECT DISTINCT p.venta
             FROM cxc_pagos p
             JOIN ventas a ON a.empresa = p.empresa AND a.clave = p.anticipo
             WHERE p.empresa = :empresa AND p.venta = ANY (:ventas) AND NOT p.cancelado AND a.factura IS NOT NULL",
            empresa: self.empresa,
            ventas,
        ))
        .await
    }

    async fn owed_of_sale(&mut self, venta: i64) -> Result<Option<(i64, Money)>, StoreError> {
        let owed = self.optional(sql!(
            "SELECT clave, saldo
             FROM cxc
             WHERE empresa = :empresa AND venta = :venta AND estatus <> :cancelado AND saldo > 0
             ORDER BY clave
             LIMIT 1",
            empresa: self.empresa,
            venta,
            cancelado: ReceivableStatus::Cancelado,
        ));
        Ok(owed.await?.map(|Owed { clave, saldo }| (clave, saldo)))
    }

    async fn goods_not_returned(&mut self, venta: i64) -> Result<Vec<GoodsMovement>, StoreError> {
        self.read_goods_not_returned(venta).await
    }

    async fn goods_returned(&mut self, venta: i64, folio: &str) -> Result<Vec<GoodsMovement>, StoreError> {
        self.read_goods_returned(venta, folio).await
    }

    async fn insert_credit_balance(&mut self, balance: NewCreditBalance<'_>, now: Timestamp) -> Result<(), StoreError> {
        let clave = self.next("saldos_a_favor", 1).await?;
        self.run(sql!(
            "INSERT INTO saldos_a_favor (empresa, clave, cliente, moneda, fecha, importe, pesos, factura, deposito, creado)
             VALUES (:empresa, :clave, :cliente, :moneda, :fecha, :importe, :pesos, :factura, :deposito, :creado)",
            empresa: self.empresa,
            clave,
            creado: now;
            from balance { cliente, moneda, fecha, importe, pesos, factura, deposito }
        ))
        .await
    }

    async fn cancel_credit_balance(&mut self, factura: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE saldos_a_favor
             SET cancelado = true
             WHERE empresa = :empresa AND factura = :factura",
            empresa: self.empresa,
            factura,
        ))
        .await
    }

    async fn lock_advance(&mut self, anticipo: i64) -> Result<Option<Advance>, StoreError> {
        self.run(sql!(
            "SELECT FROM ventas
             WHERE empresa = :empresa AND clave = :anticipo
             FOR NO KEY UPDATE",
            empresa: self.empresa,
            anticipo,
        ))
        .await?;
        // A separate statement sees what the previous holder of the lock has applied.
        self.optional(sql!(
            concat!("SELECT v.clave, f.clave AS factura, v.cliente, v.moneda, v.tipo_cambio, v.subtotal, v.descuento,
                    v.impuestos - r.ieps - r.locales_trasladados AS iva, r.ieps, v.retenciones, r.isr_retenido,
                    r.locales_trasladados, r.locales_retenidos, v.total, a.aplicado,
                    CASE WHEN d.devuelto THEN 0 ELSE greatest(v.total - v.saldo - a.aplicado, 0) END AS restante,
                    coalesce(i.estatus = :error, false) AS en_error, l.abierto
             FROM ventas v
             LEFT JOIN facturas i ON i.empresa = v.empresa AND i.clave = v.factura
             CROSS JOIN LATERAL (
                 SELECT coalesce(sum(ieps), 0) AS ieps, coalesce(sum(isr_retenido), 0) AS isr_retenido,
                        coalesce(sum(locales_trasladados), 0) AS locales_trasladados,
                        coalesce(sum(locales_retenidos), 0) AS locales_retenidos, count(*) AS renglones
                 FROM ventas_renglones
                 WHERE empresa = :empresa AND venta = v.clave
             ) r
             LEFT JOIN facturas f ON f.empresa = v.empresa AND f.clave = v.factura
               AND f.estatus IN (:en_espera, :vigente) AND r.renglones = 1
             CROSS JOIN LATERAL ", applied_of_advance!(), " a
             -- An import brings the credit notes of refunds, but not how much they gave back.
             CROSS JOIN LATERAL (
                 SELECT ", has_imported_note!(), " AS devuelto
             ) d
             LEFT JOIN LATERAL (
                 SELECT sum(r.abono - r.cargo) AS abierto
                 FROM polizas p
                 JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
                 WHERE p.empresa = :empresa AND r.codigo = :anticipos
                   AND (p.venta = v.clave AND p.pago IS NULL
                        OR p.pago IN (
                            SELECT x.clave FROM cxc_pagos x WHERE x.empresa = :empresa AND x.anticipo = v.clave
                        ))
                 HAVING bool_or(p.venta = v.clave)
             ) l ON true
             WHERE v.empresa = :empresa AND v.clave = :anticipo AND v.tipo = :tipo AND NOT v.cancelada"),
            empresa: self.empresa,
            anticipo,
            tipo: SaleKind::Anticipo,
            error: InvoiceStatus::Error,
            en_espera: InvoiceStatus::EnEspera,
            vigente: InvoiceStatus::Vigente,
            nota_credito: InvoiceKind::NotaCredito,
            cancelada: InvoiceStatus::Cancelada,
            anticipos: Account::Anticipos,
        ))
        .await
    }

    async fn open_advances(&mut self, cliente: i64, moneda: &str) -> Result<Vec<i64>, StoreError> {
        self.values(sql!(
            concat!("SELECT v.clave
             FROM ventas v
             WHERE v.empresa = :empresa AND v.cliente = :cliente AND v.tipo = :tipo AND v.moneda = :moneda
               AND NOT v.cancelada
               AND NOT ", has_imported_note!(), "
               AND v.total - v.saldo > ", applied_of_advance!(), "
             ORDER BY v.fecha, v.clave"),
            empresa: self.empresa,
            cliente,
            moneda,
            tipo: SaleKind::Anticipo,
            nota_credito: InvoiceKind::NotaCredito,
            cancelada: InvoiceStatus::Cancelada,
        ))
        .await
    }

    async fn is_refunded(&mut self, refund: &NewRefund<'_>) -> Result<bool, StoreError> {
        self.value(sql!(
            "SELECT EXISTS (
                 SELECT FROM reembolsos
                 WHERE empresa = :empresa AND cliente = :cliente AND anticipo IS NOT DISTINCT FROM :anticipo
                   AND cuenta_bancaria = :cuenta_bancaria AND fecha = :fecha AND importe = :importe
                   AND referencia = :referencia AND moneda = :moneda AND NOT cancelado
             )",
            empresa: self.empresa;
            from refund { cliente, anticipo, moneda, importe, cuenta_bancaria, fecha, referencia }
        ))
        .await
    }

    async fn insert_refund(&mut self, refund: &NewRefund<'_>, now: Timestamp) -> Result<i64, StoreError> {
        let clave = self.next("reembolsos", 1).await?;
        self.run(sql!(
            "WITH cuenta AS (
                 UPDATE cuentas_bancarias
                 SET saldo = saldo - :importe
                 WHERE empresa = :empresa AND clave = :cuenta_bancaria
             )
             INSERT INTO reembolsos (
                 empresa, clave, cliente, anticipo, moneda, tipo_cambio, importe, cuenta_bancaria, fecha,
                 referencia, factura, creado
             )
             VALUES (
                 :empresa, :clave, :cliente, :anticipo, :moneda, :tipo_cambio, :importe, :cuenta_bancaria, :fecha,
                 :referencia, :factura, :creado
             )",
            empresa: self.empresa,
            clave,
            creado: now;
            from refund {
                cliente, anticipo, moneda, tipo_cambio, importe, cuenta_bancaria, fecha, referencia, factura
            }
        ))
        .await?;
        Ok(clave)
    }

    async fn refunded_by(&mut self, factura: i64) -> Result<Decimal, StoreError> {
        self.value(sql!(
            "SELECT coalesce(sum(importe), 0)
             FROM reembolsos
             WHERE empresa = :empresa AND factura = :factura AND NOT cancelado",
            empresa: self.empresa,
            factura,
        ))
        .await
    }

    async fn cancel_refund(&mut self, factura: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "WITH cancelado AS (
                 UPDATE reembolsos
                 SET cancelado = true
                 WHERE empresa = :empresa AND factura = :factura AND NOT cancelado
                 RETURNING cuenta_bancaria, importe
             )
             UPDATE cuentas_bancarias c
             SET saldo = c.saldo + r.importe
             FROM cancelado r
             WHERE c.empresa = :empresa AND c.clave = r.cuenta_bancaria",
            empresa: self.empresa,
            factura,
        ))
        .await
    }

    async fn assign_advance(&mut self, venta: i64, anticipo: i64) -> Result<bool, StoreError> {
        self.changed_one(sql!(
            "INSERT INTO anticipos_ventas (empresa, venta, anticipo)
             VALUES (:empresa, :venta, :anticipo)
             ON CONFLICT (empresa, venta, anticipo) DO NOTHING",
            empresa: self.empresa,
            venta,
            anticipo,
        ))
        .await
    }

    async fn assigned_advances(&mut self, venta: i64) -> Result<Vec<i64>, StoreError> {
        self.values(sql!(
            "SELECT anticipo
             FROM anticipos_ventas
             WHERE empresa = :empresa AND venta = :venta
             ORDER BY anticipo",
            empresa: self.empresa,
            venta,
        ))
        .await
    }

    async fn assign_advances_of(&mut self, venta: i64, parte: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "INSERT INTO anticipos_ventas (empresa, venta, anticipo)
             SELECT empresa, :parte, anticipo
             FROM anticipos_ventas
             WHERE empresa = :empresa AND venta = :venta",
            empresa: self.empresa,
            venta,
            parte,
        ))
        .await
    }
}
