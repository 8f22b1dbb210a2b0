//! Payments of receivables.

use async_trait::async_trait;
use chrono::NaiveDate;

use super::StoreError;
use crate::domain::money::Money;
use crate::domain::payment::{Debt, Instalment};
use crate::domain::time::Timestamp;
use crate::domain::words::{Complement, PaymentOrigin, ReceivableStatus};

/// A payment to be stored; customer, sale, currency and exchange rate are its receivable's.
#[derive(Debug)]
pub struct NewPayment<'a> {
    /// The receivable.
    pub debt: &'a Debt,
    /// What it leaves behind.
    pub instalment: Instalment,
    /// The day of the payment.
    pub fecha: NaiveDate,
    /// Now.
    pub aplicado: Timestamp,
    /// What it is made from.
    pub origen: PaymentOrigin,
    /// Payment form, a key of the SAT's catalogue.
    pub forma_pago_sat: &'a str,
    /// The bank account it came to.
    pub cuenta_bancaria: Option<i64>,
    /// The deposit it came with.
    pub deposito: Option<i64>,
    /// Bank reference.
    pub referencia: Option<&'a str>,
    /// Its complement in the registry of invoices, which waits to be stamped; none when it wants none.
    pub factura: Option<i64>,
}

impl NewPayment<'_> {
    /// The status of its complement.
    pub fn complemento(&self) -> Complement {
        if self.factura.is_some() { Complement::Encolado } else { Complement::NoAplica }
    }
}

/// A payment, as far as cancelling it depends on it.
#[derive(Debug, Clone)]
pub struct AppliedPayment {
    /// The receivable.
    pub cxc: i64,
    /// Whether it is cancelled already.
    pub cancelado: bool,
    /// The amount.
    pub importe: Money,
    /// The bank account it came to.
    pub cuenta_bancaria: Option<i64>,
    /// The deposit it came with.
    pub deposito: Option<i64>,
    /// Its complement in the registry of invoices.
    pub factura: Option<i64>,
}

/// What became of the complement of a payment that was cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withdrawal {
    /// It is cancelled, and no longer waits to be stamped.
    Done,
    /// Other payments of it stand, and so does it.
    Shared,
    /// It is being stamped at this moment.
    Underway,
}

/// Payments of receivables inside a transaction.
#[async_trait]
pub trait PaymentTx {
    /// A receivable with its sales document, both locked against other changes until the end.
    async fn lock_debt(&mut self, cxc: i64) -> Result<Option<Debt>, StoreError>;

    /// Writes a payment and gives its clave.
    async fn insert_payment(&mut self, row: &NewPayment<'_>) -> Result<i64, StoreError>;

    /// Lowers what is owed of a receivable and of its sale; false when less is owed.
    async fn lower_debt(&mut self, debt: &Debt, paid: &Instalment, now: Timestamp) -> Result<bool, StoreError>;

    /// A payment, locked against other changes until the end.
    async fn lock_payment(&mut self, pago: i64) -> Result<Option<AppliedPayment>, StoreError>;

    /// Marks a payment as cancelled, and raises what is owed of its receivable and sale by what it had paid; the receivable
    /// gets `estatus`, if there is one.
    async fn cancel_payment(
        &mut self,
        pago: i64,
        payment: &AppliedPayment,
        estatus: Option<ReceivableStatus>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Cancels a complement of which no payment stands any more, and takes it off the queue of what is to be stamped.
    /// [`Self::cancel_payment`] must have marked the payment `pago`, which lets go of a complement that others share.
    async fn withdraw_complement(&mut self, factura: i64, pago: i64, now: Timestamp) -> Result<Withdrawal, StoreError>;
}
