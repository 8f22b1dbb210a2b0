use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use rust_decimal::Decimal;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::api::ventas::{Sale, SaleFilter, Sales};
use svc_core::api::ventas_renglones::{SaleLine, SaleLineFilter, SaleLines};
use svc_core::backoffice::import::{SaleLineRecord, SaleRecord};
use svc_core::domain::money::Money;
use svc_core::domain::order::OrderLine;
use svc_core::domain::quantity::Rate;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{Fulfilment, PaymentTerm, SaleKind, SaleOrigin};
use svc_core::operation::Query;
use svc_core::store::{ListReader, NewSale, NewSaleLine, SaleTx, StoreError};

use crate::columns::{instant, instant_or_null, money, money_or_null, quantity, rate};
use crate::copy::Copy;
use crate::error::{store_error, value_error};
use crate::page::Page;
use crate::reader::PostgresReader;
use crate::transaction::PostgresTx;

const SALES: &str = "SELECT v.clave, v.tipo, v.serie, v.folio, v.fecha, v.sucursal, a.codigo, v.cliente, v.vendedor, v.moneda, \
                     v.tipo_cambio, v.condicion_pago, v.dias_credito::bigint, v.vencimiento, v.forma_pago_sat, \
                     v.metodo_pago_sat, v.uso_cfdi, v.subtotal, v.descuento, v.impuestos, v.retenciones, v.total, v.saldo, \
                     v.cancelada, v.fecha_cancelacion, v.surtido_estatus, v.monto_surtido, v.factura, v.uuid, v.origen, \
                     v.referencia, v.comentarios, v.modificado \
                     FROM ventas v \
                     LEFT JOIN almacenes a ON a.empresa = v.empresa AND a.clave = v.almacen";

const LINES: &str = "SELECT r.clave, r.venta, r.renglon, r.producto, coalesce(p.sku, r.sku), r.descripcion, r.cantidad, \
                     r.cantidad_surtida, r.unidad, r.unidad_sat, r.codigo_sat, r.objeto_impuesto, r.precio_unitario, \
                     r.descuento, r.subtotal, r.iva_tasa, r.iva, r.total \
                     FROM ventas_renglones r \
                     LEFT JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto";

fn sale(row: &PgRow) -> Result<Sale, sqlx::Error> {
    Ok(Sale {
        clave: row.try_get(0)?,
        tipo: row.try_get(1)?,
        serie: row.try_get(2)?,
        folio: row.try_get(3)?,
        fecha: instant(row, 4)?,
        sucursal: row.try_get(5)?,
        almacen: row.try_get(6)?,
        cliente: row.try_get(7)?,
        vendedor: row.try_get(8)?,
        moneda: row.try_get(9)?,
        tipo_cambio: rate(row, 10)?,
        condicion_pago: row.try_get(11)?,
        dias_credito: row.try_get(12)?,
        vencimiento: row.try_get(13)?,
        forma_pago_sat: row.try_get(14)?,
        metodo_pago_sat: row.try_get(15)?,
        uso_cfdi: row.try_get(16)?,
        subtotal: money(row, 17)?,
        descuento: money(row, 18)?,
        impuestos: money(row, 19)?,
        retenciones: money(row, 20)?,
        total: money(row, 21)?,
        saldo: money(row, 22)?,
        cancelada: row.try_get(23)?,
        fecha_cancelacion: instant_or_null(row, 24)?,
        surtido_estatus: row.try_get(25)?,
        monto_surtido: money_or_null(row, 26)?,
        factura: row.try_get(27)?,
        uuid: row.try_get(28)?,
        origen: row.try_get(29)?,
        referencia: row.try_get(30)?,
        comentarios: row.try_get(31)?,
        modificado: instant_or_null(row, 32)?,
    })
}

fn sale_line(row: &PgRow) -> Result<SaleLine, sqlx::Error> {
    Ok(SaleLine {
        clave: row.try_get(0)?,
        venta: row.try_get(1)?,
        renglon: row.try_get(2)?,
        producto: row.try_get(3)?,
        sku: row.try_get(4)?,
        descripcion: row.try_get(5)?,
        cantidad: quantity(row, 6)?,
        cantidad_surtida: quantity(row, 7)?,
        unidad: row.try_get(8)?,
        unidad_sat: row.try_get(9)?,
        codigo_sat: row.try_get(10)?,
        objeto_impuesto: row.try_get(11)?,
        precio_unitario: money(row, 12)?,
        descuento: money(row, 13)?,
        subtotal: money(row, 14)?,
        iva_tasa: row.try_get(15)?,
        iva: money(row, 16)?,
        total: money(row, 17)?,
    })
}

#[async_trait]
impl ListReader<Sales> for PostgresReader<'_> {
    async fn page(&self, query: &Query<SaleFilter>) -> Result<Vec<Sale>, StoreError> {
        use SaleFilter as F;
        let mut page = Page::new(SALES, "v.", self.empresa);
        for filter in &query.filters {
            match filter {
                F::Clave(clave) => page.compare("v.clave = ", clave),
                F::Tipo(tipo) => page.compare("v.tipo = ", tipo),
                F::Folio(folio) => page.compare("v.folio = ", folio),
                F::Cliente(cliente) => page.compare("v.cliente = ", cliente),
                F::Cancelada(cancelled) => page.compare("v.cancelada = ", cancelled),
                F::FechaDesde(from) => {
                    page.range_leads();
                    page.compare("v.fecha >= ", from);
                }
                F::FechaHasta(until) => page.compare("v.fecha <= ", until),
                F::Sucursal(sucursal) => page.compare("v.sucursal = ", sucursal),
                // The lines of any product with that SKU, and those that bear it themselves.
                F::Sku(sku) => page.with(
                    "v.clave = ANY (ARRAY(WITH q (sku) AS (SELECT ",
                    sku,
                    ") SELECT venta FROM ventas_renglones WHERE empresa = $1 AND producto = ANY (ARRAY( \
                        SELECT clave FROM productos WHERE empresa = $1 AND sku = (SELECT sku FROM q))) \
                     UNION ALL SELECT venta FROM ventas_renglones WHERE empresa = $1 AND sku = (SELECT sku FROM q)))",
                ),
            }
        }
        page.fetch(self, query, sale).await
    }
}

#[async_trait]
impl ListReader<SaleLines> for PostgresReader<'_> {
    async fn page(&self, query: &Query<SaleLineFilter>) -> Result<Vec<SaleLine>, StoreError> {
        use SaleLineFilter as F;
        let mut page = Page::new(LINES, "r.", self.empresa);
        for filter in &query.filters {
            match filter {
                F::Venta(venta) => page.compare("r.venta = ", venta),
                // As in the list of documents, so that one found by a SKU has lines found by it.
                F::Sku(sku) => page.with("", sku, " IN (p.sku, r.sku)"),
            }
        }
        page.fetch(self, query, sale_line).await
    }
}

#[async_trait]
impl SaleTx for PostgresTx {
    async fn next_folio(&mut self, tipo: &'static str, serie: &str) -> Result<i64, StoreError> {
        self.next(&folio_series(tipo, serie), 1).await
    }

    async fn insert_sale(&mut self, sale: &NewSale<'_>) -> Result<i64, StoreError> {
        let clave = self.next("ventas", 1).await?;
        let order = sale.tipo == SaleKind::Pedido;
        let query = sqlx::query(
            "INSERT INTO ventas (empresa, clave, tipo, serie, folio, fecha, sucursal, almacen, cliente, vendedor, moneda, tipo_cambio,
                 condicion_pago, dias_credito, vencimiento, forma_pago_sat, metodo_pago_sat, uso_cfdi, subtotal, descuento,
                 impuestos, total, saldo, surtido_estatus, monto_surtido, origen, referencia, comentarios, modificado)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $22,
                 $23, $24, $25, $26, $27, $6)",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(sale.tipo.word())
        .bind(sale.serie)
        .bind(sale.folio)
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
        .bind(order.then_some(Fulfilment::Pendiente.word()))
        .bind(order.then_some(Decimal::ZERO))
        .bind(sale.origen.word())
        .bind(sale.referencia)
        .bind(sale.comentarios);
        self.run(query).await?;
        // Of an order nothing is handed over yet; of a quote nothing ever is; the others hand over what they say.
        let handed_over = !matches!(sale.tipo, SaleKind::Pedido | SaleKind::Cotizacion);
        self.insert_sale_lines(clave, sale.lines, handed_over).await?;
        Ok(clave)
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

    async fn import_sales(&mut self, rows: &[SaleRecord], now: Timestamp) -> Result<(), StoreError> {
        let warehouses = self.warehouses(rows.iter().filter_map(|row| row.almacen.as_deref())).await?;
        let claves = self.claves("ventas", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            copy.value(self.empresa).value(clave).value(row.tipo.settled().word());
            copy.optional(row.serie.as_deref()).optional(row.folio).value(row.fecha.unwrap_or(now));
            copy.value(row.sucursal.unwrap_or(0));
            copy.optional(row.almacen.as_deref().and_then(|code| warehouses.get(code)));
            copy.optional(row.cliente).optional(row.vendedor).value(row.moneda.as_deref().unwrap_or("MXN"));
            copy.value(row.tipo_cambio.unwrap_or(Rate::ONE)).optional(row.condicion_pago.map(PaymentTerm::word));
            copy.optional(row.dias_credito).optional(row.vencimiento.map(|date| date.0));
            copy.optional(row.forma_pago_sat.as_deref()).optional(row.metodo_pago_sat.as_deref());
            copy.optional(row.uso_cfdi.as_deref());
            for amount in [row.subtotal, row.descuento, row.impuestos, row.retenciones] {
                copy.value(amount.unwrap_or_default());
            }
            copy.value(row.total().map_err(|fault| value_error(&fault))?).value(row.saldo.unwrap_or_default());
            copy.value(row.cancelada.unwrap_or(row.fecha_cancelacion.is_some())).optional(row.fecha_cancelacion);
            let order = matches!(row.tipo, SaleKind::Pedido);
            copy.optional(order.then(|| row.surtido_estatus.unwrap_or(Fulfilment::Pendiente).word()));
            copy.optional(order.then(|| row.monto_surtido.unwrap_or_default()));
            copy.optional(row.factura).optional(row.uuid.as_deref().map(str::to_lowercase));
            copy.value(row.origen.unwrap_or(SaleOrigin::Aplicacion).word());
            copy.optional(row.referencia.as_deref()).optional(row.comentarios.as_deref());
            copy.value(row.desglose.unwrap_or(true)).value(row.modificado.unwrap_or(now)).end();
        }
        copy.send(
            self.connection(),
            "COPY ventas (empresa, clave, tipo, serie, folio, fecha, sucursal, almacen, cliente, vendedor, moneda, tipo_cambio, \
             condicion_pago, dias_credito, vencimiento, forma_pago_sat, metodo_pago_sat, uso_cfdi, subtotal, descuento, impuestos, \
             retenciones, total, saldo, cancelada, fecha_cancelacion, surtido_estatus, monto_surtido, factura, uuid, origen, \
             referencia, comentarios, desglose, modificado) FROM STDIN",
        )
        .await?;
        let folios = rows
            .iter()
            .filter_map(|row| Some((row.tipo.settled().word(), row.serie.as_deref().unwrap_or_default(), row.folio?)));
        self.move_past_folios(folios).await
    }

    async fn import_sale_lines(&mut self, rows: &[SaleLineRecord]) -> Result<(), StoreError> {
        let mut numbers = last_lines(self, rows).await?;
        let skus = rows.iter().filter(|row| row.producto.is_none()).filter_map(|row| row.sku.as_deref());
        let products = self.known_skus(skus).await?;
        let claves = self.claves("ventas_renglones", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            let last = numbers.entry(row.venta).or_default();
            let number = row.renglon.unwrap_or(last.saturating_add(1));
            *last = number.max(*last);
            let amounts = row.amounts().map_err(|fault| value_error(&fault))?;
            copy.value(self.empresa).value(clave).value(row.venta).value(number);
            copy.optional(row.producto.or_else(|| products.get(row.sku.as_deref()?).copied()));
            copy.optional(row.sku.as_deref()).optional(row.descripcion.as_deref()).value(row.cantidad);
            copy.value(row.cantidad_surtida.unwrap_or_default()).optional(row.unidad.as_deref());
            copy.optional(row.unidad_sat.as_deref()).optional(row.codigo_sat.as_deref());
            copy.optional(row.objeto_impuesto.as_deref()).value(row.precio_unitario.unwrap_or_default());
            copy.value(row.descuento.unwrap_or_default()).value(amounts.subtotal).optional(row.iva_tasa);
            copy.value(amounts.iva).value(amounts.total).end();
        }
        copy.send(
            self.connection(),
            "COPY ventas_renglones (empresa, clave, venta, renglon, producto, sku, descripcion, cantidad, cantidad_surtida, unidad, \
             unidad_sat, codigo_sat, objeto_impuesto, precio_unitario, descuento, subtotal, iva_tasa, iva, total) FROM STDIN",
        )
        .await
    }
}

fn order_line(row: &PgRow) -> Result<OrderLine, sqlx::Error> {
    let (cantidad, cantidad_surtida) = (quantity(row, 1)?, quantity(row, 2)?);
    Ok(OrderLine { renglon: row.try_get(0)?, cantidad, cantidad_surtida, total: money(row, 3)? })
}

/// The counter of the folios of documents of a type and series.
fn folio_series(tipo: &str, serie: &str) -> String {
    format!("folio:{tipo}:{serie}")
}

impl PostgresTx {
    async fn insert_sale_lines(
        &mut self,
        venta: i64,
        lines: &[NewSaleLine],
        handed_over: bool,
    ) -> Result<(), StoreError> {
        fn column<'l, T>(lines: &'l [NewSaleLine], value: impl Fn(&'l NewSaleLine) -> T) -> Vec<T> {
            lines.iter().map(value).collect()
        }
        let first = self.next("ventas_renglones", lines.len()).await?;
        let query = sqlx::query(
            "INSERT INTO ventas_renglones (empresa, clave, venta, renglon, producto, sku, descripcion, cantidad, cantidad_surtida,
                 unidad, unidad_sat, codigo_sat, objeto_impuesto, precio_unitario, descuento, subtotal, iva_tasa, iva, total,
                 con_existencia)
             SELECT $1, $2 + n - 1, $3, n, producto, sku, descripcion, cantidad, CASE WHEN $4 THEN cantidad ELSE 0 END,
                    unidad, unidad_sat, codigo_sat, objeto_impuesto, precio, descuento, subtotal, tasa, iva, total, con_existencia
             FROM unnest($5::bigint[], $6::text[], $7::text[], $8::numeric[], $9::text[], $10::text[], $11::text[], $12::text[],
                         $13::numeric[], $14::numeric[], $15::numeric[], $16::text[], $17::numeric[], $18::numeric[], $19::boolean[])
                  WITH ORDINALITY AS r (producto, sku, descripcion, cantidad, unidad, unidad_sat, codigo_sat, objeto_impuesto,
                                        precio, descuento, subtotal, tasa, iva, total, con_existencia, n)",
        )
        .bind(self.empresa)
        .bind(first)
        .bind(venta)
        .bind(handed_over)
        .bind(column(lines, |line| line.product.clave))
        .bind(column(lines, |line| line.product.sku.as_deref()))
        .bind(column(lines, |line| line.descripcion.as_deref()))
        .bind(column(lines, |line| line.cantidad.get()))
        .bind(column(lines, |line| line.product.unidad.as_deref()))
        .bind(column(lines, |line| line.product.unidad_sat.as_deref()))
        .bind(column(lines, |line| line.product.codigo_sat.as_str()))
        .bind(column(lines, |line| line.product.objeto_impuesto.as_str()))
        .bind(column(lines, |line| line.precio_unitario.get()))
        .bind(column(lines, |line| line.amounts.descuento.get()))
        .bind(column(lines, |line| line.amounts.subtotal.get()))
        .bind(column(lines, |line| line.rate.map(|rate| rate.to_string())))
        .bind(column(lines, |line| line.amounts.impuestos.get()))
        .bind(column(lines, |line| line.amounts.total.get()))
        .bind(column(lines, |line| line.product.has_stock()));
        self.run(query).await
    }

    /// Moves the series of folios past those that imported documents bring: type, series, folio.
    pub(crate) async fn move_past_folios<'r>(
        &mut self,
        folios: impl Iterator<Item = (&'static str, &'r str, i64)> + Send,
    ) -> Result<(), StoreError> {
        // Sorted, so that two imports take the counters in the same order.
        let mut last = BTreeMap::new();
        // What no series of documents reaches is a number of another kind, and would leave no next one.
        for (tipo, serie, folio) in folios.filter(|(_, _, folio)| *folio < 1_000_000_000_000) {
            let greatest = last.entry((tipo, serie)).or_insert(folio);
            *greatest = folio.max(*greatest);
        }
        for ((tipo, serie), folio) in last {
            self.move_past(&folio_series(tipo, serie), folio).await?;
        }
        Ok(())
    }
}

/// The greatest line number so far of each document that a line without number is of.
async fn last_lines(tx: &mut PostgresTx, rows: &[SaleLineRecord]) -> Result<HashMap<i64, i64>, StoreError> {
    let sales: Vec<i64> = rows.iter().filter(|row| row.renglon.is_none()).map(|row| row.venta).collect();
    if sales.is_empty() {
        return Ok(HashMap::new());
    }
    let last: Vec<(i64, i64)> = sqlx::query_as(
        "SELECT venta, max(renglon) FROM ventas_renglones WHERE empresa = $1 AND venta = ANY ($2) GROUP BY venta",
    )
    .bind(tx.empresa)
    .bind(sales)
    .fetch_all(tx.connection())
    .await
    .map_err(store_error)?;
    Ok(last.into_iter().collect())
}
