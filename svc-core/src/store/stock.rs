//! Branches, warehouses, stock and its ledger.

use async_trait::async_trait;
use rust_decimal::Decimal;

use super::StoreError;
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::stock::{Holding, cost_of};
use crate::domain::time::Timestamp;
use crate::domain::words::MovementKind;

/// An active warehouse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveWarehouse {
    /// Its clave.
    pub clave: i64,
    /// Its code, 3 characters.
    pub codigo: String,
    /// Its branch.
    pub sucursal: i64,
}

/// A stock movement to be stored.
#[derive(Debug)]
pub struct NewMovement<'a> {
    /// The kind of movement.
    pub tipo: MovementKind,
    /// The product.
    pub producto: i64,
    /// Its SKU.
    pub sku: Option<&'a str>,
    /// Quantity.
    pub cantidad: Quantity,
    /// The stock before.
    pub existencia_anterior: Quantity,
    /// The stock after.
    pub existencia_actual: Quantity,
    /// Unit cost, in pesos.
    pub costo_unitario: Money,
    /// Total cost, in pesos; `None` where it exceeds the largest amount.
    pub importe: Option<Money>,
}

impl NewMovement<'_> {
    /// What the stock is worth more after it, in pesos; `None` where that exceeds the largest amount.
    pub(crate) fn worth(&self) -> Option<Decimal> {
        let more = self.existencia_actual.get() - self.existencia_anterior.get();
        let cost = cost_of(Quantity::new(more.abs()), self.costo_unitario)?.get();
        Some(if more.is_sign_negative() { -cost } else { cost })
    }
}

/// A stock movement by which goods of a sale left a warehouse.
#[derive(Debug, Clone)]
pub struct GoodsGone {
    /// The warehouse, whether it is active or not.
    pub almacen: ActiveWarehouse,
    /// The product.
    pub producto: i64,
    /// Its SKU.
    pub sku: Option<String>,
    /// Quantity.
    pub cantidad: Quantity,
    /// Unit cost at that time, in pesos.
    pub costo_unitario: Money,
}

/// What stock movements that are written together have in common.
#[derive(Debug, Clone, Copy, Default)]
pub struct MovementContext<'a> {
    /// The other warehouse of a transfer, by its clave.
    pub almacen_destino: Option<i64>,
    /// The sale.
    pub venta: Option<i64>,
    /// The purchase.
    pub compra: Option<i64>,
    /// Free text.
    pub referencia: Option<&'a str>,
}

/// Branches, warehouses, stock and its ledger inside a transaction.
#[async_trait]
pub trait StockTx {
    /// Whether that branch exists and is active.
    async fn is_branch(&mut self, sucursal: i64) -> Result<bool, StoreError>;

    /// The active warehouse with that code.
    async fn warehouse(&mut self, codigo: &str) -> Result<Option<ActiveWarehouse>, StoreError>;

    /// The active warehouse with that clave.
    async fn warehouse_of_clave(&mut self, clave: i64) -> Result<Option<ActiveWarehouse>, StoreError>;

    /// The warehouse with that clave, active or not: cancellations return goods to inactive warehouses too.
    async fn any_warehouse(&mut self, clave: i64) -> Result<Option<ActiveWarehouse>, StoreError>;

    /// A branch's main warehouse, or else its active one with the lowest clave.
    async fn main_warehouse(&mut self, sucursal: i64) -> Result<Option<ActiveWarehouse>, StoreError>;

    /// Makes a warehouse the only main one of its branch.
    async fn unset_other_main_warehouses(&mut self, almacen: i64) -> Result<(), StoreError>;

    /// The stock records of these products in a warehouse, one for each in ascending order of product, locked until the end.
    /// A product without a record gets one with zero stock.
    async fn lock_stock(&mut self, almacen: i64, productos: &[i64]) -> Result<Vec<Holding>, StoreError>;

    /// Updates locked stock records of a warehouse and inserts its movements, with ascending claves; returns the clave of the first
    /// movement, if there is any.
    async fn save_stock(
        &mut self,
        almacen: i64,
        rows: &[Holding],
        movements: &[NewMovement<'_>],
        context: &MovementContext<'_>,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError>;

    /// The movements by which the goods of a sale left, in the order in which they were written.
    async fn goods_gone(&mut self, venta: i64) -> Result<Vec<GoodsGone>, StoreError>;
}
