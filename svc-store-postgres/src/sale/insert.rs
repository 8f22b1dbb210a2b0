//! Inserts a sales document with its lines in one statement.

use svc_core::domain::line_details::LineDetails;
use svc_core::domain::money::Money;
use svc_core::domain::tax::{Amounts, LineRates};
use svc_core::store::{NewSale, Numbered, StoreError};

use super::folio_series;
use crate::part::columns_in;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

impl PostgresTx {
    #[expect(clippy::too_many_lines, reason = "one statement, with a line for each parameter")]
    pub(super) async fn write_sale(&mut self, sale: &NewSale<'_>) -> Result<Numbered, StoreError> {
        let lines = sale.lines;
        self.one(sql!(
            columns_in!(
                "WITH numero AS (
                     INSERT INTO contadores AS c (empresa, serie, valor)
                     VALUES (:empresa, :folios, 1), (:empresa, 'ventas', 1),
                            (:empresa, 'ventas_renglones', cardinality(:cantidad::numeric[]))
                     ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + excluded.valor
                     RETURNING serie, valor
                 ), nuevo AS (
                     SELECT max(valor) FILTER (WHERE serie = :folios) AS folio,
                            max(valor) FILTER (WHERE serie = 'ventas') AS clave,
                            max(valor) FILTER (WHERE serie = 'ventas_renglones')
                                - cardinality(:cantidad::numeric[]) AS antes
                     FROM numero
                 ), venta AS (
                     INSERT INTO ventas (
                         empresa, clave, tipo, serie, folio, fecha, sucursal, almacen, cliente, vendedor,
                         moneda, tipo_cambio, condicion_pago, dias_credito, vencimiento,
                         forma_pago_sat, metodo_pago_sat, uso_cfdi,
                         subtotal, descuento, impuestos, retenciones, total, saldo,
                         surtido_estatus, monto_surtido, origen, referencia, comentarios, modificado
                     )
                     SELECT
                         :empresa, clave, :tipo, :serie, folio, :fecha, :sucursal, :almacen, :cliente, :vendedor,
                         :moneda, :tipo_cambio, :condicion_pago, :dias_credito, :vencimiento,
                         :forma_pago_sat, :metodo_pago_sat, :uso_cfdi,
                         :importe, :descontado, :impuestos, :retenido, :por_pagar, :por_pagar,
                         :surtido_estatus, :monto_surtido, :origen, :referencia, :comentarios, :fecha
                     FROM nuevo
                 ), renglones AS (
                     INSERT INTO ventas_renglones (
                         empresa, clave, venta, renglon, producto, sku, descripcion, cantidad, cantidad_surtida,
                         unidad, unidad_sat, codigo_sat, objeto_impuesto, precio_unitario, con_existencia,
                         {LineRates}, {LineDetails}, {Amounts}
                     )
                     SELECT
                         :empresa, v.antes + r.n, v.clave, r.n, producto, sku, descripcion, cantidad, cantidad_surtida,
                         unidad, unidad_sat, codigo_sat, objeto_impuesto, precio_unitario, con_existencia,
                         {LineRates}, {LineDetails}, {Amounts}
                     FROM nuevo v, unnest(
                         :producto::bigint[], :sku::text[], :descripcion::text[], :cantidad::numeric[],
                         :cantidad_surtida::numeric[], :unidad::text[], :unidad_sat::text[], :codigo_sat::text[],
                         :objeto_impuesto::text[], :precio_unitario::numeric[], :con_existencia::boolean[],
                         {:LineRates[]}, {:LineDetails[]}, {:Amounts[]}
                     ) WITH ORDINALITY AS r (
                         producto, sku, descripcion, cantidad,
                         cantidad_surtida, unidad, unidad_sat, codigo_sat,
                         objeto_impuesto, precio_unitario, con_existencia,
                         {LineRates}, {LineDetails}, {Amounts}, n
                     )
                 )
                 SELECT clave, folio FROM nuevo",
                LineRates,
                LineDetails,
                Amounts
            ),
            empresa: self.empresa,
            folios: folio_series(sale.tipo.word(), sale.serie.unwrap_or_default()),
            tipo: sale.tipo,
            serie: sale.serie,
            fecha: sale.fecha,
            sucursal: sale.sucursal,
            almacen: sale.almacen,
            cliente: sale.cliente,
            vendedor: sale.vendedor,
            moneda: sale.moneda,
            tipo_cambio: sale.tipo_cambio,
            condicion_pago: sale.condicion_pago,
            dias_credito: sale.dias_credito,
            vencimiento: sale.vencimiento,
            forma_pago_sat: sale.forma_pago_sat,
            metodo_pago_sat: sale.metodo_pago_sat,
            uso_cfdi: sale.uso_cfdi,
            importe: sale.amounts.subtotal,
            descontado: sale.amounts.descuento,
            impuestos: sale.amounts.impuestos(),
            retenido: sale.amounts.retenciones,
            por_pagar: sale.amounts.total,
            surtido_estatus: sale.fulfilment(),
            monto_surtido: sale.fulfilment().map(|_| Money::default()),
            origen: sale.origen,
            referencia: sale.referencia,
            comentarios: sale.comentarios;
            for line in lines {
                producto,
                sku: line.product.sku.as_deref(),
                descripcion,
                cantidad,
                cantidad_surtida: sale.delivered(line),
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
}
