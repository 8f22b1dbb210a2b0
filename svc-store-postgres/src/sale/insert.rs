//! A new sales document with its lines: one statement.

use rust_decimal::Decimal;
use sqlx::Postgres;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use svc_core::domain::words::Fulfilment;
use svc_core::store::{NewSale, NewSaleLine, Numbered, StoreError};

use super::folio_series;
use crate::columns::number;
use crate::error::store_error;
use crate::numbered::numbered;
use crate::transaction::PostgresTx;

/// `$2` is the series of its folio; parameters up to `$27` are its own, those that follow its lines'.
const INSERT: &str = numbered!(
    "VALUES ($1, $2, 1), ($1, 'ventas', 1), ($1, 'ventas_renglones', cardinality($29::numeric[]))",
    ", nuevo AS (
         SELECT max(valor) FILTER (WHERE serie = $2) AS folio, max(valor) FILTER (WHERE serie = 'ventas') AS clave,
                max(valor) FILTER (WHERE serie = 'ventas_renglones') - cardinality($29::numeric[]) AS antes
         FROM numero
     ), venta AS (
         INSERT INTO ventas (empresa, clave, tipo, serie, folio, fecha, sucursal, almacen, cliente, vendedor, moneda, tipo_cambio,
             condicion_pago, dias_credito, vencimiento, forma_pago_sat, metodo_pago_sat, uso_cfdi, subtotal, descuento,
             impuestos, total, saldo, surtido_estatus, monto_surtido, origen, referencia, comentarios, modificado, retenciones)
         SELECT $1, clave, $3, $4, folio, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $21,
             $22, $23, $24, $25, $26, $5, $27 FROM nuevo
     ), renglones AS (
         INSERT INTO ventas_renglones (empresa, clave, venta, renglon, producto, sku, descripcion, cantidad, cantidad_surtida,
             unidad, unidad_sat, codigo_sat, objeto_impuesto, precio_unitario, descuento, subtotal, iva_tasa, iva, total,
             con_existencia, ieps, retenciones, isr_retenido, ieps_tasa, ieps_cuota, retencion_isr, retencion_iva)
         SELECT $1, v.antes + r.n, v.clave, r.n, producto, sku, descripcion, cantidad, surtida,
                unidad, unidad_sat, codigo_sat, objeto_impuesto, precio, descuento, subtotal, tasa, iva, total, con_existencia,
                ieps, retenciones, isr_retenido, ieps_tasa, ieps_cuota, retencion_isr, retencion_iva
         FROM nuevo v,
              unnest($28::numeric[], $29::numeric[], $30::bigint[], $31::text[], $32::text[], $33::text[], $34::text[], $35::text[],
                     $36::text[], $37::numeric[], $38::numeric[], $39::numeric[], $40::text[], $41::numeric[], $42::numeric[],
                     $43::boolean[], $44::numeric[], $45::numeric[], $46::numeric[], $47::numeric[], $48::numeric[], $49::numeric[],
                     $50::numeric[])
              WITH ORDINALITY AS r (surtida, cantidad, producto, sku, descripcion, unidad, unidad_sat, codigo_sat,
                                    objeto_impuesto, precio, descuento, subtotal, tasa, iva, total,
                                    con_existencia, ieps, retenciones, isr_retenido, ieps_tasa, ieps_cuota, retencion_isr,
                                    retencion_iva, n)
     )
     SELECT clave, folio FROM nuevo"
);

impl PostgresTx {
    /// Writes a document with its lines under the next numbers of its series and tables.
    pub(super) async fn write_sale(&mut self, sale: &NewSale<'_>) -> Result<Numbered, StoreError> {
        let series = folio_series(sale.tipo.word(), sale.serie.unwrap_or_default());
        let query = sqlx::query(INSERT).bind(self.empresa).bind(series);
        let query = with_lines(with_document(query, sale), sale);
        let row = query.fetch_one(self.connection()).await.map_err(store_error)?;
        number(&row).map_err(store_error)
    }
}

fn with_document<'q>(query: Query<'q, Postgres, PgArguments>, sale: &NewSale<'q>) -> Query<'q, Postgres, PgArguments> {
    query
        .bind(sale.tipo.word())
        .bind(sale.serie)
        .bind(sale.fecha.get())
        .bind(sale.sucursal)
        .bind(sale.almacen)
        .bind(sale.cliente)
        .bind(sale.vendedor)
        .bind(sale.moneda)
        .bind(sale.tipo_cambio.get())
        .bind(sale.condicion_pago.word())
        .bind(sale.dias_credito)
        .bind(sale.vencimiento)
        .bind(sale.forma_pago_sat)
        .bind(sale.metodo_pago_sat)
        .bind(sale.uso_cfdi)
        .bind(sale.amounts.subtotal.get())
        .bind(sale.amounts.descuento.get())
        .bind(sale.amounts.impuestos.get())
        .bind(sale.amounts.total.get())
        .bind(sale.fulfilment().map(Fulfilment::word))
        .bind(sale.fulfilment().map(|_| Decimal::ZERO))
        .bind(sale.origen.word())
        .bind(sale.referencia)
        .bind(sale.comentarios)
        .bind(sale.amounts.retenciones.get())
}

fn with_lines<'q>(query: Query<'q, Postgres, PgArguments>, sale: &NewSale<'q>) -> Query<'q, Postgres, PgArguments> {
    fn column<'l, T>(lines: &'l [NewSaleLine], value: impl Fn(&'l NewSaleLine) -> T) -> Vec<T> {
        lines.iter().map(value).collect()
    }
    let lines = sale.lines;
    query
        .bind(column(lines, |line| sale.handed_over(line).get()))
        .bind(column(lines, |line| line.cantidad.get()))
        .bind(column(lines, |line| line.producto))
        .bind(column(lines, |line| line.product.sku.as_deref()))
        .bind(column(lines, |line| line.descripcion.as_deref()))
        .bind(column(lines, |line| line.product.unidad.as_deref()))
        .bind(column(lines, |line| line.product.unidad_sat.as_deref()))
        .bind(column(lines, |line| line.product.codigo_sat.as_str()))
        .bind(column(lines, |line| line.product.objeto_impuesto.as_str()))
        .bind(column(lines, |line| line.precio_unitario.get()))
        .bind(column(lines, |line| line.amounts.descuento.get()))
        .bind(column(lines, |line| line.amounts.subtotal.get()))
        .bind(column(lines, |line| line.rate.map(|rate| rate.to_string())))
        .bind(column(lines, |line| line.amounts.iva().get()))
        .bind(column(lines, |line| line.amounts.total.get()))
        .bind(column(lines, |line| line.product.has_stock()))
        .bind(column(lines, |line| line.amounts.ieps.get()))
        .bind(column(lines, |line| line.amounts.retenciones.get()))
        .bind(column(lines, |line| line.amounts.isr_retenido.get()))
        .bind(column(lines, |line| line.otros.columns()[0]))
        .bind(column(lines, |line| line.otros.columns()[1]))
        .bind(column(lines, |line| line.otros.columns()[2]))
        .bind(column(lines, |line| line.otros.columns()[3]))
}
