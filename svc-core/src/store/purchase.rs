//! Purchase orders, accounts payable and suppliers.

use async_trait::async_trait;
use chrono::NaiveDate;

use super::StoreError;
use crate::domain::accounting::OpenedPayable;
use crate::domain::money::Money;
use crate::domain::payable::{PayableTaxes, balance_and_status};
use crate::domain::purchase::{Arrival, OrderedLine};
use crate::domain::quantity::{Balance, Quantity, Rate};
use crate::domain::sale::{Amounts, SaleProduct};
use crate::domain::time::Timestamp;
use crate::domain::words::{PayableKind, PayableStatus, PurchaseStatus};

/// A purchase order to be stored.
#[derive(Debug)]
pub struct NewPurchase<'a> {
    /// Its folio; `None` stores the clave as folio.
    pub folio: Option<&'a str>,
    /// Clave of the supplier.
    pub proveedor: i64,
    /// When it is ordered.
    pub fecha: Timestamp,
    /// The day on which delivery is expected.
    pub fecha_entrega: Option<NaiveDate>,
    /// Clave of the branch that orders.
    pub sucursal: i64,
    /// Clave of the warehouse that receives.
    pub almacen: i64,
    /// Currency of all amounts.
    pub moneda: &'a str,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// The sums of its lines.
    pub amounts: Amounts,
    /// Free text.
    pub comentarios: Option<&'a str>,
    /// Numbered in this order, from 1.
    pub lines: &'a [NewPurchaseLine],
    /// Time of creation, stored as `modificado`.
    pub creada: Timestamp,
}

impl NewPurchase<'_> {
    /// Status of a new order: nothing was received yet.
    pub const ESTATUS: PurchaseStatus = PurchaseStatus::Pendiente;
}

/// A line of a purchase order to be stored.
#[derive(Debug)]
pub struct NewPurchaseLine {
    /// The product as it is at this time.
    pub product: SaleProduct,
    /// As the order prints it.
    pub descripcion: Option<String>,
    /// In the product's unit.
    pub cantidad: Quantity,
    /// Before IVA, in the order's currency.
    pub costo_unitario: Money,
    /// In the order's currency.
    pub amounts: Amounts,
}

/// What receiving a purchase order needs of it.
#[derive(Debug, Clone)]
pub struct PurchaseOrder {
    /// How much of it was received.
    pub estatus: PurchaseStatus,
    /// Clave of the supplier.
    pub proveedor: i64,
    /// Clave of the branch that ordered.
    pub sucursal: i64,
    /// Code of the receiving warehouse; `None` if an imported order names none.
    pub almacen: Option<String>,
    /// Currency of all amounts.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// With IVA and IEPS, without what is withheld, in `moneda`.
    pub total: Money,
    /// The taxes within `total`.
    pub impuestos: PayableTaxes,
    /// The account payable that it names; `None` before it is billed.
    pub cxp: Option<i64>,
}

/// The account payable of a purchase order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderBill {
    /// Clave of the account payable.
    pub cxp: i64,
    /// Whether it was captured here; otherwise it was billed before the books began.
    pub capturada: bool,
}

/// An account payable as it is stored.
#[derive(Debug, Clone)]
pub struct StoredPayable {
    /// Its folio; `None` stores the clave as folio.
    pub folio: Option<String>,
    /// What it comes from.
    pub tipo: PayableKind,
    /// Follows from its balance.
    pub estatus: PayableStatus,
    /// Clave of the supplier; 0: none.
    pub proveedor: i64,
    /// The purchase order, if it comes from one.
    pub compra: Option<i64>,
    /// Folio of the supplier's document.
    pub factura: Option<String>,
    /// Fiscal folio of that document, in lower case.
    pub uuid: Option<String>,
    /// Date of that document.
    pub fecha: NaiveDate,
    /// When it is due.
    pub vencimiento: Option<NaiveDate>,
    /// Currency of all amounts.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// What was owed at first.
    pub total: Balance,
    /// What was paid of it.
    pub pagado: Balance,
    /// What is left to pay.
    pub saldo: Balance,
    /// The taxes within `total`.
    pub impuestos: PayableTaxes,
    /// Clave of the branch that owes it.
    pub sucursal: i64,
    /// How many operations it sums up.
    pub operaciones: i64,
    /// What it is for.
    pub concepto: Option<String>,
    /// What is posted of an imported one against the opening account; `None`: it was captured here.
    pub apertura: Option<OpenedPayable>,
}

/// A payment of an account payable as it is stored.
#[derive(Debug, Clone, Copy)]
pub struct PaidPayable {
    /// Clave of the account payable.
    pub cxp: i64,
    /// The bank account that it left; `None`: paid in cash.
    pub cuenta_bancaria: Option<i64>,
    /// Whether it was cancelled.
    pub cancelado: bool,
}

impl StoredPayable {
    /// The payable with its balance and status computed; `None` if the balance exceeds 18 digits.
    pub(crate) fn with_balance(self) -> Option<Self> {
        let (saldo, estatus) = balance_and_status(self.total, self.pagado)?;
        Some(Self { estatus, saldo, ..self })
    }
}

/// A payment of an account payable to be stored; its amounts are negative if the supplier pays.
#[derive(Debug, Clone, Copy)]
pub struct NewPayablePayment<'a> {
    /// Clave of the account payable.
    pub cxp: i64,
    /// The day of the payment.
    pub fecha: NaiveDate,
    /// In the account payable's currency.
    pub importe: Balance,
    /// The bank account that it leaves, or comes to; `None`: paid in cash.
    pub cuenta_bancaria: Option<i64>,
    /// Reference of the bank movement; a payment with the same data counts as a repetition.
    pub referencia: &'a str,
    /// Pesos for one unit of the currency on that day; `None`: the account payable's.
    pub tipo_cambio: Option<Rate>,
    /// What leaves the bank account, in its currency; `None`: it is the account payable's.
    pub monto: Option<Balance>,
}

/// Purchase orders, accounts payable and suppliers.
#[async_trait]
pub trait PurchaseTx {
    /// Inserts a pending purchase order with its lines under the company's next clave, and returns
    /// it.
    async fn insert_purchase(&mut self, purchase: &NewPurchase<'_>) -> Result<i64, StoreError>;

    /// A purchase order, locked until the end.
    async fn purchase(&mut self, clave: i64) -> Result<Option<PurchaseOrder>, StoreError>;

    /// The account payable of a purchase order that [`Self::purchase`] has locked: the one that it
    /// names (`cxp`), else the first valid imported one that names it.
    async fn bill_of_purchase(&mut self, compra: i64, cxp: Option<i64>) -> Result<Option<OrderBill>, StoreError>;

    /// The lines of a purchase order that [`Self::purchase`] has locked, in their order.
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
    async fn insert_payable(&mut self, row: &StoredPayable, now: Timestamp) -> Result<i64, StoreError>;

    /// An account payable, locked until the end.
    async fn lock_payable(&mut self, cxp: i64) -> Result<Option<StoredPayable>, StoreError>;

    /// Sets what is posted of an account payable against the opening account.
    async fn set_payable_opening(&mut self, cxp: i64, apertura: OpenedPayable) -> Result<(), StoreError>;

    /// Replaces what an edit may change of an account payable: all but its kind and its purchase
    /// order. A fiscal folio of another one is [`super::Conflict::Uuid`].
    async fn update_payable(&mut self, cxp: i64, row: &StoredPayable, now: Timestamp) -> Result<(), StoreError>;

    /// Cancels an account payable, which then owes nothing.
    async fn cancel_payable(&mut self, cxp: i64, now: Timestamp) -> Result<(), StoreError>;

    /// The claves of an account payable's valid payments.
    async fn payments_of_payable(&mut self, cxp: i64) -> Result<Vec<i64>, StoreError>;

    /// A payment of an account payable.
    async fn payable_payment(&mut self, pago: i64) -> Result<Option<PaidPayable>, StoreError>;

    /// Cancels a valid payment: the balances of the account payable and of the bank account rise by
    /// its amount.
    async fn cancel_payable_payment(&mut self, pago: i64, now: Timestamp) -> Result<(), StoreError>;

    /// Whether the account payable has a valid payment of the same day, amount, bank account and
    /// reference.
    async fn is_payable_paid(&mut self, payment: &NewPayablePayment<'_>) -> Result<bool, StoreError>;

    /// Inserts a payment, which lowers the balances of the account payable and of the bank account;
    /// returns its clave.
    async fn pay_payable(&mut self, payment: &NewPayablePayment<'_>, now: Timestamp) -> Result<i64, StoreError>;

    /// Whether the company has that supplier, not deleted.
    async fn is_supplier(&mut self, proveedor: i64) -> Result<bool, StoreError>;
}
