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

/// What a bank account received in another currency than the receivable's.
#[derive(Debug, Clone)]
pub struct Exchanged {
    /// Currency of the bank account.
    pub moneda: String,
    /// Pesos for one unit of it.
    pub tipo_cambio: Rate,
    /// The amount, in it.
    pub monto: Money,
}

/// A payment to be stored; customer, sale and currency are its receivable's.
#[derive(Debug)]
pub struct NewPayment<'a> {
    /// The receivable that is paid.
    pub receivable: &'a LockedReceivable,
    /// Instalment number, amount and balances.
    pub instalment: Instalment,
    /// The day of the payment.
    pub fecha: NaiveDate,
    /// Pesos for one unit of the currency on that day.
    pub tipo_cambio: Rate,
    /// When it is applied.
    pub aplicado: Timestamp,
    /// Where the money comes from.
    pub origen: PaymentOrigin,
    /// A key of `c_FormaPago`.
    pub forma_pago_sat: &'a str,
    /// The bank account that received it; `None`: none did, e.g. cash.
    pub cuenta_bancaria: Option<i64>,
    /// The deposit that it uses.
    pub deposito: Option<i64>,
    /// Reference of the bank movement; required if the payment brings money to a bank account.
    pub referencia: Option<&'a str>,
    /// Its payment complement in the invoice registry, if it needs one.
    pub factura: Option<i64>,
    /// The sale of the advance that it applies.
    pub anticipo: Option<i64>,
    /// `None`: the money came in the receivable's currency.
    pub cambio: Option<&'a Exchanged>,
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
    /// Clave of the receivable.
    pub cxc: i64,
    /// Whether it is already cancelled.
    pub cancelado: bool,
    /// Where the money comes from.
    pub origen: PaymentOrigin,
    /// In the receivable's currency.
    pub importe: Money,
    /// In the bank account's currency.
    pub monto: Money,
    /// The bank account that received it.
    pub cuenta_bancaria: Option<i64>,
    /// The deposit that it uses.
    pub deposito: Option<i64>,
    /// Its payment complement in the invoice registry.
    pub factura: Option<i64>,
    /// The credit note that lowers the receivable by it.
    pub nota: Option<i64>,
    /// Whether goods that came back without a document lower the receivable by it.
    pub de_devolucion: bool,
}

/// The outcome of withdrawing the complement of a cancelled payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withdrawal {
    /// The complement is cancelled and no longer queued.
    Done,
    /// It covers other valid payments, which this document will cover once it is made anew: the
    /// complement itself, or the one that waits to replace it.
    Waiting(i64),
    /// It is stamped and covers other valid payments, so it must be replaced.
    Stamped,
    /// A worker is stamping it, or has sent it and got no answer yet.
    Underway,
}

/// A balance in a customer's favour.
#[derive(Debug, Clone, Copy)]
pub struct Favour {
    /// What is left, in the currency that was asked for.
    pub importe: Decimal,
    /// What account 206.01 has of it.
    pub pesos: Decimal,
}

/// Payments of receivables, their complements, and what customers have in their favour.
#[async_trait]
pub trait PaymentTx {
    /// A receivable with its sales document, both locked until the end.
    async fn lock_receivable(&mut self, cxc: i64) -> Result<Option<LockedReceivable>, StoreError>;

    /// What a customer has left in a currency for payments of this origin: what was paid of valid
    /// advances, or credit balances, less what was applied of them. Credit balances of notes whose
    /// cancellation was requested do not count. It is zero for deposits.
    async fn funds(&mut self, cliente: i64, moneda: &str, origen: PaymentOrigin) -> Result<Decimal, StoreError>;

    /// All that a customer has in their favour in a currency, with what account 206.01 has of it in
    /// pesos: `tipo_cambio` for what no entry says.
    async fn favour(&mut self, cliente: i64, moneda: &str, tipo_cambio: Rate) -> Result<Favour, StoreError>;

    /// Inserts a payment, and lowers the balances of its receivable and sale by it; returns its
    /// clave, or `None` if the receivable's balance is lower than the payment.
    async fn insert_payment(&mut self, row: &NewPayment<'_>) -> Result<Option<i64>, StoreError>;

    /// A payment, locked until the end.
    async fn lock_payment(&mut self, pago: i64) -> Result<Option<AppliedPayment>, StoreError>;

    /// Marks a payment as cancelled and adds its amount back to the balances of its receivable and
    /// sale; the receivable gets `estatus`, if it is given.
    async fn cancel_payment(
        &mut self,
        pago: i64,
        payment: &AppliedPayment,
        estatus: Option<ReceivableStatus>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Makes a record of the registry the complement of these payments, which had another.
    async fn move_payments(&mut self, pagos: &[i64], factura: i64) -> Result<(), StoreError>;

    /// Makes `factura` the complement of the valid payments of the one that it replaces.
    async fn take_over_payments(&mut self, sustituida: i64, factura: i64) -> Result<(), StoreError>;

    /// Cancels a complement without valid payments and removes it from the stamping queue. The
    /// caller has cancelled the payment `pago`; it is unlinked from an unstamped complement that
    /// other payments share.
    async fn withdraw_complement(&mut self, factura: i64, pago: i64, now: Timestamp) -> Result<Withdrawal, StoreError>;
}
