//! Payments of receivables.

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::StoreError;
use crate::domain::money::Money;
use crate::domain::payment::{Instalment, LockedReceivable};
use crate::domain::quantity::Rate;
use crate::domain::time::Timestamp;
use crate::domain::words::{Complement, PaymentOrigin, ReceivableStatus};

/// A payment to be stored; customer, sale and currency are its receivable's.
#[derive(Debug)]
pub struct NewPayment<'a> {
    /// The receivable.
    pub debt: &'a LockedReceivable,
    /// Instalment number, amount and balances.
    pub instalment: Instalment,
    /// The day of the payment.
    pub fecha: NaiveDate,
    /// Pesos for one unit of the currency on that day.
    pub tipo_cambio: Rate,
    /// Now.
    pub aplicado: Timestamp,
    /// Source of the money.
    pub origen: PaymentOrigin,
    /// Payment form, a key of the SAT's catalogue.
    pub forma_pago_sat: &'a str,
    /// The bank account it came to.
    pub cuenta_bancaria: Option<i64>,
    /// The deposit it came with.
    pub deposito: Option<i64>,
    /// Bank reference.
    pub referencia: Option<&'a str>,
    /// Its payment complement in the invoice registry, if it needs one.
    pub factura: Option<i64>,
}

impl NewPayment<'_> {
    /// The status of its complement.
    pub fn complemento(&self) -> Complement {
        if self.factura.is_some() { Complement::Encolado } else { Complement::NoAplica }
    }
}

/// What cancelling a payment needs of it.
#[derive(Debug, Clone)]
pub struct AppliedPayment {
    /// The receivable.
    pub cxc: i64,
    /// Whether it is already cancelled.
    pub cancelado: bool,
    /// The amount.
    pub importe: Money,
    /// The bank account it came to.
    pub cuenta_bancaria: Option<i64>,
    /// The deposit it came with.
    pub deposito: Option<i64>,
    /// Its payment complement in the invoice registry.
    pub factura: Option<i64>,
    /// Whether it is a credit note that lowers what is owed.
    pub by_note: bool,
}

/// The outcome of withdrawing the complement of a cancelled payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withdrawal {
    /// The complement is cancelled and no longer queued.
    Done,
    /// It covers other valid payments, so it remains.
    Shared,
    /// A worker is stamping it, or has sent it and does not know what became of it.
    Underway,
}

/// Payments of receivables inside a transaction.
#[async_trait]
pub trait PaymentTx {
    /// A receivable with its sales document, both locked against other changes until the end.
    async fn lock_receivable(&mut self, cxc: i64) -> Result<Option<LockedReceivable>, StoreError>;

    /// What a customer has in a currency to pay from that is no deposit: of advances what was paid
    /// of the valid ones, of a balance in their favour what arose of it, each less what was applied
    /// to receivables. None of deposits.
    async fn funds(&mut self, cliente: i64, moneda: &str, origen: PaymentOrigin) -> Result<Decimal, StoreError>;

    /// The IVA of a customer's valid advances in a currency, and what they come to.
    async fn iva_of_advances(&mut self, cliente: i64, moneda: &str) -> Result<(Money, Money), StoreError>;

    /// Inserts a payment, and reduces the balance of its receivable and of the sale by what is
    /// paid; returns its clave, or none when the balance is lower than that.
    async fn insert_payment(&mut self, row: &NewPayment<'_>) -> Result<Option<i64>, StoreError>;

    /// A payment, locked until the end.
    async fn lock_payment(&mut self, pago: i64) -> Result<Option<AppliedPayment>, StoreError>;

    /// Marks a payment as cancelled, and adds its amount back to the balances of its receivable and
    /// sale; the receivable gets `estatus`, if there is one.
    async fn cancel_payment(
        &mut self,
        pago: i64,
        payment: &AppliedPayment,
        estatus: Option<ReceivableStatus>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Cancels a complement without valid payments and removes it from the stamping queue.
    /// [`Self::cancel_payment`] must have marked the payment `pago` before; it is unlinked from a
    /// complement that other payments share.
    async fn withdraw_complement(&mut self, factura: i64, pago: i64, now: Timestamp) -> Result<Withdrawal, StoreError>;
}
