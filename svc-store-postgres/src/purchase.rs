use async_trait::async_trait;
use rust_decimal::Decimal;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::api::compras::{Purchase, PurchaseFilter, Purchases};
use svc_core::api::compras_renglones::{PurchaseLine, PurchaseLineFilter, PurchaseLines};
use svc_core::backoffice::import::{PurchaseLineRecord, PurchaseRecord};
use svc_core::domain::purchase::{Arrival, OrderedLine};
use svc_core::domain::quantity::Rate;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::PurchaseStatus;
use svc_core::operation::Query;
use svc_core::store::{ListReader, NewPurchase, NewPurchaseLine, PurchaseOrder, PurchaseTx, StoreError};

use crate::columns::{instant, instant_or_null, money, quantity, rate};
use crate::copy::Copy;
use crate::error::store_error;
use crate::page::Page;
use crate::reader::PostgresReader;
use crate::transaction::PostgresTx;

const SELECT: &str = "SELECT c.clave, c.folio, c.estatus, c.proveedor, c.fecha, c.fecha_entrega, c.sucursal, a.codigo, \
                      c.moneda, c.tipo_cambio, c.subtotal, c.descuento, c.impuestos, c.total, c.cxp, c.comentarios, \
                      c.modificado \
                      FROM compras c \
                      LEFT JOIN almacenes a ON a.empresa = c.empresa AND a.clave = c.almacen";

const SELECT_LINES: &str = "SELECT r.clave, r.compra, r.renglon, r.producto, p.sku, r.descripcion, r.cantidad, \
                            r.cantidad_recibida, r.unidad, r.costo_unitario, r.descuento, r.subtotal, r.iva, r.total \
                            FROM compras_renglones r \
                            LEFT JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto";

fn purchase(row: &PgRow) -> Result<Purchase, sqlx::Error> {
    Ok(Purchase {
        clave: row.try_get(0)?,
        folio: row.try_get(1)?,
        estatus: row.try_get(2)?,
        proveedor: row.try_get(3)?,
        fecha: instant(row, 4)?,
        fecha_entrega: row.try_get(5)?,
        sucursal: row.try_get(6)?,
        almacen: row.try_get(7)?,
        moneda: row.try_get(8)?,
        tipo_cambio: rate(row, 9)?,
        subtotal: money(row, 10)?,
        descuento: money(row, 11)?,
        impuestos: money(row, 12)?,
        total: money(row, 13)?,
        cxp: row.try_get(14)?,
        comentarios: row.try_get(15)?,
        modificado: instant_or_null(row, 16)?,
    })
}

fn line(row: &PgRow) -> Result<PurchaseLine, sqlx::Error> {
    Ok(PurchaseLine {
        clave: row.try_get(0)?,
        compra: row.try_get(1)?,
        renglon: row.try_get(2)?,
        producto: row.try_get(3)?,
        sku: row.try_get(4)?,
        descripcion: row.try_get(5)?,
        cantidad: quantity(row, 6)?,
        cantidad_recibida: quantity(row, 7)?,
        unidad: row.try_get(8)?,
        costo_unitario: money(row, 9)?,
        descuento: money(row, 10)?,
        subtotal: money(row, 11)?,
        iva: money(row, 12)?,
        total: money(row, 13)?,
    })
}

fn purchase_order(row: &PgRow) -> Result<PurchaseOrder, sqlx::Error> {
    Ok(PurchaseOrder {
        estatus: PurchaseStatus::of(row.try_get(0)?).unwrap_or(PurchaseStatus::Desconocido),
        proveedor: row.try_get(1)?,
        sucursal: row.try_get(2)?,
        moneda: row.try_get(3)?,
        tipo_cambio: rate(row, 4)?,
        total: money(row, 5)?,
        cxp: row.try_get(6)?,
        almacen: row.try_get(7)?,
    })
}

fn ordered_line(row: &PgRow) -> Result<OrderedLine, sqlx::Error> {
    let producto: Option<i64> = row.try_get(2)?;
    let sku: Option<String> = row.try_get(3)?;
    Ok(OrderedLine {
        clave: row.try_get(0)?,
        renglon: row.try_get(1)?,
        producto: producto.map(|producto| (producto, sku)),
        cantidad: quantity(row, 4)?,
        recibida: quantity(row, 5)?,
        subtotal: money(row, 6)?,
        descuento: money(row, 7)?,
    })
}

impl PostgresTx {
    async fn insert_purchase_lines(&mut self, compra: i64, lines: &[NewPurchaseLine]) -> Result<(), StoreError> {
        let first = self.next("compras_renglones", lines.len()).await?;
        let decimals = |value: fn(&NewPurchaseLine) -> Decimal| lines.iter().map(value).collect::<Vec<_>>();
        let query = sqlx::query(
            "INSERT INTO compras_renglones (empresa, clave, compra, renglon, producto, descripcion, unidad, cantidad,
                 costo_unitario, descuento, subtotal, iva, total)
             SELECT $1, $2 + n - 1, $3, n, producto, descripcion, unidad, cantidad, costo, descuento, subtotal, iva, total
             FROM unnest($4::bigint[], $5::text[], $6::text[], $7::numeric[], $8::numeric[], $9::numeric[], $10::numeric[],
                         $11::numeric[], $12::numeric[])
                  WITH ORDINALITY AS r (producto, descripcion, unidad, cantidad, costo, descuento, subtotal, iva, total, n)",
        )
        .bind(self.empresa)
        .bind(first)
        .bind(compra)
        .bind(lines.iter().map(|line| line.product.clave).collect::<Vec<_>>())
        .bind(lines.iter().map(|line| line.descripcion.as_deref()).collect::<Vec<_>>())
        .bind(lines.iter().map(|line| line.product.unidad.as_deref()).collect::<Vec<_>>())
        .bind(decimals(|line| line.cantidad.get()))
        .bind(decimals(|line| line.costo_unitario.get()))
        .bind(decimals(|line| line.amounts.descuento.get()))
        .bind(decimals(|line| line.amounts.subtotal.get()))
        .bind(decimals(|line| line.amounts.impuestos.get()))
        .bind(decimals(|line| line.amounts.total.get()));
        self.run(query).await
    }
}

#[async_trait]
impl ListReader<Purchases> for PostgresReader<'_> {
    async fn page(&self, query: &Query<PurchaseFilter>) -> Result<Vec<Purchase>, StoreError> {
        use PurchaseFilter as F;
        let mut page = Page::new(SELECT, "c.", self.empresa);
        for filter in &query.filters {
            match filter {
                F::Clave(clave) => page.compare("c.clave = ", clave),
                F::Folio(folio) => page.compare("c.folio = ", folio),
                F::Proveedor(proveedor) => page.compare("c.proveedor = ", proveedor),
                F::Estatus(estatus) => page.compare("c.estatus = ", estatus),
                F::Sucursal(sucursal) => page.compare("c.sucursal = ", sucursal),
                F::FechaDesde(from) => page.compare("c.fecha >= ", from),
                F::FechaHasta(until) => page.compare("c.fecha <= ", until),
            }
        }
        page.fetch(self, query, purchase).await
    }
}

#[async_trait]
impl ListReader<PurchaseLines> for PostgresReader<'_> {
    async fn page(&self, query: &Query<PurchaseLineFilter>) -> Result<Vec<PurchaseLine>, StoreError> {
        let mut page = Page::new(SELECT_LINES, "r.", self.empresa);
        for filter in &query.filters {
            match filter {
                PurchaseLineFilter::Compra(compra) => page.compare("r.compra = ", compra),
            }
        }
        page.fetch(self, query, line).await
    }
}

#[async_trait]
impl PurchaseTx for PostgresTx {
    async fn insert_purchase(&mut self, purchase: &NewPurchase<'_>) -> Result<i64, StoreError> {
        let clave = self.next("compras", 1).await?;
        let query = sqlx::query(
            "INSERT INTO compras (empresa, clave, folio, estatus, proveedor, fecha, fecha_entrega, sucursal, almacen, moneda,
                 tipo_cambio, subtotal, descuento, impuestos, total, comentarios, modificado)
             VALUES ($1, $2::bigint, coalesce($3, $2::bigint::text), $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(purchase.folio)
        .bind(PurchaseStatus::Pendiente.word())
        .bind(purchase.proveedor)
        .bind(purchase.fecha.get())
        .bind(purchase.fecha_entrega)
        .bind(purchase.sucursal)
        .bind(purchase.almacen)
        .bind(purchase.moneda)
        .bind(purchase.tipo_cambio.get())
        .bind(purchase.amounts.subtotal.get())
        .bind(purchase.amounts.descuento.get())
        .bind(purchase.amounts.impuestos.get())
        .bind(purchase.amounts.total.get())
        .bind(purchase.comentarios)
        .bind(purchase.creada.get());
        self.run(query).await?;
        self.insert_purchase_lines(clave, purchase.lines).await?;
        Ok(clave)
    }

    async fn purchase(&mut self, clave: i64) -> Result<Option<PurchaseOrder>, StoreError> {
        let row = sqlx::query(
            "SELECT estatus, proveedor, sucursal, moneda, tipo_cambio, total, cxp,
                 (SELECT codigo FROM almacenes a WHERE a.empresa = c.empresa AND a.clave = c.almacen)
             FROM compras c WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(clave)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.as_ref().map(purchase_order).transpose().map_err(store_error)
    }

    async fn ordered_lines(&mut self, compra: i64) -> Result<Vec<OrderedLine>, StoreError> {
        let rows = sqlx::query(
            "SELECT r.clave, r.renglon, p.clave, p.sku, r.cantidad, r.cantidad_recibida, r.subtotal, r.descuento
             FROM compras_renglones r
             LEFT JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto AND p.tipo = 'normal'
             WHERE r.empresa = $1 AND r.compra = $2 ORDER BY r.renglon",
        )
        .bind(self.empresa)
        .bind(compra)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        rows.iter().map(ordered_line).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn receive_lines(&mut self, arrivals: &[Arrival]) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE compras_renglones r SET cantidad_recibida = a.recibida
             FROM unnest($2::bigint[], $3::numeric[]) AS a (clave, recibida)
             WHERE r.empresa = $1 AND r.clave = a.clave",
        )
        .bind(self.empresa)
        .bind(arrivals.iter().map(|arrival| arrival.line.clave).collect::<Vec<_>>())
        .bind(arrivals.iter().map(|arrival| arrival.received().get()).collect::<Vec<_>>());
        self.run(query).await
    }

    async fn update_purchase(
        &mut self,
        clave: i64,
        estatus: PurchaseStatus,
        cxp: Option<i64>,
        modificado: Timestamp,
    ) -> Result<(), StoreError> {
        let query =
            sqlx::query("UPDATE compras SET estatus = $3, cxp = $4, modificado = $5 WHERE empresa = $1 AND clave = $2")
                .bind(self.empresa)
                .bind(clave)
                .bind(estatus.word())
                .bind(cxp)
                .bind(modificado.get());
        self.run(query).await
    }

    async fn import_purchases(&mut self, rows: &[PurchaseRecord], now: Timestamp) -> Result<(), StoreError> {
        let warehouses = self.warehouses(rows.iter().filter_map(|row| row.almacen.as_deref())).await?;
        let claves = self.claves("compras", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            copy.value(self.empresa).value(clave);
            copy.value(row.folio.as_deref().map_or_else(|| clave.to_string(), str::to_owned));
            copy.value(row.estatus.unwrap_or(PurchaseStatus::Pendiente).word()).value(row.proveedor);
            copy.value(row.fecha.unwrap_or(now)).optional(row.fecha_entrega.map(|date| date.0));
            copy.value(row.sucursal.unwrap_or(0));
            copy.optional(row.almacen.as_deref().and_then(|code| warehouses.get(code)));
            copy.value(row.moneda.as_deref().unwrap_or("MXN")).value(row.tipo_cambio.unwrap_or(Rate::ONE));
            copy.value(row.subtotal.unwrap_or_default()).value(row.descuento.unwrap_or_default());
            copy.value(row.impuestos.unwrap_or_default()).value(row.total.unwrap_or_default());
            copy.optional(row.cxp).optional(row.comentarios.as_deref()).value(row.modificado.unwrap_or(now)).end();
        }
        copy.send(
            self.connection(),
            "COPY compras (empresa, clave, folio, estatus, proveedor, fecha, fecha_entrega, sucursal, almacen, moneda, \
             tipo_cambio, subtotal, descuento, impuestos, total, cxp, comentarios, modificado) FROM STDIN",
        )
        .await
    }

    async fn import_purchase_lines(&mut self, rows: &[PurchaseLineRecord]) -> Result<(), StoreError> {
        let products = self.products_by_sku(rows.iter().map(|row| (row.producto, row.sku.as_deref()))).await?;
        let claves = self.claves("compras_renglones", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for ((row, clave), product) in rows.iter().zip(claves).zip(products) {
            copy.value(self.empresa).value(clave).value(row.compra).value(row.renglon).optional(product);
            copy.optional(row.descripcion.as_deref()).value(row.cantidad);
            copy.value(row.cantidad_recibida.unwrap_or_default()).optional(row.unidad.as_deref());
            copy.value(row.costo_unitario.unwrap_or_default()).value(row.descuento.unwrap_or_default());
            copy.value(row.subtotal()).value(row.iva.unwrap_or_default()).value(row.total()).end();
        }
        copy.send(
            self.connection(),
            "COPY compras_renglones (empresa, clave, compra, renglon, producto, descripcion, cantidad, cantidad_recibida, \
             unidad, costo_unitario, descuento, subtotal, iva, total) FROM STDIN",
        )
        .await
    }
}
