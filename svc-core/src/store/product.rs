//! Products and their prices, branches and warehouses, stock and its ledger.

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::StoreError;
use crate::domain::cost::ProductValue;
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::sale::{ListPrice, SaleProduct};
use crate::domain::stock::IncomingCost;
use crate::domain::stock::{Holding, StockChange, StockMovement};
use crate::domain::time::Timestamp;
use crate::domain::words::MovementKind;
use crate::record::product::ProductData;

/// A warehouse that goods leave or come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveWarehouse {
    /// The company's number for it.
    pub clave: i64,
    /// Three characters, as the API names it.
    pub codigo: String,
    /// Clave of its branch.
    pub sucursal: i64,
}

/// A record that other records show a field of, with its clave, when that field changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renamed {
    /// Products show the name of their brand.
    Brand(i64),
    /// Products show the name of their category.
    Category(i64),
    /// Prices and stock show the SKU of their product.
    Product(i64),
    /// Stock, sales documents and purchase orders show the code of their warehouse; stock shows its
    /// branch too.
    Warehouse(i64),
}

/// A stock movement to be stored.
#[derive(Debug)]
pub struct NewMovement<'a> {
    /// Decides whether the quantity is added or taken.
    pub tipo: MovementKind,
    /// Clave of the product.
    pub producto: i64,
    /// The product's SKU at this time.
    pub sku: Option<&'a str>,
    /// In the product's unit and never negative; `tipo` says whether it is added, taken, or the
    /// new stock.
    pub cantidad: Quantity,
    /// Stock in the warehouse before it; negative if more was sold than there was.
    pub existencia_anterior: Quantity,
    /// Stock in the warehouse after it; negative if more was sold than there was.
    pub existencia_actual: Quantity,
    /// Cost of one unit, in pesos.
    pub costo_unitario: Money,
    /// Total cost, in pesos.
    pub importe: Money,
    /// The change of the value of the product's stock, in pesos.
    pub valor: Decimal,
}

/// A warehouse and a product in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StockPlace {
    /// Clave of the warehouse.
    pub almacen: i64,
    /// Clave of the product.
    pub producto: i64,
}

/// A locked stock record, with what the company holds of its product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedGoods {
    /// Stock and reservations in the one warehouse.
    pub holding: Holding,
    /// Stock and value in all warehouses.
    pub value: ProductValue,
}

/// What an import adds to the stock of a product.
#[derive(Debug, Clone, Copy)]
pub struct OpenedStock {
    /// Clave of the product.
    pub producto: i64,
    /// What is added in all warehouses, in the product's unit.
    pub existencia: Quantity,
    /// What is added to the value of its stock, in pesos.
    pub valor: Decimal,
}

/// A product's stock on a day, and what it was worth.
#[derive(Debug, Clone)]
pub struct StockWorth {
    /// Clave of the product; `None` of the last row, which adds up the products beyond the limit.
    pub producto: Option<i64>,
    /// The product's SKU now.
    pub sku: Option<String>,
    /// The product's description now.
    pub descripcion: Option<String>,
    /// In all warehouses, in the product's unit; zero in the last row.
    pub existencia: Quantity,
    /// What it was worth, in pesos; in the last row what the products beyond the limit were.
    pub valor: Decimal,
    /// Of the last row: the number of products beyond the limit.
    pub otros: i64,
    /// Of the last row: the balance of [`crate::domain::accounting::Account::Inventario`].
    pub saldo: Decimal,
}

/// What is written at once of a warehouse's stock.
#[derive(Debug)]
pub struct StockUpdate<'a> {
    /// The changed stock records.
    pub rows: &'a [Holding],
    /// The changed values of products.
    pub values: &'a [ProductValue],
    /// The movements that make these changes, in the order in which they get their claves.
    pub movements: &'a [NewMovement<'a>],
    /// The day of their accounting entry.
    pub dia: NaiveDate,
}

/// Goods of a sale that left a warehouse or were returned to it.
#[derive(Debug, Clone)]
pub struct GoodsMovement {
    /// It may be inactive by now.
    pub almacen: ActiveWarehouse,
    /// Clave of the product.
    pub producto: i64,
    /// The product's SKU at that time.
    pub sku: Option<String>,
    /// In the product's unit, never negative.
    pub cantidad: Quantity,
    /// What they cost in all, in pesos; `None` if an import did not say.
    pub importe: Option<Money>,
    /// Whether an import wrote it: nothing of it is in the books.
    pub importado: bool,
}

impl GoodsMovement {
    /// The change by which a movement of that kind brings the goods back at the cost they left at,
    /// or takes them out again.
    pub(crate) fn into_change(self, tipo: MovementKind) -> (ActiveWarehouse, StockChange) {
        let costo = self.importe.map_or(IncomingCost::Average, IncomingCost::Whole);
        let movement = Some(StockMovement { tipo, cantidad: self.cantidad, costo });
        let apartado = Quantity::default();
        (self.almacen, StockChange { producto: self.producto, sku: self.sku, movement, apartado })
    }
}

/// What orders have reserved of a product, besides one of them.
#[derive(Debug, Clone, Copy)]
pub struct OthersReserved {
    /// Clave of the product.
    pub producto: i64,
    /// By orders with a smaller clave.
    pub antes: Quantity,
    /// By orders with a greater clave.
    pub despues: Quantity,
}

/// What stock movements that are written together have in common.
#[derive(Debug, Clone, Copy, Default)]
pub struct MovementContext<'a> {
    /// The other warehouse of a transfer, by its clave.
    pub almacen_destino: Option<i64>,
    /// The sale that causes them.
    pub venta: Option<i64>,
    /// The purchase order that causes them.
    pub compra: Option<i64>,
    /// Free text, or the folio of a credit note.
    pub referencia: Option<&'a str>,
    /// The day of the entry that moves their value; the present day at the warehouse if left out.
    pub dia: Option<NaiveDate>,
}

/// Which deleted products are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeletedProducts {
    /// None is found.
    LeftOut,
    /// Those that are named by clave while a warehouse holds or reserves some of them.
    WhileHeld,
}

/// Products, prices, warehouses, stock and its ledger.
#[async_trait]
pub trait ProductTx {
    /// Inserts an active product under the company's next clave, which is also its folio, and
    /// returns it. Fails with [`super::Conflict::Sku`] if another active product has the SKU.
    async fn insert_product(&mut self, data: &ProductData, creado: Timestamp) -> Result<i64, StoreError>;

    /// A product's data, locked until the end.
    async fn product(&mut self, clave: i64) -> Result<Option<ProductData>, StoreError>;

    /// The same if the product is not deleted.
    async fn live_product(&mut self, clave: i64) -> Result<Option<ProductData>, StoreError>;

    /// Updates a product's data. Fails with [`super::Conflict::Sku`] if another active product has
    /// the SKU.
    async fn update_product(&mut self, clave: i64, data: &ProductData, modificado: Timestamp)
    -> Result<(), StoreError>;

    /// Whether an active product has that SKU.
    async fn is_active_sku(&mut self, sku: &str) -> Result<bool, StoreError>;

    /// Sets `modificado` of all records that show what was renamed, in one statement.
    async fn mark_renamed(&mut self, renamed: Renamed, now: Timestamp) -> Result<(), StoreError>;

    /// Marks a product as deleted; `false` if it does not exist or is already deleted.
    async fn delete_product(&mut self, clave: i64, modificado: Timestamp) -> Result<bool, StoreError>;

    /// Whether that unit is active and has a key of the SAT's catalogue.
    async fn is_usable_unit(&mut self, unidad: i64) -> Result<bool, StoreError>;

    /// Whether the company has that category.
    async fn has_category(&mut self, categoria: i64) -> Result<bool, StoreError>;

    /// The products with one of these claves or SKUs, in any order.
    async fn sale_products(
        &mut self,
        claves: &[i64],
        skus: &[&str],
        deleted: DeletedProducts,
    ) -> Result<Vec<SaleProduct>, StoreError>;

    /// The prices of these products on these price lists in a currency, in ascending order of
    /// clave.
    async fn list_prices(
        &mut self,
        productos: &[i64],
        listas: &[i64],
        moneda: &str,
    ) -> Result<Vec<ListPrice>, StoreError>;

    /// Whether that branch exists and is active.
    async fn is_branch(&mut self, sucursal: i64) -> Result<bool, StoreError>;

    /// The postal code of that branch; `None` if it has none of its own.
    async fn branch_postal_code(&mut self, sucursal: i64) -> Result<Option<String>, StoreError>;

    /// The active warehouse with that code.
    async fn warehouse(&mut self, codigo: &str) -> Result<Option<ActiveWarehouse>, StoreError>;

    /// The active warehouse with that clave.
    async fn warehouse_of_clave(&mut self, clave: i64) -> Result<Option<ActiveWarehouse>, StoreError>;

    /// The warehouse with that clave, active or not: cancellations return goods to inactive
    /// warehouses too. `None` if it was deleted.
    async fn any_warehouse(&mut self, clave: i64) -> Result<Option<ActiveWarehouse>, StoreError>;

    /// A branch's main warehouse, else its active one with the lowest clave.
    async fn main_warehouse(&mut self, sucursal: i64) -> Result<Option<ActiveWarehouse>, StoreError>;

    /// Locks a branch until the end; `false` if the company has none with that clave.
    async fn lock_branch(&mut self, sucursal: i64) -> Result<bool, StoreError>;

    /// Makes all warehouses of a branch but `almacen` secondary. The branch stays locked until the
    /// end, so that of several edits at once the last one's warehouse is the main one.
    async fn unset_other_main_warehouses(&mut self, sucursal: i64, almacen: i64) -> Result<(), StoreError>;

    /// Whether the warehouse holds or owes stock of any product. It stays locked until the end, so
    /// that nothing moves its stock meanwhile.
    async fn is_warehouse_stocked(&mut self, almacen: i64) -> Result<bool, StoreError>;

    /// What orders other than `venta` have reserved of these products in a warehouse and not yet
    /// delivered; products without reservations are left out.
    async fn reserved_by_others(
        &mut self,
        almacen: i64,
        productos: &[i64],
        venta: i64,
    ) -> Result<Vec<OthersReserved>, StoreError>;

    /// The stock records of these products in a warehouse, one for each, in ascending order of
    /// product and locked until the end. A product without a record gets one with zero stock.
    async fn lock_stock(&mut self, almacen: i64, productos: &[i64], now: Timestamp)
    -> Result<Vec<Holding>, StoreError>;

    /// The stock records of these places, in ascending order of warehouse and product, with the
    /// values of their products; all of them are locked until the end, values first. What is
    /// missing is inserted with zero stock. `places` has none twice.
    async fn lock_goods(&mut self, places: &[StockPlace], now: Timestamp) -> Result<Vec<LockedGoods>, StoreError>;

    /// Locks the counter of movements, as every change of stock does after its goods.
    async fn lock_movements(&mut self) -> Result<(), StoreError>;

    /// Updates locked stock records of a warehouse and the values of its products, and inserts its
    /// movements, with ascending claves; returns the clave of the first movement, if there is any.
    async fn save_stock(
        &mut self,
        almacen: i64,
        update: &StockUpdate<'_>,
        context: &MovementContext<'_>,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError>;

    /// Updates the locked values of products to what an import has added on `dia`; no product is
    /// named twice.
    async fn open_stock(
        &mut self,
        values: &[ProductValue],
        opened: &[OpenedStock],
        dia: NaiveDate,
    ) -> Result<(), StoreError>;

    /// The stock at the end of a day of the `limite` products whose stock was worth most, and a
    /// last row with the rest.
    async fn stock_worth(&mut self, al: NaiveDate, limite: i64) -> Result<Vec<StockWorth>, StoreError>;

    /// The movements by which the goods of a sale left since it was last undone, in the order in
    /// which they were written.
    async fn goods_sold(&mut self, venta: i64) -> Result<Vec<GoodsMovement>, StoreError>;
}
