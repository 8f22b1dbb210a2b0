//! Stock and its ledger (kardex).

use svc_core::domain::time::Timestamp;
use svc_core::domain::words::MovementKind;
use svc_core::store::{GoodsMovement, MovementContext, StockUpdate, StoreError};

use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(GoodsMovement { almacen: .., producto, sku, cantidad, importe, importado });

impl PostgresTx {
    /// Updates stock records of a warehouse and the values of products, and inserts movements;
    /// returns the clave of the first one. The ledger names the warehouse by its clave.
    pub(crate) async fn write_stock(
        &mut self,
        almacen: i64,
        update: &StockUpdate<'_>,
        context: &MovementContext<'_>,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let last: Option<i64> = self
            .optional_value(sql!(
                "WITH numero AS (
                     INSERT INTO contadores AS c (empresa, serie, valor)
                     SELECT :empresa, 'movimientos_inventario', cardinality(:tipo::text[])
                     WHERE cardinality(:tipo::text[]) > 0
                     ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + excluded.valor
                     RETURNING valor
                 ), existencias AS (
                     UPDATE inventario i
                     SET existencia = e.existencia, apartado = e.apartado, modificado = :ahora
                     FROM unnest(:clave::bigint[], :existencia::numeric[], :apartado::numeric[])
                          AS e (clave, existencia, apartado)
                     WHERE i.empresa = :empresa AND i.clave = e.clave
                 ), valores AS (
                     UPDATE costos c
                     SET existencia = v.existencia, valor = v.valor, ultimo = v.ultimo
                     FROM unnest(:valuado::bigint[], :en_total::numeric[], :vale::numeric[], :ultimo::numeric[])
                          AS v (producto, existencia, valor, ultimo)
                     WHERE c.empresa = :empresa AND c.producto = v.producto
                 ), movimientos AS (
                     INSERT INTO movimientos_inventario (
                         empresa, clave, fecha, tipo, producto, sku, cantidad, existencia_anterior,
                         existencia_actual, costo_unitario, importe, almacen, almacen_destino,
                         venta, compra, referencia, valor, dia
                     )
                     SELECT :empresa, n.valor - cardinality(:tipo::text[]) + m.orden, :ahora, m.tipo, m.producto,
                            m.sku, m.cantidad, m.existencia_anterior,
                            m.existencia_actual, m.costo_unitario, m.importe, :almacen::bigint::text,
                            :almacen_destino::bigint::text, :venta, :compra, :referencia, m.valor, :dia
                     FROM numero n,
                          unnest(:tipo::text[], :producto::bigint[], :sku::text[], :cantidad::numeric[],
                                 :existencia_anterior::numeric[], :existencia_actual::numeric[],
                                 :costo_unitario::numeric[], :importe::numeric[], :valor::numeric[])
                          WITH ORDINALITY AS m (tipo, producto, sku, cantidad, existencia_anterior,
                                                existencia_actual, costo_unitario, importe, valor, orden)
                 )
                 SELECT valor FROM numero",
                empresa: self.empresa,
                ahora: now,
                almacen,
                almacen_destino: context.almacen_destino,
                venta: context.venta,
                compra: context.compra,
                referencia: context.referencia,
                dia: update.dia;
                for row in (update.rows) { clave, existencia, apartado }
                for value in (update.values) {
                    valuado: value.producto, en_total: value.existencia, vale: value.valor, ultimo: value.ultimo,
                }
                for row in (update.movements) {
                    tipo, producto, sku, cantidad, existencia_anterior, existencia_actual, costo_unitario, importe,
                    valor,
                }
            ))
            .await?;
        let first = last.map(|last| last - update.movements.len() as i64 + 1);
        self.first_movement = self.first_movement.or(first);
        Ok(first)
    }

    pub(crate) async fn read_goods_sold(&mut self, venta: i64) -> Result<Vec<GoodsMovement>, StoreError> {
        self.goods(venta, &[MovementKind::Venta], None, true).await
    }

    /// Added up by warehouse and product.
    pub(crate) async fn read_goods_not_returned(&mut self, venta: i64) -> Result<Vec<GoodsMovement>, StoreError> {
        let kinds = [
            MovementKind::Venta,
            MovementKind::CancelacionVenta,
            MovementKind::DevolucionNotaCredito,
            MovementKind::CancelacionNotaCredito,
            MovementKind::Devolucion,
        ];
        self.goods(venta, &kinds, None, false).await
    }

    pub(crate) async fn read_goods_returned(
        &mut self,
        venta: i64,
        folio: &str,
    ) -> Result<Vec<GoodsMovement>, StoreError> {
        self.goods(venta, &[MovementKind::DevolucionNotaCredito], Some(folio), true).await
    }

    /// The movements of these kinds of a sale, one by one or added up. In sums, goods that came
    /// back count as negative; one by one, what left before the sale was last undone is left out.
    /// Older lines name the warehouse by its code instead of its clave, so a clave that matches is
    /// preferred. For one that was deleted stands the main one of its branch, or of another.
    async fn goods(
        &mut self,
        venta: i64,
        kinds: &[MovementKind],
        referencia: Option<&str>,
        one_by_one: bool,
    ) -> Result<Vec<GoodsMovement>, StoreError> {
        let back = [MovementKind::CancelacionVenta, MovementKind::DevolucionNotaCredito, MovementKind::Devolucion];
        self.many(sql!(
            "SELECT a.clave AS almacen, a.codigo, a.sucursal, m.producto, max(m.sku) AS sku,
                    sum(CASE WHEN NOT :uno_por_uno AND m.tipo = ANY (:regresos) THEN -m.cantidad ELSE m.cantidad END) AS cantidad,
                    greatest(sum(CASE WHEN NOT :uno_por_uno AND m.tipo = ANY (:regresos)
                                      THEN -m.importe ELSE m.importe END), 0) AS importe,
                    bool_or(m.valor IS NULL) AS importado
             FROM movimientos_inventario m
             CROSS JOIN LATERAL (
                 SELECT clave, sucursal, estatus
                 FROM almacenes
                 WHERE empresa = :empresa AND (clave::text = m.almacen OR codigo = m.almacen)
                 ORDER BY clave::text = m.almacen DESC, estatus = 'eliminado'
                 LIMIT 1
             ) o
             CROSS JOIN LATERAL (
                 SELECT clave, codigo, sucursal
                 FROM almacenes
                 WHERE empresa = :empresa AND (clave = o.clave OR o.estatus = 'eliminado' AND estatus = 'activo')
                 ORDER BY estatus = 'eliminado', sucursal = o.sucursal DESC, principal DESC, clave
                 LIMIT 1
             ) a
             WHERE m.empresa = :empresa AND m.venta = :venta AND m.tipo = ANY (:tipos)
               AND (:referencia::text IS NULL OR m.referencia = :referencia)
               AND (NOT :uno_por_uno OR m.tipo <> :venta_movida
                    OR m.clave > coalesce((SELECT max(clave)
                                           FROM movimientos_inventario
                                           WHERE empresa = :empresa AND venta = :venta AND tipo = :deshecha), 0))
               AND EXISTS (SELECT FROM productos p WHERE p.empresa = :empresa AND p.clave = m.producto)
             GROUP BY a.clave, a.codigo, a.sucursal, m.producto,
                      CASE WHEN :uno_por_uno THEN m.clave END
             HAVING sum(CASE WHEN NOT :uno_por_uno AND m.tipo = ANY (:regresos) THEN -m.cantidad ELSE m.cantidad END) > 0
             ORDER BY min(m.clave)",
            empresa: self.empresa,
            venta,
            tipos: kinds,
            referencia,
            regresos: &back[..],
            uno_por_uno: one_by_one,
            venta_movida: MovementKind::Venta,
            deshecha: MovementKind::CancelacionVenta,
        ))
        .await
    }
}
