//! Purchase orders and their lines.

use async_trait::async_trait;
use chrono::NaiveDate;

use super::StoreError;
use crate::domain::money::Money;
use crate::domain::purchase::{Arrival, OrderedLine};
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::sale::{Amounts, SaleProduct};
use crate::domain::time::Timestamp;
use crate::domain::words::PurchaseStatus;

/// A purchase order to be stored.
#[derive(Debug)]
pub struct NewPurchase<'a> {
    /// Folio; its clave when it has none of its own.
    pub folio: Option<&'a str>,
    /// The supplier.
    pub proveedor: i64,
    /// When it is ordered.
    pub fecha: Timestamp,
    /// Expected delivery day.
    pub fecha_entrega: Option<NaiveDate>,
    /// Branch.
    pub sucursal: i64,
    /// Receiving warehouse.
    pub almacen: i64,
    /// Currency.
    pub moneda: &'a str,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// Its amounts.
    pub amounts: Amounts,
    /// Comments.
    pub comentarios: Option<&'a str>,
    /// Its lines, in their order.
    pub lines: &'a [NewPurchaseLine],
    /// Now.
    pub creada: Timestamp,
}

impl NewPurchase<'_> {
    /// Its status: nothing has come yet.
    pub const ESTATUS: PurchaseStatus = PurchaseStatus::Pendiente;
}

/// A line of a purchase order to be stored.
#[derive(Debug)]
pub struct NewPurchaseLine {
    /// The product.
    pub product: SaleProduct,
    /// Description.
    pub descripcion: Option<String>,
    /// Quantity.
    pub cantidad: Quantity,
    /// Unit cost, before IVA.
    pub costo_unitario: Money,
    /// Its amounts.
    pub amounts: Amounts,
}

/// What receiving a purchase order needs of it.
#[derive(Debug, Clone)]
pub struct PurchaseOrder {
    /// Status.
    pub estatus: PurchaseStatus,
    /// The supplier.
    pub proveedor: i64,
    /// Branch.
    pub sucursal: i64,
    /// Code of the receiving warehouse.
    pub almacen: Option<String>,
    /// Currency.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// Its total.
    pub total: Money,
    /// The IVA in that.
    pub impuestos: Money,
    /// Its account payable.
    pub cxp: Option<i64>,
}

/// Purchase orders and their lines inside a transaction.
#[async_trait]
pub trait PurchaseTx {
    /// Inserts a pending purchase order with its lines under the company's next clave, and returns
    /// it.
    async fn insert_purchase(&mut self, purchase: &NewPurchase<'_>) -> Result<i64, StoreError>;

    /// A purchase order, locked until the end.
    async fn purchase(&mut self, clave: i64) -> Result<Option<PurchaseOrder>, StoreError>;

    /// The lines of a purchase order, in their order. [`Self::purchase`] must have locked it.
    async fn ordered_lines(&mut self, compra: i64) -> Result<Vec<OrderedLine>, StoreError>;

    /// Updates the quantity received of each line.
    async fn receive_lines(&mut self, arrivals: &[Arrival]) -> Result<(), StoreError>;

    /// Updates the status and the account payable of a purchase order.
    async fn update_purchase(
        &mut self,
        clave: i64,
        estatus: PurchaseStatus,
        cxp: Option<i64>,
        modificado: Timestamp,
    ) -> Result<(), StoreError>;
}
