//! Branches, warehouses, stock and its ledger.

use async_trait::async_trait;

use super::StoreError;
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::stock::Holding;
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

/// A line of the ledger to be written.
#[derive(Debug)]
pub struct NewMovement<'a> {
    /// Why goods came or went.
    pub tipo: MovementKind,
    /// The product.
    pub producto: i64,
    /// Its SKU.
    pub sku: Option<&'a str>,
    /// How many.
    pub cantidad: Quantity,
    /// The stock before.
    pub existencia_anterior: Quantity,
    /// The stock after.
    pub existencia_actual: Quantity,
    /// What one costs, in pesos.
    pub costo_unitario: Money,
    /// What all of them cost; none where it is beyond any amount.
    pub importe: Option<Money>,
}

/// Goods that a sale took out of a warehouse.
#[derive(Debug, Clone)]
pub struct GoodsGone {
    /// The warehouse, whether it is active or not.
    pub almacen: ActiveWarehouse,
    /// The product.
    pub producto: i64,
    /// Its SKU.
    pub sku: Option<String>,
    /// How many.
    pub cantidad: Quantity,
    /// What one had cost, in pesos.
    pub costo_unitario: Money,
}

/// What the lines of the ledger that are written together have in common.
#[derive(Debug, Clone, Copy, Default)]
pub struct MovementContext<'a> {
    /// The other warehouse of a transfer, by its clave.
    pub almacen_destino: Option<i64>,
    /// The sale.
    pub venta: Option<i64>,
    /// The purchase.
    pub compra: Option<i64>,
    /// What there is to say of them.
    pub referencia: Option<&'a str>,
}

/// Branches, warehouses, stock and its ledger inside a transaction.
#[async_trait]
pub trait StockTx {
    /// Whether that branch is active.
    async fn is_branch(&mut self, sucursal: i64) -> Result<bool, StoreError>;

    /// The active warehouse of that code.
    async fn warehouse(&mut self, codigo: &str) -> Result<Option<ActiveWarehouse>, StoreError>;

    /// The active warehouse of that clave.
    async fn warehouse_of_clave(&mut self, clave: i64) -> Result<Option<ActiveWarehouse>, StoreError>;

    /// The warehouse of that clave, whether it is active or not: what it holds can always be put right.
    async fn any_warehouse(&mut self, clave: i64) -> Result<Option<ActiveWarehouse>, StoreError>;

    /// A branch's main warehouse, or else the first of its active ones.
    async fn main_warehouse(&mut self, sucursal: i64) -> Result<Option<ActiveWarehouse>, StoreError>;

    /// What a warehouse holds of these products, one each in the order of their claves, locked until the end.
    /// A product that it never held gets an empty record.
    async fn lock_stock(&mut self, almacen: i64, productos: &[i64]) -> Result<Vec<Holding>, StoreError>;

    /// Writes what was changed of locked records.
    async fn save_stock(&mut self, rows: &[Holding], modificado: Timestamp) -> Result<(), StoreError>;

    /// Writes lines of the ledger of a warehouse, in their order; gives the clave of the first.
    async fn insert_movements(
        &mut self,
        almacen: i64,
        rows: &[NewMovement<'_>],
        context: &MovementContext<'_>,
        fecha: Timestamp,
    ) -> Result<i64, StoreError>;

    /// What the ledger says that a sale took, in the order in which it went.
    async fn goods_gone(&mut self, venta: i64) -> Result<Vec<GoodsGone>, StoreError>;
}
