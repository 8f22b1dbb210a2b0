//! Sales documents and their lines.

mod insert;

use async_trait::async_trait;
use rust_decimal::Decimal;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::line::VatRate;
use svc_core::domain::money::Money;
use svc_core::domain::order::{LinePart, OrderLine, OrderPart, PricedLine};
use svc_core::domain::sale::Amounts;
use svc_core::domain::tax::OtherRates;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{Fulfilment, SaleKind};
use svc_core::store::{NewSale, Numbered, SaleTx, StoreError};

use crate::columns::{money, quantity};
use crate::error::store_error;
use crate::transaction::PostgresTx;

#[async_trait]
impl SaleTx for PostgresTx {
    async fn next_folio(&mut self, tipo: &'static str, serie: &str) -> Result<i64, StoreError> {
        self.next(&folio_series(tipo, serie), 1).await
    }

    async fn insert_sale(&mut self, sale: &NewSale<'_>) -> Result<Numbered, StoreError> {
        self.write_sale(sale).await
    }

    async fn order_lines(&mut self, clave: i64) -> Result<Vec<OrderLine>, StoreError> {
        let rows = sqlx::query(
            "SELECT renglon, cantidad, cantidad_surtida, total FROM ventas_renglones
             WHERE empresa = $1 AND venta = $2 ORDER BY renglon",
        )
        .bind(self.empresa)
        .bind(clave)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        rows.iter().map(order_line).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn set_fulfilment(
        &mut self,
        clave: i64,
        lines: &[OrderLine],
        fulfilment: Fulfilment,
        monto_surtido: Money,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE ventas_renglones r SET cantidad_surtida = l.surtida
             FROM unnest($3::bigint[], $4::numeric[]) AS l (renglon, surtida)
             WHERE r.empresa = $1 AND r.venta = $2 AND r.renglon = l.renglon",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(lines.iter().map(|line| line.renglon).collect::<Vec<_>>())
        .bind(lines.iter().map(|line| line.cantidad_surtida.get()).collect::<Vec<_>>());
        self.run(query).await?;
        let query = sqlx::query(
            "UPDATE ventas SET surtido_estatus = $3, monto_surtido = $4, modificado = $5 WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(fulfilment.word())
        .bind(monto_surtido.get())
        .bind(now.get());
        self.run(query).await
    }

    async fn priced_lines(&mut self, clave: i64) -> Result<Vec<PricedLine>, StoreError> {
        let rows = sqlx::query(
            "SELECT renglon, cantidad, cantidad_surtida, precio_unitario, descuento, iva_tasa, ieps_tasa, ieps_cuota,
                    retencion_isr, retencion_iva
             FROM ventas_renglones
             WHERE empresa = $1 AND venta = $2 ORDER BY renglon",
        )
        .bind(self.empresa)
        .bind(clave)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        rows.iter().map(priced_line).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn divide_order(
        &mut self,
        clave: i64,
        handed: &OrderPart,
        left: &OrderPart,
        now: Timestamp,
    ) -> Result<i64, StoreError> {
        let other = self.next("ventas", 1).await?;
        let query = sqlx::query(
            "INSERT INTO ventas (empresa, clave, tipo, folio, fecha, sucursal, almacen, cliente, vendedor, moneda, tipo_cambio,
                 condicion_pago, dias_credito, forma_pago_sat, metodo_pago_sat, uso_cfdi, subtotal, descuento, impuestos, total, saldo,
                 surtido_estatus, monto_surtido, origen, referencia, comentarios, desglose, modificado, retenciones, tipo_creado)
             SELECT empresa, $3, tipo, folio, $8, sucursal, almacen, cliente, vendedor, moneda, tipo_cambio,
                    condicion_pago, dias_credito, forma_pago_sat, metodo_pago_sat, uso_cfdi, $4, $5, $6, $7, $7,
                    $9, $7, origen, referencia, comentarios, desglose, $8, $10, $11
             FROM ventas WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(other)
        .bind(handed.amounts.subtotal.get())
        .bind(handed.amounts.descuento.get())
        .bind(handed.amounts.impuestos.get())
        .bind(handed.amounts.total.get())
        .bind(now.get())
        .bind(Fulfilment::Surtido.word())
        .bind(handed.amounts.retenciones.get())
        .bind(SaleKind::Factura.word());
        self.run(query).await?;
        let goes = |line: &&LinePart| left.lines.iter().all(|rest| rest.renglon != line.renglon);
        let (whole, parts): (Vec<&LinePart>, Vec<&LinePart>) = handed.lines.iter().partition(goes);
        self.move_lines(clave, other, &whole).await?;
        self.copy_lines(clave, other, &parts).await?;
        self.set_lines(clave, left).await?;
        let query = sqlx::query(
            "UPDATE ventas SET subtotal = $3, descuento = $4, impuestos = $5, total = $6, saldo = $6, surtido_estatus = $8,
                 monto_surtido = 0, modificado = $7, retenciones = $9
             WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(left.amounts.subtotal.get())
        .bind(left.amounts.descuento.get())
        .bind(left.amounts.impuestos.get())
        .bind(left.amounts.total.get())
        .bind(now.get())
        .bind(Fulfilment::Pendiente.word())
        .bind(left.amounts.retenciones.get());
        self.run(query).await?;
        let query = sqlx::query("UPDATE movimientos_inventario SET venta = $3 WHERE empresa = $1 AND venta = $2");
        self.run(query.bind(self.empresa).bind(clave).bind(other)).await?;
        let query =
            sqlx::query("UPDATE polizas SET venta = $3 WHERE empresa = $1 AND venta = $2 AND movimiento IS NOT NULL");
        self.run(query.bind(self.empresa).bind(clave).bind(other)).await?;
        Ok(other)
    }

    async fn turn_into_order(
        &mut self,
        clave: i64,
        folio: i64,
        almacen: i64,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE ventas SET tipo = $6, serie = NULL, folio = $3, almacen = coalesce(almacen, $4), surtido_estatus = $7,
                 monto_surtido = 0, facturando = NULL, modificado = $5, tipo_creado = coalesce(tipo_creado, tipo)
             WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(folio)
        .bind(almacen)
        .bind(now.get())
        .bind(SaleKind::Pedido.word())
        .bind(Fulfilment::Pendiente.word());
        self.run(query).await
    }

    async fn set_sale_cancelled(&mut self, clave: i64, now: Timestamp) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE ventas SET cancelada = true, fecha_cancelacion = $3, saldo = 0, facturando = NULL, modificado = $3
             WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(now.get());
        self.run(query).await
    }

    async fn set_sale_invoice(&mut self, clave: i64, factura: i64) -> Result<(), StoreError> {
        let query = sqlx::query("UPDATE ventas SET factura = $3 WHERE empresa = $1 AND clave = $2")
            .bind(self.empresa)
            .bind(clave)
            .bind(factura);
        self.run(query).await
    }
}

fn order_line(row: &PgRow) -> Result<OrderLine, sqlx::Error> {
    let (cantidad, cantidad_surtida) = (quantity(row, 1)?, quantity(row, 2)?);
    Ok(OrderLine { renglon: row.try_get(0)?, cantidad, cantidad_surtida, total: money(row, 3)? })
}

/// The counter of the folios of documents of a type and series.
pub(crate) fn folio_series(tipo: &str, serie: &str) -> String {
    format!("folio:{tipo}:{serie}")
}

fn priced_line(row: &PgRow) -> Result<PricedLine, sqlx::Error> {
    let rate: Option<&str> = row.try_get(5)?;
    Ok(PricedLine {
        renglon: row.try_get(0)?,
        cantidad: quantity(row, 1)?,
        cantidad_surtida: quantity(row, 2)?,
        precio_unitario: money(row, 3)?,
        descuento: money(row, 4)?,
        iva_tasa: rate.and_then(VatRate::parse),
        otros: OtherRates::of_columns([row.try_get(6)?, row.try_get(7)?, row.try_get(8)?, row.try_get(9)?]),
    })
}

/// The columns of lines that are parts of others: number; quantity, subtotal, discount, IVA, total, IEPS, what is withheld and of it
/// the ISR.
type Parts = (Vec<i64>, [Vec<Decimal>; 8]);

fn parts<'l>(lines: impl IntoIterator<Item = &'l LinePart>) -> Parts {
    let mut parts = Parts::default();
    for LinePart { renglon, cantidad, amounts } in lines {
        parts.0.push(*renglon);
        let Amounts { subtotal, descuento, ieps, retenciones, isr_retenido, total, .. } = *amounts;
        let amounts = [subtotal, descuento, amounts.iva(), total, ieps, retenciones, isr_retenido].map(Money::get);
        let values = std::iter::once(cantidad.get()).chain(amounts);
        parts.1.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
    }
    parts
}

impl PostgresTx {
    /// Lines that go to another document as they are.
    async fn move_lines(&mut self, from: i64, to: i64, lines: &[&LinePart]) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE ventas_renglones SET venta = $3, cantidad_surtida = cantidad
             WHERE empresa = $1 AND venta = $2 AND renglon = ANY ($4)",
        )
        .bind(self.empresa)
        .bind(from)
        .bind(to)
        .bind(lines.iter().map(|line| line.renglon).collect::<Vec<_>>());
        self.run(query).await
    }

    /// Parts of lines as lines of another document, where all of them is handed over.
    async fn copy_lines(&mut self, from: i64, to: i64, lines: &[&LinePart]) -> Result<(), StoreError> {
        let first = self.next("ventas_renglones", lines.len()).await?;
        let (numbers, [quantities, subtotals, discounts, iva, totals, ieps, withheld, isr]) =
            parts(lines.iter().copied());
        let query = sqlx::query(
            "INSERT INTO ventas_renglones (empresa, clave, venta, renglon, producto, sku, descripcion, cantidad, cantidad_surtida,
                 unidad, unidad_sat, codigo_sat, objeto_impuesto, precio_unitario, descuento, subtotal, iva_tasa, iva, total,
                 con_existencia, ieps, retenciones, isr_retenido, ieps_tasa, ieps_cuota, retencion_isr, retencion_iva)
             SELECT r.empresa, $4 + l.n - 1, $3, r.renglon, r.producto, r.sku, r.descripcion, l.cantidad, l.cantidad,
                    r.unidad, r.unidad_sat, r.codigo_sat, r.objeto_impuesto, r.precio_unitario, l.descuento, l.subtotal, r.iva_tasa,
                    l.iva, l.total, r.con_existencia, l.ieps, l.retenciones, l.isr_retenido, r.ieps_tasa, r.ieps_cuota,
                    r.retencion_isr, r.retencion_iva
             FROM unnest($5::bigint[], $6::numeric[], $7::numeric[], $8::numeric[], $9::numeric[], $10::numeric[], $11::numeric[],
                         $12::numeric[], $13::numeric[])
                  WITH ORDINALITY AS l (renglon, cantidad, subtotal, descuento, iva, total, ieps, retenciones, isr_retenido, n)
             JOIN ventas_renglones r ON r.renglon = l.renglon
             WHERE r.empresa = $1 AND r.venta = $2",
        )
        .bind(self.empresa)
        .bind(from)
        .bind(to)
        .bind(first)
        .bind(numbers)
        .bind(quantities)
        .bind(subtotals)
        .bind(discounts)
        .bind(iva)
        .bind(totals)
        .bind(ieps)
        .bind(withheld)
        .bind(isr);
        self.run(query).await
    }

    /// What is left of an order's lines, of which nothing is handed over.
    async fn set_lines(&mut self, venta: i64, left: &OrderPart) -> Result<(), StoreError> {
        let (numbers, [quantities, subtotals, discounts, iva, totals, ieps, withheld, isr]) = parts(&left.lines);
        let query = sqlx::query(
            "UPDATE ventas_renglones r SET cantidad = l.cantidad, cantidad_surtida = 0, subtotal = l.subtotal, descuento = l.descuento,
                 iva = l.iva, total = l.total, ieps = l.ieps, retenciones = l.retenciones, isr_retenido = l.isr_retenido
             FROM unnest($3::bigint[], $4::numeric[], $5::numeric[], $6::numeric[], $7::numeric[], $8::numeric[], $9::numeric[],
                         $10::numeric[], $11::numeric[])
                  AS l (renglon, cantidad, subtotal, descuento, iva, total, ieps, retenciones, isr_retenido)
             WHERE r.empresa = $1 AND r.venta = $2 AND r.renglon = l.renglon",
        )
        .bind(self.empresa)
        .bind(venta)
        .bind(numbers)
        .bind(quantities)
        .bind(subtotals)
        .bind(discounts)
        .bind(iva)
        .bind(totals)
        .bind(ieps)
        .bind(withheld)
        .bind(isr);
        self.run(query).await
    }
}
