//! Purchase orders, accounts payable and suppliers.

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::StoreError;
use crate::domain::money::Money;
use crate::domain::purchase::{Arrival, OrderedLine};
use crate::domain::quantity::{Balance, Quantity, Rate};
use crate::domain::sale::{Amounts, SaleProduct};
use crate::domain::time::Timestamp;
use crate::domain::words::{PayableKind, PayableStatus, PurchaseStatus};

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

/// An account payable to be stored.
#[derive(Debug)]
pub struct NewPayable<'a> {
    /// Folio; its clave when it has none of its own.
    pub folio: Option<&'a str>,
    /// Its origin.
    pub tipo: PayableKind,
    /// Status.
    pub estatus: PayableStatus,
    /// The supplier; 0 is none.
    pub proveedor: i64,
    /// The purchase order.
    pub compra: Option<i64>,
    /// The supplier's document.
    pub factura: Option<&'a str>,
    /// Fiscal folio of that document, in lower case.
    pub uuid: Option<&'a str>,
    /// Date of that document.
    pub fecha: NaiveDate,
    /// When it is due.
    pub vencimiento: Option<NaiveDate>,
    /// Currency.
    pub moneda: &'a str,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// The total.
    pub total: Balance,
    /// Amount paid.
    pub pagado: Balance,
    /// Balance.
    pub saldo: Balance,
    /// Branch.
    pub sucursal: i64,
    /// How many operations it groups.
    pub operaciones: i64,
    /// What it is for.
    pub concepto: Option<&'a str>,
    /// Now.
    pub creada: Timestamp,
}

/// What paying an account payable needs of it.
#[derive(Debug, Clone)]
pub struct OpenPayable {
    /// Its status.
    pub estatus: PayableStatus,
    /// Currency.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// What is left to pay.
    pub saldo: Decimal,
}

/// A payment of an account payable to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewPayablePayment<'a> {
    /// The account payable.
    pub cxp: i64,
    /// The day.
    pub fecha: NaiveDate,
    /// The amount, in its currency.
    pub importe: Money,
    /// The bank account it leaves; none: paid in cash.
    pub cuenta_bancaria: Option<i64>,
    /// Reference.
    pub referencia: &'a str,
    /// Pesos for one unit of the currency on that day; the payable's own if it is not known.
    pub tipo_cambio: Option<Rate>,
}

/// Purchase orders, accounts payable and suppliers.
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

    /// Inserts an account payable under the company's next clave, and returns it.
    async fn insert_payable(&mut self, row: &NewPayable<'_>) -> Result<i64, StoreError>;

    /// An account payable, locked until the end.
    async fn lock_payable(&mut self, cxp: i64) -> Result<Option<OpenPayable>, StoreError>;

    /// Whether the same payment was made already: of the account payable, of that day, amount, bank
    /// account and reference.
    async fn is_payable_paid(&mut self, payment: &NewPayablePayment<'_>) -> Result<bool, StoreError>;

    /// Inserts a payment, which lowers the balances of the account payable and of the bank account;
    /// returns its clave.
    async fn pay_payable(&mut self, payment: &NewPayablePayment<'_>, now: Timestamp) -> Result<i64, StoreError>;

    /// Whether the company has that supplier, not deleted.
    async fn is_supplier(&mut self, proveedor: i64) -> Result<bool, StoreError>;
}
