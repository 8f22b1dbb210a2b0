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
    /// When it is to come.
    pub fecha_entrega: Option<NaiveDate>,
    /// Branch.
    pub sucursal: i64,
    /// The warehouse it is to come to.
    pub almacen: i64,
    /// Currency.
    pub moneda: &'a str,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// What it comes to.
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
    /// What the line says of it.
    pub descripcion: Option<String>,
    /// How many.
    pub cantidad: Quantity,
    /// What one costs, before IVA.
    pub costo_unitario: Money,
    /// What it comes to.
    pub amounts: Amounts,
}

/// A purchase order, as far as what follows of it depends on it.
#[derive(Debug, Clone)]
pub struct PurchaseOrder {
    /// How far it has come.
    pub estatus: PurchaseStatus,
    /// The supplier.
    pub proveedor: i64,
    /// Branch.
    pub sucursal: i64,
    /// The code of the warehouse it is to come to.
    pub almacen: Option<String>,
    /// Currency.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// What it comes to.
    pub total: Money,
    /// Its account payable.
    pub cxp: Option<i64>,
}

/// Purchase orders and their lines inside a transaction.
#[async_trait]
pub trait PurchaseTx {
    /// Writes a new pending purchase order with its lines under the company's next clave and gives it.
    async fn insert_purchase(&mut self, purchase: &NewPurchase<'_>) -> Result<i64, StoreError>;

    /// A purchase order, locked against other changes until the end.
    async fn purchase(&mut self, clave: i64) -> Result<Option<PurchaseOrder>, StoreError>;

    /// The lines of a purchase order, in their order. [`Self::purchase`] must have locked it.
    async fn ordered_lines(&mut self, compra: i64) -> Result<Vec<OrderedLine>, StoreError>;

    /// Writes how many of each line have come.
    async fn receive_lines(&mut self, arrivals: &[Arrival]) -> Result<(), StoreError>;

    /// Writes how far a purchase order has come, and its account payable.
    async fn update_purchase(
        &mut self,
        clave: i64,
        estatus: PurchaseStatus,
        cxp: Option<i64>,
        modificado: Timestamp,
    ) -> Result<(), StoreError>;
}
