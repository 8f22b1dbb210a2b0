//! Corrections that substitute invoices make.

use async_trait::async_trait;
use chrono::NaiveDate;
use svc_core::domain::cfdi::Line;
use svc_core::domain::invoice::ProposedTerms;
use svc_core::domain::line_details::LineDetails;
use svc_core::domain::tax::{Amounts, LineRates};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::ReceivableStatus;
use svc_core::store::{Correction, CorrectionTx, NewSaleLine, SaleGoods, StoreError};

use crate::part::columns_in;
use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(ProposedTerms { forma_pago_sat, metodo_pago_sat, uso_cfdi });

from_row!(Correction { cliente, condicion_pago, dias_credito, terms: .., amounts: .. });

#[async_trait]
impl CorrectionTx for PostgresTx {
    async fn insert_correction(
        &mut self,
        factura: i64,
        correction: &Correction,
        lines: &[NewSaleLine],
    ) -> Result<(), StoreError> {
        self.run(sql!(
            columns_in!(
                "INSERT INTO sustituciones (
                     empresa, factura, cliente, condicion_pago, dias_credito,
                     forma_pago_sat, metodo_pago_sat, uso_cfdi, {Amounts}
                 )
                 VALUES (
                     :empresa, :factura, :cliente, :condicion_pago, :dias_credito::bigint,
                     :forma_pago_sat, :metodo_pago_sat, :uso_cfdi, {:Amounts}
                 )",
                Amounts
            ),
            empresa: self.empresa,
            factura,
            forma_pago_sat: correction.terms.forma_pago_sat,
            metodo_pago_sat: correction.terms.metodo_pago_sat,
            uso_cfdi: correction.terms.uso_cfdi;
            from correction { cliente, condicion_pago, dias_credito; ..amounts: Amounts }
        ))
        .await?;
        self.insert_corrected_lines(factura, lines).await
    }

    async fn correction(&mut self, factura: i64) -> Result<Option<Correction>, StoreError> {
        self.optional(sql!(
            columns_in!(
                "SELECT cliente, condicion_pago, dias_credito::bigint, forma_pago_sat, metodo_pago_sat, uso_cfdi,
                        {Amounts}
                 FROM sustituciones
                 WHERE empresa = :empresa AND factura = :factura",
                Amounts
            ),
            empresa: self.empresa,
            factura,
        ))
        .await
    }

    async fn corrected_lines(&mut self, factura: i64) -> Result<Vec<Line>, StoreError> {
        self.many(sql!(
            columns_in!(
                "SELECT renglon, sku, descripcion, cantidad, unidad, unidad_sat, codigo_sat, objeto_impuesto,
                        precio_unitario, {LineRates}, {LineDetails}, {Amounts}
                 FROM renglones_corregidos
                 WHERE empresa = :empresa AND factura = :factura
                 ORDER BY renglon",
                LineRates,
                LineDetails,
                Amounts
            ),
            empresa: self.empresa,
            factura,
        ))
        .await
    }

    async fn corrected_goods(&mut self, factura: i64) -> Result<Vec<SaleGoods>, StoreError> {
        self.many(sql!(
            "SELECT r.renglon, p.clave AS producto, p.sku, r.cantidad
             FROM renglones_corregidos r
             JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto
             WHERE r.empresa = :empresa AND r.factura = :factura AND r.con_existencia
             ORDER BY r.renglon",
            empresa: self.empresa,
            factura,
        ))
        .await
    }

    async fn keep_replaced(&mut self, factura: i64, venta: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE sustituciones s
             SET venta = :venta, dia = a.dia,
                 cliente_anterior = (SELECT cliente FROM ventas WHERE empresa = :empresa AND clave = :venta),
                 total_anterior = (
                     SELECT total
                     FROM cxc
                     WHERE empresa = :empresa AND venta = :venta AND estatus <> :cancelado
                     ORDER BY clave DESC
                     LIMIT 1
                 )
             FROM (
                 SELECT coalesce(min(fecha) FILTER (WHERE factura = :factura), max(fecha)) AS dia
                 FROM polizas
                 WHERE empresa = :empresa AND venta = :venta
             ) a
             WHERE s.empresa = :empresa AND s.factura = :factura",
            empresa: self.empresa,
            factura,
            venta,
            cancelado: ReceivableStatus::Cancelado,
        ))
        .await?;
        self.run(sql!(
            "UPDATE polizas
             SET sustituta = :factura
             WHERE empresa = :empresa AND sustituta IS NULL AND factura IS DISTINCT FROM :factura
               AND clave IN (
                   SELECT clave
                   FROM polizas
                   WHERE empresa = :empresa AND venta = :venta
                   UNION ALL
                   SELECT p.clave
                   FROM cxc_pagos x
                   JOIN polizas p ON p.empresa = :empresa AND p.pago = x.clave
                   WHERE x.empresa = :empresa AND x.venta = :venta
               )",
            empresa: self.empresa,
            factura,
            venta,
        ))
        .await?;
        self.run(sql!(
            "INSERT INTO renglones_sustituidos (
                 empresa, factura, renglon, producto, cantidad, subtotal, descuento, iva_tasa, iva, ieps, total
             )
             SELECT empresa, :factura, renglon, producto, cantidad, subtotal, descuento, iva_tasa, iva, ieps, total
             FROM ventas_renglones
             WHERE empresa = :empresa AND venta = :venta",
            empresa: self.empresa,
            factura,
            venta,
        ))
        .await
    }

    async fn apply_correction(
        &mut self,
        factura: i64,
        venta: i64,
        corrected: usize,
        vencimiento: Option<NaiveDate>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "WITH cuenta AS (
                 UPDATE cxc x
                 SET cliente = s.cliente, metodo_pago_sat = s.metodo_pago_sat,
                     vencimiento = coalesce(:vencimiento, x.vencimiento), total = s.total,
                     saldo = s.total - x.pagado,
                     estatus = CASE WHEN s.total = x.pagado THEN :pagado ELSE :pendiente END, modificado = :ahora
                 FROM sustituciones s
                 WHERE x.empresa = :empresa AND x.venta = :venta AND x.estatus <> :cancelado
                   AND s.empresa = :empresa AND s.factura = :factura
                 RETURNING x.saldo
             )
             UPDATE ventas v
             SET cliente = s.cliente, condicion_pago = s.condicion_pago, dias_credito = s.dias_credito,
                 vencimiento = coalesce(:vencimiento, v.vencimiento), forma_pago_sat = s.forma_pago_sat,
                 metodo_pago_sat = s.metodo_pago_sat, uso_cfdi = s.uso_cfdi, subtotal = s.subtotal,
                 descuento = s.descuento, impuestos = s.iva + s.ieps + s.locales_trasladados,
                 retenciones = s.retenciones, total = s.total,
                 saldo = coalesce((SELECT max(saldo) FROM cuenta), greatest(v.saldo + s.total - v.total, 0)),
                 modificado = :ahora
             FROM sustituciones s
             WHERE v.empresa = :empresa AND v.clave = :venta AND s.empresa = :empresa AND s.factura = :factura",
            empresa: self.empresa,
            factura,
            venta,
            vencimiento,
            ahora: now,
            pagado: ReceivableStatus::Pagado,
            pendiente: ReceivableStatus::Pendiente,
            cancelado: ReceivableStatus::Cancelado,
        ))
        .await?;
        if corrected > 0 { self.replace_lines(factura, venta, corrected).await } else { Ok(()) }
    }
}

impl PostgresTx {
    async fn insert_corrected_lines(&mut self, factura: i64, lines: &[NewSaleLine]) -> Result<(), StoreError> {
        if lines.is_empty() {
            return Ok(());
        }
        self.run(sql!(
            columns_in!(
                "INSERT INTO renglones_corregidos (
                     empresa, factura, renglon, producto, sku, descripcion, cantidad, unidad, unidad_sat, codigo_sat,
                     objeto_impuesto, precio_unitario, con_existencia, {LineRates}, {LineDetails}, {Amounts}
                 )
                 SELECT :empresa, :factura, n, producto, sku, descripcion, cantidad, unidad, unidad_sat, codigo_sat,
                        objeto_impuesto, precio_unitario, con_existencia, {LineRates}, {LineDetails}, {Amounts}
                 FROM unnest(
                     :producto::bigint[], :sku::text[], :descripcion::text[], :cantidad::numeric[], :unidad::text[],
                     :unidad_sat::text[], :codigo_sat::text[], :objeto_impuesto::text[], :precio_unitario::numeric[],
                     :con_existencia::boolean[], {:LineRates[]}, {:LineDetails[]}, {:Amounts[]}
                 ) WITH ORDINALITY AS r (
                     producto, sku, descripcion, cantidad, unidad,
                     unidad_sat, codigo_sat, objeto_impuesto, precio_unitario,
                     con_existencia, {LineRates}, {LineDetails}, {Amounts}, n
                 )",
                LineRates,
                LineDetails,
                Amounts
            ),
            empresa: self.empresa,
            factura;
            for line in lines {
                producto,
                sku: line.product.sku.as_deref(),
                descripcion,
                cantidad,
                unidad: line.product.unidad.as_deref(),
                unidad_sat: line.product.unidad_sat.as_deref(),
                codigo_sat: line.product.codigo_sat.as_str(),
                objeto_impuesto: line.product.objeto_impuesto.as_str(),
                precio_unitario,
                con_existencia: line.product.has_stock();
                ..rates: LineRates,
                ..details: LineDetails,
                ..amounts: Amounts,
            }
        ))
        .await
    }

    /// Replaces the lines of a sale by the corrected ones, under the same claves.
    async fn replace_lines(&mut self, factura: i64, venta: i64, corrected: usize) -> Result<(), StoreError> {
        let mut claves: Vec<i64> = self
            .values(sql!(
                "SELECT clave
                 FROM ventas_renglones
                 WHERE empresa = :empresa AND venta = :venta
                 ORDER BY renglon",
                empresa: self.empresa,
                venta,
            ))
            .await?;
        let removed = claves.len().saturating_sub(corrected);
        let added = corrected.saturating_sub(claves.len());
        if added > 0 {
            let first = self.next("ventas_renglones", added).await?;
            claves.extend((first..).take(added));
        }
        self.run(sql!(
            "DELETE FROM ventas_renglones
             WHERE empresa = :empresa AND venta = :venta",
            empresa: self.empresa,
            venta,
        ))
        .await?;
        self.run(sql!(
            columns_in!(
                "WITH sustitucion AS (
                     UPDATE sustituciones
                     SET renglones_quitados = :quitados
                     WHERE empresa = :empresa AND factura = :factura
                 )
                 INSERT INTO ventas_renglones (
                     empresa, clave, venta, renglon, producto, sku, descripcion, cantidad, cantidad_surtida,
                     unidad, unidad_sat, codigo_sat, objeto_impuesto, precio_unitario, con_existencia,
                     {LineRates}, {LineDetails}, {Amounts}
                 )
                 SELECT
                     s.empresa, c.clave, :venta, s.renglon, s.producto, s.sku, s.descripcion, s.cantidad, s.cantidad,
                     s.unidad, s.unidad_sat, s.codigo_sat, s.objeto_impuesto, s.precio_unitario, s.con_existencia,
                     {s.LineRates}, {s.LineDetails}, {s.Amounts}
                 FROM renglones_corregidos s
                 JOIN unnest(:claves::bigint[]) WITH ORDINALITY AS c (clave, n) ON c.n = s.renglon
                 WHERE s.empresa = :empresa AND s.factura = :factura",
                LineRates,
                LineDetails,
                Amounts
            ),
            empresa: self.empresa,
            factura,
            venta,
            claves,
            quitados: removed as i64,
        ))
        .await
    }
}
