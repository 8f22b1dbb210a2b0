//! Branches, warehouses, stock and its ledger.

use serde::Deserialize;

use super::{Record, require, require_clave};
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::sat;
use crate::domain::stock::cost_of;
use crate::domain::time::Timestamp;
use crate::domain::words::{Direction, MovementKind, Status, WarehouseStatus};
use crate::json::{Digits, Fault, Text};
use crate::store::{StoreError, Tx};

/// A branch; head office, which every company has, is branch 0.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct BranchRecord {
    pub clave: Option<i64>,
    pub nombre: Option<Text<100>>,
    pub cp: Option<Digits<5>>,
    pub estatus: Option<Status>,
}

/// A warehouse; without `sucursal` it is head office's.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct WarehouseRecord {
    pub clave: Option<i64>,
    pub codigo: Text<3>,
    pub nombre: Option<Text<100>>,
    pub sucursal: Option<i64>,
    pub principal: Option<bool>,
    pub estatus: Option<WarehouseStatus>,
}

/// What a warehouse holds of a product.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct StockRecord {
    pub clave: Option<i64>,
    /// By clave or, when it has none, by `sku`.
    pub producto: Option<i64>,
    pub sku: Option<Text<100>>,
    /// By code.
    pub almacen: Text<3>,
    /// Taken, not stored: it follows from the warehouse.
    pub sucursal: Option<i64>,
    pub existencia: Option<Quantity>,
    pub apartado: Option<Quantity>,
    pub minimo: Option<Quantity>,
    /// Taken, not stored: it follows from the other quantities.
    pub disponible: Option<Quantity>,
    pub modificado: Option<Timestamp>,
}

/// A movement of stock. What it refers to need not be in the company: the ledger outlives it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct MovementRecord {
    pub clave: Option<i64>,
    pub fecha: Option<Timestamp>,
    /// Any word.
    pub tipo: Text<50>,
    /// Taken, not stored: it follows from `tipo`.
    pub sentido: Option<Direction>,
    /// By clave or, when it has none, by `sku`, which need not be a product's.
    pub producto: Option<i64>,
    pub sku: Option<Text<100>>,
    pub cantidad: Quantity,
    pub existencia_anterior: Option<Quantity>,
    pub existencia_actual: Option<Quantity>,
    pub almacen: Text<100>,
    pub almacen_destino: Option<Text<100>>,
    pub venta: Option<i64>,
    pub compra: Option<i64>,
    pub costo_unitario: Option<Money>,
    pub importe: Option<Money>,
    pub referencia: Option<Text<100>>,
}

impl MovementRecord {
    /// The stock before: zero when it is not said.
    pub fn before(&self) -> Quantity {
        self.existencia_anterior.unwrap_or_default()
    }

    /// The stock afterwards: when it is not said, what the kind of movement makes of the stock before.
    pub fn after(&self) -> Quantity {
        let moved = |kind: MovementKind| kind.stock_after(self.before(), self.cantidad);
        self.existencia_actual.unwrap_or_else(|| MovementKind::parse(&self.tipo).map_or_else(|| self.before(), moved))
    }

    /// The cost of all of it: when it is not said, what so many units cost.
    pub fn amount(&self) -> Option<Money> {
        self.importe.or_else(|| cost_of(self.cantidad, self.costo_unitario?))
    }
}

impl Record for BranchRecord {
    fn check(&self) -> Result<(), Fault> {
        require(self.clave.is_none_or(|clave| clave >= 0), "clave", "no puede ser negativa")?;
        require(self.cp.as_ref().is_none_or(|cp| sat::postal_code(cp).is_some()), "cp", "no está en el catálogo")
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], _: Timestamp) -> Result<(), StoreError> {
        tx.import_branches(rows).await
    }
}

impl Record for WarehouseRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require_code(&self.codigo, "codigo")
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], _: Timestamp) -> Result<(), StoreError> {
        tx.import_warehouses(rows).await
    }
}

impl Record for StockRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.producto.is_some() || self.sku.is_some(), "producto", "hace falta producto o sku")?;
        require_code(&self.almacen, "almacen")
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], now: Timestamp) -> Result<(), StoreError> {
        tx.import_stock(rows, now).await
    }
}

impl Record for MovementRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.cantidad >= Quantity::default(), "cantidad", "no puede ser negativa")?;
        require(self.amount().is_some() || self.costo_unitario.is_none(), "importe", "es demasiado grande")
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], now: Timestamp) -> Result<(), StoreError> {
        tx.import_movements(rows, now).await
    }
}

/// A warehouse's code has three characters.
fn require_code(code: &str, field: &'static str) -> Result<(), Fault> {
    require(code.chars().count() == 3, field, "debe tener 3 caracteres")
}
