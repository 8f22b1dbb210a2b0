//! Payments of receivables.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::deposit::NamedDeposit;
use crate::domain::event::EventKind;
use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::payment::{
    CASH, LockedReceivable, amount_schema, default_form, optional_amount_schema, too_large, validate_amount,
    validate_day, validate_form,
};
use crate::domain::quantity::Rate;
use crate::domain::sat::{PaidForms, SatKey};
use crate::domain::time::Date;
use crate::domain::words::{CancellationReason, InvoiceStatus, PaymentOrigin, SaleKind};
use crate::error::{Code, Error};
use crate::json::{Digits, Many, Text};
use crate::operation::{Cx, Operation, Spec};
use crate::posting::payment::{Applied, apply, named_deposit, payable_since};
use crate::posting::payment_data::PaymentData;
use crate::posting::payment_undone::undo;
use crate::posting::{advance, cancelled, complement, queued};
use crate::store::{AppliedPayment, Cancellation};

/// Applies a payment to a receivable, or one deposit to several, and emits `cxc.pago_aplicado` for
/// each.
///
/// If an unapplied deposit has the same account, day, amount and reference, it is used; any other
/// is named by `deposito`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApplyPayment {
    /// The clave of the receivable; this with `importe`, or `aplicaciones`.
    pub cxc: Option<i64>,
    /// The amount.
    #[serde(default)]
    #[schemars(schema_with = "optional_amount_schema")]
    pub importe: Option<Money>,
    /// The receivables that one deposit pays, with their amounts, which add up to the deposit.
    pub aplicaciones: Option<Many<Application, 500>>,
    /// The source of the payment; a deposit if left out.
    pub origen: Option<PaymentOrigin>,
    /// The clave of a captured deposit, which is applied as far as its unapplied part goes.
    pub deposito: Option<i64>,
    /// The clave of the advance's sales document, with the origin `anticipo`; if left out, the
    /// customer's oldest ones with something left in the receivable's currency.
    pub anticipo: Option<i64>,
    /// The clave of the bank account. A deposit requires one, unless it is cash that stays in the
    /// till. One of another currency than the receivable's needs `tipo_cambio`; one of both is in
    /// pesos.
    pub cuenta_bancaria: Option<i64>,
    /// The SAT's payment form, except 99. A deposit requires one; otherwise it defaults to 17 for a
    /// balance in the customer's favour and 30 for an advance.
    pub forma_pago_sat: Option<SatKey<Digits<2>, PaidForms>>,
    /// The day of the payment. With `deposito` it may be left out: its day, or that of the last of
    /// the receivables.
    pub fecha: Option<Date>,
    /// The bank's reference; required for a deposit in a bank account.
    pub referencia: Option<Text<100>>,
    /// Pesos per unit of the foreign currency on that day; the receivable's own if left out. The
    /// difference is posted as an exchange gain or loss.
    pub tipo_cambio: Option<Rate>,
}

/// The part of a deposit that pays one receivable.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Application {
    /// The clave of the receivable.
    pub cxc: i64,
    /// The amount.
    #[schemars(schema_with = "amount_schema")]
    pub importe: Money,
}

/// The answer of [`ApplyPayment`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PaymentsApplied {
    /// One receivable was paid.
    One {
        /// The payment's clave.
        pago: i64,
        /// What is left of the deposit that the request named.
        #[serde(skip_serializing_if = "Option::is_none")]
        sin_aplicar: Option<Money>,
    },
    /// One deposit paid several receivables, or several advances paid one.
    Several {
        /// The claves of the payments, in the order of the request.
        pagos: Vec<i64>,
        /// The clave of the deposit.
        deposito: Option<i64>,
        /// What is left of the deposit that the request named.
        #[serde(skip_serializing_if = "Option::is_none")]
        sin_aplicar: Option<Money>,
    },
}

/// Cancels a payment: restores the balances of receivable and sale, and reverses the entry.
///
/// A deposit that the payments created, and a complement, are cancelled with the last of their
/// payments; a captured deposit becomes unapplied again. The only payment of a stamped complement
/// stays as it is until the authority's final answer about the complement; with several payments, a
/// complement without this one replaces it.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelPayment {
    /// The payment's clave.
    pub pago: i64,
    /// The SAT's reason for cancelling the complement: 02 (if left out), 03 or 04. With 01 the
    /// payment stays: a substitute of its complement is made, and the complement is cancelled once
    /// that is stamped.
    pub motivo: Option<CancellationReason>,
}

/// The answer of [`CancelPayment`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PaymentCancelled {
    /// The payment's clave.
    pub pago: i64,
    /// The clave of the complement that replaces the payment's: with reason 01, or because other
    /// payments share it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factura: Option<i64>,
    /// The clave of the document whose cancellation was requested: the complement, or the credit
    /// note that applies an advance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub en_cancelacion: Option<i64>,
}

/// The payment that was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PaymentRef {
    /// The payment's clave.
    pub pago: i64,
}

impl ApplyPayment {
    /// The receivables with their amounts.
    fn parts(&self) -> Result<Vec<(i64, Money)>, Error> {
        let missing = |field| Error::field(Code::DatoRequerido, field, "es obligatorio");
        let Some(applications) = &self.aplicaciones else {
            let cxc = self.cxc.ok_or_else(|| missing("cxc"))?;
            return Ok(vec![(cxc, validate_amount(self.importe.ok_or_else(|| missing("importe"))?)?)]);
        };
        let invalid = |text| Err(Error::field(Code::DatoInvalido, "aplicaciones", text));
        if self.cxc.is_some() || self.importe.is_some() {
            return invalid("no van junto con cxc ni importe");
        }
        if self.origen.is_some_and(|origen| origen != PaymentOrigin::Deposito) {
            return invalid("solo van con origen deposito");
        }
        let distinct: BTreeSet<i64> = applications.iter().map(|part| part.cxc).collect();
        if distinct.len() < applications.len() {
            return invalid("cada cuenta por cobrar va una sola vez");
        }
        let parts: Vec<_> = applications
            .iter()
            .map(|part| Ok((part.cxc, validate_amount(part.importe)?)))
            .collect::<Result<_, Error>>()?;
        let total: Decimal = parts.iter().map(|(_, importe)| importe.get()).sum();
        line::amount(total).map(|_| parts).ok_or_else(too_large)
    }

    fn applied(&self, pagos: Vec<i64>, applied: Option<&Applied>) -> PaymentsApplied {
        let sin_aplicar = applied.and_then(|applied| applied.sin_aplicar);
        if let (&[pago], None) = (pagos.as_slice(), &self.aplicaciones) {
            return PaymentsApplied::One { pago, sin_aplicar };
        }
        let deposito = applied.and_then(|applied| applied.deposito);
        PaymentsApplied::Several { pagos, deposito, sin_aplicar }
    }

    /// The deposit that the request names, which must be in the account that it names.
    async fn named(&self, cx: &mut Cx<'_>, origen: PaymentOrigin) -> Result<Option<NamedDeposit>, Error> {
        let Some(deposito) = self.deposito else { return Ok(None) };
        if origen != PaymentOrigin::Deposito {
            return Err(Error::field(Code::DatoInvalido, "deposito", "solo va con origen deposito"));
        }
        let found = named_deposit(cx, deposito).await?;
        if self.cuenta_bancaria.is_some_and(|account| account != found.cuenta_bancaria) {
            return Err(Error::field(Code::CuentaBancariaInvalida, "cuenta_bancaria", "no es la del depósito"));
        }
        Ok(Some(found))
    }

    /// The day of the payment.
    async fn day(
        &self,
        cx: &mut Cx<'_>,
        parts: &[(i64, Money)],
        deposit: Option<&NamedDeposit>,
    ) -> Result<NaiveDate, Error> {
        let given = self.fecha.map(|fecha| validate_day(fecha.0, cx.latest_day())).transpose()?;
        match (given, deposit) {
            (None, None) => Err(Error::field(Code::DatoRequerido, "fecha", "es obligatorio")),
            (None, Some(deposit)) => payable_since(cx, parts, deposit.fecha).await,
            (Some(day), Some(deposit)) if day < deposit.fecha => {
                Err(Error::field(Code::DatoInvalido, "fecha", "es anterior al depósito"))
            }
            (Some(day), _) => Ok(day),
        }
    }

    /// The payment form, given or by default.
    fn form(&self, origen: PaymentOrigin) -> Result<&str, Error> {
        self.forma_pago_sat.as_deref().map_or(Ok(()), validate_form)?;
        match (self.forma_pago_sat.as_deref(), default_form(origen)) {
            (None, None) => Err(Error::field(Code::DatoRequerido, "forma_pago_sat", "es obligatorio")),
            // Only cash can stay in the till.
            (Some(form), None) if form != CASH && self.cuenta_bancaria.is_none() && self.deposito.is_none() => {
                Err(Error::field(Code::DatoRequerido, "cuenta_bancaria", "es obligatorio"))
            }
            (None, Some(form)) | (Some(form), _) => Ok(form),
        }
    }
}

impl Operation for ApplyPayment {
    const SPEC: Spec = Spec::new().named("payment.apply").emits(&[EventKind::PagoAplicado]);
    type Output = PaymentsApplied;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<PaymentsApplied, Error> {
        let parts = self.parts()?;
        let origen = self.origen.unwrap_or(PaymentOrigin::Deposito);
        if self.anticipo.is_some() && origen != PaymentOrigin::Anticipo {
            return Err(Error::field(Code::DatoInvalido, "anticipo", "solo va con origen anticipo"));
        }
        let forma_pago_sat = self.form(origen)?;
        let deposit = self.named(cx, origen).await?;
        let of_deposit = deposit.as_ref().and_then(|deposit| deposit.referencia.as_deref());
        let terms = PaymentData {
            origen,
            cuenta_bancaria: deposit.as_ref().map(|deposit| deposit.cuenta_bancaria).or(self.cuenta_bancaria),
            forma_pago_sat,
            fecha: self.day(cx, &parts, deposit.as_ref()).await?,
            referencia: self.referencia.as_deref().or(of_deposit),
            deposito: self.deposito,
            by_note: false,
            acreditado: None,
            anticipo: None,
            tipo_cambio: self.tipo_cambio,
        };
        if let (PaymentOrigin::Anticipo, &[(cxc, importe)]) = (origen, parts.as_slice()) {
            let pagos = advance::pay(cx, &terms, cxc, importe, self.anticipo).await?;
            return Ok(self.applied(pagos, None));
        }
        let applied = apply(cx, &terms, &parts).await?;
        Ok(self.applied(applied.payments.iter().map(|part| part.pago).collect(), Some(&applied)))
    }
}

impl Operation for CancelPayment {
    const SPEC: Spec = Spec::new().named("payment.cancel").each_time();
    type Output = PaymentCancelled;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<PaymentCancelled, Error> {
        let pago = self.pago;
        let missing =
            || Error::field(Code::NoEncontrado, "pago", format_args!("el pago {pago} no existe en la empresa"));
        let payment = cx.tx.lock_payment(pago).await?.ok_or_else(missing)?;
        if payment.cancelado {
            return Err(refused("ya está cancelado"));
        }
        let debt = cx.tx.lock_receivable(payment.cxc).await?;
        let motivo = self.motivo.unwrap_or(CancellationReason::Wrong);
        if motivo == CancellationReason::Replaced {
            let debt = debt.ok_or_else(|| refused("no tiene cuenta por cobrar"))?;
            return substitute(cx, pago, &payment, &debt).await;
        }
        if let Some(debt) = &debt
            && is_spent(cx, debt, payment.importe).await?
        {
            return Err(refused("el anticipo que pagó ya se aplicó"));
        }
        if let Some(nota) = payment.nota
            && cx.tx.credit_note(nota).await?.is_some_and(|note| note.anticipo.is_some())
        {
            self.cancel_note(cx, nota).await?;
            return Ok(PaymentCancelled { pago, factura: None, en_cancelacion: Some(nota) });
        }
        if let Some(factura) = payment.factura
            && let Some(complement) = cx.tx.lock_invoice(factura).await?
        {
            let last = cx.tx.is_last_of_complement(factura, pago).await?;
            validate_no_substitute(cx, factura, last).await?;
            if last {
                if complement.cancelacion_solicitada {
                    return Err(refused("su cancelación ya se solicitó"));
                }
                let cancellation = Cancellation { motivo: motivo.word(), uuid_sustitucion: None };
                queued::request_cancellation(cx, &complement, &cancellation, Some(pago), false).await?;
                return Ok(PaymentCancelled { pago, factura: None, en_cancelacion: Some(factura) });
            }
        }
        let factura = undo(cx, pago, &payment).await?;
        Ok(PaymentCancelled { pago, factura, en_cancelacion: None })
    }
}

fn refused(text: &str) -> Error {
    Error::field(Code::EstadoInvalido, "pago", text)
}

/// Refuses to change a complement that another, in error, shall replace, or one that waits for its
/// stamp (`waiting`).
async fn validate_no_substitute(cx: &mut Cx<'_>, factura: i64, waiting: bool) -> Result<(), Error> {
    match cx.tx.substitutions(factura).await?.first() {
        Some((clave, InvoiceStatus::EnEspera)) if waiting => {
            Err(refused(&format!("el complemento {clave}, que sustituye al suyo, espera timbre")))
        }
        Some((clave, InvoiceStatus::Error)) => Err(refused(&format!(
            "el complemento {clave}, que sustituye al suyo, está en error: se corrige con payment.restamp o se \
             descarta con document.discard"
        ))),
        _ => Ok(()),
    }
}

/// Queues the substitute of the payment's stamped complement, which is cancelled once that is
/// stamped. If an earlier one is stamped, but the cancellation of what it replaces was refused, it
/// is requested again.
async fn substitute(
    cx: &mut Cx<'_>,
    pago: i64,
    payment: &AppliedPayment,
    debt: &LockedReceivable,
) -> Result<PaymentCancelled, Error> {
    let complement = match payment.factura {
        Some(factura) => cx.tx.lock_invoice(factura).await?,
        None => None,
    };
    let complement = complement.ok_or_else(|| refused("no lleva complemento que se sustituya"))?;
    let Some(uuid) = complement.uuid.as_deref().filter(|_| complement.estatus == InvoiceStatus::Vigente) else {
        return Err(refused("su complemento no está timbrado; se corrige con payment.restamp"));
    };
    if complement.cancelacion_solicitada {
        return Err(refused("su cancelación ya se solicitó"));
    }
    validate_no_substitute(cx, complement.clave, true).await?;
    if let Some(replaced) = complement.sustituye
        && complement::cancel_replaced(cx, replaced, uuid).await?
    {
        return Ok(PaymentCancelled { pago, factura: Some(complement.clave), en_cancelacion: Some(replaced) });
    }
    let factura = complement::substitute(cx, &complement, debt).await?;
    Ok(PaymentCancelled { pago, factura: Some(factura), en_cancelacion: None })
}

impl CancelPayment {
    /// Requests the cancellation of the credit note that applies an advance; the payment stands
    /// until the authority's final answer.
    async fn cancel_note(&self, cx: &mut Cx<'_>, nota: i64) -> Result<(), Error> {
        let record = cx.tx.lock_invoice(nota).await?.ok_or(Code::NoEncontrado)?;
        if record.cancelacion_solicitada {
            return Err(refused("su cancelación ya se solicitó"));
        }
        if record.estatus != InvoiceStatus::Vigente {
            return Err(refused("la nota de crédito que lo aplica no está timbrada"));
        }
        let motivo = self.motivo.unwrap_or(CancellationReason::Wrong);
        cancelled::note(cx, &record).await?;
        let cancellation = Cancellation { motivo: motivo.word(), uuid_sustitucion: None };
        queued::request_cancellation(cx, &record, &cancellation, None, false).await
    }
}

/// Whether the payment belongs to an advance whose remainder would no longer cover what has been
/// applied: by an invoice that it was named for, or by payments from the customer's advances.
async fn is_spent(cx: &mut Cx<'_>, debt: &LockedReceivable, importe: Money) -> Result<bool, Error> {
    let advance = debt.sale.as_ref().is_some_and(|sale| sale.tipo == SaleKind::Anticipo);
    let (Some(cliente), Some(venta)) = (debt.cliente.filter(|_| advance), debt.venta) else { return Ok(false) };
    cx.tx.lock_buyer(cliente).await?;
    if cx.tx.funds(cliente, &debt.moneda, PaymentOrigin::Anticipo).await? < importe.get() {
        return Ok(true);
    }
    Ok(cx.tx.lock_advance(venta).await?.is_some_and(|advance| advance.restante < importe))
}
