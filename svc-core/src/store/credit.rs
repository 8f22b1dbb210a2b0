//! Credit notes, the credit balances (saldos a favor) that they leave, and advances (anticipos).

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::{GoodsMovement, StoreError};
use crate::domain::cfdi::TipoRelacion;
use crate::domain::credit_note::{CreditLine, Credited};
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::sale::Amounts;
use crate::domain::time::Timestamp;

/// A credit note. Its series, folio and status are in the invoice registry.
#[derive(Debug, Clone)]
pub struct CreditNote {
    /// The sale that it credits.
    pub venta: i64,
    /// Relation to the invoice: 01, 03, or 07 if it applies an advance.
    pub relacion: TipoRelacion,
    /// A key of `c_FormaPago`.
    pub forma_pago_sat: String,
    /// In the sale's currency.
    pub amounts: Amounts,
    /// The payment that lowers the sale's receivable; `None` if it is not lowered.
    pub pago: Option<i64>,
    /// The sale of the advance that it applies; its lines are then that sale's.
    pub anticipo: Option<i64>,
    /// The folio of the ticket that it takes out of a global invoice; then it takes nothing off the
    /// sale.
    pub ticket: Option<String>,
    /// In the order of the sale's lines.
    pub lines: Vec<CreditLine>,
}

/// A line of a credit note that lowered its sale's receivable.
#[derive(Debug, Clone, Copy)]
pub struct AppliedCredit {
    /// The sale that it credits.
    pub venta: i64,
    /// Relation to the invoice: 01 or 03.
    pub relacion: TipoRelacion,
    /// The payment that lowers the receivable.
    pub pago: i64,
    /// By how much it does.
    pub importe: Money,
    /// The note's total, which may be more than the receivable took.
    pub total: Money,
    /// One line of the note; the others come as items of their own.
    pub line: CreditLine,
}

/// A credit balance to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewCreditBalance<'a> {
    /// The customer who may pay with it.
    pub cliente: i64,
    /// Currency of the sale that it comes from.
    pub moneda: &'a str,
    /// The day of the entry that leaves it.
    pub fecha: NaiveDate,
    /// Greater than zero, in `moneda`.
    pub importe: Money,
    /// What account 206.01 has of it; `None` where no entry says it.
    pub pesos: Option<Money>,
    /// The document that leaves it, by its record in the registry: a credit note, or the discarded
    /// invoice of an advance; `None` for goods that came back without a document.
    pub factura: Option<i64>,
    /// The deposit that brought the money of a discarded advance.
    pub deposito: Option<i64>,
}

/// An advance that receivables may apply.
#[derive(Debug, Clone)]
pub struct Advance {
    /// The advance's own sale.
    pub venta: i64,
    /// The advance's invoice in the registry, if that is stamped or waits for its stamp, and has
    /// the one line that an advance's has.
    pub factura: Option<i64>,
    /// The customer who paid it.
    pub cliente: Option<i64>,
    /// Currency of the advance.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// The amounts of its sale.
    pub amounts: Amounts,
    /// What valid payments have applied of it.
    pub aplicado: Money,
    /// What was paid of it and not applied.
    pub restante: Money,
    /// Whether its invoice was rejected.
    pub en_error: bool,
    /// What the entries say is open of it, in pesos and without its taxes; `None` if it has no
    /// entry, because it was imported.
    pub abierto: Option<Decimal>,
}

/// Money given back to a customer, to be stored.
#[derive(Debug)]
pub struct NewRefund<'a> {
    /// The customer who gets it.
    pub cliente: i64,
    /// The sale of the advance; `None`: it was in the customer's favour.
    pub anticipo: Option<i64>,
    /// The bank account's currency.
    pub moneda: &'a str,
    /// Pesos for one unit of the currency on that day.
    pub tipo_cambio: Rate,
    /// Greater than zero, in `moneda`.
    pub importe: Money,
    /// The bank account that it leaves.
    pub cuenta_bancaria: i64,
    /// The day on which it leaves.
    pub fecha: NaiveDate,
    /// Reference of the bank movement, which [`CreditTx::is_refunded`] compares; of a return, a text
    /// that names its sale.
    pub referencia: &'a str,
    /// The credit note of the advance's invoice, or of the goods that came back; it undoes the
    /// refund if it is cancelled.
    pub factura: Option<i64>,
}

/// Credit notes, credit balances and advances.
#[async_trait]
pub trait CreditTx {
    /// Inserts a credit note under its record in the registry.
    async fn insert_credit_note(&mut self, factura: i64, note: &CreditNote) -> Result<(), StoreError>;

    /// The credit note of a record in the registry, with its lines.
    async fn credit_note(&mut self, factura: i64) -> Result<Option<CreditNote>, StoreError>;

    /// What returns, and credit notes that are not cancelled, have credited of each line of a sale,
    /// by the line's number. Notes that apply advances, or take a ticket out of a global invoice,
    /// do not count.
    async fn credited(&mut self, venta: i64) -> Result<Vec<(i64, Credited)>, StoreError>;

    /// The lines of credit notes that lower the receivables of these sales, those of one note
    /// together. Notes that apply advances do not count.
    async fn applied_credits(&mut self, ventas: &[i64]) -> Result<Vec<AppliedCredit>, StoreError>;

    /// Those of these sales that advances with an invoice pay.
    async fn paid_by_invoiced_advances(&mut self, ventas: &[i64]) -> Result<Vec<i64>, StoreError>;

    /// The oldest receivable of a sale with a balance, and the balance. The caller has locked the
    /// sale's receivables.
    async fn owed_of_sale(&mut self, venta: i64) -> Result<Option<(i64, Money)>, StoreError>;

    /// The goods of a sale that left warehouses and that no credit note has returned.
    async fn goods_not_returned(&mut self, venta: i64) -> Result<Vec<GoodsMovement>, StoreError>;

    /// The goods of a sale that the credit note with this folio returned.
    async fn goods_returned(&mut self, venta: i64, folio: &str) -> Result<Vec<GoodsMovement>, StoreError>;

    /// Inserts a credit balance.
    async fn insert_credit_balance(&mut self, balance: NewCreditBalance<'_>, now: Timestamp) -> Result<(), StoreError>;

    /// Cancels the credit balance that a cancelled credit note left, if there is one.
    async fn cancel_credit_balance(&mut self, factura: i64) -> Result<(), StoreError>;

    /// The advances of a customer in a currency with something left, the oldest first.
    async fn open_advances(&mut self, cliente: i64, moneda: &str) -> Result<Vec<i64>, StoreError>;

    /// An advance that is not cancelled, locked until the end.
    async fn lock_advance(&mut self, anticipo: i64) -> Result<Option<Advance>, StoreError>;

    /// Whether there is a valid refund with the same data, whatever its note and rate.
    async fn is_refunded(&mut self, refund: &NewRefund<'_>) -> Result<bool, StoreError>;

    /// Inserts a refund, which lowers the balance of the locked bank account; returns its clave.
    async fn insert_refund(&mut self, refund: &NewRefund<'_>, now: Timestamp) -> Result<i64, StoreError>;

    /// What the refund of a credit note gave back, if it has one.
    async fn refunded_by(&mut self, factura: i64) -> Result<Decimal, StoreError>;

    /// Cancels the refund of a credit note, if it has one: the money is in the bank account again.
    async fn cancel_refund(&mut self, factura: i64) -> Result<(), StoreError>;

    /// Assigns an advance to a sale; `false` if it was assigned before.
    async fn assign_advance(&mut self, venta: i64, anticipo: i64) -> Result<bool, StoreError>;

    /// The advances that are assigned to a sale, in ascending order of clave.
    async fn assigned_advances(&mut self, venta: i64) -> Result<Vec<i64>, StoreError>;

    /// Assigns the advances of a sale to a part that was divided from it, too.
    async fn assign_advances_of(&mut self, venta: i64, parte: i64) -> Result<(), StoreError>;
}
