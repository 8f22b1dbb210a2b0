//! The division of an order: its delivered part becomes an order of its own.

use svc_core::domain::line_details::LineDetails;
use svc_core::domain::money::Money;
use svc_core::domain::order::{LinePart, OrderPart};
use svc_core::domain::tax::{Amounts, LineRates};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{Fulfilment, SaleKind};
use svc_core::store::StoreError;

use crate::part::columns_in;
use crate::sql::sql;
use crate::transaction::PostgresTx;

impl PostgresTx {
    /// Returns the clave of the new order, which gets the delivered part with its movements and
    /// entries.
    pub(super) async fn write_division(
        &mut self,
        clave: i64,
        handed: &OrderPart,
        left: &OrderPart,
        now: Timestamp,
    ) -> Result<i64, StoreError> {
        let parte = self.next("ventas", 1).await?;
        self.copy_order(clave, parte, &handed.amounts, now).await?;
        let is_whole = |line: &&LinePart| left.lines.iter().all(|rest| rest.renglon != line.renglon);
        let (whole, partial): (Vec<&LinePart>, Vec<&LinePart>) = handed.lines.iter().partition(is_whole);
        self.move_lines(clave, parte, &whole).await?;
        self.copy_lines(clave, parte, &partial).await?;
        self.set_lines(clave, left).await?;
        self.set_left(clave, &left.amounts, handed.amounts.total, now).await?;
        self.run(sql!(
            "UPDATE movimientos_inventario SET venta = :parte WHERE empresa = :empresa AND venta = :clave",
            empresa: self.empresa,
            clave,
            parte,
        ))
        .await?;
        self.run(sql!(
            "UPDATE polizas
             SET venta = :parte
             WHERE empresa = :empresa AND venta = :clave AND movimiento IS NOT NULL",
            empresa: self.empresa,
            clave,
            parte,
        ))
        .await?;
        Ok(parte)
    }

    /// Copies an order without its lines, as a fulfilled one.
    async fn copy_order(
        &mut self,
        clave: i64,
        parte: i64,
        amounts: &Amounts,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "INSERT INTO ventas (
                 empresa, clave, tipo, folio, fecha, sucursal, almacen, cliente, vendedor, moneda, tipo_cambio,
                 condicion_pago, dias_credito, forma_pago_sat, metodo_pago_sat, uso_cfdi,
                 subtotal, descuento, impuestos, retenciones, total, saldo,
                 surtido_estatus, monto_surtido, origen, referencia, comentarios, desglose, modificado, tipo_creado
             )
             SELECT
                 empresa, :parte, tipo, folio, :ahora, sucursal, almacen, cliente, vendedor, moneda, tipo_cambio,
                 condicion_pago, dias_credito, forma_pago_sat, metodo_pago_sat, uso_cfdi,
                 :subtotal, :descuento, :impuestos, :retenciones, :total,
                 greatest(:total - greatest(total - saldo, 0), 0),
                 :surtido, :total, origen, referencia, comentarios, desglose, :ahora, :factura
             FROM ventas
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            parte,
            impuestos: amounts.impuestos(),
            surtido: Fulfilment::Surtido,
            factura: SaleKind::Factura,
            ahora: now;
            from amounts { subtotal, descuento, retenciones, total }
        ))
        .await
    }

    async fn move_lines(&mut self, clave: i64, parte: i64, lines: &[&LinePart]) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE ventas_renglones
             SET venta = :parte, cantidad_surtida = cantidad
             WHERE empresa = :empresa AND venta = :clave AND renglon = ANY (:renglon)",
            empresa: self.empresa,
            clave,
            parte;
            for line in lines { renglon }
        ))
        .await
    }

    /// Copies the delivered parts of lines to another document.
    async fn copy_lines(&mut self, clave: i64, parte: i64, lines: &[&LinePart]) -> Result<(), StoreError> {
        let primero = self.next("ventas_renglones", lines.len()).await?;
        self.run(sql!(
            columns_in!(
                "INSERT INTO ventas_renglones (
                     empresa, clave, venta, renglon, producto, sku, descripcion, cantidad, cantidad_surtida,
                     unidad, unidad_sat, codigo_sat, objeto_impuesto, precio_unitario, con_existencia,
                     {LineRates}, {LineDetails}, {Amounts}
                 )
                 SELECT
                     r.empresa, :primero + l.n - 1, :parte, r.renglon, r.producto, r.sku, r.descripcion,
                     l.cantidad, l.cantidad,
                     r.unidad, r.unidad_sat, r.codigo_sat, r.objeto_impuesto, r.precio_unitario, r.con_existencia,
                     {r.LineRates}, {r.LineDetails}, {l.Amounts}
                 FROM unnest(:renglon::bigint[], :cantidad::numeric[], {:Amounts[]})
                      WITH ORDINALITY AS l (renglon, cantidad, {Amounts}, n)
                 JOIN ventas_renglones r ON r.renglon = l.renglon
                 WHERE r.empresa = :empresa AND r.venta = :clave",
                LineRates,
                LineDetails,
                Amounts
            ),
            empresa: self.empresa,
            clave,
            parte,
            primero;
            for line in lines { renglon, cantidad; ..amounts: Amounts }
        ))
        .await
    }

    /// Reduces the lines of the order to the undelivered rest.
    async fn set_lines(&mut self, clave: i64, left: &OrderPart) -> Result<(), StoreError> {
        let lines = &left.lines;
        self.run(sql!(
            columns_in!(
                "UPDATE ventas_renglones r
                 SET cantidad = l.cantidad, cantidad_surtida = 0, {Amounts = l}
                 FROM unnest(:renglon::bigint[], :cantidad::numeric[], {:Amounts[]})
                      AS l (renglon, cantidad, {Amounts})
                 WHERE r.empresa = :empresa AND r.venta = :clave AND r.renglon = l.renglon",
                Amounts
            ),
            empresa: self.empresa,
            clave;
            for line in lines { renglon, cantidad; ..amounts: Amounts }
        ))
        .await
    }

    /// Reduces the order to the rest; it stays open. What was paid of it before the books began
    /// pays the delivered part first.
    async fn set_left(
        &mut self,
        clave: i64,
        amounts: &Amounts,
        surtido: Money,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE ventas
             SET subtotal = :subtotal, descuento = :descuento, impuestos = :impuestos, retenciones = :retenciones,
                 total = :total, saldo = greatest(:total - greatest(total - saldo - :surtido, 0), 0),
                 surtido_estatus = :pendiente, monto_surtido = 0, modificado = :ahora
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            impuestos: amounts.impuestos(),
            surtido,
            pendiente: Fulfilment::Pendiente,
            ahora: now;
            from amounts { subtotal, descuento, retenciones, total }
        ))
        .await
    }
}
