//! Sales documents and their lines.

mod division;
mod insert;

use async_trait::async_trait;
use svc_core::domain::cfdi::Line;
use svc_core::domain::money::Money;
use svc_core::domain::order::{FulfilmentLine, OrderPart, PricedLine};
use svc_core::domain::tax::{Amounts, LineRates};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{Fulfilment, SaleKind};
use svc_core::store::{NewSale, Numbered, SaleTx, StoreError};

use crate::part::columns_in;
use crate::row::{FromRow, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(FulfilmentLine { renglon, cantidad, cantidad_surtida, total });
from_row!(PricedLine { renglon, cantidad, cantidad_surtida, precio_unitario, descuento, rates: .. });
from_row!(Line {
    renglon,
    sku,
    descripcion,
    cantidad,
    unidad,
    unidad_sat,
    codigo_sat,
    objeto_impuesto,
    precio_unitario,
    rates: ..,
    amounts: ..,
});

#[async_trait]
impl SaleTx for PostgresTx {
    async fn next_folio(&mut self, tipo: &'static str, serie: &str) -> Result<i64, StoreError> {
        self.next(&folio_series(tipo, serie), 1).await
    }

    async fn insert_sale(&mut self, sale: &NewSale<'_>) -> Result<Numbered, StoreError> {
        self.write_sale(sale).await
    }

    async fn order_lines(&mut self, clave: i64) -> Result<Vec<FulfilmentLine>, StoreError> {
        self.many(sql!(
            "SELECT renglon, cantidad, cantidad_surtida, total
             FROM ventas_renglones
             WHERE empresa = :empresa AND venta = :clave
             ORDER BY renglon",
            empresa: self.empresa,
            clave,
        ))
        .await
    }

    async fn set_fulfilment(
        &mut self,
        clave: i64,
        lines: &[FulfilmentLine],
        fulfilment: Fulfilment,
        monto_surtido: Money,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE ventas_renglones r
             SET cantidad_surtida = l.cantidad_surtida
             FROM unnest(:renglon::bigint[], :cantidad_surtida::numeric[]) AS l (renglon, cantidad_surtida)
             WHERE r.empresa = :empresa AND r.venta = :clave AND r.renglon = l.renglon",
            empresa: self.empresa,
            clave;
            for line in lines { renglon, cantidad_surtida }
        ))
        .await?;
        self.run(sql!(
            "UPDATE ventas
             SET surtido_estatus = :surtido_estatus, monto_surtido = :monto_surtido, modificado = :ahora
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            surtido_estatus: fulfilment,
            monto_surtido,
            ahora: now,
        ))
        .await
    }

    async fn priced_lines(&mut self, clave: i64) -> Result<Vec<PricedLine>, StoreError> {
        self.many(sql!(
            columns_in!(
                "SELECT renglon, cantidad, cantidad_surtida, precio_unitario, descuento, {LineRates}
                 FROM ventas_renglones
                 WHERE empresa = :empresa AND venta = :clave
                 ORDER BY renglon",
                LineRates
            ),
            empresa: self.empresa,
            clave,
        ))
        .await
    }

    async fn divide_order(
        &mut self,
        clave: i64,
        handed: &OrderPart,
        left: &OrderPart,
        now: Timestamp,
    ) -> Result<i64, StoreError> {
        self.write_division(clave, handed, left, now).await
    }

    async fn turn_into_order(
        &mut self,
        clave: i64,
        folio: i64,
        almacen: i64,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE ventas
             SET tipo = :pedido, serie = NULL, folio = :folio, almacen = coalesce(almacen, :almacen),
                 surtido_estatus = :pendiente, monto_surtido = 0, facturando = NULL, modificado = :ahora,
                 tipo_creado = coalesce(tipo_creado, tipo)
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            folio,
            almacen,
            pedido: SaleKind::Pedido,
            pendiente: Fulfilment::Pendiente,
            ahora: now,
        ))
        .await
    }

    async fn set_sale_cancelled(&mut self, clave: i64, now: Timestamp) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE ventas
             SET cancelada = true, fecha_cancelacion = :ahora, saldo = 0, facturando = NULL, modificado = :ahora
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            ahora: now,
        ))
        .await
    }

    async fn set_sale_invoice(&mut self, clave: i64, factura: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE ventas SET factura = :factura WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            factura,
        ))
        .await
    }
}

/// A line with the clave of its document.
struct LineOf(i64, Line);

impl FromRow for LineOf {
    fn from_row(row: &sqlx::postgres::PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self(row.read("venta")?, FromRow::from_row(row)?))
    }
}

impl PostgresTx {
    /// The lines of these documents as their tax documents need them, with the clave of the
    /// document.
    pub(crate) async fn read_lines(&mut self, ventas: &[i64]) -> Result<Vec<(i64, Line)>, StoreError> {
        let lines = self.many(sql!(
            columns_in!(
                "SELECT venta, renglon, sku, descripcion, cantidad, unidad, unidad_sat, codigo_sat, objeto_impuesto,
                        precio_unitario, {LineRates}, {Amounts}
                 FROM ventas_renglones
                 WHERE empresa = :empresa AND venta = ANY (:ventas)
                 ORDER BY venta, renglon",
                LineRates,
                Amounts
            ),
            empresa: self.empresa,
            ventas,
        ));
        Ok(lines.await?.into_iter().map(|LineOf(venta, line)| (venta, line)).collect())
    }
}

/// The counter of the folios of documents of a type and series.
pub(crate) fn folio_series(tipo: &str, serie: &str) -> String {
    format!("folio:{tipo}:{serie}")
}
